"""Exercises on forests: what the trees say together, and the variance of their mean (Hastie et al. 2009, 15.2)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from espalier.language import Phrase
from espalier.practice.exercise import Exercise, ExerciseTable, Mistake, of_choices
from espalier.practice.impurities import colour, short
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
    voted, mean = of_leaves(red, "votes"), of_leaves(red, "mean")
    share = float(shares(mean, nowhere)[0, 0])
    by_votes, by_mean = int(classes(voted, nowhere)[0]), int(classes(mean, nowhere)[0])
    heads = (Phrase("tree", {}), Phrase("share of red", {}), Phrase("share of green", {}))
    table = ExerciseTable(heads, tuple((n, s, round(1 - s, 1)) for n, s in enumerate(red, 1)))
    counted = Phrase("{a} of {n} trees say red, {b} green.", {"a": n_red, "b": len(red) - n_red, "n": len(red)})
    averaged = Phrase("The mean share of red is {value}.", {"value": short(share)})
    if level == 2:
        ask = Phrase(
            "The trees say these shares of a row. Which share of red does a forest answer that averages them?", {}
        )
        lure = Mistake(
            n_red / len(red), Phrase("That is the share of the votes; average the shares themselves.", {})
        )
        return Exercise(ask, share, (averaged,), (lure,), table=table)
    names = (colour(0), colour(1))
    if level == 1:
        ask = Phrase(
            "The trees say these shares of a row. Which class does a forest answer that counts votes?", {}
        )
        lure = {by_mean: Phrase("That is by the mean of the shares; each tree has one vote.", {})}
        return Exercise(ask, by_votes, (counted,), of_choices(by_votes, lure), names, table=table)
    ask = Phrase("The trees say these shares of a row. Which class does a forest answer that averages them?", {})
    lure = {by_votes: Phrase("That is by votes; average the shares themselves.", {})}
    return Exercise(ask, by_mean, (averaged,), of_choices(by_mean, lure), names, table=table)


def of_leaves(red: Sequence[float], combine: str) -> Forest:
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
    one = float(spread**2)
    stays, falls = rho * one, (1 - rho) * one
    right = stays + falls / n
    if level == 3:
        return _number_of_trees(rho, one, n)
    values = {"rho": rho, "n": n, "spread": spread, "one": one}
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
        Mistake(one / n, Phrase("That would be of trees without correlation.", {})),
        Mistake(falls + stays / n, Phrase("ρ and 1 − ρ are mixed up: the part that stays is ρσ².", {})),
    ]
    if level == 2:
        meaning = Phrase("The standard deviation is to be squared.", {})
        mistakes.append(Mistake(rho * spread + (1 - rho) * spread / n, meaning))
    return Exercise(ask, right, (way,), tuple(mistakes))


def _number_of_trees(rho: float, one: float, n: int) -> Exercise | None:
    bound = short(rho * one + (1 - rho) * one / n)
    values = {
        "one": one,
        "rho": rho,
        "bound": bound,
        "stays": short(rho * one),
        "falls": short((1 - rho) * one),
        "n": n,
    }
    ask = Phrase(
        "Trees have variance {one} each and correlation {rho}. How many of them have a mean with "
        "variance {bound}?",
        values,
    )
    way = Phrase("{bound} = {stays} + {falls} / B, so B = {falls} / ({bound} − {stays}) = {n}.", values)
    meaning = Phrase("That would be of trees without correlation.", {})
    return Exercise(ask, float(n), (way,), (Mistake(one / bound, meaning),), tolerance=0.05)
