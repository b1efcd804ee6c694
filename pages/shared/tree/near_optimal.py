"""Trees that are as good as the optimal one, or nearly: a gallery, what they share, and any of them opened."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from espalier.analysis.tree.feature_use import uses
from espalier.learners.optimal import NearTree
from espalier.views.optimal import words as optimal_words
from espalier.views.optimal.words import Others
from espalier.views.tree import small_tree
from pages.shared.app import pictures
from pages.shared.app.address import Entry, whole
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Work
from pages.shared.models import rail
from pages.shared.models.rail import Help
from pages.shared.tree import fits, results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree

MOST = 200  # trees that are looked for
SHOWN = 24  # drawn at once
ABREAST, WIDE_ABREAST = 3, 2  # pictures; of deep trees they are wide
MAX_SLACK = 5
NEARLY = 1e-9  # a difference that rounding may have made
LOOKING = "**Looking for trees that are as good**"
ASKED = "trees that ask about it"
LAST = "last gallery"  # key of the session state: key of the optimal tree whose others were shown last
PAGES = "galleries"  # key of the session state: (key of the trees, how many are drawn)
HELP = {
    "slack": Help(
        "How much worse than the best, at most",
        "0: only trees as good as the optimal one. With more, also those that make so many errors more (cost so "
        "much more, where errors differ). *Term:* `optimal_trees(slack=…)`.",
    )
}


class Near(NamedTuple):
    """Trees near the optimum."""

    trees: list[NearTree]  # the best first
    is_all: bool


def url_entries() -> list[Entry]:
    """How good is good enough, as part of the address; no step of Undo."""
    return [Entry("slack", 0, whole(0, MAX_SLACK), undo=False)]


def choice() -> list[Entry]:
    """Which of the trees is opened (0: the optimal one), as part of the address."""
    return [Entry("tree", 0, whole(0, MOST), undo=False)]


def near(grown: GrownTree) -> Near | None:
    """Trees within the chosen slack of the optimal one; None while they are looked for, or it is not proved."""
    if grown.proof is None or not grown.proof.proved:
        return None
    key, slack = _job_key(grown), st.session_state["slack"]
    found = RUNNER.outcome(key)
    if found is None:
        fit = fits.find(grown.key, grown.dataset, *grown.source)
        found = watch.outcome(Work(key, MOST, partial(fit.near, slack, MOST)), beside=True)
    return Near(*found.value) if found.value and found.value[0] else None


def _job_key(grown: GrownTree) -> str:
    return f"{grown.key} near {st.session_state['slack']}"


def opened(grown: GrownTree, linked: bool) -> tuple[GrownTree, list[str]]:
    """The tree of the gallery that is opened, or the tree itself; notes on a link to one that is not there."""
    last, st.session_state[LAST] = st.session_state.get(LAST, grown.key), grown.key
    if last != grown.key and not linked:
        st.session_state["tree"] = 0
    number, found = st.session_state["tree"], near(grown)
    if not number or found is None:
        return grown, []
    if number > len(found.trees):
        st.session_state["tree"] = 0
        note = f"tree={number}: there are {len(found.trees)} trees as good as that"
        return grown, [note] if linked else []
    fitted = FittedTree(found.trees[number - 1].tree, grown.proof)
    return results.with_data(f"{grown.key} tree {number}", fitted, grown.dataset, grown.source), []


def way_back(grown: GrownTree) -> None:
    """Which of the trees is shown, and the way back to the optimal one; nothing where that is shown."""
    number, trees = st.session_state["tree"], near(grown)
    if not number or trees is None:
        return
    found, counted = trees.trees[number - 1], results.prices(grown).are_equal
    with st.container(horizontal=True, vertical_alignment="center", key="way back"):
        size = f"{optimal_words.amount(found.objective, counted)}, {_splits(found)}"
        st.info(f"This is tree {number} of the gallery below: {size}.")
        st.button("Back to the optimal tree", icon=":material/undo:", on_click=callback(_open), args=(0,))


def section(grown: GrownTree) -> None:
    """The gallery, with what its trees share; nothing under a tree that was not searched for."""
    if grown.proof is None:
        return
    st.markdown("#### Other trees as good")
    if not grown.proof.proved:
        st.caption("Which other trees are as good can be told only of a tree that is proved to be the best.")
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        rail.pick(HELP, "slack", st.slider, min_value=0, max_value=MAX_SLACK)
    found = near(grown)
    with right:
        _looking(_job_key(grown))
    if found is None:
        return
    with left:
        best = grown.proof.objective, results.prices(grown).are_equal
        st.markdown(
            plain(optimal_words.near_words(len(found.trees), st.session_state["slack"], found.is_all, *best))
        )
    with right:
        _what_they_share(grown, found)
    _gallery(grown, found)


def _looking(key: str) -> None:
    """How many trees were found so far, or how many there are where that was stopped."""
    ended = RUNNER.outcome(key)
    if ended is None:
        note.progress([Line(key, LOOKING, lambda job: Far(job.share, f"{LOOKING} {job.progress.done} so far"))])
    else:
        note.ended(key, ended, "Stopped: there may be other trees as good.", "There are no other trees.")


def others(grown: GrownTree) -> Others | None:
    """How many other trees are exactly as good as the optimal one; None where that is not known yet."""
    found = near(grown)
    if found is None:
        return None
    best = found.trees[0].objective + NEARLY
    n = sum(tree.objective <= best for tree in found.trees)
    return Others(max(n - 1, 0), found.is_all or n < len(found.trees))


def _what_they_share(grown: GrownTree, found: Near) -> None:
    """In words and, of more trees than one, as a bar for every feature."""
    shared, names = uses([near.tree for near in found.trees]), [feature.name for feature in grown.dataset.features]
    st.markdown(optimal_words.shared_words(shared, len(found.trees), [plain(name) for name in names]))
    if len(found.trees) == 1:
        return
    counts = [use.n_trees for use in shared]
    table = pd.DataFrame({"feature": [names[use.feature] for use in shared], ASKED: counts})
    bar = st.column_config.ProgressColumn(format="%d", min_value=0, max_value=len(found.trees))
    height = min(38 + 35 * len(table), 250)
    alt = "How many of the trees ask about each feature"
    st.dataframe(table, hide_index=True, height=height, column_config={ASKED: bar}, alt=alt)


def _gallery(grown: GrownTree, found: Near) -> None:
    place = f"{grown.key} {st.session_state['slack']}"
    n_shown = _n_shown(place)
    st.caption(
        "Questions from left to right; a row that answers yes goes up. Trees that answer the same for every row "
        "there could be are shown once. Questions that part this table's rows alike count as one."
    )
    shown = range(1, min(n_shown, len(found.trees)) + 1)
    abreast = WIDE_ABREAST if any(near.tree.depth >= small_tree.DEEP for near in found.trees) else ABREAST
    for start in range(0, len(shown), abreast):
        for column, number in zip(st.columns(abreast), shown[start : start + abreast], strict=False):
            with column, st.container(border=True, height="stretch"):
                _picture(grown, found.trees[number - 1], number)
    if n_shown < len(found.trees):
        left = len(found.trees) - n_shown
        words = f"Show {min(left, SHOWN)} more of {left}"
        st.button(words, icon=":material/expand_more:", on_click=callback(_show_more), args=(place, n_shown))


def _picture(grown: GrownTree, near: NearTree, number: int) -> None:
    data = grown.dataset
    errors = optimal_words.amount(near.objective, results.prices(grown).are_equal)
    drawn = small_tree.small_tree(near.tree, data.features, data.target, is_dark())
    pictures.show(drawn, small_tree.alt(near.tree, data.features, data.target), small_tree.width_of(near.tree))
    st.space("stretch")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{number}** · {errors} · {_splits(near)}", width="stretch")
        is_open = st.session_state["tree"] == number
        words = f"Show tree {number} above, in place of the optimal one"
        st.button(
            "Open",
            key=f"open tree {number}",
            disabled=is_open,
            on_click=callback(_open),
            args=(number,),
            help=words,
        )


def _splits(near: NearTree) -> str:
    return f"{near.n_splits} split{'s' * (near.n_splits != 1)}"


def _n_shown(place: str) -> int:
    kept, n_shown = st.session_state.get(PAGES, (place, SHOWN))
    return n_shown if kept == place else SHOWN


def _show_more(place: str, n_shown: int) -> None:
    st.session_state[PAGES] = (place, n_shown + SHOWN)


def _open(number: int) -> None:
    st.session_state["tree"] = number
