"""Accuracy in words, beside the baseline on the same rows and the accuracy of each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from espalier.comparison.rates import Rates, against_the_rest
from espalier.data.dataset import Feature
from espalier.display.text.trees import join
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say

MOST_CLASSES = 4  # listed one by one; of more, the best and the worst
MOST_NEVER = 3  # never predicted classes that are named


def _as_it_is(text: str) -> str:
    return text


def baseline_words(rates: Rates, target: Feature, mark: Callable[[str], str] = _as_it_is) -> str:
    """Return the baseline in words: "Always answering “repaid” would be right on 90 % of the same rows."

    `mark` treats names from the data, here and below.
    """
    usual = mark(target.categories[rates.usual])
    share = _share(rates.baseline)
    return say("Always answering “{usual}” would be right on {share} of the same rows.", usual=usual, share=share)


def by_class_words(rates: Rates, target: Feature, mark: Callable[[str], str] = _as_it_is, who: str = "") -> str:
    """Return the accuracy by class: "Right by class: 99 % of 900 “repaid”, 2 % of 100 “default”."

    Of many classes, the worst and the best are named; `who` names the model ("Right by class, the tree: …"). A
    class that counts is then set against the rest.
    """
    begin = say("Right by class, {who}", who=who) if who else say("Right by class")
    there = np.flatnonzero(rates.n).tolist()
    rest = _against_the_rest(rates, target, mark)
    if len(there) <= MOST_CLASSES:
        return f"{begin}: {', '.join(_of_class(rates, k, target, mark) for k in there)}.{rest}"
    ranked = sorted(there, key=lambda k: rates.of_class[k])
    ends = [_of_class(rates, k, target, mark) for k in (ranked[0], ranked[-1])]
    return say("{begin}: from {worst} to {best}.", begin=begin, worst=ends[0], best=ends[1]) + rest


def _against_the_rest(rates: Rates, target: Feature, mark: Callable[[str], str]) -> str:
    """Return sensitivity, specificity and precision of the class that counts; "" if none does, or has no row."""
    if target.positive is None or not rates.n[target.positive]:
        return ""
    found = against_the_rest(rates, target.positive)
    is_answered = rates.answered[target.positive] > 0
    known = {
        "name": _quoted(mark(target.categories[target.positive])),
        "sensitivity": _share(found.sensitivity),
        "specificity": _share(found.specificity),
        "precision": _share(found.precision),
    }
    return " " + say(
        "{name} counts: sensitivity {sensitivity}, specificity {specificity}, precision {precision}."
        if is_answered
        else "{name} counts: sensitivity {sensitivity}, specificity {specificity}, it is never answered.",
        **known,
    )


def _of_class(rates: Rates, k: int, target: Feature, mark: Callable[[str], str]) -> str:
    share, name = _share(float(rates.of_class[k])), _quoted(mark(target.categories[k]))
    if rates.n.dtype.kind == "f":
        weight = number(float(rates.n[k]))
        return say("{share} of {name} (weight {weight})", share=share, name=name, weight=weight)
    return say("{share} of {n} {name}", share=share, n=count(rates.n[k]), name=name)


def _share(share: float) -> str:
    return percent(round(share, 6))


def blind_words(
    models: Sequence[tuple[str, Rates]], target: Feature, mark: Callable[[str], str] = _as_it_is, among: str = ""
) -> str | None:
    """Return a warning that accuracy tells little of these models (title, rates); None if it tells enough.

    `among` names the rows, if not all of them: "of the rows that it answers itself".
    """
    weak = [(title, rates) for title, rates in models if rates.is_blind]
    if not weak:
        return None
    parts = [_blindness(title, rates, _never(rates, target, mark), among) for title, rates in weak]
    return say(
        "**Accuracy tells little here.** {baseline} {models} Balanced accuracy is the share right of each class, "
        "averaged over the classes.",
        baseline=baseline_words(weak[0][1], target, mark),
        models=" ".join(parts),
    )


def _blindness(title: str, rates: Rates, never: str, among: str) -> str:
    known = {
        "model": f"**{title}**",
        "share": _share(rates.accuracy),
        "among": among,
        "never": never,
        "balanced": _share(rates.balanced),
        "always": say("the same answer always: {share}", share=_share(1 / np.count_nonzero(rates.n))),
    }
    if among:
        return say(
            "{model} is right on {share} {among} and never answers {never} to any of them; its balanced accuracy "
            "on them is {balanced} ({always})."
            if never
            else "{model} is right on {share} {among}; its balanced accuracy on them is {balanced} ({always}).",
            **known,
        )
    return say(
        "{model} is right on {share} and never answers {never}; its balanced accuracy is {balanced} ({always})."
        if never
        else "{model} is right on {share}; its balanced accuracy is {balanced} ({always}).",
        **known,
    )


def _never(rates: Rates, target: Feature, mark: Callable[[str], str]) -> str:
    """Return the classes that are never predicted; "" if there are none."""
    names = [_quoted(mark(target.categories[k])) for k in rates.never]
    more = len(names) - MOST_NEVER
    shown = [*names[:MOST_NEVER], say("{n} more", n=more)] if more > 0 else names
    return join(shown, "or") if names else ""


BRIER = to_say(
    "The Brier score is summed over the classes: 0 is perfect, 2 the worst; of two classes it is twice what "
    "scikit-learn's `brier_score_loss` says."
)


def _quoted(name: str) -> str:
    return say("“{name}”", name=name)
