"""The selected split in a sentence: how often it came back; and how far counting is."""

from __future__ import annotations

import streamlit as st

from espalier.display.theme import count
from espalier.language import say
from espalier.trees import LEAF
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.tree.recurrence import counting
from pages.shared.tree.results import GrownTree


def draw(shown: GrownTree, whole: GrownTree) -> None:
    """Draw the sentence, or how far counting is; nothing where cards do not show it."""
    if not counting.is_wanted(whole):
        return
    key = counting.job_key(whole)
    if not counting.may_begin(whole):
        rows = int((~whole.held).sum())
        watch.offer(
            [key],
            say(
                "{n_trees} trees are to be grown on {n_rows} rows each",
                n_trees=counting.PLAN.n_replicates,
                n_rows=count(rows),
            ),
            say("Count how often"),
        )
        return
    outcome = counting.outcome(whole)
    if outcome.is_awaited:
        note.progress(
            [
                Line(
                    key,
                    say("**Growing 100 trees on bootstrap samples**"),
                    lambda job: Far(
                        job.share, say("**Growing 100 trees on bootstrap samples**"), job.seconds_left
                    ),
                )
            ]
        )
    note.ended(
        key,
        outcome,
        say("Growing the trees was stopped: numbers on the cards are of those that were complete."),
        say("How often splits come back could not be counted."),
        goes_on=False,
    )
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
        return leaf_note(n_trees)
    by_features, nearby = (int(counting.times(shown, whole, one)[node]) for one in found)
    return _split_sentence(by_features, nearby, n_trees, node == 0)


def toggle(whole: GrownTree) -> None:
    """The choice whether cards show it; nothing for trees that take too long to grow many times."""
    if counting.is_offered(whole):
        st.toggle(
            say("How often each split comes back"),
            key=counting.KEY,
            help=say(
                "100 trees are grown with the same settings, unpruned by hand, on bootstrap samples: "
                "as many rows as there are, drawn with replacement. A split came back in a tree that "
                "asks the same columns, to the same sides, all the way from the root to this split: "
                "the Stability page's definition, by columns."
            ),
        )


def leaf_note(n_trees: int) -> str:
    """Of a leaf there is nothing to count."""
    return say(
        "A leaf asks nothing. Select a split to read in how many of {n_trees} trees it came back.", n_trees=n_trees
    )


def _split_sentence(times: int, nearby: int, n_trees: int, is_root: bool) -> str:
    """How often the split came back, and how often with thresholds nearby."""
    way = (
        say("they ask the same column first")
        if is_root
        else say("they ask the same columns from the root to here")
    )
    said = say(
        "This split came back in **{times} of {n_trees}** trees grown on bootstrap samples: {way}.",
        times=times,
        n_trees=n_trees,
        way=way,
    )
    if not times:
        return said
    near = say("the threshold is near, too") if is_root else say("the thresholds are near, too")
    return say(
        "{said} In {nearby} of them {near}: no farther away than a cultivated tree would hesitate.",
        said=said,
        nearby=nearby,
        near=near,
    )
