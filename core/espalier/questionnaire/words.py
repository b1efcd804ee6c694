"""Texts of a questionnaire: its questions, and the reasons and the certainty of its answer.

Names and categories come from the data: `mark` makes them safe for the place of the text, for example as escaped
bold Markdown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text import values as moments
from espalier.display.text.trees import FEW, join, moment_words, share_words, thresholds
from espalier.display.text.values import behind, parted, side_words, whole_range
from espalier.language import say
from espalier.questionnaire.questionnaire import Answer, Questionnaire, Reason, asks, has_value, value_of
from espalier.ties import leaders
from espalier.tree.rules import Bound, admits, both

Mark: TypeAlias = Callable[[str], str]
DIGITS = 6  # of a value that the user gave
CERTAIN = 0.95  # greater shares are written as "n in 100"


class AnswerChoice(NamedTuple):
    """One answer that a question offers."""

    label: str
    left: bool
    key: str  # on the keyboard


class QuestionText(NamedTuple):
    """A split as a question."""

    text: str
    choices: tuple[AnswerChoice, AnswerChoice]


def plain(text: str) -> str:
    """Return the text unchanged: the `mark` for places without markup."""
    return text


def question(
    form: Questionnaire, node: int, known: Bound | None = None, mark: Mark = plain, stand_in: int = 0
) -> QuestionText:
    """Return the split at `node` as a question, given the bound `known` on its feature.

    If two answers are possible, they are the choices; levels on a scale make two groups, and so do categories of
    which the split does not know all; else it is yes or no.
    With a number from 1 it is the question of that surrogate split, whose left is the node's.
    """
    sides = [asks(form, node, side, stand_in) for side in (True, False)]
    left, right = (side if known is None else both(side, known) for side in sides)
    feature = form.features[left.feature]
    name, unit = parted(feature)
    if not (has_value(left, feature) and has_value(right, feature)):
        return _yes_or_no(say("Do you know {name}?", name=mark(name)), has_value(left, feature))
    if feature.moment is not None:
        short = (
            left if not feature.categories or len(_codes(left, feature)) <= len(_codes(right, feature)) else right
        )
        return _yes_or_no(
            say("Is {name} {value}?", name=mark(name), value=moment_words(short, feature)), short is left
        )
    if not feature.categories:
        yes_left = math.isfinite(sides[0].high)
        limit = side_words(feature, left.high if yes_left else right.high, True)
        text = say("Is {name} at most {limit}?", name=mark(name), limit=f"{limit}{behind(unit)}")
        return _yes_or_no(text, yes_left)
    codes = [_codes(bound, feature) for bound in (left, right)]
    n_asked = sum(len(_codes(side, feature)) for side in sides)
    if len(codes[0]) == len(codes[1]) == 1 or feature.kind == "ordered" or n_asked < len(feature.categories):
        return _either(mark(name), feature, codes)
    return _of_categories(mark(name), feature, codes, mark)


def _codes(bound: Bound, feature: Feature) -> list[int]:
    codes = np.arange(len(feature.categories), dtype=np.float64)
    return np.flatnonzero(admits(bound, codes)).tolist()


def _yes_or_no(text: str, yes_left: bool) -> QuestionText:
    yes, no = say("Yes"), say("No")
    return QuestionText(text, (AnswerChoice(yes, yes_left, yes[:1]), AnswerChoice(no, not yes_left, no[:1])))


def _either(name: str, feature: Feature, codes: list[list[int]]) -> QuestionText:
    """Return a question with two possible answers, in the order of the categories, but yes before no."""
    labels = [join([feature.categories[code] for code in side], "or") for side in codes]
    if sorted(label.lower() for label in labels) == ["no", "yes"]:
        return _yes_or_no(say("{name}: yes or no?", name=name), labels[0].lower() == "yes")
    order = [True, False] if codes[0][0] < codes[1][0] else [False, True]
    keys = _keys([labels[0 if left else 1] for left in order])
    first, second = (
        AnswerChoice(labels[0 if left else 1], left, key) for left, key in zip(order, keys, strict=True)
    )
    return QuestionText(say("{name}: which of these?", name=name), (first, second))


def _keys(labels: list[str]) -> list[str]:
    """Return the keys for two labels: the labels themselves if they are digits."""
    return labels if all(len(label) == 1 and label in "0123456789" for label in labels) else ["1", "2"]


def _of_categories(name: str, feature: Feature, codes: list[list[int]], mark: Mark) -> QuestionText:
    left_is_short = len(codes[0]) <= len(codes[1])
    named = [mark(feature.categories[code]) for code in codes[not left_is_short]]
    return _yes_or_no(
        say(
            "Is {name} {value}?" if len(named) == 1 else "Is {name} one of these: {value}?",
            name=name,
            value=", ".join(named),
        ),
        left_is_short,
    )


def written(feature: Feature, value: float) -> str:
    """Return a value of a feature: "1.45 cm", "red"; "not known" where it is nan."""
    if math.isnan(value):
        return say("not known")
    if feature.categories:
        return feature.categories[int(value)]
    return moments.written(feature, value, DIGITS) + behind(parted(feature)[1])


def said(answer: Answer, features: Sequence[Feature], mark: Mark = plain) -> str:
    """Return the user's answer on a feature: "**age** is above 54 and at most 61"."""
    feature = features[answer.bound.feature]
    value, name = value_of(answer), mark(parted(feature)[0])
    if not math.isnan(value):
        return say("{name} is {value}", name=name, value=_marked(feature, value, mark))
    if answer.bound == Bound(answer.bound.feature):
        return say("{name} is not known", name=name)
    return say(
        "{name} is {value}, and more is not known" if answer.unknown else "{name} is {value}",
        name=name,
        value=within(answer.bound, feature, mark),
    )


def _marked(feature: Feature, value: float, mark: Mark) -> str:
    return mark(written(feature, value)) if feature.categories else written(feature, value)


def within(bound: Bound, feature: Feature, mark: Mark = plain) -> str:
    """Return a bound on known values in words: "above 54 and at most 61 cm", "red or green"."""
    if feature.categories:
        codes = _codes(bound, feature)
        if feature.moment is not None and 0 < len(codes) < len(feature.categories):
            return moments.names_words(feature, codes)
        if 0 < len(codes) < len(feature.categories):
            return join([mark(feature.categories[code]) for code in codes], "or")
        return say("known" if codes else "not known")
    if not bound.is_threshold:
        return say("not known" if bound.is_empty else "known")
    if whole := whole_range(feature, bound.low, bound.high, behind(parted(feature)[1])):
        return whole
    low, high = thresholds(bound.low, bound.high)
    parts = [say("above {low}", low=low)] * math.isfinite(bound.low)
    parts += [say("at most {high}", high=high)] * math.isfinite(bound.high)
    return join(parts, "and") + behind(parted(feature)[1])


def because(reason: Reason, features: Sequence[Feature], mark: Mark = plain) -> str:
    """Return one reason of an answer: the condition on a feature, beside the value that was given."""
    feature = features[reason.bound.feature]
    name, demand = mark(parted(feature)[0]), within(reason.bound, feature, mark)
    value = math.nan if reason.answer is None else value_of(reason.answer)
    instead = [
        say(
            "{name} is {value}",
            name=mark(parted(features[b.feature])[0]),
            value=within(b, features[b.feature], mark),
        )
        for b in reason.stand_ins
    ]
    in_place = "; " + say("in its place, {values}", values=join(instead, "and")) if instead else ""
    if reason.guessed:
        text = _unknown(reason, feature, mark) + in_place
        return text if demand == say("not known") else f"{text}; {_guess(reason, demand)}"
    if instead:
        return _unknown(reason, feature, mark) + in_place
    if not math.isnan(value) and not feature.categories:
        return say("{name} is {value}, which is {demand}", name=name, value=written(feature, value), demand=demand)
    return say("{name} is {value}", name=name, value=demand)


def _guess(reason: Reason, demand: str) -> str:
    if reason.learned:
        return say("as the tree has learned from missing values, it goes on as for {demand}", demand=demand)
    return say("assumed: {demand}", demand=demand)


def _unknown(reason: Reason, feature: Feature, mark: Mark) -> str:
    name, answer = mark(parted(feature)[0]), reason.answer
    if answer is None or answer.bound == Bound(reason.bound.feature):
        return say("{name} is not known", name=name)
    return say("{name} is {value}, and no more is known", name=name, value=within(answer.bound, feature, mark))


def odds(share: float, n: int | None = None) -> str:
    """Return a share in words that need no mathematics: "9 in 10", "97 in 100", "in every case".

    Of n rows where these are few, as `display.text.trees` has it: "3 of 4"; None: no rows are behind it.
    """
    if n is not None and n < FEW:
        return share_words(share, n)
    if share >= 1:
        return say("in every case")
    if share <= 0:
        return say("never")
    if share > 1 - CERTAIN and share < CERTAIN:
        near = abs(10 * share - round(10 * share)) < 0.05
        return say("{n} in 10" if near else "about {n} in 10", n=max(round(10 * share), 1))
    hundred = round(100 * share)
    if hundred in (0, 100):
        return say("more than 99 in 100" if hundred else "less than 1 in 100")
    return say("{n} in 100", n=hundred)


def left_to_ask(least: int, most: int) -> str:
    """Return how many questions are left, including this one."""
    if most <= 1:
        return say("the last question")
    if least == most:
        return say("{n} questions left", n=most)
    return say("{least} to {most} questions left", least=least, most=most)


def two_likeliest(value: np.ndarray) -> list[int]:
    """Return the two classes with the largest shares (n_classes,), the largest first; of a tie, all that tie."""
    tied = leaders(value)
    return tied if len(tied) > 1 else np.argsort(-value, kind="stable")[:2].tolist()
