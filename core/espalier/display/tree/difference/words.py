"""The difference of two trees in sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import answers_of, condition, join, rows_words, rule
from espalier.display.theme import count, number, percent
from espalier.display.tree.small_tree import answer
from espalier.language import say, to_say
from espalier.tree.difference import alignment
from espalier.tree.difference.alignment import NONE
from espalier.tree.difference.differences import NodeChange, TreeDifference
from espalier.trees import LEAF, Tree, subtree_end

MOST_WAYS = 4  # pairs of classes that are named
KINDS = {
    alignment.SAME: to_say("the same"),
    alignment.MOVED: to_say("moved"),
    alignment.OTHER: to_say("another feature"),
    alignment.ONLY_A: to_say("only in A"),
    alignment.ONLY_B: to_say("only in B"),
    alignment.LEAVES: to_say("the same leaf"),
    alignment.ANSWER: to_say("another answer"),
    alignment.GROWN: to_say("split further in B"),
    alignment.CUT: to_say("no longer split in B"),
}


class ComparedTrees(NamedTuple):
    """Two trees of the same columns, and what differs."""

    a: Tree
    b: Tree
    features: Sequence[Feature]
    target: Feature
    difference: TreeDifference


def counts_words(both: ComparedTrees) -> str:
    """Return how many splits of both trees are the same, moved, or in one of them alone."""
    found = both.difference
    n = {kind: len(found.of_kind(kind)) for kind in (alignment.SAME, alignment.MOVED, alignment.OTHER)}
    paired = sum(n.values())
    one, two = (tree.n_leaves - 1 - paired for tree in (both.a, both.b))
    parts = [
        (n[alignment.SAME], to_say("{n} the same")),
        (n[alignment.MOVED], to_say("{n} moved")),
        (n[alignment.OTHER], to_say("{n} on another feature in the same place")),
        (one, to_say("{n} only in A")),
        (two, to_say("{n} only in B")),
    ]
    told = ", ".join(say(text, n=m) for m, text in parts if m) or say("none")
    return say("Splits, {a} in A and {b} in B: {parts}.", a=both.a.n_leaves - 1, b=both.b.n_leaves - 1, parts=told)


def answers_words(found: TreeDifference, target: Feature) -> str:
    """Return how many rows change their answer, and from what to what, or by how much."""
    differ, n = found.answers.differ, len(found.answers.differ)
    if not differ.any():
        return say("Both trees give the same answer to {all}.", all=rows_words(n))
    known = {"n": count(int(differ.sum())), "all": rows_words(n), "share": percent(float(differ.mean()))}
    before, after = found.answers.a[differ], found.answers.b[differ]
    if not target.categories:
        gap = np.abs(after - before)
        known |= {"mean": number(float(gap.mean())), "most": number(float(gap.max()))}
        return say(
            "The answer changes for {n} of {all} ({share}), by {mean} on average and {most} at most.", **known
        )
    ways = Counter(zip(before.tolist(), after.tolist(), strict=True)).most_common(MOST_WAYS)
    parts = [
        say("{n} from {before} to {after}", n=count(m), before=target.categories[i], after=target.categories[j])
        for (i, j), m in ways
    ]
    return say("The answer changes for {n} of {all} ({share}): {ways}.", **known, ways=", ".join(parts))


def space_words(found: TreeDifference, is_class: bool) -> str:
    """Return how far the answers are apart over the boxes of both trees; empty where there are none."""
    if math.isnan(found.over_boxes):
        return ""
    if is_class:
        return say(
            "Between the least and the greatest value of each column, whether rows are there or not, the answers "
            "differ in {share} of the space.",
            share=percent(found.over_boxes),
        )
    return say(
        "Between the least and the greatest value of each column, whether rows are there or not, the answers "
        "are {gap} apart on average.",
        gap=number(found.over_boxes),
    )


def cost_words(found: TreeDifference) -> str:
    """Return the cost of the alignment."""
    return say("Laid over each other, the trees differ by a cost of {cost} splits.", cost=number(found.cost))


def told(both: ComparedTrees) -> list[NodeChange]:
    """Return the changes that have a sentence: those with most changed rows first, then from the root down.

    A branch of one tree alone is told by the place where it begins.
    """
    found = [change for change in both.difference.changes if _is_told(change)]
    return sorted(found, key=lambda change: -change.n_changed)


def _is_told(change: NodeChange) -> bool:
    pair = change.pair
    if pair.kind in (alignment.ONLY_A, alignment.ONLY_B):
        return pair.stays != NONE
    return pair.kind not in (alignment.SAME, alignment.LEAVES)


def change_words(both: ComparedTrees, change: NodeChange) -> str:
    """Return a sentence on what became of a node, and for which rows."""
    return f"{_became(both, change)} {_rows(change)}".strip()


def _became(both: ComparedTrees, change: NodeChange) -> str:
    pair, known = change.pair, _asked(both, change)
    if pair.kind == alignment.MOVED:
        return _moved(both, change, known)
    if pair.kind == alignment.OTHER:
        return say("“{before}” is replaced by a question about another feature, “{after}”.", **known)
    if pair.kind == alignment.ANSWER:
        return say("A leaf answers {after} in place of {before}.", **known)
    tree, node = (both.a, pair.a) if pair.a != NONE and both.a.feature[pair.a] != LEAF else (both.b, pair.b)
    extra = (subtree_end(tree, node) - node - 1) // 2 - 1
    if pair.stays != NONE:
        extra -= (subtree_end(tree, pair.stays) - pair.stays - 1) // 2
        text = (
            to_say("“{before}” is only in A.")
            if pair.kind == alignment.ONLY_A
            else to_say("“{after}” is new in B.")
        )
    elif pair.kind == alignment.GROWN:
        text = to_say("A leaf of A ({before}) is split further in B: “{after}”.")
    else:
        text = to_say("The split “{before}” of A is a leaf in B ({after}).")
    more = say("With it come {n} splits below." if extra > 1 else "With it comes {n} split below.", n=extra)
    return say(text, **known) + (f" {more}" if extra > 0 else "")


def _moved(both: ComparedTrees, change: NodeChange, known: dict[str, str]) -> str:
    if change.shift == 0:
        return say("“{before}” is the same, but missing values go the other way.", **known)
    if not math.isfinite(change.shift):
        return say("“{before}” became “{after}”.", **known)
    return say("“{before}” became “{after}”: the threshold moved by {shift}.", **known, shift=shift_words(change))


def shift_words(change: NodeChange) -> str:
    """Return by how much a threshold moved, with its sign: "+0.3"."""
    return f"{'+' if change.shift > 0 else '−'}{number(abs(change.shift))}"


def _asked(both: ComparedTrees, change: NodeChange) -> dict[str, str]:
    """Return the question or the answer of either tree at the place."""
    sides = {"before": (both.a, change.pair.a), "after": (both.b, change.pair.b)}
    return {name: node_words(both, tree, node) for name, (tree, node) in sides.items() if node != NONE}


def node_words(both: ComparedTrees, tree: Tree, node: int) -> str:
    """Return the question of a split, with every digit that a change may need, or the answer of a leaf."""
    if tree.feature[node] == LEAF:
        return answer(tree, both.target, node, answers_of(both.a, both.b))
    return condition(tree, both.features, node)


def _rows(change: NodeChange) -> str:
    known = {"n": count(change.n_parted), "changed": count(change.n_changed), "all": rows_words(change.n_samples)}
    if change.n_parted and change.n_changed:
        return say("It sends {n} of {all} another way and changes the answer of {changed}.", **known)
    if change.n_parted:
        return say("It sends {n} of {all} another way and changes no answer.", **known)
    if change.n_changed:
        return say("It changes the answer of {changed} of {all}.", **known)
    return say("It changes no answer.")


def place_words(both: ComparedTrees, at: int) -> str:
    """Return in short where the ways of a row part: "petal width ≤ 1.75, moved"; empty without splits."""
    if at == NONE:
        return ""
    pair = both.difference.changes[at].pair
    in_b = pair.a == NONE or pair.kind == alignment.GROWN  # a question says more than the answer of a leaf
    asked = node_words(both, both.b, pair.b) if in_b else node_words(both, both.a, pair.a)
    return f"{asked}, {say(KINDS[pair.kind])}"


def path_words(both: ComparedTrees, tree: Tree, leaf: int) -> str:
    """Return the answer of a leaf and the way to it."""
    way = rule(tree, both.features, leaf)
    said = answer(tree, both.target, leaf, answers_of(both.a, both.b))
    return say("{way}: {answer}", way=join(way, "and"), answer=said) if way else said
