"""Exercises on searches: the fewest errors of a tree of some depth, and the best surrogate of a split."""

from __future__ import annotations

import itertools
import random

import numpy as np

from espalier.language import Phrase
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.practice.exercise import Exercise, ExerciseTable, Mistake, of_choices
from espalier.practice.impurities import LEFT, RIGHT, colour

COLUMNS = "abc"
CELLS = list(itertools.product((0, 1), repeat=3))  # of three columns of 0 and 1


def errors(draw: random.Random, level: int) -> Exercise | None:
    """The fewest errors of any tree of depth 1, or 2; in level 3 the greedy tree makes more."""
    depth = 1 if level == 1 else 2
    cells = CELLS if level > 1 else sorted(draw.sample(CELLS, 6))
    counts = [(draw.randint(0, 3), draw.randint(0, 3)) for _ in cells]
    rows = [(cell, k) for cell, pair in zip(cells, counts, strict=True) for k in (0, 1) for _ in range(pair[k])]
    X, y = np.array([cell for cell, _ in rows], float), np.array([k for _, k in rows])
    if len(np.unique(y)) < 2 or any(len(np.unique(column)) < 2 for column in X.T):
        return None
    best = OptimalClassifier(max_depth=depth).fit(X, y)
    greedy = CartClassifier(max_depth=depth).fit(X, y)
    right, lure = (int((model.predict(X) != y).sum()) for model in (best, greedy))
    root = int(min((y == 0).sum(), (y == 1).sum()))
    if right == root or (level == 3) != (lure > right):
        return None
    named = sorted({COLUMNS[f] for f in best.tree_.feature if f >= 0})
    mistakes = [Mistake(root, Phrase("So many are wrong without any split.", {}))]
    if lure > right:
        meaning = Phrase(
            "So many errors are left if every split is the best one by itself; try the others, too.", {}
        )
        mistakes.append(Mistake(lure, meaning))
    table = ExerciseTable(
        (*COLUMNS, colour(0), colour(1)), tuple((*cell, *pair) for cell, pair in zip(cells, counts, strict=True))
    )
    return Exercise(
        Phrase("How many rows are wrong, at the least, in a tree with one split?" if depth == 1
               else "How many rows are wrong, at the least, in a tree of depth 2?", {}),
        right,
        (Phrase("A tree on {columns}, its root on {root}, gets {n} rows wrong; no other gets fewer.",
                {"columns": ", ".join(named), "root": COLUMNS[best.tree_.feature[0]], "n": right}),),
        tuple(mistakes),
        tolerance=0.1,
        table=table,
    )  # fmt: skip


def surrogate(draw: random.Random, level: int) -> Exercise | None:
    """The column that stands in for a split's own; from level 2 on with left and right turned around."""
    n = 6 + 2 * level
    own = [draw.randint(0, 1) for _ in range(n)]
    others = [[draw.randint(0, 1) for _ in range(n)] for _ in COLUMNS]
    same = np.array([sum(a == b for a, b in zip(own, other, strict=True)) for other in others])
    agreement = np.maximum(same, n - same)
    right, plain = int(np.argmax(agreement)), int(np.argmax(same))
    major = max(sum(own), n - sum(own))
    unclear = np.sort(agreement)[-1] == np.sort(agreement)[-2] or np.sort(same)[-1] == np.sort(same)[-2]
    if unclear or not major < agreement[right] < n or (level > 1) != (right != plain) or not 2 < sum(own) < n - 2:
        return None
    if _first_surrogate(own, others) != right:
        return None
    sides = (LEFT, RIGHT)
    heads = (Phrase("row", {}), Phrase("split", {}), *COLUMNS)
    rows = tuple((i + 1, sides[own[i]], *(sides[other[i]] for other in others)) for i in range(n))
    steps = tuple(
        Phrase("{name}: {same} of {n} rows go the same way, {other} the other way.",
               {"name": name, "same": int(s), "n": n, "other": int(n - s)})
        for name, s in zip(COLUMNS, same, strict=True)
    )  # fmt: skip
    last = Phrase("A surrogate may turn left and right around: {name} agrees in {n} rows.",
                  {"name": COLUMNS[right], "n": int(agreement[right])})  # fmt: skip
    lure = {
        plain: Phrase(
            "Left and right may be turned around: what goes the other way almost always, agrees, too.", {}
        )
    }
    return Exercise(
        Phrase(
            "This is where a split and three other columns send the rows. Which column is its best surrogate?",
            {},
        ),
        right,
        (*steps, last),
        of_choices(right, lure),
        tuple(COLUMNS),
        table=ExerciseTable(heads, rows),
    )


def _first_surrogate(own: list[int], others: list[list[int]]) -> int | None:
    """Return the place of the first surrogate that CART finds for a split; None: it finds none."""
    X, y = np.array([own, *others], float).T, np.array(own)
    pool = CartClassifier(max_depth=1, missing="surrogate").fit(X, y).tree_.surrogates
    return int(pool.feature[0]) - 1 if len(pool.feature) else None
