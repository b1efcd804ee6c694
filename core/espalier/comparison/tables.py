"""Compared models as tables: every score with its spread over the folds, sizes and times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.comparison.calibration import Calibration, calibration
from espalier.comparison.cross_validation import Validated
from espalier.comparison.differences import ROUNDING, Compared, compare, interval
from espalier.comparison.rates import Rates, is_skewed, rates
from espalier.comparison.scores import EXPLAINED, HIGHER_IS_BETTER, LABELS
from espalier.data.dataset import Dataset
from espalier.data.rows.folds import Folds
from espalier.display.theme import SUPERSCRIPT, count, number, percent
from espalier.language import say, to_say
from espalier.ties import winners

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


def rates_of(one: Contestant, y: np.ndarray, n_classes: int) -> Rates:
    """Return the accuracy by class on the rows y (n_samples,) that the model predicts in the first repeat."""
    shares, prediction = one.validated.predicted, one.validated.prediction
    known = np.isfinite(shares).all(axis=1)
    weight = None if one.validated.weight is None else one.validated.weight[known]
    answer = winners(shares[known]) if prediction is None else prediction[known]
    return rates(y[known], answer, n_classes, weight=weight)


def _calibration_error(one: Contestant, y: np.ndarray) -> float:
    return calibration_of(one, y).error


def calibration_of(one: Contestant, y: np.ndarray, which: int | None = None) -> Calibration:
    """Return the calibration of what the model predicts for the rows y (n_samples,), which count by weight."""
    validated = one.validated
    return calibration(y, validated.predicted, which, validated.prediction, validated.weight)


def is_share(score: str) -> bool:
    """Return whether the score is a share of rows, written as a percentage."""
    return score in ("accuracy", "balanced_accuracy")


def within(score: str, ends: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a mean and its interval, cut to the possible scores: no accuracy over 1, no negative error."""
    least, most = (
        (-math.inf if score in EXPLAINED else 0.0),
        (1.0 if is_share(score) or score in ("auc", *EXPLAINED) else math.inf),
    )
    mean, low, high = (float(end) for end in ends)
    return mean, float(np.clip(low, least, most)), float(np.clip(high, least, most))  # nan remains


def written(score: str, value: float) -> str:
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
    scores = [one.validated.scores(score) for one in contestants]
    plan = contestants[0].validated.plan if contestants else Folds()
    return compare(scores, plan.ratio_tested, pairs, plan.n_repeats)


def interval_of(one: Contestant, score: str) -> tuple[float, float, float]:
    """Return the mean of a score and the ends of its interval, within what the score can be."""
    plan = one.validated.plan
    return within(score, interval(one.validated.scores(score), plan.ratio_tested, plan.n_repeats))


def shown(
    contestants: Sequence[Contestant], y: np.ndarray, names: Sequence[str], classes: Sequence[str] = ()
) -> pd.DataFrame:
    """Return a column for each model.

    Rows for the scores `names` (mean ± spread over folds), calibration, size and time.

    `y` (n_samples,) are the targets of the rows that the models were validated on; each of `classes` (names by
    code) has a row for its accuracy, unless there are many.
    """
    columns = {one.title: _column(one, y, names, classes) for one in contestants}
    return pd.DataFrame(columns).rename_axis(index=say("score"))


def _column(one: Contestant, y: np.ndarray, names: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    cells = {
        f"{say(LABELS[name])} {arrow(name)}": _mean_and_spread(name, one.validated.scores(name)) for name in names
    }
    if 0 < len(classes) <= MOST_CLASSES:
        right = rates_of(one, y, len(classes)).of_class.tolist()
        by_class = {
            say("right, of “{name}” ↑", name=name): share for name, share in zip(classes, right, strict=True)
        }
        cells |= {label: "–" if math.isnan(share) else percent(share) for label, share in by_class.items()}
    if np.issubdtype(y.dtype, np.integer):
        cells[say("calibration error ↓")] = percent(round(_calibration_error(one, y), 6))
    for key, label in SIZES.items():
        cells[say(label)] = _size(key, [getattr(tried.size, key) for tried in one.validated.tried])
    for key, label in TIMES.items():
        cells[say(label)] = _typical(np.array([getattr(tried, key) for tried in one.validated.tried]))
    return cells


def _mean_and_spread(name: str, values: np.ndarray) -> str:
    known = values[np.isfinite(values)]
    if not len(known):
        return "–"
    return f"{written(name, float(known.mean()))} ± {written(name, _spread(known))}"


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


def _typical(values: np.ndarray) -> str:
    return number(float(np.median(values)), 2) if len(values) else "–"


def summary(
    contestants: Sequence[Contestant], y: np.ndarray, names: Sequence[str], classes: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the table as numbers, for a file: a row for each model, with the interval of every mean score."""
    rows = []
    for one in contestants:
        row: dict[str, str | float] = {"model": one.title, "folds": len(one.validated.tried)}
        for name in names:
            values = one.validated.scores(name)
            mean, low, high = interval_of(one, name)
            row |= {name: mean, f"{name} low": low, f"{name} high": high, f"{name} spread": _spread(values)}
        if np.issubdtype(y.dtype, np.integer):
            right = rates_of(one, y, len(classes)).of_class.tolist() if classes else []
            row |= {f"right, of {name}": share for name, share in zip(classes, right, strict=True)}
            row["calibration error"] = _calibration_error(one, y)
        rows.append(row | _mean_sizes(one.validated))
    return pd.DataFrame(rows)


def _spread(values: np.ndarray) -> float:
    """Return the standard deviation over the folds, without rounding errors."""
    known = values[np.isfinite(values)]
    spread = float(known.std(ddof=1)) if len(known) > 1 else math.nan
    return 0.0 if spread <= ROUNDING * float(np.abs(known).max()) else spread


def _mean_sizes(validated: Validated) -> dict[str, float]:
    tried = validated.tried
    sizes = {key: [getattr(one.size, key) for one in tried] for key in SIZES}
    sizes |= {key: [getattr(one, key) for one in tried] for key in TIMES}
    return {f"{key} (log10)" if key == "log_trees" else key: _mean(values) for key, values in sizes.items()}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def by_fold(contestants: Sequence[Contestant], names: Sequence[str]) -> pd.DataFrame:
    """Return every score of every model in every fold, a row each, for a file."""
    rows = []
    for one in contestants:
        for tried in one.validated.tried:
            repeat, fold = place_of(tried.number, one.validated.plan)
            row = {"model": one.title, "repeat": repeat, "fold": fold}
            row |= {name: getattr(tried.scores, name) for name in names} | tried.size._asdict()
            rows.append(row | {key: getattr(tried, key) for key in TIMES})
    return pd.DataFrame(rows)


def place_of(number_of_fold: int, plan: Folds) -> tuple[int, int]:
    """Return repeat and fold, both counted from 1, of a fold counted over all repeats from 0."""
    return number_of_fold // plan.n_folds + 1, number_of_fold % plan.n_folds + 1
