"""Texts on a questionnaire's answer: the answer, how sure it is, and the prediction of the full model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import answers_of, class_words, join
from espalier.display.text.values import parted, side_words, written
from espalier.display.theme import count, number, percent, rounded_to
from espalier.language import say
from espalier.learners.approximation import Considered
from espalier.questionnaire.questionnaire import AnswerSpread, Questionnaire, is_unsure
from espalier.questionnaire.words import Mark, odds, plain, two_likeliest, within
from espalier.ties import leaders
from espalier.tree.rules import Bound, step

FEW = 5  # rows behind an answer: fewer get a warning
MANY = 20  # rows of which nine in ten are told
SURE, LEAST_CHANCE = 0.005, 0.001  # of another split: a smaller chance is no limit; the smallest that is written


def verdict(
    value: np.ndarray, target: Feature, limit: float, who: str, mark: Mark = plain, n: int | None = None
) -> str:
    """Return the answer in a line: "The model would say **malignant** (9 in 10)". `who` begins the sentence.

    Of classes that tie none is the answer: all are named. `n` is how many rows are behind it, None if none are.
    """
    if not target.categories:
        return say("{who} about {answer}", who=who, answer=mark(written(target, float(value[0]), 3)))
    if is_unsure(value, limit):
        return say("Not sure: ask an expert, or measure more")
    share = odds(float(value.max()), n)
    if len(leaders(value)) > 1:
        tie = class_words(target, value, mark)
        return f"{tie[:1].upper()}{tie[1:]} ({say('{share} each', share=share)})"
    return f"{who} {mark(target.categories[int(value.argmax())])} ({share})"


def perhaps(value: np.ndarray, target: Feature, mark: Mark = plain) -> str:
    """Return the text of an answer that values not yet known may change."""
    best = class_words(target, value, mark) if target.categories else mark(number(float(value[0])))
    return say(
        "Perhaps {answer}: values not yet known may change it"
        if target.categories
        else "Perhaps about {answer}: values not yet known may change it",
        answer=best,
    )


def likeliest(value: np.ndarray, target: Feature, mark: Mark = plain, n: int | None = None) -> str:
    """Return the two classes that an unsure answer of n rows is between, or those that tie."""
    both_ = [f"{mark(target.categories[k])} ({odds(float(value[k]), n)})" for k in two_likeliest(value)]
    return say("Most likely {answers}.", answers=join(both_, "or"))


def behind(n: int) -> str:
    """Return how many rows are behind an answer, with a warning if they are few."""
    if n >= FEW:
        return say("{n} rows of the table led here.", n=count(n))
    if not n:
        return say("No row of the table led here: take the answer with care.")
    return say(
        "Only {n} row of the table led here: take the answer with care."
        if n == 1
        else "Only {n} rows of the table led here: take the answer with care.",
        n=n,
    )


def of_numbers(y: np.ndarray, name: str) -> str:
    """Return the mean and the range of a target among the rows y (n,) of a leaf, n > 0."""
    low, high = np.quantile(y, [0.05, 0.95])
    rounded = rounded_to((y.min(), y.max()))
    return say(
        "Among the rows that led here {name} is {mean} on average, and between {least} and {greatest}, nine in "
        "ten between {low} and {high}."
        if len(y) >= MANY
        else "Among the rows that led here {name} is {mean} on average, and between {least} and {greatest}.",
        name=name,
        mean=rounded(float(y.mean())),
        least=rounded(float(y.min())),
        greatest=rounded(float(y.max())),
        low=rounded(float(low)),
        high=rounded(float(high)),
    )


def checked(
    value: np.ndarray, y: np.ndarray, target: Feature, mark: Mark = plain, y_all: np.ndarray | None = None
) -> str:
    """Return how good the answer is on y (n,), n > 0, the target of the held-out rows that end in its leaf.

    `y_all` is the target of all held-out rows, for the frequency of the class among them.
    """
    n = len(y)
    if not target.categories:
        return say(
            "Of {n} row kept for testing that ends here, the answer is {apart} off on average."
            if n == 1
            else "Of {n} rows kept for testing that end here, the answer is {apart} off on average.",
            n=count(n),
            apart=number(float(np.abs(y - value[0]).mean())),
        )
    best = int(value.argmax())
    right = int(np.count_nonzero(y == best))
    text = say(
        "Of {n} row kept for testing that would end here, {right} is {answer}"
        if n == 1
        else "Of {n} rows kept for testing that would end here, {right} is {answer}"
        if right == 1
        else "Of {n} rows kept for testing that would end here, {right} are {answer}",
        n=count(n),
        right=count(right),
        answer=mark(target.categories[best]),
    )
    if y_all is None:
        return f"{text}."
    return (
        f"{text} ({say('of all rows kept for testing: {share}', share=percent(float(np.mean(y_all == best))))})."
    )


def spread_words(spread: AnswerSpread, value: np.ndarray, target: Feature, who: str, mark: Mark = plain) -> str:
    """Return what the full model `who` predicts for made-up cases that end in a leaf of this value."""
    known = {"n": count(spread.n), "who": who}
    if not target.categories:
        return say(
            "Of {n} made-up cases that end here, {who} says {mean} on average, and {low} to {high} for nine in "
            "ten.",
            **known,
            mean=written(target, float(spread.mean[0]), 3),
            low=written(target, float(spread.low[0]), 3),
            high=written(target, float(spread.high[0]), 3),
        )
    best = int(value.argmax())
    low, high, votes = (percent(float(x[best])) for x in (spread.low, spread.high, spread.votes))
    return say(
        "Of {n} made-up cases that end here, {who} takes {votes} for {answer}. The chance that it gives to "
        "{answer} is between {low} and {high} for nine in ten.",
        **known,
        votes=votes,
        answer=mark(target.categories[best]),
        low=low,
        high=high,
    )


def is_settled(part: np.ndarray, form: Questionnaire, target: Feature) -> bool:
    """Return whether all cases of `part`, as in `could_be`, get the same class."""
    return bool(target.categories) and len(np.unique(form.tree.value[part > 0].argmax(axis=1))) == 1


def could_be(part: np.ndarray, form: Questionnaire, target: Feature, mark: Mark = plain) -> str:
    """Return the other possible answers if all were known; `part` (n_nodes,) is the share of cases in leaves."""
    if not target.categories:
        values = form.tree.value[part > 0, 0]
        rounded = answers_of(form.tree)
        ends = {"low": rounded(float(values.min())), "high": rounded(float(values.max()))}
        return say("the answer could be any from {low} to {high}", **ends)
    share = np.bincount(form.tree.value.argmax(axis=1), part, minlength=len(target.categories))
    likely = [k for k in np.argsort(-share, kind="stable").tolist() if share[k] > 0]
    if len(likely) == 1:
        return say("the answer would be {answer} all the same", answer=mark(target.categories[likely[0]]))
    names = [(mark(target.categories[k]), odds(float(share[k]))) for k in likely]
    (first, chance_), *rest = names
    parts = [say("{answer} for {odds} such cases", answer=first, odds=chance_)]
    parts += [say("{answer} for {odds}", answer=name, odds=chance_) for name, chance_ in rest]
    return say("the answer would be {answers}", answers=join(parts, "and"))


def chance(
    considered: Considered, node: int, alpha: float, features: Sequence[Feature], mark: Mark = plain
) -> str:
    """Return how sure the test was of the split at a node: whether new made-up cases would change it."""
    p = float(considered.p_value[node])
    if not considered.n_prospects[node]:
        return ""
    rival = _rival(considered, node, features, mark)
    if math.isnan(p):
        return say("found exactly; next best: {rival}", rival=rival) if rival else say("found exactly")
    if considered.decided[node]:
        return say(
            "sure; other made-up cases would lead to another question {odds} times"
            if p < SURE
            else "sure; other made-up cases would lead to another question at most {odds} times",
            odds=odds(max(p, LEAST_CHANCE)),
        )
    if rival:
        return say("a close call; nearly as good: {rival}", rival=rival)
    return say("a close call (the limit was {share})", share=percent(alpha))


def _rival(considered: Considered, node: int, features: Sequence[Feature], mark: Mark) -> str:
    """Return the best split that was not chosen; if it is on the same feature, only its threshold."""
    runners = considered.runners
    first = int(runners.start[node])
    if first + 1 >= int(runners.start[node + 1]):
        return ""
    feature, cut = int(runners.feature[first + 1]), float(runners.threshold[first + 1])
    whose = features[feature]
    if feature == runners.feature[first] and not math.isnan(cut) and not whose.categories:
        return say("the limit {cut}", cut=side_words(whose, cut, True))
    if math.isnan(cut):
        bound = Bound(feature, categories=int(runners.categories[first + 1]))
    else:
        bound = Bound(feature, high=cut)
    return say("whether {name} is {value}", name=mark(parted(whose)[0]), value=within(bound, whose, mark))


def demand(form: Questionnaire, node: int, left: bool, mark: Mark = plain) -> str:
    """Return the condition of a split for going left (right): "**age** is at most 54"."""
    bound = step(form.tree, node, left)
    whose = form.features[bound.feature]
    return say("{name} is {value}", name=mark(parted(whose)[0]), value=within(bound, whose, mark))
