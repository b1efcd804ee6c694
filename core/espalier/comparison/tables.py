"""Compared models as tables and in words: scores with their spread, sizes, times, and rates by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.comparison.class_rates import Rates, is_skewed, rates
from espalier.comparison.cross_validation import ROUNDING, Compared, Validated, compare, interval
from espalier.comparison.scores import HIGHER_IS_BETTER, LABELS, PARTS_EXPLAINED, Calibration, calibration
from espalier.data.dataset import Dataset
from espalier.data.folds import Folds
from espalier.display.theme import SUPERSCRIPT, count, number, percent
from espalier.language import say, to_say

CLASS_SCORES = ("accuracy", "balanced_accuracy", "auc", "log_loss", "brier")
MEAN_SCORES = ("rmse", "mae", "r2", "d2_absolute", "d2_poisson")
SIZES = {"leaves": to_say("leaves"), "rules": to_say("rules"), "log_trees": to_say("trees represented")}
TIMES = {"fit_seconds": to_say("seconds to fit"), "predict_seconds": to_say("seconds to predict a fold")}
MOST_CLASSES = 12  # up to which each has a row for its accuracy
LONG_LOG = 5  # decimal logarithm from which on numbers of trees are shown as powers of ten


class Contestant(NamedTuple):
    """A model among those compared."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    validated: Validated


def score_names(is_classification: bool) -> tuple[str, ...]:
    """Return the scores that models are compared by, the most telling one first."""
    return CLASS_SCORES if is_classification else MEAN_SCORES


def first_score(dataset: Dataset) -> str:
    """Return the score that models are compared by at first: not accuracy if one class has most of the rows."""
    names = score_names(dataset.is_classification)
    return "auc" if dataset.is_classification and is_skewed(dataset.y, dataset.weights) else names[0]


def rates_of(contestant: Contestant, y: np.ndarray, n_classes: int) -> Rates:
    """Return the accuracy by class on the rows y (n_samples,) that the model predicts in the first repeat."""
    result = contestant.validated
    has_answer = np.isfinite(result.predicted).all(axis=1)
    weight = None if result.weight is None else result.weight[has_answer]
    return rates(y[has_answer], result.prediction[has_answer], n_classes, weight=weight)


def calibration_of(contestant: Contestant, y: np.ndarray, which: int | None = None) -> Calibration:
    """Return the calibration of what the model predicts for the rows y (n_samples,), which count by weight."""
    result = contestant.validated
    return calibration(y, result.predicted, which, result.prediction, result.weight)


def is_share(score: str) -> bool:
    """Return whether the score is a share of rows, written as a percentage."""
    return score in ("accuracy", "balanced_accuracy")


def within(score: str, ends: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a mean and its interval, cut to the possible scores: no accuracy over 1, no negative error."""
    least, most = (
        (-math.inf if score in PARTS_EXPLAINED else 0.0),
        (1.0 if is_share(score) or score in ("auc", *PARTS_EXPLAINED) else math.inf),
    )
    mean, low, high = (float(end) for end in ends)
    return mean, float(np.clip(low, least, most)), float(np.clip(high, least, most))  # nan remains


def score_text(score: str, value: float) -> str:
    """Return a score as a person reads it."""
    if math.isnan(value):
        return "–"
    return percent(value) if is_share(score) else number(value)


def arrow(score: str) -> str:
    """Return ↑ if more is better, ↓ if less is."""
    return "↑" if score in HIGHER_IS_BETTER else "↓"


def comparisons(
    contestants: Sequence[Contestant], score: str, pairs: Sequence[tuple[int, int]] | None = None
) -> list[Compared]:
    """Compare contestants by a score, as `differences.compare` does; they share a plan of folds."""
    scores = [contestant.validated.scores(score) for contestant in contestants]
    plan = contestants[0].validated.plan if contestants else Folds()
    return compare(scores, plan.ratio_tested, pairs, plan.n_repeats)


def interval_of(contestant: Contestant, score: str) -> tuple[float, float, float]:
    """Return the mean of a score and the ends of its interval, within what the score can be."""
    plan = contestant.validated.plan
    return within(score, interval(contestant.validated.scores(score), plan.ratio_tested, plan.n_repeats))


def scores_table(
    contestants: Sequence[Contestant], y: np.ndarray, names: Sequence[str], classes: Sequence[str] = ()
) -> pd.DataFrame:
    """Return a column for each model.

    Rows for the scores `names` (mean ± spread over folds), calibration, size and time.

    `y` (n_samples,) are the targets of the rows that the models were validated on; each of `classes` (names by
    code) has a row for its accuracy, unless there are many.
    """
    columns = {contestant.title: _column(contestant, y, names, classes) for contestant in contestants}
    return pd.DataFrame(columns).rename_axis(index=say("score"))


def _column(contestant: Contestant, y: np.ndarray, names: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    cells = {
        f"{say(LABELS[name])} {arrow(name)}": _mean_and_spread(name, contestant.validated.scores(name))
        for name in names
    }
    if 0 < len(classes) <= MOST_CLASSES:
        right = rates_of(contestant, y, len(classes)).of_class.tolist()
        recalls = {
            say("right, of “{name}” ↑", name=name): share for name, share in zip(classes, right, strict=True)
        }
        cells |= {label: "–" if math.isnan(share) else percent(share) for label, share in recalls.items()}
    if np.issubdtype(y.dtype, np.integer):
        cells[say("calibration error ↓")] = percent(round(calibration_of(contestant, y).error, 6))
    for key, label in SIZES.items():
        cells[say(label)] = _size(key, [getattr(fold.size, key) for fold in contestant.validated.tried])
    for key, label in TIMES.items():
        values = [getattr(fold, key) for fold in contestant.validated.tried]
        cells[say(label)] = number(float(np.median(values)), 2) if values else "–"
    return cells


def _mean_and_spread(name: str, values: np.ndarray) -> str:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return "–"
    return f"{score_text(name, float(finite.mean()))} ± {score_text(name, _spread(finite))}"


def _size(key: str, values: Sequence[float]) -> str:
    if not values or math.isnan(values[0]):
        return "–"
    if key == "log_trees":
        return trees_in_words(float(np.mean(values)))
    low, high = min(values), max(values)
    return number(low) if low == high else say("{low} to {high}", low=number(low), high=number(high))


def trees_in_words(log_size: float) -> str:
    """Return a number of trees from its decimal logarithm: "1", "100", "10⁴⁶⁸⁴"."""
    if log_size < LONG_LOG:
        return count(round(10**log_size))
    return f"10{str(round(log_size)).translate(SUPERSCRIPT)}"


def summary(
    contestants: Sequence[Contestant], y: np.ndarray, names: Sequence[str], classes: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the table as numbers, for a file: a row for each model, with the interval of every mean score."""
    rows = []
    for contestant in contestants:
        row: dict[str, str | float] = {"model": contestant.title, "folds": len(contestant.validated.tried)}
        for name in names:
            values = contestant.validated.scores(name)
            mean, low, high = interval_of(contestant, name)
            row |= {name: mean, f"{name} low": low, f"{name} high": high, f"{name} spread": _spread(values)}
        if np.issubdtype(y.dtype, np.integer):
            right = rates_of(contestant, y, len(classes)).of_class.tolist() if classes else []
            row |= {f"right, of {name}": share for name, share in zip(classes, right, strict=True)}
            row["calibration error"] = calibration_of(contestant, y).error
        rows.append(row | _mean_sizes(contestant.validated))
    return pd.DataFrame(rows)


def _spread(values: np.ndarray) -> float:
    """Return the standard deviation over the folds, without rounding errors."""
    finite = values[np.isfinite(values)]
    spread = float(finite.std(ddof=1)) if len(finite) > 1 else math.nan
    return 0.0 if spread <= ROUNDING * float(np.abs(finite).max()) else spread


def _mean_sizes(validated: Validated) -> dict[str, float]:
    folds = validated.tried
    sizes = {key: [getattr(fold.size, key) for fold in folds] for key in SIZES}
    sizes |= {key: [getattr(fold, key) for fold in folds] for key in TIMES}
    means = {key: float(np.mean(values)) if values else math.nan for key, values in sizes.items()}
    return {f"{key} (log10)" if key == "log_trees" else key: mean for key, mean in means.items()}


def place_of(number_of_fold: int, plan: Folds) -> tuple[int, int]:
    """Return repeat and fold, both counted from 1, of a fold counted over all repeats from 0."""
    return number_of_fold // plan.n_folds + 1, number_of_fold % plan.n_folds + 1
