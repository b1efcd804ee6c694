"""The lines above the tree: how it was searched for, pruned and changed by hand, and the ways back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.language import say, to_say
from espalier.learners.catalogue import Model
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.models import learners
from pages.shared.tree import fits, report, results
from pages.shared.tree.by_hand import controls
from pages.shared.tree.by_hand.changes import Changed
from pages.shared.tree.live import searching
from pages.shared.tree.pruning import choice, tab
from pages.shared.tree.results import GrownTree

SEARCHING = to_say("**Searching for the best tree of as many splits**")

MOST_DEPTH, MOST_SPLITS, MOST_VALUES, SECONDS = 4, 12, 50_000, 5  # of the optimal tree that is looked for
# Settings that the greedy tree shares with one's own.
KEPT = ("criterion", "split", "leaf", "without", "weights", "random")
LARGE = 2_000_000  # values of a table beyond which no other trees are grown for a line of scores


def line(grown: GrownTree) -> None:
    """Draw the line, and how far the search for the optimal tree is; nothing for a tree without changes."""
    if not grown.by_hand or grown.tree.n_leaves < 2 or grown.dataset.X.size > LARGE:
        return
    others = {say("yours", context="split"): grown, say("CART"): _greedy(grown)}
    awaited = ""
    if _has_optimal(grown):
        model = _optimal_model(grown)
        key = results.key_of(grown.dataset, grown.source.holdout, model)
        found = _search(key, grown, model)
        awaited = "" if found else key
        others |= found
    parts = [
        f"{kind}: {', '.join([_score(name, tree, kind) for name, tree in others.items()])}"
        for kind in report.headlines(grown)
    ]
    st.markdown(f":material/trophy: {_comparison_line(grown.tree.n_leaves - 1, parts)}")
    if awaited and watch.found(awaited) is None:
        note.progress([Line(awaited, say(SEARCHING), lambda job: Far(job.share, say(SEARCHING)))])


def _score(name: str, tree: GrownTree, kind: str) -> str:
    return f"{name} {report.headline_words(tree, kind)}"


def _greedy(grown: GrownTree) -> GrownTree:
    """CART that grows where the impurity falls most, up to as many leaves, with the settings of one's own tree."""
    values = dict(grown.source.model.settings) if grown.source.model.name == "cart" else {}
    settings = {key: values[key] for key in KEPT if key in values} | {"depth": None, "leaves": grown.tree.n_leaves}
    return results.grown(grown.dataset, grown.source.holdout, Model("cart", tuple(settings.items())))


def _has_optimal(grown: GrownTree) -> bool:
    """Whether the optimal tree of as many splits can be looked for: of classes, and in a moment."""
    is_small = grown.tree.depth <= MOST_DEPTH and grown.tree.n_leaves - 1 <= MOST_SPLITS
    is_small = is_small and grown.dataset.X.size <= MOST_VALUES
    return (
        grown.dataset.is_classification
        and is_small
        and compilation.is_ready(learners.LEARNERS["optimal"].kind.stage)
    )


def _optimal_model(grown: GrownTree) -> Model:
    settings = {"depth": grown.tree.depth, "splits": grown.tree.n_leaves - 1, "seconds": SECONDS}
    settings |= {"without": grown.source.model.value("without") or ""}
    return Model("optimal", tuple(settings.items()))


def _search(key: str, grown: GrownTree, model: Model) -> dict[str, GrownTree]:
    """The best tree by its name, once it is there."""
    dataset, holdout = grown.dataset, grown.source.holdout
    outcome = watch.found(key)
    if outcome is None:
        fit = fits.find(key, dataset, holdout, model)
        outcome = watch.outcome(Work(key, len(fit.y), fit), beside=True)
    if outcome.value is None:
        return {}
    name = say("best found") if outcome.value.is_open else say("optimal")
    return {name: results.grown(dataset, holdout, model, outcome.value)}


def _comparison_line(n: int, parts: Sequence[str]) -> str:
    """Line of scores of one's own tree beside those of as many splits; Markdown."""
    return say(
        "**You against CART**, {n} split each · {parts}"
        if n == 1
        else "**You against CART**, {n} splits each · {parts}",
        n=n,
        parts=" · ".join(parts),
    )


# ---- the lines above the tree: how it was searched for, pruned and changed by hand, and the ways back


def draw(grown: GrownTree, pruned: GrownTree, change: Changed) -> None:
    """Draw them for the tree of the controls, that tree pruned, and what was changed of it."""
    if grown.proof is not None:
        searching.above(grown)
    if st.session_state[choice.RULE] != choice.WHOLE:
        tab.line(grown, pruned)
    if change.text:
        controls.line(change)
        line(change.tree)
