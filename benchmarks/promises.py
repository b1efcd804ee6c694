"""Whether promises are kept on new rows: coverage of sets and intervals, and a promised share of errors.

    python benchmarks/promises.py [--repeats N] [--level PERCENT] [--only NAME]

Every repeat draws half of a bundled table at random, and a CART of depth 4 is asked over five folds of it, as on
the Reliability page. The rule for new rows is then applied to the other half by the tree of all rows of the first:
the share of rows whose set (or interval) holds the truth is the coverage, and "each class" the least coverage of a
class of at least 20 rows, promised for every class. "Broken" is the share of repeats in which more rows than
promised were answered wrongly, of those that promised to be wrong in at most 10 % with 90 % confidence, beside
the same without a promise; it counts the chance of the second half, too.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from espalier.analysis import Folds, answered, ask
from espalier.analysis.promises import conformal
from espalier.analysis.promises.promise import ALL, EACH_CLASS, promised_intervals, promised_sets
from espalier.analysis.reliability.abstention import RISK, Goal, choose
from espalier.analysis.reliability.reliability import FoldModels, uncertain_answers
from espalier.data import samples
from espalier.data.dataset import Dataset, make_dataset
from espalier.learners import CartClassifier, CartRegressor

FOLDS = Folds(n_folds=5)
MOST_ROWS = 4000  # of a table: more would only take longer
LEAST_OF_A_CLASS = 20
ALLOWED, CONFIDENCE = 0.1, 0.9


class Halves(NamedTuple):
    """A table, and rows of its own that stand for new ones."""

    known: Dataset
    X: np.ndarray
    y: np.ndarray


class Kept(NamedTuple):
    """What became of one repeat's promises."""

    coverage: float
    by_class: np.ndarray  # (n_classes,) coverage, promised for every class; nan for numbers
    risk: tuple[float, float]  # share of wrong answers: promised, not promised; nan: nothing answered


def main() -> None:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--level", type=int, default=90, help="percent of rows whose truth is to be held")
    parser.add_argument("--only", default="", help="the name of one table")
    chosen = parser.parse_args()
    print(f"| table | rows | promised {chosen.level} % | each class | broken | without a promise |")
    print("|---|---|---|---|---|---|")
    for name in samples.names():
        if chosen.only in ("", name):
            print(line(name, chosen.repeats, chosen.level / 100), flush=True)


def line(name: str, repeats: int, level: float) -> str:
    """The results of one table, as a line of a table in Markdown."""
    data = samples.load(name)
    kept = [keep(halved(data, np.random.default_rng(seed)), level) for seed in range(repeats)]
    coverage = np.array([one.coverage for one in kept])
    error = coverage.std(ddof=1) / np.sqrt(repeats)
    by_class = np.nanmean([one.by_class for one in kept], axis=0).min() if data.is_classification else np.nan
    broken = [share_broken(np.array([one.risk[i] for one in kept])) for i in (0, 1)]
    cells = [name, str(len(data.y)), f"{coverage.mean():.1%} ± {2 * error:.1%}"]
    return f"| {' | '.join([*cells, f'{by_class:.1%}', *broken])} |"


def share_broken(risk: np.ndarray) -> str:
    """The share of repeats that answered and were wrong too often."""
    there = np.isfinite(risk)
    return f"{np.mean(risk[there] > ALLOWED):.0%} of {there.sum()}" if there.any() else "–"


def halved(data: Dataset, rng: np.random.Generator) -> Halves:
    """Two halves of the table at random."""
    rows = rng.permutation(len(data.y))[:MOST_ROWS]
    first, second = np.sort(rows[: len(rows) // 2]), rows[len(rows) // 2 :]
    known = make_dataset(data.name, data.X[first], data.features, data.y[first], data.target)
    return Halves(known, data.X[second], data.y[second])


def keep(halves: Halves, level: float) -> Kept:
    """Make promises on one half and count how they are kept on the other."""
    data = halves.known
    if not data.is_classification:
        return keep_intervals(halves, level)
    model = CartClassifier(max_depth=4, min_samples_leaf=3, categorical_features=data.categorical)
    folds = ask(model, data, FOLDS)
    shares, said, doubt = uncertain_answers(model.fit(data.X, data.y), data, halves.X)
    sets = {by: conformal.class_sets(shares, said, promised_sets(folds, level, by).promised.limits) for by in BY}
    holds = {by: sets[by][np.arange(len(said)), halves.y] for by in BY}
    by_class = np.array(
        [mean_or_nan(holds[EACH_CLASS][halves.y == c], LEAST_OF_A_CLASS) for c in range(len(data.classes))]
    )
    return Kept(float(holds[ALL].mean()), by_class, risks(folds, doubt.doubt, said != halves.y))


BY = (ALL, EACH_CLASS)


def mean_or_nan(values: np.ndarray, least: int) -> float:
    """The mean, where there are values enough."""
    return float(values.mean()) if len(values) >= least else np.nan


def risks(folds: FoldModels, doubt: np.ndarray, wrong: np.ndarray) -> tuple[float, float]:
    """Shares of wrong answers to new rows, at the threshold that is promised and at the one that is not."""
    answers = answered(folds)
    goals = Goal(RISK, ALLOWED, confidence=CONFIDENCE), Goal(RISK, ALLOWED)
    thresholds = [choose(answers.doubt, answers.loss, goal) for goal in goals]
    promised, hoped = (mean_or_nan(wrong[doubt <= threshold], 1) for threshold in thresholds)
    return promised, hoped


def keep_intervals(halves: Halves, level: float) -> Kept:
    """The same for numbers, of which errors are not promised."""
    data = halves.known
    model = CartRegressor(max_depth=4, min_samples_leaf=3, categorical_features=data.categorical)
    limit = promised_intervals(ask(model, data, FOLDS), level).promised.limits[0]
    off = np.abs(model.fit(data.X, data.y).predict(halves.X) - halves.y)
    return Kept(float((off <= limit).mean()), np.array([np.nan]), (np.nan, np.nan))


if __name__ == "__main__":
    main()
