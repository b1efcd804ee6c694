"""Promises in words: the size of the sets, how often they hold the truth, and the rule for new rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from espalier.display.theme import number, percent
from espalier.language import say
from espalier.new_rows.promises import ALL, BY_DOUBT, PromisedIntervals, PromisedSets, Share


class PromiseSummary(NamedTuple):
    """A model with its promise."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    found: PromisedSets | PromisedIntervals


def promise_words(one: PromiseSummary, classes: Sequence[str]) -> str:
    """Return the size of the sets or intervals, and the share of rows whose truth they hold."""
    found = one.found
    if isinstance(found, PromisedIntervals):
        text = _intervals_words(one.title, found)
    else:
        text = " ".join(filter(None, [_sets_words(one.title, found), _weak(found, classes)]))
    return text


def _sets_words(title: str, found: PromisedSets) -> str:
    return say(
        "{model} names one class for **{one}** of the rows and several for {several}. For **{share}** of the "
        "rows ({low} to {high}) the truth is among the classes named.",
        model=f"**{title}**",
        one=_percent(float(found.sizes[0])),
        several=_percent(float(found.sizes[1:].sum())),
        **_ends(found.promised.coverage),
    )


def _intervals_words(title: str, found: PromisedIntervals) -> str:
    if math.isinf(found.width):
        return say("{model} cannot promise so much: there are too few rows.", model=f"**{title}**")
    return say(
        "{model} names intervals of ± **{half}** around its answer, on average. The truth is inside for "
        "**{share}** of the rows ({low} to {high}).",
        model=f"**{title}**",
        half=number(found.width / 2),
        **_ends(found.promised.coverage),
    )


def _ends(share: Share) -> dict[str, str]:
    return {"share": _percent(share.value), "low": _percent(share.low), "high": _percent(share.high)}


def _percent(share: float) -> str:
    return percent(round(share, 3))


def _weak(found: PromisedSets, classes: Sequence[str]) -> str:
    """Return the classes whose rows get clearly less than was promised over all rows; else empty."""
    promised = found.promised
    weak = [
        (name, share)
        for name, share in zip(classes, promised.by_class, strict=True)
        if share.high < promised.level
    ]
    if promised.by != ALL or not weak:
        return ""
    parts = ", ".join(say("“{name}” {share}", name=name, share=_percent(share.value)) for name, share in weak)
    return say(
        "**Less than promised in:** {classes}. Choose “for every class” to promise it there too.", classes=parts
    )


def rule_words(one: PromiseSummary, classes: Sequence[str]) -> str:
    """Return the rule for new rows: the share from which a class belongs to the set, or the width."""
    promised = one.found.promised
    limits = promised.limits.tolist()
    if isinstance(one.found, PromisedIntervals):
        if math.isinf(limits[0]):
            return say("any number")
        if promised.by == BY_DOUBT:
            known = {"limit": number(limits[0]), "least": number(promised.least_scale)}
            return say("± {limit} times the row's doubt, taken as at least {least}", **known)
        return f"± {number(limits[0])}"
    if promised.by == ALL:
        return _from_share(limits[0])
    each = zip(classes, limits, strict=True)
    return ", ".join(say("“{name}” {share}", name=name, share=_from_share(limit)) for name, limit in each)


def _from_share(limit: float) -> str:
    """Return the least share that a class of the set has, by the limit of 1 − the share."""
    if limit >= 1:
        return say("always")
    if limit <= 0:
        return say("never")
    return say("from a share of {share}", share=percent(round(1 - limit, 3)))


def set_words(inside: Sequence[bool], classes: Sequence[str]) -> str:
    """Return the classes of one row's set: "benign or malignant"."""
    names = [name for is_inside, name in zip(inside, classes, strict=True) if is_inside]
    if len(names) == 1:
        return names[0]
    return say("{classes} or {last}", classes=", ".join(names[:-1]), last=names[-1])
