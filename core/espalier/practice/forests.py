"""Exercises on forests, and on searches: the fewest errors of a tree, and the best surrogate of a split.

The variance of the mean of trees is that of Hastie et al. (2009, section 15.2).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import numpy as np

from espalier.language import Phrase
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.practice.exercises import Exercise, ExerciseTable, Mistake, choice_mistakes
from espalier.practice.impurities import LEFT, RIGHT, colour, short
from espalier.predict import classes, shares
from espalier.trees import Forest, make_forest, make_tree


def votes(draw: random.Random, level: int) -> Exercise | None:
    """The class by votes; the mean share; the class by the mean where votes say another."""
    red = [draw.choice([1, 2, 3, 4, 6, 7, 8, 9]) / 10 for _ in range(3 if level == 1 else 5)]
    nowhere = np.zeros((1, 1))
    n_red = sum(s > 0.5 for s in red)
    if abs(sum(red) / len(red) - 0.5) < 0.015 or (
        level == 3 and (2 * n_red > len(red)) == (2 * sum(red) > len(red))
    ):
        return None  # a tie, or both say the same
    vote_forest, mean = leaf_forest(red, "votes"), leaf_forest(red, "mean")
    share = float(shares(mean, nowhere)[0, 0])
    vote_class, mean_class = int(classes(vote_forest, nowhere)[0]), int(classes(mean, nowhere)[0])
    heads = (Phrase("tree", {}), Phrase("share of red", {}), Phrase("share of green", {}))
    table = ExerciseTable(heads, tuple((n, s, round(1 - s, 1)) for n, s in enumerate(red, 1)))
    count_words = Phrase(
        "{a} of {n} trees say red, {b} green.", {"a": n_red, "b": len(red) - n_red, "n": len(red)}
    )
    mean_words = Phrase("The mean share of red is {value}.", {"value": short(share)})
    if level == 2:
        ask = Phrase(
            "The trees say these shares of a row. Which share of red does a forest answer that averages them?", {}
        )
        lure = Mistake(
            n_red / len(red), Phrase("That is the share of the votes; average the shares themselves.", {})
        )
        return Exercise(ask, share, (mean_words,), (lure,), table=table)
    names = (colour(0), colour(1))
    if level == 1:
        ask = Phrase(
            "The trees say these shares of a row. Which class does a forest answer that counts votes?", {}
        )
        lure = {mean_class: Phrase("That is by the mean of the shares; each tree has one vote.", {})}
        return Exercise(ask, vote_class, (count_words,), choice_mistakes(vote_class, lure), names, table=table)
    ask = Phrase("The trees say these shares of a row. Which class does a forest answer that averages them?", {})
    lure = {vote_class: Phrase("That is by votes; average the shares themselves.", {})}
    return Exercise(ask, mean_class, (mean_words,), choice_mistakes(mean_class, lure), names, table=table)


def leaf_forest(red: Sequence[float], combine: str) -> Forest:
    """Return a forest of lone roots with these shares of the first class."""
    trees = [make_tree([-1], [np.nan], [-1], [-1], [0], [False], [10], [10], [[s, 1 - s]], [0]) for s in red]
    return make_forest(trees, np.ones(len(red)), combine, [0.5, 0.5])


def variance(draw: random.Random, level: int) -> Exercise | None:
    """ρσ² + (1 − ρ)σ²/B: of trees with a variance; with a standard deviation; or the number of trees for it."""
    rho, spread, n = (
        draw.choice([0.1, 0.2, 0.25, 0.4, 0.5, 0.8]),
        draw.choice([2, 3, 4, 5, 6]),
        draw.choice([2, 4, 5, 10, 20]),
    )
    tree_variance = float(spread**2)
    stays, falls = rho * tree_variance, (1 - rho) * tree_variance
    right = stays + falls / n
    if level == 3:
        return _number_of_trees(rho, tree_variance, n)
    values = {"rho": rho, "n": n, "spread": spread, "one": tree_variance}
    ask = Phrase(
        "{n} trees have variance {one} each and correlation {rho} with each other. "
        "What is the variance of their mean?"
        if level == 1
        else "{n} trees have σ = {spread} each, correlation {rho} with each other. "
        "What is the variance of their mean?",
        values,
    )
    way = Phrase("ρσ² + (1 − ρ)σ²/B = {rho} · {one} + {rest} · {one} / {n} = {value}.",
                 {**values, "rest": short(1 - rho), "value": short(right)})  # fmt: skip
    mistakes = [
        Mistake(tree_variance / n, Phrase("That would be of trees without correlation.", {})),
        Mistake(falls + stays / n, Phrase("ρ and 1 − ρ are mixed up: the part that stays is ρσ².", {})),
    ]
    if level == 2:
        meaning = Phrase("The standard deviation is to be squared.", {})
        mistakes.append(Mistake(rho * spread + (1 - rho) * spread / n, meaning))
    return Exercise(ask, right, (way,), tuple(mistakes))


def _number_of_trees(rho: float, tree_variance: float, n: int) -> Exercise | None:
    bound = short(rho * tree_variance + (1 - rho) * tree_variance / n)
    values = {
        "one": tree_variance,
        "rho": rho,
        "bound": bound,
        "stays": short(rho * tree_variance),
        "falls": short((1 - rho) * tree_variance),
        "n": n,
    }
    ask = Phrase(
        "Trees have variance {one} each and correlation {rho}. How many of them have a mean with "
        "variance {bound}?",
        values,
    )
    way = Phrase("{bound} = {stays} + {falls} / B, so B = {falls} / ({bound} − {stays}) = {n}.", values)
    meaning = Phrase("That would be of trees without correlation.", {})
    return Exercise(ask, float(n), (way,), (Mistake(tree_variance / bound, meaning),), tolerance=0.05)


# ---- exercises on searches: the fewest errors of a tree of some depth, and the best surrogate of a split

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
    names = sorted({COLUMNS[f] for f in best.tree_.feature if f >= 0})
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
                {"columns": ", ".join(names), "root": COLUMNS[best.tree_.feature[0]], "n": right}),),
        tuple(mistakes),
        tolerance=0.1,
        table=table,
    )  # fmt: skip


def surrogate(draw: random.Random, level: int) -> Exercise | None:
    """The column that stands in for a split's own; from level 2 on with left and right turned around."""
    n = 6 + 2 * level
    own = [draw.randint(0, 1) for _ in range(n)]
    columns = [[draw.randint(0, 1) for _ in range(n)] for _ in COLUMNS]
    same = np.array([sum(a == b for a, b in zip(own, other, strict=True)) for other in columns])
    agreement = np.maximum(same, n - same)
    right, plain = int(np.argmax(agreement)), int(np.argmax(same))
    major = max(sum(own), n - sum(own))
    unclear = np.sort(agreement)[-1] == np.sort(agreement)[-2] or np.sort(same)[-1] == np.sort(same)[-2]
    if unclear or not major < agreement[right] < n or (level > 1) != (right != plain) or not 2 < sum(own) < n - 2:
        return None
    if _first_surrogate(own, columns) != right:
        return None
    sides = (LEFT, RIGHT)
    heads = (Phrase("row", {}), Phrase("split", {}), *COLUMNS)
    rows = tuple((i + 1, sides[own[i]], *(sides[other[i]] for other in columns)) for i in range(n))
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
        choice_mistakes(right, lure),
        tuple(COLUMNS),
        table=ExerciseTable(heads, rows),
    )


def _first_surrogate(own: list[int], columns: list[list[int]]) -> int | None:
    """Return the place of the first surrogate that CART finds for a split; None: it finds none."""
    X, y = np.array([own, *columns], float).T, np.array(own)
    pool = CartClassifier(max_depth=1, missing="surrogate").fit(X, y).tree_.surrogates
    return int(pool.feature[0]) - 1 if len(pool.feature) else None
