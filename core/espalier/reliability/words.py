"""Reliability in words: the measures of doubt, the outcome of a goal, and the comparison of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from espalier.comparison.rates import Rates
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.reliability import abstention
from espalier.reliability.abstention import ANSWER, COST, RISK, Goal, Point
from espalier.reliability.reliability import Area, CoverageCurve
from espalier.reliability.uncertainty import LEAF_DOUBT, NONE, SHARE, SPREAD, VOTES

FAR_OFF = 0.02  # from the goal's share: a larger difference is explained

MEASURES = {
    SPREAD: to_say("how far the answers of its leaves differ"),
    VOTES: to_say("share of trees that say another class"),
    LEAF_DOUBT: to_say("1 − the share of its answer in its leaf"),
    NONE: to_say("1 − the share of its answer"),
    SHARE: to_say("1 − the share of its answer"),
}
MEASURES_OF_NUMBERS = {
    SPREAD: to_say("how far the answers of its leaves differ"),
    VOTES: to_say("how far its trees differ"),
    LEAF_DOUBT: to_say("how far the rows of its leaf differ"),
    NONE: to_say("nothing: it doubts no row more than another"),
}
HOW = to_say("""Doubt is how unsure a model is of one answer, measured by what it is made of:

- **Cultivated tree, cultivated forest:** the spread σ of the answer over the leaves that the row is in
  (Nalenz & Augustin 2021). It grows where robust splits hesitate or options contradict each other.
- **Forest:** the share of its trees that say another class; of numbers, how far its trees differ.
- **Single tree:** 1 − the share of its answer in the leaf, with one more row of every class added, so that small
  leaves are believed less (Laplace's correction; Provost & Domingos 2003); of numbers, how far its rows differ.

Every row is answered by a model that has not seen it. *Terms:* abstention, selective prediction,
reject option.""")


class ReliabilitySummary(NamedTuple):
    """A model, and how good it is at knowing when not to answer."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    measure: str  # of its doubt: a key of `MEASURES`
    curve: CoverageCurve
    area: Area
    point: Point
    n_rows: int  # answers, over all repeats
    rates: Rates | None = None  # for classes: the share right of each among the rows answered
    baseline: CoverageCurve | None = None  # for classes: always the most frequent one, on the rows answered


def measure_words(measure: str, is_classification: bool) -> str:
    """Return the definition of the doubt."""
    return say((MEASURES if is_classification else MEASURES_OF_NUMBERS)[measure])


def loss_words(loss: float, is_classification: bool) -> str:
    """Return a mean loss as a person reads it: the share that is right, or the average error."""
    return percent(round(1 - loss, 6)) if is_classification else number(loss)


def point_words(one: ReliabilitySummary, goal: Goal, is_classification: bool) -> str:
    """Return the model's behaviour at its operating point, in a sentence or two."""
    point = one.point
    if math.isnan(point.risk):
        why = _why_nothing(goal, point.n_groups, is_classification)
        return say("{model} answers nothing: {why}", model=f"**{one.title}**", why=why)
    parts = [_how_well(one, is_classification)]
    if goal.kind == COST:
        parts += [_costs(point, goal), _no_gain(point, goal)]
    return " ".join(filter(None, [*parts, _promise(point, goal, is_classification)]))


def _costs(point: Point, goal: Goal) -> str:
    return say(
        "That costs {cost} a row; to answer all would cost {answering}, to ask about all {asking}.",
        cost=number(point.cost),
        answering=number(point.cost_of_answering),
        asking=number(goal.asking),
    )


def _no_gain(point: Point, goal: Goal) -> str:
    """Return a warning if abstaining does not pay on rows that did not choose the threshold; else empty."""
    if point.cost <= min(point.cost_of_answering, goal.asking):
        return ""
    return say(
        "**It does not pay here: to answer all would cost less**, since its doubt tells little of its mistakes."
        if point.cost_of_answering <= goal.asking
        else "**It does not pay here: to ask about all would cost less**, since its doubt tells little of its "
        "mistakes."
    )


def _how_well(one: ReliabilitySummary, is_classification: bool) -> str:
    point = one.point
    known = {"model": f"**{one.title}**", "answered": percent(round(point.coverage, 4))}
    if not is_classification:
        return say(
            "{model} answers **{answered}** of the rows, and is off by **{error}** on average ({low} to {high}).",
            **known,
            error=number(point.risk),
            low=number(point.risk_low),
            high=number(point.risk_high),
        )
    ends = sorted(1 - end for end in (point.risk_low, point.risk_high))
    return say(
        "{model} answers **{answered}** of the rows and gets **{right}** of them right ({low} to {high}).",
        **known,
        right=percent(round(1 - point.risk, 4)),
        low=percent(round(ends[0], 3)),
        high=percent(round(ends[1], 3)),
    )


def _why_nothing(goal: Goal, n_groups: int | None, is_classification: bool) -> str:
    if goal.kind == COST:
        return say("asking about every row is cheapest.")
    if goal.confidence is not None:
        known = {
            "wanted": loss_words(goal.level, is_classification),
            "n": count(abstention.rows_needed(goal.level, goal.confidence)),
        }
        if n_groups is not None:
            return say(
                "to promise {wanted} right, it takes at least {n} groups without a mistake, or more with few; "
                "there are {there}. Ask for less, or bring rows of more groups.",
                there=count(n_groups),
                **known,
            )
        return say(
            "to promise {wanted} right, it takes at least {n} answers without a mistake, or more with few. Ask "
            "for less, or bring more rows.",
            **known,
        )
    if goal.kind == RISK:
        return say(
            "not even its surest answers reach {wanted} right on the folds that choose. Ask for less."
            if is_classification
            else "not even its surest answers reach {wanted} on the folds that choose. Ask for less.",
            wanted=loss_words(goal.level, is_classification),
        )
    return say("the goal is a share of nothing.")


def _promise(point: Point, goal: Goal, is_classification: bool) -> str:
    """Return why a goal is missed: the result of the same threshold on the rows that chose it; else empty."""
    if goal.kind == ANSWER and abs(point.coverage - goal.level) > FAR_OFF:
        if point.coverage == 1:
            return say("So many rows are doubted alike that none can be left out by its doubt.")
        return say("Rows of equal doubt are answered together, so that the share is not quite as asked.")
    if goal.kind != RISK or round(point.risk - goal.level, 3) <= 0:
        return _promise_of_new_rows(point, goal)
    if math.isnan(point.promised):
        return say("It misses the goal: no threshold reaches it on all rows together. Ask for less.")
    return say(
        "It misses the goal: on the rows that chose the threshold it reached {promised}, on others it does not.",
        promised=loss_words(point.promised, is_classification),
    )


def _promise_of_new_rows(point: Point, goal: Goal) -> str:
    """Return the confidence of a promise; empty if none was asked for, or none can be given on all rows."""
    if goal.confidence is None or point.threshold == -math.inf:
        return ""
    return say("Promised for new rows, with {confidence} confidence.", confidence=percent(goal.confidence))


def threshold_words(point: Point) -> str:
    """Return the instruction for future rows: "hand over the 20 % it is least sure of (doubt above 0.187)"."""
    if math.isinf(point.threshold):
        return say("answer all" if point.threshold > 0 else "answer none")
    known = {"share": percent(round(1 - point.coverage, 3)), "doubt": number(point.threshold)}
    return say("hand over the {share} that it is least sure of (doubt above {doubt})", **known)


def headline(models: Sequence[ReliabilitySummary], is_classification: bool) -> str:
    """Return whether the models know what they do not know: by how much abstaining helps each."""
    return "\n".join(f"- {_helps(one, is_classification)}" for one in models)


def _helps(one: ReliabilitySummary, is_classification: bool) -> str:
    area = one.area
    chance, best = (percent(round(a, 4)) if is_classification else number(a) for a in (area.chance, area.best))
    here = percent(round(area.value, 4)) if is_classification else number(area.value)
    text = say(
        "{model}: over all shares answered, {here} wrong answers on average (uninformative doubts: {chance}; "
        "perfect ones: {best})."
        if is_classification
        else "{model}: over all shares answered, {here} average error on average (uninformative doubts: {chance}; "
        "perfect ones: {best}).",
        model=f"**{one.title}**",
        here=here,
        chance=chance,
        best=best,
    )
    return f"{text} {_verdict(area)}"


def _verdict(area: Area) -> str:
    gap = area.chance - area.best
    part = (area.chance - area.value) / gap if gap > 1e-12 else math.nan
    if math.isnan(part):
        return say("There is nothing to tell apart.")
    if part < 0.05:
        return say("Its doubts say next to nothing.")
    if part < 0.5:
        return say("Its doubts say something.")
    return say("Its doubts can be trusted." if part < 0.8 else "It knows well when not to answer.")
