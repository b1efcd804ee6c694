"""Texts of a questionnaire: its questions, its answer, how sure that is, and the reasons for it.

Names and categories come from the data: `mark` makes them safe for the place of the text, for example as escaped
bold Markdown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import FEW, answers_of, class_words, join, moment_words, share_words, thresholds
from espalier.display.text.values import (
    behind,
    names_words,
    rounded_down,
    side_words,
    split_unit,
    value_text,
    whole_range,
)
from espalier.display.theme import count, number, percent
from espalier.language import say
from espalier.predict import leaders, winners
from espalier.questionnaire.questionnaire import (
    Answer,
    Questionnaire,
    Reason,
    asks,
    has_value,
    is_unsure,
    value_of,
)
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


def question(
    form: Questionnaire, node: int, known: Bound | None = None, mark: Mark = str, stand_in: int = 0
) -> QuestionText:
    """Return the split at `node` as a question, given the bound `known` on its feature.

    If two answers are possible, they are the choices; levels on a scale make two groups, and so do categories of
    which the split does not know all; else it is yes or no.
    With a number from 1 it is the question of that surrogate split, whose left is the node's.
    """
    sides = [asks(form, node, side, stand_in) for side in (True, False)]
    left, right = (side if known is None else both(side, known) for side in sides)
    feature = form.features[left.feature]
    name, unit = split_unit(feature)
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
    return _ask_categories(mark(name), feature, codes, mark)


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
    labels = [labels[0 if left else 1] for left in order]
    keys = labels if all(len(label) == 1 and label in "0123456789" for label in labels) else ["1", "2"]
    first, second = map(AnswerChoice, labels, order, keys)
    return QuestionText(say("{name}: which of these?", name=name), (first, second))


def _ask_categories(name: str, feature: Feature, codes: list[list[int]], mark: Mark) -> QuestionText:
    left_is_short = len(codes[0]) <= len(codes[1])
    names = [mark(feature.categories[code]) for code in codes[not left_is_short]]
    return _yes_or_no(
        say(
            "Is {name} {value}?" if len(names) == 1 else "Is {name} one of these: {value}?",
            name=name,
            value=", ".join(names),
        ),
        left_is_short,
    )


def value_words(feature: Feature, value: float) -> str:
    """Return a value of a feature: "1.45 cm", "red"; "not known" where it is nan."""
    if math.isnan(value):
        return say("not known")
    if feature.categories:
        return feature.categories[int(value)]
    return value_text(feature, value, DIGITS) + behind(split_unit(feature)[1])


def answer_words(answer: Answer, features: Sequence[Feature], mark: Mark = str) -> str:
    """Return the user's answer on a feature: "**age** is above 54 and at most 61"."""
    feature = features[answer.bound.feature]
    value, name = value_of(answer), mark(split_unit(feature)[0])
    if not math.isnan(value):
        text = value_words(feature, value)
        return say("{name} is {value}", name=name, value=mark(text) if feature.categories else text)
    if answer.bound == Bound(answer.bound.feature):
        return say("{name} is not known", name=name)
    return say(
        "{name} is {value}, no more is known" if answer.unknown else "{name} is {value}",
        name=name,
        value=within(answer.bound, feature, mark),
    )


def within(bound: Bound, feature: Feature, mark: Mark = str) -> str:
    """Return a bound on known values in words: "above 54 and at most 61 cm", "red or green"."""
    if feature.categories:
        codes = _codes(bound, feature)
        if feature.moment is not None and 0 < len(codes) < len(feature.categories):
            return names_words(feature, codes)
        if 0 < len(codes) < len(feature.categories):
            return join([mark(feature.categories[code]) for code in codes], "or")
        return say("known" if codes else "not known")
    if not bound.is_threshold:
        return say("not known" if bound.is_empty else "known")
    if range_words := whole_range(feature, bound.low, bound.high, behind(split_unit(feature)[1])):
        return range_words
    low, high = thresholds(rounded_down(feature, bound.low), rounded_down(feature, bound.high))
    parts = [say("above {low}", low=low)] * math.isfinite(bound.low)
    parts += [say("at most {high}", high=high)] * math.isfinite(bound.high)
    return join(parts, "and") + behind(split_unit(feature)[1])


def because(reason: Reason, features: Sequence[Feature], mark: Mark = str) -> str:
    """Return one reason of an answer: the condition on a feature, beside the value that was given."""
    feature = features[reason.bound.feature]
    value = math.nan if reason.answer is None else value_of(reason.answer)
    if not math.isclose(rounded_down(feature, value), value, rel_tol=1e-12):
        feature = feature._replace(places=None)  # it lies between two values of the column, as the cut does
    demand = within(reason.bound, feature, mark)
    if reason.guessed or reason.stand_ins:
        parts = [_unknown(reason, feature, mark)]
        if reason.stand_ins:
            instead = join([condition_words(bound, features, mark) for bound in reason.stand_ins], "and")
            parts.append(say("in its place, {values}", values=instead))
        if reason.guessed and demand != say("not known"):
            parts.append(
                say(
                    "learned from missing values: {demand}" if reason.learned else "assumed: {demand}",
                    demand=demand,
                )
            )
        return "; ".join(parts)
    if not math.isnan(value) and not feature.categories:
        name = mark(split_unit(feature)[0])
        return say(
            "{name} is {value}, which is {demand}", name=name, value=value_words(feature, value), demand=demand
        )
    return condition_words(reason.bound, features, mark)


def condition_words(bound: Bound, features: Sequence[Feature], mark: Mark = str) -> str:
    """Return the condition that a bound is: "**age** is at most 54"."""
    feature = features[bound.feature]
    return say("{name} is {value}", name=mark(split_unit(feature)[0]), value=within(bound, feature, mark))


def _unknown(reason: Reason, feature: Feature, mark: Mark) -> str:
    name, answer = mark(split_unit(feature)[0]), reason.answer
    if answer is None or answer.bound == Bound(reason.bound.feature):
        return say("{name} is not known", name=name)
    return say("{name} is {value}, no more is known", name=name, value=within(answer.bound, feature, mark))


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


# ---- texts on a questionnaire's answer: the answer, how sure it is, and the prediction of the full model

FEW_BEHIND = 5  # rows behind an answer: fewer get a warning


def verdict(
    value: np.ndarray, target: Feature, limit: float, who: str, mark: Mark = str, n: int | None = None
) -> str:
    """Return the answer in a line: "The model would say **malignant** (9 in 10)". `who` begins the sentence.

    Of classes that tie none is the answer: all are named. `n` is how many rows are behind it, None if none are.
    """
    if not target.categories:
        return say("{who} about {answer}", who=who, answer=mark(value_text(target, float(value[0]), 3)))
    if is_unsure(value, limit):
        return say("Not sure: ask an expert, or measure more")
    share = odds(float(value.max()), n)
    if len(leaders(value)) > 1:
        tie = class_words(target, value, mark)
        return f"{tie[:1].upper()}{tie[1:]} ({say('{share} each', share=share)})"
    return f"{who} {mark(target.categories[int(value.argmax())])} ({share})"


def perhaps(value: np.ndarray, target: Feature, mark: Mark = str) -> str:
    """Return the text of an answer that values not yet known may change."""
    best = class_words(target, value, mark) if target.categories else mark(number(float(value[0])))
    return say("Perhaps {answer}: values not yet known may change it", answer=best)


def likeliest_classes(value: np.ndarray, target: Feature, mark: Mark = str, n: int | None = None) -> str:
    """Return the two classes with the largest shares, the largest first, or all that tie, each with its share."""
    ties = leaders(value)
    classes = ties if len(ties) > 1 else np.argsort(-value, kind="stable")[:2].tolist()
    names = [f"{mark(target.categories[k])} ({odds(float(value[k]), n)})" for k in classes]
    return join(names, "or")


def rows_behind_words(n: int) -> str:
    """Return how many rows are behind an answer, with a warning if they are few."""
    text = say("{n} row of the table led here." if n == 1 else "{n} rows of the table led here.", n=count(n))
    return text if n >= FEW_BEHIND else f"{text} {say('Take the answer with care.')}"


def range_words(y: np.ndarray, target: Feature) -> str:
    """Return the span of nine in ten of the target's numbers y (n,) in a leaf, n > 0."""
    low, high = (value_text(target, float(end), 3) for end in np.quantile(y, [0.05, 0.95]))
    return say("Nine in ten of these rows: {low} to {high}.", low=low, high=high)


def held_out_words(
    value: np.ndarray, y: np.ndarray, target: Feature, mark: Mark = str, y_all: np.ndarray | None = None
) -> str:
    """Return how good the answer is on y (n,), n > 0, the target of the held-out rows that end in its leaf.

    `y_all` is the target of all held-out rows, for the frequency of the class among them.
    """
    n = count(len(y))
    if not target.categories:
        apart = number(float(np.abs(y - value[0]).mean()))
        return say("On rows kept for testing ({n}) it is {apart} off on average.", n=n, apart=apart)
    best = int(value.argmax())
    text = say(
        "Of rows kept for testing, {right} of {n} that end here are {answer}",
        right=count(int(np.count_nonzero(y == best))),
        n=n,
        answer=mark(target.categories[best]),
    )
    every = "" if y_all is None else f" ({say('of all: {share}', share=percent(float(np.mean(y_all == best))))})"
    return f"{text}{every}."


def full_model_words(
    outputs: np.ndarray, prior: np.ndarray, value: np.ndarray, target: Feature, who: str, mark: Mark = str
) -> str:
    """Return what the full model `who` answers to made-up cases (n, n_outputs), n > 0, that end in a leaf.

    The prior breaks the model's ties (`espalier.predict.prior_of`).
    """
    values = {"n": count(len(outputs)), "who": who}
    if not target.categories:
        mean = value_text(target, float(outputs.mean()), 3)
        return say("Of {n} made-up cases that end here, {who} says {mean} on average.", **values, mean=mean)
    best = int(value.argmax())
    return say(
        "Of {n} made-up cases that end here, {who} takes {votes} for {answer}.",
        **values,
        votes=percent(float(np.mean(winners(outputs, prior) == best))),
        answer=mark(target.categories[best]),
    )


def is_settled(part: np.ndarray, form: Questionnaire, target: Feature) -> bool:
    """Return whether all cases of `part`, as in `could_be`, get the same class."""
    return bool(target.categories) and len(np.unique(form.tree.value[part > 0].argmax(axis=1))) == 1


def could_be(part: np.ndarray, form: Questionnaire, target: Feature, mark: Mark = str) -> str:
    """Return the other possible answers if all were known; `part` (n_nodes,) is the share of cases in leaves."""
    if not target.categories:
        values = form.tree.value[part > 0, 0]
        text_of = answers_of(form.tree)
        return say("{low} to {high}", low=text_of(float(values.min())), high=text_of(float(values.max())))
    share = np.bincount(form.tree.value.argmax(axis=1), part, minlength=len(target.categories))
    likely = [k for k in np.argsort(-share, kind="stable").tolist() if share[k] > 0]
    return join([f"{mark(target.categories[k])} ({odds(float(share[k]))})" for k in likely], "or")
