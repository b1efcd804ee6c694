"""Recall of each class, beside the result of always predicting the most frequent class: in numbers and in words.

Accuracy is uninformative if one class has most of the rows: always predicting that class is nearly as good. Then
the recall of each class, and its mean (balanced accuracy), are informative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import join
from espalier.display.theme import count, number, percent
from espalier.language import say

LEAST_GAIN = 0.1  # share of the baseline's errors: a model that removes less is hardly better
SKEW = 1.2  # uneven classes: the most frequent one has so many times its even share of the rows
MOST_OF_ALL = 0.75  # share of the rows in one class above which accuracy is a poor score from the start


class Rates(NamedTuple):
    """Counts of rows by their class, int64, or their weights, float64; classes by their codes."""

    n: np.ndarray  # (n_classes,) rows
    right: np.ndarray  # (n_classes,) of these, those whose answer is their class
    answered: np.ndarray  # (n_classes,) how often the class was the answer
    usual: int  # the class that the baseline always answers

    @property
    def n_rows(self) -> float:
        """All rows, or their weight."""
        return self.n.sum().item()

    @property
    def accuracy(self) -> float:
        """Share of right answers; nan without rows."""
        return float(self.right.sum() / self.n_rows) if self.n_rows else float("nan")

    @property
    def baseline(self) -> float:
        """Share of the same rows that the usual class would get right; nan without rows."""
        return float(self.n[self.usual] / self.n_rows) if self.n_rows else float("nan")

    @property
    def of_class(self) -> np.ndarray:
        """Recall of each class, (n_classes,); nan without rows."""
        return np.where(self.n > 0, self.right / np.where(self.n > 0, self.n, 1), np.nan)

    @property
    def balanced(self) -> float:
        """Balanced accuracy: mean recall of the classes that occur; nan without rows."""
        return float(np.nanmean(self.of_class)) if self.n_rows else float("nan")

    @property
    def never(self) -> list[int]:
        """Classes that have rows and are never predicted."""
        return np.flatnonzero((self.n > 0) & (self.answered == 0)).tolist()

    @property
    def is_blind(self) -> bool:
        """Whether accuracy hides a failure.

        Either classes are uneven and the model is hardly better than the baseline, or it never predicts a class
        that has too few rows to affect accuracy.
        """
        occur, baseline = int(np.count_nonzero(self.n)), self.baseline
        is_uneven = occur > 1 and baseline * occur >= SKEW
        if is_uneven and self.accuracy - baseline < LEAST_GAIN * (1 - baseline):
            return True
        is_never_said = (self.n > 0) & (self.answered == 0)
        return bool((is_never_said & (self.n * occur * SKEW < self.n_rows)).any())


def against_the_rest(rates: Rates, k: int) -> tuple[float, float, float]:
    """Return sensitivity, specificity and precision of class k against the rest, nan where they are of no row.

    They are the shares of its rows that are answered k, of the other rows that are not, and of the rows answered
    k that are of it. Of two classes, those of the other swap the first two.

    >>> import numpy as np
    >>> against_the_rest(rates(np.array([1, 1, 0, 0, 0]), np.array([1, 0, 1, 0, 0]), 2), 1)
    (0.5, 0.6666666666666666, 0.5)
    """
    own, n_answered, right = (float(counts[k]) for counts in (rates.n, rates.answered, rates.right))
    rest = float(rates.n_rows) - own
    return _part(right, own), _part(rest - (n_answered - right), rest), _part(right, n_answered)


def _part(part: float, total: float) -> float:
    return part / total if total > 0 else float("nan")


def rates(
    y: np.ndarray,
    answer: np.ndarray,
    n_classes: int,
    usual: int | None = None,
    weight: np.ndarray | None = None,
) -> Rates:
    """Return the rates for class codes y and answers (n,) each, int64.

    `usual` is the most frequent class by default. Rows count by `weight` (n,), or all the same.

    >>> import numpy as np
    >>> y = np.repeat([0, 1], [90, 10])  # nine of ten are of class 0
    >>> found = rates(y, np.zeros(100, int), 2)  # and that is always the answer
    >>> found.accuracy, found.baseline, found.balanced, found.never
    (0.9, 0.9, 0.5, [1])
    """
    is_right, sizes = y == answer, partial(np.bincount, minlength=n_classes)
    n = sizes(y, weight)
    right = sizes(y[is_right], None if weight is None else weight[is_right])
    return Rates(n, right, sizes(answer, weight), int(n.argmax()) if usual is None else usual)


def is_skewed(y: np.ndarray, weight: np.ndarray | None = None) -> bool:
    """Return whether one class of y (n,) has so many rows that accuracy is a poor score from the start."""
    if not np.issubdtype(y.dtype, np.integer) or not len(y):
        return False
    sizes = np.bincount(y, weight)
    return bool(sizes.max() >= MOST_OF_ALL * sizes.sum())


# ---- accuracy in words, beside the baseline on the same rows and the accuracy of each class

MOST_LISTED = 4  # listed one by one; of more, the best and the worst
MOST_NEVER = 3  # never predicted classes that are named


def _as_it_is(text: str) -> str:
    return text


def baseline_words(rates: Rates, target: Feature, mark: Callable[[str], str] = _as_it_is) -> str:
    """Return the baseline in words: "Always answering “repaid” would be right on 90 % of the same rows."

    `mark` treats names from the data, here and below.
    """
    usual = mark(target.categories[rates.usual])
    share = _percent(rates.baseline)
    return say("Always answering “{usual}” would be right on {share} of the same rows.", usual=usual, share=share)


def class_rates_words(rates: Rates, target: Feature, mark: Callable[[str], str] = _as_it_is, who: str = "") -> str:
    """Return the accuracy by class: "Right by class: 99 % of 900 “repaid”, 2 % of 100 “default”."

    Of many classes, the worst and the best are named; `who` names the model ("Right by class, the tree: …"). A
    class that counts is then set against the rest.
    """
    begin = say("Right by class, {who}", who=who) if who else say("Right by class")
    there = np.flatnonzero(rates.n).tolist()
    rest = _against_the_rest(rates, target, mark)
    if len(there) <= MOST_LISTED:
        return f"{begin}: {', '.join(_class_rate(rates, k, target, mark) for k in there)}.{rest}"
    order = sorted(there, key=lambda k: rates.of_class[k])
    ends = [_class_rate(rates, k, target, mark) for k in (order[0], order[-1])]
    return say("{begin}: from {worst} to {best}.", begin=begin, worst=ends[0], best=ends[1]) + rest


def _against_the_rest(rates: Rates, target: Feature, mark: Callable[[str], str]) -> str:
    """Return sensitivity, specificity and precision of the class that counts; "" if none does, or has no row."""
    if target.positive is None or not rates.n[target.positive]:
        return ""
    sensitivity, specificity, precision = against_the_rest(rates, target.positive)
    is_answered = rates.answered[target.positive] > 0
    return " " + say(
        "{name} counts: sensitivity {sensitivity}, specificity {specificity}, precision {precision}."
        if is_answered
        else "{name} counts: sensitivity {sensitivity}, specificity {specificity}, it is never answered.",
        name=_quote(mark(target.categories[target.positive])),
        sensitivity=_percent(sensitivity),
        specificity=_percent(specificity),
        precision=_percent(precision),
    )


def _class_rate(rates: Rates, k: int, target: Feature, mark: Callable[[str], str]) -> str:
    share, name = _percent(float(rates.of_class[k])), _quote(mark(target.categories[k]))
    if rates.n.dtype.kind == "f":
        weight = number(float(rates.n[k]))
        return say("{share} of {name} (weight {weight})", share=share, name=name, weight=weight)
    return say("{share} of {n} {name}", share=share, n=count(rates.n[k]), name=name)


def _percent(share: float) -> str:
    return percent(round(share, 6))


def blind_words(
    models: Sequence[tuple[str, Rates]], target: Feature, mark: Callable[[str], str] = _as_it_is
) -> str | None:
    """Return a warning that accuracy tells little of these models (title, rates); None if it tells enough."""
    weak = [(title, rates) for title, rates in models if rates.is_blind]
    if not weak:
        return None
    texts = [say("**Accuracy tells little here.**"), baseline_words(weak[0][1], target, mark)]
    for title, each in weak:
        values = {"model": f"**{title}**", "share": _percent(each.accuracy), "balanced": _percent(each.balanced)}
        texts.append(say("{model} is right on {share}, but by classes on {balanced} on average.", **values))
        if never := _never(each, target, mark):
            texts.append(say("It never answers {never}.", never=never))
    return " ".join(texts)


def _never(rates: Rates, target: Feature, mark: Callable[[str], str]) -> str:
    """Return the classes that are never predicted; "" if there are none."""
    names = [_quote(mark(target.categories[k])) for k in rates.never]
    more = len(names) - MOST_NEVER
    texts = [*names[:MOST_NEVER], say("{n} more", n=more)] if more > 0 else names
    return join(texts, "or") if names else ""


def _quote(name: str) -> str:
    return say("“{name}”", name=name)
