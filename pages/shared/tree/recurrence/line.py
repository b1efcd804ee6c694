"""The selected split in a sentence: how often it came back; and how far counting is."""

from __future__ import annotations

import streamlit as st

from espalier.trees import LEAF
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.tree.recurrence import counting
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import recurrence as words


def draw(shown: GrownTree, whole: GrownTree) -> None:
    """Draw the sentence, or how far counting is; nothing where cards do not show it."""
    if not counting.is_wanted(whole):
        return
    key = counting.job_key(whole)
    if not counting.may_begin(whole):
        rows = int((~whole.held).sum())
        watch.offer([key], words.much_to_do(counting.PLAN.n_replicates, rows), words.COUNT)
        return
    outcome = counting.outcome(whole)
    if outcome.is_awaited:
        note.progress([Line(key, words.COUNTING, lambda job: Far(job.share, words.COUNTING, job.seconds_left))])
    note.ended(key, outcome, words.STOPPED, words.FAILED, goes_on=False)
    if outcome.value is not None:
        st.caption(_sentence(shown, whole, outcome.value))


def said(shown: GrownTree, whole: GrownTree) -> str:
    """The sentence on the selected split, for a sheet of paper; empty until it was counted."""
    if not (counting.is_wanted(whole) and counting.may_begin(whole)):
        return ""
    found = counting.outcome(whole).value
    return "" if found is None else _sentence(shown, whole, found)


def _sentence(shown: GrownTree, whole: GrownTree, found: counting.Recurrences) -> str:
    node, n_trees = st.session_state["node"], found.by_features.n_trees
    if shown.tree.left[node] == LEAF:
        return words.leaf(n_trees)
    by_features, nearby = (int(counting.times(shown, whole, one)[node]) for one in found)
    return words.split(by_features, nearby, n_trees, node == 0)


def toggle(whole: GrownTree) -> None:
    """The choice whether cards show it; nothing for trees that take too long to grow many times."""
    if counting.is_offered(whole):
        with st.popover("", icon=":material/tune:", help=words.OPTIONS):
            st.toggle(words.TOGGLE, key=counting.KEY, help=words.HELP)
