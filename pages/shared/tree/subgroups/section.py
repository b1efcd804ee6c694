"""The section of the Tree page that compares subgroups: the choice of the column, and a card for each group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from espalier.analysis.comparison.subgroups import FEWEST, N_RANGES, Estimate
from espalier.data.dataset import Dataset, columns_of
from espalier.data.rows.filters import ALL, LONGEST, filter_of
from espalier.data.weights import class_sizes
from espalier.trees import depths, prune_to
from espalier.views.spreadsheet import to_csv
from espalier.views.theme import number, percent
from espalier.views.tree import small_tree
from pages.shared.app import pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, is_dark, plain
from pages.shared.app.links.readers import whole
from pages.shared.canvas.slider import slider
from pages.shared.data import library
from pages.shared.jobs import note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job
from pages.shared.models import learners, rail
from pages.shared.tree.results import GrownTree
from pages.shared.tree.subgroups import growing, table
from pages.shared.tree.subgroups.growing import AskedGroups, GroupTree, GroupTrees
from pages.shared.words.tree import subgroups as words

COLUMN, RANGES = "groups", "ranges"  # in the address and the session state
MOST_RANGES, LONGEST_NAME = 6, 200
ABREAST, WIDE_ABREAST = 3, 2
DRAWN_DEPTH = 3  # deeper splits are left out of the pictures
MOST_CLASSES = 4  # whose shares are named


def url_entries(dataset: Dataset) -> list[Entry]:
    """The column and the number of ranges, as parts of the address."""
    there = _columns(dataset)

    def read(text: str) -> str:
        if text and text not in there:
            raise ValueError(words.A_COLUMN)
        return text

    return [Entry(COLUMN, "", read), Entry(RANGES, N_RANGES, whole(2, MOST_RANGES))]


def _columns(dataset: Dataset) -> list[str]:
    """Columns whose groups can be compared."""
    return [name for name in columns_of(dataset) if name != dataset.target.name and len(name) <= LONGEST_NAME]


def draw(grown: GrownTree, shown: GrownTree) -> None:
    """Draw the choice, and the trees of the groups; `shown` may be pruned or changed by hand, `grown` is not."""
    if grown.source.model.name not in learners.GROWN:
        return
    data, there = grown.table, _columns(grown.table)
    if st.session_state[COLUMN] not in there:
        st.session_state[COLUMN] = ""
    with st.container(horizontal=True, vertical_alignment="bottom", key="subgroups choice"):
        rail.pick(
            words.CONTROLS, COLUMN, st.selectbox, options=["", *there], width=320,
            format_func=lambda name: name or words.NO_COLUMN,
        )  # fmt: skip
        column = st.session_state[COLUMN]
        if column and _has_ranges(data, column):
            rail.pick(words.CONTROLS, RANGES, slider, options=range(2, MOST_RANGES + 1), default=N_RANGES)
    if column:
        _compare(AskedGroups(grown, column, st.session_state[RANGES]), grown.key != shown.key)


def _has_ranges(dataset: Dataset, column: str) -> bool:
    return not columns_of(dataset)[column].categories


def _compare(asked: AskedGroups, is_changed: bool) -> None:
    """Draw what there is by now."""
    outcome = growing.outcome(asked)
    if outcome.is_awaited:
        note.progress(
            [Line(asked.key, words.GROWING, lambda job: Far(job.share, words.GROWING, job.seconds_left))]
        )
    note.ended(asked.key, outcome, words.STOPPED, words.FAILED, goes_on=False)
    found: GroupTrees | None = outcome.value
    if found is None:
        return
    st.markdown(_headline(found))
    st.caption(" ".join([words.HOW, *([words.UNCHANGED] if is_changed else [])]))
    trees = [one.tree.tree for one in found.groups if one.tree is not None]
    abreast = WIDE_ABREAST if any(tree.depth >= small_tree.DEEP for tree in trees) else ABREAST
    for start in range(0, len(found.groups), abreast):
        for column, one in zip(st.columns(abreast), found.groups[start : start + abreast], strict=False):
            with column, st.container(border=True, height="stretch"):
                _card(one, asked.whole)
    if found.n_others:
        st.caption(words.others(found.n_others, found.n_rows_of_others))
    pictures.save(lambda: to_csv(table.table(found, asked.whole.held)), "subgroups.csv")


def _how_far(job: Job) -> Far:
    return Far(job.share, words.GROWING, job.seconds_left)


def _headline(found: GroupTrees) -> str:
    """What came of it, in a sentence."""
    judged = [one for one in found.groups if one.judged is not None]
    named = {
        verdict: [plain(one.group.rows.words) for one in judged if one.judged and one.judged.verdict == verdict]
        for verdict in ("own", "all")
    }
    return words.headline(len(judged), named["own"], named["all"])


def _card(one: GroupTree, whole_tree: GrownTree) -> None:
    data, taken, held = whole_tree.table, one.group.taken, whole_tree.held
    n_grown, n_held = int((taken & ~held).sum()), int((taken & held).sum())
    st.markdown(f"**{plain(one.group.rows.words)}**")
    st.caption(words.sizes(n_grown, n_held, _about_target(data, taken)))
    if one.tree is None:
        st.info(words.why_not(one.why_not, FEWEST))
    else:
        _picture(one.tree)
        st.markdown(words.leaves(one.tree.tree.n_leaves))
        st.markdown(_scores(one, data) if one.judged else words.NOT_TESTED)
    st.space("stretch")
    _rows_button(one)


def _picture(grown: GrownTree) -> None:
    data = grown.dataset
    tree: Any = grown.tree
    upper = prune_to(tree, depths(tree) < DRAWN_DEPTH) if tree.depth > DRAWN_DEPTH else tree
    drawn = small_tree.small_tree(upper, data.features, data.target, is_dark())
    pictures.show(drawn, small_tree.alt(upper, data.features, data.target), small_tree.width_of(upper))


def _about_target(data: Dataset, taken: np.ndarray) -> str:
    """The shares of the classes in a group, the most frequent first, or the mean; Markdown."""
    weight = data.weights_of(taken)
    if not data.is_classification:
        return words.mean(number(float(np.average(data.y[taken], weights=weight))))
    sizes = class_sizes(data.y[taken], len(data.classes), weight)
    shares = sizes / (sizes.sum() or 1)
    order = [int(k) for k in np.argsort(-shares, kind="stable")[:MOST_CLASSES] if shares[k] > 0]
    named = [f"{plain(data.classes[k])} {percent(float(shares[k]))}" for k in order]
    return ", ".join([*named, *(["…"] if np.count_nonzero(shares) > len(order) else [])])


def _scores(one: GroupTree, data: Dataset) -> str:
    """The scores of both trees on the group's held-out rows, and their gap."""
    assert one.judged is not None
    write: Callable[[float], str] = percent if data.is_classification else number
    own, of_all = (_written(each, write) for each in one.judged[:2])
    scores = words.scores(own, of_all, data.is_classification)
    return f"{scores}  \n{words.gap(one.judged.verdict, _gap(one.judged.gain, data.is_classification))}"


def _written(score: Estimate, write: Callable[[float], str]) -> str:
    if np.isnan(score.low):
        return f"**{write(score.mean)}**"
    return f"**{write(score.mean)}** ({words.interval(write(score.low), write(score.high))})"


def _gap(gain: Estimate, is_share: bool) -> str:
    """The gap in percentage points, or in the target's unit, with its sign and its interval."""
    mean, low, high = (number(round(100 * value, 1) if is_share else value) for value in gain)
    signed = f"+{mean}" if gain.mean > 0 else mean
    text = words.points(signed) if is_share else signed
    return text if np.isnan(gain.low) else f"{text} ({words.interval(low, high)})"


def _rows_button(one: GroupTree) -> None:
    """Draw the button that makes the group the filter of all pages."""
    key = library.chosen_key()
    before = ALL if library.refusal(key) else filter_of(library.divided(key)[1])
    rows = before.both(one.group.rows)
    st.button(
        words.WORK_ON, icon=":material/filter_alt:", key=f"work on {one.group.rows.text}", help=words.WORK_ON_HELP,
        disabled=one.tree is None or len(rows.text) > LONGEST, on_click=callback(_take), args=(rows.text,),
    )  # fmt: skip


def _take(rows: str) -> None:
    """Make these rows the data set in use; its groups are not asked for any more (a callback)."""
    st.session_state[COLUMN] = ""
    library.take(library.with_rows(library.chosen_key(), rows))
