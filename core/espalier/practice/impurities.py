"""Exercises on impurity and on pruning: gains of splits, and the subtree that goes first.

After Breiman et al. (1984, chapter 4 and section 3.3).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from espalier.language import Phrase, to_say
from espalier.learners import CartClassifier
from espalier.learners.pruning import prices, pruning_path
from espalier.practice.exercises import LETTERS, Exercise, ExerciseTable, Mistake, choice_mistakes, plane_tree
from espalier.trees import LEAF, Tree, make_tree

COLOURS = (to_say("red"), to_say("green"), to_say("blue"), to_say("yellow"))
LEFT, RIGHT = Phrase("left", {}), Phrase("right", {})
HALVES = ((2, 1, 1), (4, 2, 1, 1), (1, 1, 1, 1), (1, 1))  # shares whose logarithms are whole
UNWEIGHTED_SIDES = to_say("That takes both sides alike: weight each with its share of the rows.")


SplitCounts: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # rows by class left and right of a split


def colour(k: int) -> Phrase:
    """Return the name of a class."""
    return Phrase(COLOURS[k], {})


def impurity(draw: random.Random, level: int) -> Exercise | None:
    """Gini of two classes; gini or error of three; entropy of shares that are powers of a half."""
    criterion = ("gini", draw.choice(["gini", "misclassification"]), "entropy")[level - 1]
    counts = _counts(draw, level)
    n, most = sum(counts), max(counts)
    tree = grow_stump([counts], criterion)
    squares = sum(c * c for c in counts) / n**2
    wrong = {
        "gini": [(squares, to_say("That is the sum of the squares; take it from 1."))],
        "misclassification": [
            (most / n, to_say("That is the share of the greatest class; the others are wrong."))
        ],
        "entropy": [
            (
                float(tree.impurity[0]) * math.log(2),
                to_say("That is with the natural logarithm; take that to base 2."),
            ),
            (1 - squares, to_say("That is the gini.")),
        ],
    }[criterion]
    return Exercise(
        Phrase(ASKS[criterion], {}),
        float(tree.impurity[0]),
        (
            Phrase("The shares are {shares}.", {"shares": ", ".join(f"{c}/{n}" for c in counts)}),
            Phrase(WAYS[criterion], {"value": short(tree.impurity[0])}),
        ),
        tuple(Mistake(value, Phrase(meaning, {})) for value, meaning in wrong),
        table=ExerciseTable(tuple(colour(k) for k in range(len(counts))), (tuple(counts),)),
    )


ASKS = {
    "gini": to_say("A node has these rows. How large is its gini?"),
    "misclassification": to_say("A node has these rows. How large is its error, as a share?"),
    "entropy": to_say("A node has these rows. How large is its entropy, in bits?"),
}
WAYS = {
    "gini": to_say("The gini is 1 less the sum of their squares: {value}."),
    "misclassification": to_say("The error is 1 less the greatest of them: {value}."),
    "entropy": to_say("The entropy is the sum of each share times the logarithm of 1 / share to base 2: {value}."),
}


def _counts(draw: random.Random, level: int) -> tuple[int, ...]:
    if level == 3:
        shares, factor = list(draw.choice(HALVES)), draw.choice([1, 2, 3])
        draw.shuffle(shares)
        return tuple(factor * share for share in shares)
    n = draw.choice([4, 5, 8, 10] if level == 1 else [5, 8, 10])
    cuts = sorted(draw.sample(range(1, n), level))
    return tuple(b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True))


def gain(draw: random.Random, level: int) -> Exercise | None:
    """Fall of the gini by a split, of two classes or, in level 3, three."""
    sides = _sides(draw, 3 if level == 3 else 2, (3, 4 + level))
    tree = grow_stump(sides)
    if tree.n_nodes != 3:
        return None
    before, left, right = (float(x) for x in tree.impurity)
    after = float(tree.weight[1:] @ tree.impurity[1:] / tree.weight[0])
    return Exercise(
        Phrase("A split parts the rows of a node like this. By how much does the gini fall?", {}),
        before - after,
        (
            Phrase("The gini is {before} before, {left} on the left and {right} on the right.",
                   {"before": short(before), "left": short(left), "right": short(right)}),
            Phrase("Weighted with {a} and {b} rows, it is {after} after the split; it falls by {value}.",
                   {"a": sum(sides[0]), "b": sum(sides[1]), "after": short(after),
                    "value": short(before - after)}),
        ),
        (
            Mistake(before - (left + right) / 2, Phrase(UNWEIGHTED_SIDES, {})),
            Mistake(after, Phrase("That is the gini after the split; the question is by how much it falls.", {})),
        ),
        table=_table([sides]),
    )  # fmt: skip


def split(draw: random.Random, level: int) -> Exercise | None:
    """The split of several that lowers the gini most."""
    both = [a + b for a, b in zip(*_sides(draw, 2, (3, 5)), strict=True)]
    splits = [_part_rows(draw, both) for _ in range(2 if level == 1 else 3)]
    trees = [grow_stump(sides) for sides in splits]
    if any(tree.n_nodes != 3 for tree in trees):
        return None
    after = [float(t.weight[1:] @ t.impurity[1:] / t.weight[0]) for t in trees]
    plain, purest = ([float(how(t.impurity[1:])) for t in trees] for how in (np.mean, np.min))
    right, lure = int(np.argmin(after)), int(np.argmin(plain))
    if np.diff(np.sort(after))[0] < 0.01 or (level == 3 and right == int(np.argmin(purest))):
        return None
    mistakes = {
        int(np.argmin(purest)): Phrase("One of its sides is purest, but the other counts, too.", {}),
        lure: Phrase(UNWEIGHTED_SIDES, {}),
    }
    names = tuple("ABC"[: len(splits)])
    texts = [
        Phrase("{name}: {value}", {"name": name, "value": short(value)})
        for name, value in zip(names, after, strict=True)
    ]
    return Exercise(
        Phrase("Which split of the same rows lowers the gini most?", {}),
        right,
        (Phrase("The gini after each split, its sides weighted with their rows: {said}. The least wins.",
                {"said": texts}),),
        choice_mistakes(right, mistakes),
        names,
        table=_table(splits),
    )  # fmt: skip


def _sides(draw: random.Random, n_classes: int, rows: tuple[int, int]) -> SplitCounts:
    left, right = (tuple(draw.randint(0, rows[1]) for _ in range(n_classes)) for _ in range(2))
    while min(sum(left), sum(right)) < rows[0] or not all(map(sum, zip(left, right, strict=True))):
        left, right = (tuple(draw.randint(0, rows[1]) for _ in range(n_classes)) for _ in range(2))
    return left, right


def _part_rows(draw: random.Random, both: Sequence[int]) -> SplitCounts:
    """Return these rows by class, parted by chance; both sides have some."""
    left = tuple(draw.randint(0, c) for c in both)
    while not 0 < sum(left) < sum(both):
        left = tuple(draw.randint(0, c) for c in both)
    return left, tuple(c - n for c, n in zip(both, left, strict=True))


def _table(splits: Sequence[SplitCounts]) -> ExerciseTable:
    sides = [(side, *counts) for split in splits for side, counts in zip((LEFT, RIGHT), split, strict=True)]
    heads = ("", *(colour(k) for k in range(len(splits[0][0]))))
    if len(splits) == 1:
        return ExerciseTable(heads, tuple(sides))
    names = [name for name in "ABC"[: len(splits)] for _ in (LEFT, RIGHT)]
    return ExerciseTable(("", *heads), tuple((name, *row) for name, row in zip(names, sides, strict=True)))


def grow_stump(sides: Sequence[Sequence[int]], criterion: str = "gini") -> Tree:
    """Return the tree, at most one split deep, of rows by side and class."""
    cells = [(side, k) for side, counts in enumerate(sides) for k, n in enumerate(counts) for _ in range(n)]
    X, y = np.array([[float(side)] for side, _ in cells]), np.array([k for _, k in cells])
    return CartClassifier(criterion=criterion, max_depth=1).fit(X, y).tree_


def short(value: float) -> float:
    """Return a number with four decimals, for a step of an explanation."""
    return round(float(value), 4)


# ---- exercises on cost-complexity pruning: what goes first, and its α (Breiman et al. 1984, section 3.3)

CLEAR = 0.2  # rows for each leaf between the first subtree and the next


def pruning(draw: random.Random, level: int) -> Exercise | None:
    """The subtree that is cut first; from level 2 on its α; in level 3 it has several splits."""
    tree = _error_tree(draw, 5 if level == 3 else 4)
    first = _first_cut(tree)
    own, below, n_leaves = _errors(tree)
    if first is None or (level == 3 and n_leaves[first] == 2):
        return None
    inner = np.flatnonzero(tree.feature != LEAF)
    place, table = inner.tolist().index(first), _error_table(tree, own)
    steps = (
        *(_price_of(LETTERS[k], int(own[n]), int(below[n]), int(n_leaves[n])) for k, n in enumerate(inner)),
        Phrase("The least goes first: {name}.", {"name": LETTERS[place]}),
    )
    if level == 1:
        raw = int(np.argmin(own[inner]))
        lure = {raw: Phrase("It makes the fewest errors as a leaf; what counts is how many its split saves.", {})}
        ask = Phrase("Which subtree does cost-complexity pruning cut first?", {})
        return Exercise(ask, place, steps, choice_mistakes(place, lure), tuple(LETTERS[: len(inner)]), table=table)
    ask = Phrase("At which α does cost-complexity pruning cut the first subtree? α is in rows for each leaf.", {})
    alpha = float(pruning_path(tree, "errors").alpha[1] * tree.weight[0])
    return Exercise(
        ask, alpha, steps, _mistakes(float(own[first] - below[first]), int(n_leaves[first])), table=table
    )


def _mistakes(n_saved: float, n: int) -> tuple[Mistake, ...]:
    """Return the mistakes about a subtree of n leaves, which saves so many errors."""
    meaning = Phrase("Divide by the number of leaves that go, which is one less than there are.", {})
    kept_all = Mistake(n_saved / n, Phrase("A leaf stays: divide by the leaves less one.", {}))
    return (Mistake(n_saved, meaning), kept_all) if n > 2 else (kept_all,)


def _price_of(name: str, wrong: int, below: int, n: int) -> Phrase:
    values = {"name": name, "wrong": wrong, "below": below, "n": n, "value": short((wrong - below) / (n - 1))}
    return Phrase(
        "{name}: {wrong} wrong as a leaf, {below} in its {n} leaves: ({wrong} − {below}) / ({n} − 1) = {value}.",
        values,
    )


def _first_cut(tree: Tree) -> int | None:
    """Return the subtree that goes first and alone, with a clear distance to the next; None: there is none."""
    inner = np.flatnonzero(tree.feature != LEAF)
    own, below, n_leaves = _errors(tree)
    gains = np.sort((own - below)[inner] / (n_leaves[inner] - 1))
    if gains[0] <= 0 or gains[1] - gains[0] < CLEAR:
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


def _errors(tree: Tree) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows wrong at each node as a leaf, those wrong in the leaves below it, and how many these are."""
    own = np.round(tree.weight * (1 - tree.value.max(axis=1)))
    below, n_leaves = own.copy(), np.ones(tree.n_nodes, np.int64)
    for node in reversed(np.flatnonzero(tree.feature != LEAF)):
        pair = [tree.left[node], tree.right[node]]
        below[node], n_leaves[node] = below[pair].sum(), n_leaves[pair].sum()
    return own, below, n_leaves


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
