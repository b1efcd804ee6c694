"""The difference of two trees: in sentences, as a table of rows, as two marked drawings, and as a document."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Markup
from espalier.display.tables import listed, named
from espalier.display.text.trees import answers_of, condition, rows_words
from espalier.display.theme import count, number, percent
from espalier.display.tree.small_tree import (
    LEAF_WIDTH,
    LEAST_BAR,
    LETTER,
    PAD,
    TreeLayout,
    answer,
    branches,
    fitting,
    leaf_colours,
    plan_of,
)
from espalier.language import say, to_say
from espalier.tree import alignment
from espalier.tree.alignment import NONE
from espalier.tree.differences import NodeChange, TreeDifference
from espalier.trees import LEAF, Tree, path_to, subtree_end

MOST_WAYS = 4  # pairs of classes that are named
KINDS = {
    alignment.SAME: to_say("the same"),
    alignment.SHIFT: to_say("moved"),
    alignment.OTHER: to_say("another feature"),
    alignment.ONLY_A: to_say("only in A"),
    alignment.ONLY_B: to_say("only in B"),
    alignment.LEAVES: to_say("the same leaf"),
    alignment.ANSWER: to_say("another answer"),
    alignment.SPROUT: to_say("split further in B"),
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
    difference = both.difference
    n = {kind: len(difference.of_kind(kind)) for kind in (alignment.SAME, alignment.SHIFT, alignment.OTHER)}
    n_pairs = sum(n.values())
    rest_a, rest_b = (tree.n_leaves - 1 - n_pairs for tree in (both.a, both.b))
    parts = [
        (n[alignment.SAME], to_say("{n} the same")),
        (n[alignment.SHIFT], to_say("{n} moved")),
        (n[alignment.OTHER], to_say("{n} on another feature in the same place")),
        (rest_a, to_say("{n} only in A")),
        (rest_b, to_say("{n} only in B")),
    ]
    listing = ", ".join(say(text, n=m) for m, text in parts if m) or say("none")
    return say(
        "Splits, {a} in A and {b} in B: {parts}.", a=both.a.n_leaves - 1, b=both.b.n_leaves - 1, parts=listing
    )


def answers_words(found: TreeDifference, target: Feature) -> str:
    """Return how many rows change their answer, and from what to what, or by how much."""
    differ, n = found.answers.differ, len(found.answers.differ)
    if not differ.any():
        return say("Both trees give the same answer to {all}.", all=rows_words(n))
    values = {"n": count(int(differ.sum())), "all": rows_words(n), "share": percent(float(differ.mean()))}
    before, after = found.answers.a[differ], found.answers.b[differ]
    if not target.categories:
        gap = np.abs(after - before)
        values |= {"mean": number(float(gap.mean())), "most": number(float(gap.max()))}
        return say(
            "The answer changes for {n} of {all} ({share}), by {mean} on average and {most} at most.", **values
        )
    ways = Counter(zip(before.tolist(), after.tolist(), strict=True)).most_common(MOST_WAYS)
    parts = [
        say("{n} from {before} to {after}", n=count(m), before=target.categories[i], after=target.categories[j])
        for (i, j), m in ways
    ]
    return say("The answer changes for {n} of {all} ({share}): {ways}.", **values, ways=", ".join(parts))


def changes_to_tell(both: ComparedTrees) -> list[NodeChange]:
    """Return the changes that have a sentence: those with most changed rows first, then from the root down.

    A branch of one tree alone is told by the place where it begins.
    """
    changes = [change for change in both.difference.changes if _is_told(change)]
    return sorted(changes, key=lambda change: -change.n_changed)


def _is_told(change: NodeChange) -> bool:
    pair = change.pair
    if pair.kind in (alignment.ONLY_A, alignment.ONLY_B):
        return pair.stays != NONE
    return pair.kind not in (alignment.SAME, alignment.LEAVES)


def change_words(both: ComparedTrees, change: NodeChange) -> str:
    """Return a sentence on what became of a node, and for which rows."""
    return f"{_became(both, change)} {_rows(change)}".strip()


def _became(both: ComparedTrees, change: NodeChange) -> str:
    pair, values = change.pair, _question_values(both, change)
    if pair.kind == alignment.SHIFT:
        return _move_words(both, change, values)
    if pair.kind == alignment.OTHER:
        return say("“{before}” is replaced by a question about another feature, “{after}”.", **values)
    if pair.kind == alignment.ANSWER:
        return say("A leaf answers {after} in place of {before}.", **values)
    tree, node = (both.a, pair.a) if pair.a != NONE and both.a.feature[pair.a] != LEAF else (both.b, pair.b)
    extra = (subtree_end(tree, node) - node - 1) // 2 - 1
    if pair.stays != NONE:
        extra -= (subtree_end(tree, pair.stays) - pair.stays - 1) // 2
        text = (
            to_say("“{before}” is only in A.")
            if pair.kind == alignment.ONLY_A
            else to_say("“{after}” is new in B.")
        )
    elif pair.kind == alignment.SPROUT:
        text = to_say("A leaf of A ({before}) is split further in B: “{after}”.")
    else:
        text = to_say("The split “{before}” of A is a leaf in B ({after}).")
    more = say("With it come {n} splits below." if extra > 1 else "With it comes {n} split below.", n=extra)
    return say(text, **values) + (f" {more}" if extra > 0 else "")


def _move_words(both: ComparedTrees, change: NodeChange, known: dict[str, str]) -> str:
    if change.shift == 0:
        return say("“{before}” is the same, but missing values go the other way.", **known)
    if not math.isfinite(change.shift):
        return say("“{before}” became “{after}”.", **known)
    return say("“{before}” became “{after}”: the threshold moved by {shift}.", **known, shift=shift_words(change))


def shift_words(change: NodeChange) -> str:
    """Return by how much a threshold moved, with its sign: "+0.3"."""
    return f"{'+' if change.shift > 0 else '−'}{number(abs(change.shift))}"


def _question_values(both: ComparedTrees, change: NodeChange) -> dict[str, str]:
    """Return the question or the answer of either tree at the place."""
    sides = {"before": (both.a, change.pair.a), "after": (both.b, change.pair.b)}
    return {name: node_words(both, tree, node) for name, (tree, node) in sides.items() if node != NONE}


def node_words(both: ComparedTrees, tree: Tree, node: int) -> str:
    """Return the question of a split, with every digit that a change may need, or the answer of a leaf."""
    if tree.feature[node] == LEAF:
        return answer(tree, both.target, node, answers_of(both.a, both.b))
    return condition(tree, both.features, node)


def _rows(change: NodeChange) -> str:
    values = {"n": count(change.n_parted), "changed": count(change.n_changed), "all": rows_words(change.n_samples)}
    if change.n_parted and change.n_changed:
        return say("It sends {n} of {all} another way and changes the answer of {changed}.", **values)
    if change.n_parted:
        return say("It sends {n} of {all} another way and changes no answer.", **values)
    if change.n_changed:
        return say("It changes the answer of {changed} of {all}.", **values)
    return say("It changes no answer.")


def place_words(both: ComparedTrees, at: int) -> str:
    """Return in short where the ways of a row part: "petal width ≤ 1.75, moved"; empty without splits."""
    if at == NONE:
        return ""
    pair = both.difference.changes[at].pair
    is_in_b = pair.a == NONE or pair.kind == alignment.SPROUT  # a question says more than the answer of a leaf
    node = node_words(both, both.b, pair.b) if is_in_b else node_words(both, both.a, pair.a)
    return f"{node}, {say(KINDS[pair.kind])}"


# Rows ------------------------------------------------------------------------------------------------

FIRST = 1  # column after which the answers stand: the number of the row comes first


def changed_rows(found: TreeDifference) -> np.ndarray:
    """Return the rows that change their answer, (n,) int64: those of numbers by how much, the most first."""
    rows = np.flatnonzero(found.answers.differ)
    if found.answers.a.dtype.kind == "i":
        return rows
    return rows[np.argsort(-np.abs(found.answers.b - found.answers.a)[rows], kind="stable")]


def rows_table(
    data: Dataset,
    found: TreeDifference,
    target: Feature,
    both: ComparedTrees | None,
    rows: np.ndarray,
    held: np.ndarray | None = None,
    features: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Return the table of these rows (indices): the answers of A and B, the place where ways part, and the values.

    `target` has the names of all classes; `both` is None where the answers alone are compared.
    """
    table = listed(data, rows, held, features=features)
    answers = {
        say("A says"): named(target, found.answers.a[rows].astype(float)),
        say("B says"): named(target, found.answers.b[rows].astype(float)),
    }
    if both is not None:
        texts = {at: place_words(both, at) for at in set(found.answers.place[rows].tolist()) | {NONE}}
        answers[say("because of")] = np.array([texts[at] for at in found.answers.place[rows].tolist()], object)
    for place, (name, values) in enumerate(answers.items(), start=FIRST):
        table.insert(place, name, values, allow_duplicates=True)
    return table


# Pictures --------------------------------------------------------------------------------------------

FONT_SIZE, RADIUS, WAY = 11, 8, 4  # pixels of letters, of a mark, and of the line of a row's way
COLUMN, NARROW, WIDEST = 150, 84, 640  # pixels of a question; at least; and of all questions together
LINE, LEAST_LINE, TALLEST = 34, 6, 1_200  # pixels from leaf to leaf, at least, and of all of them
SIGNS = {
    alignment.SHIFT: "Δ",
    alignment.OTHER: "≠",
    alignment.ANSWER: "≠",
    alignment.ONLY_A: "−",
    alignment.ONLY_B: "+",
    alignment.SPROUT: "+",
    alignment.CUT: "−",
}
COLOURS = {  # on light and dark pages
    "Δ": ("#E69F00", "#E69F00"),
    "≠": ("#CC7AAB", "#CC7AAB"),
    "−": ("#D55E00", "#DE6520"),
    "+": ("#0072B2", "#56B4E9"),
}
LEGEND = {
    "Δ": to_say("moved"),
    "≠": to_say("another feature or answer"),
    "−": to_say("only in A"),
    "+": to_say("only in B"),
}


class MarkedTree(NamedTuple):
    """One of two trees, with the change of each of its nodes."""

    tree: Tree
    changes: dict[int, NodeChange]  # by node


def side_of(both: ComparedTrees, is_a: bool) -> MarkedTree:
    """Return tree A, or B, with its changes."""
    changes = {(c.pair.a if is_a else c.pair.b): c for c in both.difference.changes}
    changes.pop(NONE, None)
    return MarkedTree(both.a if is_a else both.b, changes)


def marked_picture(both: ComparedTrees, is_a: bool, row_leaf: int = NONE) -> Picture:
    """Return tree A, or B; the way to `row_leaf` is lit, if there is one.

    A sign stands in each mark, so that colours alone say nothing: Δ moved, ≠ another feature or answer, + only in
    B, − only in A. What is the same is grey.
    """
    side = side_of(both, is_a)
    splits = [
        f"{node_words(both, side.tree, node)} ({say(KINDS[side.changes[node].pair.kind])})"
        for node in range(side.tree.n_nodes)
        if side.tree.feature[node] != LEAF
    ]
    letter = "A" if is_a else "B"
    words = say("Tree {letter}, its splits from the root down: {splits}.", letter=letter, splits="; ".join(splits))
    return Picture(partial(_draw_marked, both, side, row_leaf), words)


def _draw_marked(both: ComparedTrees, side: MarkedTree, row_leaf: int, dark: bool) -> str:
    plan = _plan(side.tree)
    lit = set(path_to(side.tree, row_leaf)) if row_leaf != NONE else set()
    parts = [
        *_edges(side, plan, dark, lit),
        *_questions(both, side, plan, dark),
        *_leaves(both, side, plan, dark, lit),
        *_marks(side, plan, dark),
    ]
    return svg.picture(parts, (plan.width, round(plan.height, 1)), FONT_SIZE)


def width_of(tree: Tree) -> float:
    """Return the width of the drawing in pixels."""
    return _plan(tree).width


def _plan(tree: Tree) -> TreeLayout:
    depth = max(tree.depth, 1)
    column = min(max(WIDEST / depth, NARROW), COLUMN)
    line = min(max(TALLEST / tree.n_leaves, LEAST_LINE), LINE)
    plan = plan_of(tree, LEAF_WIDTH + 2 * PAD + column * depth, line)
    return plan._replace(width=plan.width + 2 * RADIUS)  # a mark moves a leaf to the right


def _edges(side: MarkedTree, plan: TreeLayout, dark: bool, lit: set[int]) -> Iterator[Markup]:
    for child, corners in branches(side.tree, plan, RADIUS):
        if child in lit:
            yield svg.line(corners, ink.TEXT[ink.theme_of(dark)], stroke_width=WAY)
        else:
            dashes = svg.DASHES if _is_only(side, child) else None
            yield svg.line(corners, ink.LINE[ink.theme_of(dark)], stroke_dasharray=dashes)


def _is_only(side: MarkedTree, node: int) -> bool:
    """Whether the node is in a branch that the other tree does not have."""
    pair = side.changes[node].pair
    return pair.kind in (alignment.ONLY_A, alignment.ONLY_B) and pair.stays == NONE


def _questions(both: ComparedTrees, side: MarkedTree, plan: TreeLayout, dark: bool) -> Iterator[Markup]:
    paper, text = ink.PAPER[ink.theme_of(dark)], ink.TEXT[ink.theme_of(dark)]
    tree = side.tree
    for node in np.flatnonzero(tree.feature != LEAF).tolist():
        room = plan.y[tree.right[node]] - plan.y[tree.left[node]]
        if room < FONT_SIZE:
            continue
        x, y, change = plan.x[node] + 2 * RADIUS + 4, plan.y[node], side.changes[node]
        most = int((plan.column - 2 * RADIUS - 8) / LETTER)
        faint = 0.75 if change.pair.kind == alignment.SAME else None
        words = fitting(tree, both.features, node, most)
        yield svg.text(x, y, words, text, dy=4, opacity=faint, **svg.halo(paper, 3))
        if change.pair.kind == alignment.SHIFT and np.isfinite(change.shift) and change.shift and room >= 30:
            weight = {"font_weight": "bold"}
            yield svg.text(x, y + 12, shift_words(change), text, dy=4, **weight, **svg.halo(paper, 3))


def _leaves(
    both: ComparedTrees, side: MarkedTree, plan: TreeLayout, dark: bool, lit: set[int]
) -> Iterator[Markup]:
    colours, format_answer = (
        leaf_colours(side.tree, both.target, dark, (both.a, both.b)),
        answers_of(both.a, both.b),
    )
    for node in np.flatnonzero(side.tree.feature == LEAF).tolist():
        x, y, tall = plan.x[node], plan.y[node], min(max(plan.line - 4, 2), 20)
        edge = {"stroke": ink.TEXT[ink.theme_of(dark)], "stroke_width": 3} if node in lit else {}
        left = x + RADIUS if sign_of(side, node) else x
        yield svg.rectangle((left, y - tall / 2, LEAF_WIDTH, tall), colours[node], rx=3, **edge)
        if plan.line >= LEAST_BAR:
            name = svg.shortened(
                answer(side.tree, both.target, node, format_answer), int((LEAF_WIDTH - 14) / LETTER)
            )
            yield svg.text(left + 10, y, name, ink.readable_on(colours[node]), dy=4)


def _marks(side: MarkedTree, plan: TreeLayout, dark: bool) -> Iterator[Markup]:
    for node, change in side.changes.items():
        is_split = side.tree.feature[node] != LEAF
        sign = sign_of(side, node)
        if not sign and not is_split:
            continue
        x, y = plan.x[node] + RADIUS, plan.y[node]
        if not sign:
            yield svg.circle(x, y, RADIUS / 2, ink.LINE[ink.theme_of(dark)])
            continue
        fill = COLOURS[sign][dark]
        title = svg.element("title", say(KINDS[change.pair.kind]))
        yield svg.element("g", title, *mark(sign, x, y, fill))


def mark(sign: str, x: float, y: float, fill: str) -> list[Markup]:
    """Return the round mark with its sign at a place."""
    style = {"text_anchor": "middle", "font_weight": "bold", "font_size": 12}
    return [svg.circle(x, y, RADIUS, fill), svg.text(x, y, sign, ink.readable_on(fill), dy=4, **style)]


def sign_of(side: MarkedTree, node: int) -> str:
    """Return the sign of a node; none where it is the same, and at leaves of branches whose splits have one."""
    pair = side.changes[node].pair
    is_leaf = side.tree.feature[node] == LEAF
    if is_leaf and pair.kind in (alignment.ONLY_A, alignment.ONLY_B):
        return ""
    return SIGNS.get(pair.kind, "")


def legend() -> Picture:
    """Return the legend: a sign and its meaning, from left to right."""
    words = say("Signs: a grey dot is the same, Δ moved, ≠ another column or answer, − only in A, + only in B.")
    return Picture(_draw_legend, words)


def _draw_legend(dark: bool) -> str:
    parts, x = [], float(RADIUS + 1)
    words = {"": say("the same")} | {sign: say(text) for sign, text in LEGEND.items()}
    theme = ink.theme_of(dark)
    for sign, text in words.items():
        middle = RADIUS + 2
        if sign:
            parts += mark(sign, x, middle, COLOURS[sign][dark])
        else:
            parts.append(svg.circle(x, middle, RADIUS / 2, ink.LINE[theme]))
        parts.append(svg.text(x + RADIUS + 4, middle, text, ink.TEXT[theme], dy=4))
        x += 3 * RADIUS + 12 + LETTER * len(text) * 1.08
    return svg.picture(parts, (x, 2 * RADIUS + 4), FONT_SIZE)
