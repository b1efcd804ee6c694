"""Texts on a questionnaire's answer: the answer, how sure it is, and the prediction of the full model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from espalier.analysis.questionnaire.questionnaire import AnswerSpread, Questionnaire, is_unsure
from espalier.analysis.tree.rules import Bound, step
from espalier.data.dataset import Feature
from espalier.learners.approximation import Considered
from espalier.views.questionnaire.words import Mark, odds, parted, plain, two_likeliest, within
from espalier.views.text.trees import join
from espalier.views.text.whole_numbers import side_words
from espalier.views.theme import number, percent

FEW = 5  # rows behind an answer: fewer get a warning


def verdict(
    value: np.ndarray, target: Feature, limit: float, who: str, mark: Mark = plain, best: int | None = None
) -> str:
    """Return the answer in a line: "The model would say **malignant** (9 in 10)". `who` begins the sentence.

    `best` is the predicted class; None: the one with the greatest share, the first of equals.
    """
    if not target.categories:
        return f"{who} about {mark(number(float(value[0])))}"
    if is_unsure(value, limit):
        return "Not sure: ask an expert, or measure more"
    best = int(value.argmax()) if best is None else best
    return f"{who} {mark(target.categories[best])} ({odds(float(value[best]))})"


def perhaps(value: np.ndarray, target: Feature, mark: Mark = plain) -> str:
    """Return the text of an answer that values not yet known may change."""
    best = target.categories[int(value.argmax())] if target.categories else f"about {number(float(value[0]))}"
    return f"Perhaps {mark(best)}: values not yet known may change it"


def likeliest(value: np.ndarray, target: Feature, mark: Mark = plain) -> str:
    """Return the two classes that an unsure answer is between."""
    both_ = [f"{mark(target.categories[k])} ({odds(float(value[k]))})" for k in two_likeliest(value)]
    return f"Most likely {join(both_, 'or')}."


def behind(n: int) -> str:
    """Return how many rows are behind an answer, with a warning if they are few."""
    rows = f"{n:,} row{'s' * (n != 1)} of the table led here"
    if n >= FEW:
        return f"{rows}."
    return f"{f'Only {rows}' if n else 'No row of the table led here'}: take the answer with care."


def of_numbers(y: np.ndarray, name: str) -> str:
    """Return the mean and the range of a target among the rows y (n,) of a leaf, n > 0."""
    low, high = np.quantile(y, [0.05, 0.95])
    ends = f"between {number(float(y.min()))} and {number(float(y.max()))}"
    most = f", nine in ten between {number(float(low))} and {number(float(high))}" if len(y) >= 20 else ""
    return f"Among the rows that led here {name} is {number(float(y.mean()))} on average, and {ends}{most}."


def checked(
    value: np.ndarray, y: np.ndarray, target: Feature, mark: Mark = plain, y_all: np.ndarray | None = None
) -> str:
    """Return how good the answer is on y (n,), n > 0, the target of the held-out rows that end in its leaf.

    `y_all` is the target of all held-out rows, for the frequency of the class among them.
    """
    n = len(y)
    rows = f"{n:,} row{'s' * (n != 1)} kept for testing"
    if not target.categories:
        apart = number(float(np.abs(y - value[0]).mean()))
        return f"Of {rows} that end{'s' * (n == 1)} here, the answer is {apart} off on average."
    best = int(value.argmax())
    right = int(np.count_nonzero(y == best))
    are = "is" if right == 1 else "are"
    anyway = "" if y_all is None else f" (of all rows kept for testing: {percent(float(np.mean(y_all == best)))})"
    return f"Of {rows} that would end here, {right:,} {are} {mark(target.categories[best])}{anyway}."


def spread_words(spread: AnswerSpread, value: np.ndarray, target: Feature, who: str, mark: Mark = plain) -> str:
    """Return what the full model `who` predicts for made-up cases that end in a leaf of this value."""
    cases = f"Of {spread.n:,} made-up case{'s' * (spread.n != 1)} that end here"
    if not target.categories:
        ends = f"{number(float(spread.low[0]))} to {number(float(spread.high[0]))}"
        return f"{cases}, {who} says {number(float(spread.mean[0]))} on average, and {ends} for nine in ten."
    best = int(value.argmax())
    name = mark(target.categories[best])
    low, high, votes = (percent(float(x[best])) for x in (spread.low, spread.high, spread.votes))
    return (
        f"{cases}, {who} takes {votes} for {name}. The chance that it gives to {name} is between {low} and {high} "
        "for nine in ten."
    )


def is_settled(part: np.ndarray, form: Questionnaire, target: Feature) -> bool:
    """Return whether all cases of `part`, as in `could_be`, get the same class."""
    return bool(target.categories) and len(np.unique(form.tree.value[part > 0].argmax(axis=1))) == 1


def could_be(part: np.ndarray, form: Questionnaire, target: Feature, mark: Mark = plain) -> str:
    """Return the other possible answers if all were known; `part` (n_nodes,) is the share of cases in leaves."""
    if not target.categories:
        values = form.tree.value[part > 0, 0]
        return f"the answer could be any from {number(float(values.min()))} to {number(float(values.max()))}"
    share = np.bincount(form.tree.value.argmax(axis=1), part, minlength=len(target.categories))
    likely = [k for k in np.argsort(-share, kind="stable").tolist() if share[k] > 0]
    if len(likely) == 1:
        return f"the answer would be {mark(target.categories[likely[0]])} all the same"
    parts = [f"{mark(target.categories[k])} for {odds(float(share[k]))}" for k in likely]
    return f"the answer would be {join([f'{parts[0]} such cases', *parts[1:]], 'and')}"


def chance(
    considered: Considered, node: int, alpha: float, features: Sequence[Feature], mark: Mark = plain
) -> str:
    """Return how sure the test was of the split at a node: whether new made-up cases would change it."""
    p = float(considered.p_value[node])
    if not considered.n_prospects[node]:
        return ""
    rival = _rival(considered, node, features, mark)
    if math.isnan(p):
        return f"found exactly; next best: {rival}" if rival else "found exactly"
    if considered.decided[node]:
        doubt = "" if p < 0.005 else "at most "
        chance = odds(max(p, 0.001)).removeprefix("about ")
        return f"sure; other made-up cases would lead to another question {doubt}{chance} times"
    return f"a close call; nearly as good: {rival}" if rival else f"a close call (the limit was {percent(alpha)})"


def _rival(considered: Considered, node: int, features: Sequence[Feature], mark: Mark) -> str:
    """Return the best split that was not chosen; if it is on the same feature, only its threshold."""
    runners = considered.runners
    first = int(runners.start[node])
    if first + 1 >= int(runners.start[node + 1]):
        return ""
    feature, cut = int(runners.feature[first + 1]), float(runners.threshold[first + 1])
    whose = features[feature]
    if feature == runners.feature[first] and not math.isnan(cut) and not whose.categories:
        return f"the limit {side_words(whose, cut, True)}"
    if math.isnan(cut):
        bound = Bound(feature, categories=int(runners.categories[first + 1]))
    else:
        bound = Bound(feature, high=cut)
    return f"whether {mark(parted(whose)[0])} is {within(bound, whose, mark)}"


def demand(form: Questionnaire, node: int, left: bool, mark: Mark = plain) -> str:
    """Return the condition of a split for going left (right): "**age** is at most 54"."""
    bound = step(form.tree, node, left)
    whose = form.features[bound.feature]
    return f"{mark(parted(whose)[0])} is {within(bound, whose, mark)}"
