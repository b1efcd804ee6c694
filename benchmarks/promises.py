"""Whether promises are kept on new rows: coverage of sets and intervals, and a promised share of errors.

    python benchmarks/promises.py [--repeats N] [--level PERCENT] [--wrong PERCENT] [--only NAME]

Every repeat draws half of a bundled table at random, and a CART of depth 4 is asked over five folds of it, as on
the Reliability page. The rule for new rows is then applied to the other half by the tree of all rows of the first:
the share of rows whose set (or interval) holds the truth is the coverage, and "each class" the least coverage of a
class of at least 20 rows, promised for every class. "Each leaf" is the coverage of promises made leaf by leaf, of
a tree of half of the first half, by the rest of it: among new rows in leaves that promise something. "Broken" is
the share of repeats in which more rows than promised were answered wrongly, of those that promised to be wrong in
at most 10 % (or `--wrong`) with 90 % confidence, beside the same without a promise; it counts the chance of the
second half, too. It is promised to be broken in at most 10 % of all repeats, those that answer nothing included.
"""

from __future__ import annotations

import argparse
import importlib
from typing import Any, NamedTuple

import numpy as np

from espalier import predict
from espalier.analysis import Folds, answered, ask
from espalier.data import samples
from espalier.data.dataset import Dataset, make_dataset
from espalier.learners import CartClassifier, CartRegressor
from espalier.new_rows import promises
from espalier.new_rows.promises import (
    ALL,
    EACH_CLASS,
    LeafAnswers,
    promised_intervals,
    promised_leaves,
    promised_sets,
)
from espalier.reliability.reliability import RISK, FoldModels, Goal, choose, uncertain_answers
from espalier.trees import Tree, is_leaf

FOLDS = Folds(n_folds=5)
MOST_ROWS = 4000  # of a table: more would only take longer
LEAST_OF_A_CLASS = 20
CONFIDENCE = 0.9


class Halves(NamedTuple):
    """A table, and rows of its own that stand for new ones."""

    known: Dataset
    X: np.ndarray
    y: np.ndarray


class Kept(NamedTuple):
    """What became of one repeat's promises."""

    coverage: float
    by_class: np.ndarray  # (n_classes,) coverage, promised for every class; nan for numbers
    by_leaf: float  # coverage, promised leaf by leaf; nan: no leaf had rows enough
    risk: tuple[float, float]  # share of wrong answers: promised, not promised; nan: nothing answered


class Asked(NamedTuple):
    """What is to be promised."""

    level: float  # share of rows whose truth is to be held
    wrong: float  # share of answers that may be wrong


def main() -> None:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--level", type=int, default=90, help="percent of rows whose truth is to be held")
    parser.add_argument("--wrong", type=int, default=10, help="percent of answers that may be wrong")
    parser.add_argument("--only", default="", help="the name of one table")
    chosen = parser.parse_args()
    asked = Asked(chosen.level / 100, chosen.wrong / 100)
    print(f"| table | rows | promised {chosen.level} % | each class | each leaf | broken | without a promise |")
    print("|---|---|---|---|---|---|---|")
    for name in samples.names():
        if chosen.only in ("", name):
            print(line(name, chosen.repeats, asked), flush=True)


def line(name: str, repeats: int, asked: Asked) -> str:
    """The results of one table, as a line of a table in Markdown."""
    data = samples.load(name)
    kept = [keep(halved(data, np.random.default_rng(seed)), asked) for seed in range(repeats)]
    by_class = np.nanmean([one.by_class for one in kept], axis=0).min() if data.is_classification else np.nan
    broken = [share_broken(np.array([one.risk[i] for one in kept]), asked.wrong) for i in (0, 1)]
    shares = [mean_and_error(np.array([getattr(one, what) for one in kept])) for what in ("coverage", "by_leaf")]
    of_class = f"{by_class:.1%}" if data.is_classification else "–"
    return f"| {' | '.join([name, str(len(data.y)), shares[0], of_class, shares[1], *broken])} |"


def mean_and_error(shares: np.ndarray) -> str:
    """The mean of the shares that there are, and twice its standard error."""
    there = shares[np.isfinite(shares)]
    return f"{there.mean():.1%} ± {2 * there.std(ddof=1) / np.sqrt(len(there)):.1%}" if len(there) > 1 else "–"


def share_broken(risk: np.ndarray, allowed: float) -> str:
    """The share of repeats that answered and were wrong too often."""
    there = np.isfinite(risk)
    return f"{np.mean(risk[there] > allowed):.0%} of {there.sum()}" if there.any() else "–"


def halved(data: Dataset, rng: np.random.Generator) -> Halves:
    """Two halves of the table at random."""
    rows = rng.permutation(len(data.y))[:MOST_ROWS]
    first, second = np.sort(rows[: len(rows) // 2]), rows[len(rows) // 2 :]
    known = make_dataset(data.name, data.X[first], data.features, data.y[first], data.target)
    return Halves(known, data.X[second], data.y[second])


def keep(halves: Halves, asked: Asked) -> Kept:
    """Make promises on one half and count how they are kept on the other."""
    data, level = halves.known, asked.level
    if not data.is_classification:
        return keep_intervals(halves, level)
    model = cart(data)
    folds = ask(model, data, FOLDS)
    shares, said, doubt = uncertain_answers(model.fit(data.X, data.y), data, halves.X)
    sets = {by: promises.class_sets(shares, said, promised_sets(folds, level, by).promised.limits) for by in BY}
    holds = {by: sets[by][np.arange(len(said)), halves.y] for by in BY}
    by_class = np.array(
        [mean_or_nan(holds[EACH_CLASS][halves.y == c], LEAST_OF_A_CLASS) for c in range(len(data.classes))]
    )
    found = risks(folds, doubt.doubt, said != halves.y, asked.wrong)
    return Kept(float(holds[ALL].mean()), by_class, by_leaf(halves, model, level), found)


BY = (ALL, EACH_CLASS)


def our_sets(halves: Halves, level: float) -> np.ndarray:
    """Return which classes are in the promised set of each new row, (n_rows, n_classes) bool."""
    model, data = cart(halves.known), halves.known
    folds = ask(model, data, FOLDS)
    shares, said, _ = uncertain_answers(model.fit(data.X, data.y), data, halves.X)
    return promises.class_sets(shares, said, promised_sets(folds, level, ALL).promised.limits)


def sets_of_mapie(halves: Halves, level: float) -> np.ndarray:
    """Return the same by MAPIE's cross-conformal sets of the same model over as many folds."""
    classification: Any = importlib.import_module("mapie.classification")
    found = classification.CrossConformalClassifier(
        cart(halves.known), confidence_level=level, conformity_score="lac", cv=FOLDS.n_folds, random_state=0
    )
    found.fit_conformalize(halves.known.X, halves.known.y)
    return found.predict_set(halves.X)[1][:, :, 0].astype(bool)


def coverage(sets: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return the share of sets that hold the truth, and the mean number of classes in a set.

    >>> coverage(np.array([[True, True], [False, True]]), np.array([0, 0]))
    (0.5, 1.5)
    """
    return float(sets[np.arange(len(y)), y].mean()), float(sets.sum(axis=1).mean())


def cart(data: Dataset) -> CartClassifier:
    """Return the tree that is asked."""
    return CartClassifier(max_depth=4, min_samples_leaf=3, categorical_features=data.categorical)


def mean_or_nan(values: np.ndarray, least: int) -> float:
    """The mean, where there are values enough."""
    return float(values.mean()) if len(values) >= least else np.nan


def by_leaf(halves: Halves, model: CartClassifier | CartRegressor, level: float) -> float:
    """The share of new rows whose truth is held, of those in leaves that promise something."""
    data, half = halves.known, len(halves.known.y) // 2
    order = np.random.default_rng(0).permutation(len(data.y))
    grown, rest = order[:half], order[half:]
    tree: Tree = model.fit(data.X[grown], data.y[grown]).tree_
    if tree.value.shape[1] < len(data.classes):
        return np.nan  # half of the half has no row of some class
    leaves = np.flatnonzero(is_leaf(tree))
    answers = LeafAnswers(leaves, tree.value[leaves], predict.leaves(tree, data.X[rest]), data.y[rest])
    promised = promised_leaves(answers, level)
    place = np.searchsorted(leaves, predict.leaves(tree, halves.X))
    if data.is_classification:
        holds = promised.sets[place, halves.y]
    else:
        holds = (promised.ends[place, 0] <= halves.y) & (halves.y <= promised.ends[place, 1])
    return mean_or_nan(holds[promised.is_promised[place]], 1)


def risks(folds: FoldModels, doubt: np.ndarray, wrong: np.ndarray, allowed: float) -> tuple[float, float]:
    """Shares of wrong answers to new rows, at the threshold that is promised and at the one that is not."""
    answers = answered(folds)
    goals = Goal(RISK, allowed, confidence=CONFIDENCE), Goal(RISK, allowed)
    thresholds = [choose(answers.doubt, answers.loss, goal) for goal in goals]
    promised, hoped = (mean_or_nan(wrong[doubt <= threshold], 1) for threshold in thresholds)
    return promised, hoped


def keep_intervals(halves: Halves, level: float) -> Kept:
    """The same for numbers, of which errors are not promised."""
    data = halves.known
    model = CartRegressor(max_depth=4, min_samples_leaf=3, categorical_features=data.categorical)
    limit = promised_intervals(ask(model, data, FOLDS), level).promised.limits[0]
    off = np.abs(model.fit(data.X, data.y).predict(halves.X) - halves.y)
    held = float((off <= limit).mean())
    return Kept(held, np.array([np.nan]), by_leaf(halves, model, level), (np.nan, np.nan))


if __name__ == "__main__":
    main()
