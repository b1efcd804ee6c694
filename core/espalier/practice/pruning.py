"""Exercises on cost-complexity pruning: what goes first, and its α (Breiman et al. 1984, section 3.3)."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from espalier.language import Phrase
from espalier.learners.pruning import prices, pruning_path
from espalier.practice.exercise import Exercise, ExerciseTable, Mistake, of_choices
from espalier.practice.impurities import short
from espalier.practice.plane import LETTERS, plane_tree
from espalier.trees import LEAF, Tree, make_tree

CLEAR = 0.2  # rows for each leaf between the first subtree and the next


def pruning(draw: random.Random, level: int) -> Exercise | None:
    """The subtree that is cut first; from level 2 on its α; in level 3 it has several splits."""
    tree = _error_tree(draw, 5 if level == 3 else 4)
    first = _first_cut(tree)
    errors = _errors(tree)
    if first is None or (level == 3 and errors.n_leaves[first] == 2):
        return None
    inner = np.flatnonzero(tree.feature != LEAF)
    place, table = inner.tolist().index(first), _error_table(tree, errors.own)
    steps = (
        *(_price_of(LETTERS[k], errors, int(n)) for k, n in enumerate(inner)),
        Phrase("The least goes first: {name}.", {"name": LETTERS[place]}),
    )
    if level == 1:
        raw = int(np.argmin(errors.own[inner]))
        lure = {raw: Phrase("It makes the fewest errors as a leaf; what counts is how many its split saves.", {})}
        ask = Phrase("Which subtree does cost-complexity pruning cut first?", {})
        return Exercise(ask, place, steps, of_choices(place, lure), tuple(LETTERS[: len(inner)]), table=table)
    ask = Phrase("At which α does cost-complexity pruning cut the first subtree? α is in rows for each leaf.", {})
    alpha = float(pruning_path(tree, "errors").alpha[1] * tree.weight[0])
    return Exercise(ask, alpha, steps, _mistakes(errors, first), table=table)


def _mistakes(errors: SubtreeWrong, node: int) -> tuple[Mistake, ...]:
    saved, n = float(errors.own[node] - errors.below[node]), int(errors.n_leaves[node])
    undivided = Phrase("Divide by the number of leaves that go, which is one less than there are.", {})
    kept_all = Mistake(saved / n, Phrase("A leaf stays: divide by the leaves less one.", {}))
    return (Mistake(saved, undivided), kept_all) if n > 2 else (kept_all,)


def _price_of(name: str, errors: SubtreeWrong, node: int) -> Phrase:
    wrong, below, n = int(errors.own[node]), int(errors.below[node]), int(errors.n_leaves[node])
    values = {"name": name, "wrong": wrong, "below": below, "n": n, "value": short((wrong - below) / (n - 1))}
    return Phrase(
        "{name}: {wrong} wrong as a leaf, {below} in its {n} leaves: ({wrong} − {below}) / ({n} − 1) = {value}.",
        values,
    )


def _first_cut(tree: Tree) -> int | None:
    """Return the subtree that goes first and alone, with a clear distance to the next; None: there is none."""
    inner = np.flatnonzero(tree.feature != LEAF)
    errors = _errors(tree)
    saved = np.sort((errors.own - errors.below)[inner] / (errors.n_leaves[inner] - 1))
    if saved[0] <= 0 or saved[1] - saved[0] < CLEAR:
        return None
    return int(
        inner[np.argmin(prices(tree, "errors")[inner])]
    )  # of a subtree's splits, which go at once, its root


def _error_tree(draw: random.Random, n_leaves: int) -> Tree:
    """Return a tree of two classes with rows that its leaves get wrong."""
    shape = plane_tree(draw, n_leaves)
    counts = np.zeros((shape.n_nodes, 2))
    for node in reversed(range(shape.n_nodes)):
        if shape.feature[node] == LEAF:
            pair = [draw.randint(0, 3), draw.randint(4, 9)]
            counts[node] = pair if draw.random() < 0.5 else pair[::-1]
        else:
            counts[node] = counts[shape.left[node]] + counts[shape.right[node]]
    weight = counts.sum(axis=1)
    return make_tree(*shape[:6], weight, weight, counts / weight[:, None], np.zeros(shape.n_nodes))


class SubtreeWrong(NamedTuple):
    """Rows that are wrong at each node as a leaf, and in the leaves below it; and how many these are."""

    own: np.ndarray  # (n_nodes,)
    below: np.ndarray  # (n_nodes,)
    n_leaves: np.ndarray  # (n_nodes,) int64


def _errors(tree: Tree) -> SubtreeWrong:
    own = np.round(tree.weight * (1 - tree.value.max(axis=1)))
    below, n_leaves = own.copy(), np.ones(tree.n_nodes, np.int64)
    for node in reversed(np.flatnonzero(tree.feature != LEAF)):
        pair = [tree.left[node], tree.right[node]]
        below[node], n_leaves[node] = below[pair].sum(), n_leaves[pair].sum()
    return SubtreeWrong(own, below, n_leaves)


def _error_table(tree: Tree, wrong: np.ndarray) -> ExerciseTable:
    inner = np.flatnonzero(tree.feature != LEAF).tolist()
    name = {n: LETTERS[k] for k, n in enumerate(inner)}
    name |= {int(n): str(k + 1) for k, n in enumerate(np.flatnonzero(tree.feature == LEAF))}
    rows = [
        (name[n], f"{name[int(tree.left[n])]}, {name[int(tree.right[n])]}" if n in inner else "–", int(wrong[n]))
        for n in range(tree.n_nodes)
    ]
    heads = (Phrase("node", {}), Phrase("its children", {}), Phrase("rows wrong as a leaf", {}))
    return ExerciseTable(heads, tuple(rows))
