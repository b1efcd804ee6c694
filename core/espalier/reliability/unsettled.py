"""Rows whose class trees as good do not settle, among the answers out of fold: a reason to ask an expert.

The trees that are as good as an optimal one, or nearly, may give a row different classes; none of these is then
founded better than the others (Marx, Calmon & Ustun 2020, predictive multiplicity).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.reliability.reliability import Answers, FoldModels


class Unsettled(NamedTuple):
    """The rows of the first repeat whose class is not settled, and how often the model is wrong on them."""

    place: np.ndarray  # (n,) int64 among the answers, the most doubted first
    possible: np.ndarray  # (n, n_classes) bool: the classes that some tree as good gives
    n_asked: int  # rows of the folds whose trees as good were counted
    share: float  # of their weight that is not settled
    wrong: float  # share of wrong answers among those not settled; nan if there are none
    wrong_of_others: float  # share of wrong answers among the settled ones; nan if there are none


def unsettled(models: FoldModels, answers: Answers) -> Unsettled | None:
    """Return the rows whose class is not settled; None where trees as good were counted in no fold.

    >>> from espalier.analysis import Folds
    >>> from espalier.reliability.reliability import answered, ask
    >>> from espalier.data import samples
    >>> from espalier.learners import OptimalClassifier
    >>> models = ask(OptimalClassifier(max_depth=2), samples.load("iris"), Folds(n_folds=5))
    >>> found = unsettled(models, answered(models))
    >>> len(found.place), found.n_asked, round(found.wrong, 2), round(found.wrong_of_others, 2)
    (30, 150, 0.3, 0.03)
    """
    asked = [one for one in models.tried if one.possible is not None and one.number < models.plan.n_folds]
    if not asked:
        return None
    rows = np.concatenate([one.rows for one in asked])
    possible = np.concatenate([one.possible for one in asked if one.possible is not None])
    first = np.flatnonzero(answers.repeat == 0)
    place_of = np.full(len(models.dataset.y), -1)
    place_of[answers.row[first]] = first
    place, is_open = place_of[rows], possible.sum(axis=1) > 1
    wrong, weight = answers.loss[place], answers.weight[place]
    order = np.flatnonzero(is_open)
    order = order[np.lexsort((rows[order], -answers.doubt[place[order]]))]
    shares = [_share(wrong[part], weight[part]) for part in (is_open, ~is_open)]
    return Unsettled(place[order], possible[order], len(rows), _share(is_open, weight), *shares)


def _share(part: np.ndarray, weight: np.ndarray) -> float:
    return float((part * weight).sum() / weight.sum()) if weight.sum() else float("nan")
