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
from pages.shared.canvas.slider import slider
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.models import rail
from pages.shared.tree import fits, results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import page as words

MOST = 200  # trees that are looked for
SHOWN = 24  # drawn at once
ABREAST, WIDE_ABREAST = 3, 2  # pictures; of deep trees they are wide
MAX_SLACK = 5
NEARLY = 1e-9  # a difference that rounding may have made
LAST = "last-gallery"  # key of the session state: key of the optimal tree whose others were shown last
PAGES = "galleries"  # key of the session state: (key of the trees, how many are drawn)


class Near(NamedTuple):
    """Trees near the optimum."""

    trees: list[NearTree]  # the best first
    is_all: bool


def url_entries() -> list[Entry]:
    """The slack, as part of the address; no step of Undo."""
    return [Entry("slack", 0, whole(0, MAX_SLACK), undo=False)]


def choice() -> list[Entry]:
    """The number of the tree that is opened (0: the optimal one), as part of the address."""
    return [Entry("tree", 0, whole(0, MOST), undo=False)]


def near(grown: GrownTree) -> Near | None:
    """Trees within the chosen slack of the optimal one; None while they are looked for, or it is not proved."""
    if grown.proof is None or not grown.proof.proved or has_directions(grown):
        return None
    key, slack = _job_key(grown), st.session_state["slack"]
    outcome = watch.found(key)
    if outcome is None:
        fit = fits.find(grown.key, grown.dataset, *grown.source)
        outcome = watch.outcome(Work(key, MOST, partial(fit.near, slack, MOST)), beside=True)
    return Near(*outcome.value) if outcome.value and outcome.value[0] else None


def has_directions(grown: GrownTree) -> bool:
    """Whether the tree keeps to directions of columns."""
    return grown.parameters.get("monotonic_cst") is not None


def _job_key(grown: GrownTree) -> str:
    return f"{grown.key} near {st.session_state['slack']}"


def opened(grown: GrownTree, linked: bool) -> tuple[GrownTree, list[str]]:
    """The tree of the gallery that is opened, or the tree itself; notes on a link to one that is not there."""
    last, st.session_state[LAST] = st.session_state.get(LAST, grown.key), grown.key
    if last != grown.key and not linked:
        st.session_state["tree"] = 0
    number, others = st.session_state["tree"], near(grown)
    if not number or others is None:
        return grown, []
    if number > len(others.trees):
        st.session_state["tree"] = 0
        note = words.no_such_tree(number, len(others.trees))
        return grown, [note] if linked else []
    fitted = FittedTree(others.trees[number - 1].tree, grown.proof)
    return results.with_data(f"{grown.key} tree {number}", fitted, grown.dataset, grown.source), []


def way_back(grown: GrownTree) -> None:
    """Draw a note on the tree that is shown, and the way back to the optimal one; nothing where that is shown."""
    number, trees = st.session_state["tree"], near(grown)
    if not number or trees is None:
        return
    one, counted = trees.trees[number - 1], results.prices(grown).are_equal
    with st.container(horizontal=True, vertical_alignment="center", key="way back"):
        facts = [optimal_words.amount(one.objective, counted), words.splits(one.n_splits)]
        st.info(words.of_gallery(number, facts))
        st.button(words.BACK_TO_OPTIMAL, icon=":material/undo:", on_click=callback(_open), args=(0,))


def section(grown: GrownTree) -> None:
    """The gallery, with what its trees share; nothing under a tree that was not searched for."""
    if grown.proof is None:
        return
    st.markdown(words.AS_GOOD)
    if has_directions(grown):
        st.caption(words.NOT_WITH_DIRECTIONS)
        return
    if not grown.proof.proved:
        st.caption(words.NOT_PROVED)
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        rail.pick(words.SLACK, "slack", slider, options=range(MAX_SLACK + 1), default=0)
    others = near(grown)
    if others is not None and not others.is_all and grown.proof.every_threshold:
        st.caption(words.OVER_SOME_THRESHOLDS)
    with right:
        _looking(_job_key(grown))
    if others is None:
        return
    with left:
        best = grown.proof.objective, results.prices(grown).are_equal
        st.markdown(
            plain(optimal_words.near_words(len(others.trees), st.session_state["slack"], others.is_all, *best))
        )
    with right:
        _shared_features(grown, others)
    _gallery(grown, others)


def _looking(key: str) -> None:
    """Draw the number of trees so far, or a note where the search was stopped."""
    ended = watch.found(key)
    if ended is None:
        note.progress([Line(key, words.LOOKING, lambda job: Far(job.share, words.looking(job.progress.done)))])
    else:
        note.ended(key, ended, words.LOOKING_STOPPED, words.NO_OTHERS)


def others(grown: GrownTree) -> Others | None:
    """Number of other trees exactly as good as the optimal one; None where that is not known yet."""
    trees = near(grown)
    if trees is None:
        return None
    best = trees.trees[0].objective + NEARLY
    n = sum(tree.objective <= best for tree in trees.trees)
    return Others(max(n - 1, 0), trees.is_all or n < len(trees.trees))


def _shared_features(grown: GrownTree, others: Near) -> None:
    """Draw the features that the trees share: a sentence and, of several trees, a bar for each."""
    shared, names = (
        uses([near.tree for near in others.trees]),
        [feature.name for feature in grown.dataset.features],
    )
    st.markdown(optimal_words.shared_words(shared, len(others.trees), [plain(name) for name in names]))
    if len(others.trees) == 1:
        return
    counts = [use.n_trees for use in shared]
    table = pd.DataFrame({words.FEATURE: [names[use.feature] for use in shared], words.ASKED: counts})
    bar = st.column_config.ProgressColumn(format="%d", min_value=0, max_value=len(others.trees))
    height = min(38 + 35 * len(table), 250)
    config = {words.ASKED: bar}
    st.dataframe(table, hide_index=True, height=height, column_config=config, alt=words.FEATURES_ALT)


def _gallery(grown: GrownTree, others: Near) -> None:
    place = f"{grown.key} {st.session_state['slack']}"
    n_shown = _n_shown(place)
    st.caption(words.GALLERY)
    shown = range(1, min(n_shown, len(others.trees)) + 1)
    abreast = WIDE_ABREAST if any(near.tree.depth >= small_tree.DEEP for near in others.trees) else ABREAST
    for start in range(0, len(shown), abreast):
        for column, number in zip(st.columns(abreast), shown[start : start + abreast], strict=False):
            with column, st.container(border=True, height="stretch"):
                _picture(grown, others.trees[number - 1], number)
    if n_shown < len(others.trees):
        left = len(others.trees) - n_shown
        label = words.more(min(left, SHOWN), left)
        st.button(label, icon=":material/expand_more:", on_click=callback(_show_more), args=(place, n_shown))


def _picture(grown: GrownTree, near: NearTree, number: int) -> None:
    data = grown.dataset
    errors = optimal_words.amount(near.objective, results.prices(grown).are_equal)
    drawn = small_tree.small_tree(near.tree, data.features, data.target, is_dark())
    pictures.show(drawn, small_tree.alt(near.tree, data.features, data.target), small_tree.width_of(near.tree))
    st.space("stretch")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{number}** · {errors} · {words.splits(near.n_splits)}", width="stretch")
        is_open = st.session_state["tree"] == number
        st.button(
            words.OPEN,
            key=f"open tree {number}",
            disabled=is_open,
            on_click=callback(_open),
            args=(number,),
            help=words.open_help(number),
        )


def _n_shown(place: str) -> int:
    kept, n_shown = st.session_state.get(PAGES, (place, SHOWN))
    return n_shown if kept == place else SHOWN


def _show_more(place: str, n_shown: int) -> None:
    st.session_state[PAGES] = (place, n_shown + SHOWN)


def _open(number: int) -> None:
    st.session_state["tree"] = number
