"""Reliability in words: the measures of doubt, the outcome of a goal, and the comparison of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from espalier.analysis.comparison.rates import Rates
from espalier.analysis.reliability.abstention import ANSWER, COST, RISK, Goal, Point
from espalier.analysis.reliability.reliability import Area, CoverageCurve
from espalier.analysis.reliability.uncertainty import LEAF_DOUBT, NONE, SHARE, SPREAD, VOTES
from espalier.views.theme import number, percent

FAR_OFF = 0.02  # from the goal's share: a larger difference is explained

MEASURES = {
    SPREAD: "how far its leaves differ: their spread σ",
    VOTES: "share of trees that say another class",
    LEAF_DOUBT: "1 − the share of its answer in its leaf",
    NONE: "1 − the share of its answer",
    SHARE: "1 − the share of its answer",
}
MEASURES_OF_NUMBERS = {
    SPREAD: "how far its leaves differ: their spread σ",
    VOTES: "how far its trees differ",
    LEAF_DOUBT: "how far the rows of its leaf differ",
    NONE: "nothing: it doubts no row more than another",
}
HOW = """Doubt is how unsure a model is of one answer, measured by what it is made of:

- **Cultivated tree, cultivated forest:** the spread σ of the answer over the leaves that the row is in
  (Nalenz & Augustin 2021). It grows where robust splits hesitate or options contradict each other.
- **Forest:** the share of its trees that say another class; of numbers, how far its trees differ.
- **Single tree:** 1 − the share of its answer in the leaf, with one more row of every class added, so that small
  leaves are believed less (Laplace's correction; Provost & Domingos 2003); of numbers, how far its rows differ.

Every row is answered by a model that has not seen it. *Terms:* abstention, selective prediction, reject option."""


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
    return (MEASURES if is_classification else MEASURES_OF_NUMBERS)[measure]


def loss_words(loss: float, is_classification: bool) -> str:
    """Return a mean loss as a person reads it: the share that is right, or the average error."""
    return percent(round(1 - loss, 6)) if is_classification else number(loss)


def point_words(one: ReliabilitySummary, goal: Goal, is_classification: bool) -> str:
    """Return the model's behaviour at its operating point, in a sentence or two."""
    point = one.point
    if math.isnan(point.risk):
        return f"**{one.title}** answers nothing: {_why_nothing(goal, is_classification)}"
    text = f"**{one.title}** answers **{percent(round(point.coverage, 4))}** of the rows"
    text += _how_well(point, is_classification)
    if goal.kind == COST:
        text += (
            f" That costs {number(point.cost)} a row; to answer all would cost {number(point.cost_of_answering)}"
        )
        text += f", to ask about all {number(goal.asking)}."
        text += _no_gain(point, goal)
    return text + _promise(point, goal, is_classification)


def _no_gain(point: Point, goal: Goal) -> str:
    """Return a warning if abstaining does not pay on rows that did not choose the threshold; else empty."""
    if point.cost <= min(point.cost_of_answering, goal.asking):
        return ""
    better = "to answer all" if point.cost_of_answering <= goal.asking else "to ask about all"
    return f" **It does not pay here: {better} would cost less**, since its doubt tells little of its mistakes."


def _how_well(point: Point, is_classification: bool) -> str:
    if not is_classification:
        ends = f"{number(point.risk_low)} to {number(point.risk_high)}"
        return f", and is off by **{number(point.risk)}** on average ({ends})."
    ends = sorted(1 - end for end in (point.risk_low, point.risk_high))
    text = f" and gets **{percent(round(1 - point.risk, 4))}** of them right"
    return f"{text} ({percent(round(ends[0], 3))} to {percent(round(ends[1], 3))})."


def _why_nothing(goal: Goal, is_classification: bool) -> str:
    if goal.kind == COST:
        return "asking about every row is cheapest."
    if goal.kind == RISK:
        wanted = f"{loss_words(goal.level, is_classification)} right" if is_classification else number(goal.level)
        return f"not even its surest answers reach {wanted} on the folds that choose. Ask for less."
    return "the goal is a share of nothing."


def _promise(point: Point, goal: Goal, is_classification: bool) -> str:
    """Return why a goal is missed: the result of the same threshold on the rows that chose it; else empty."""
    if goal.kind == ANSWER and abs(point.coverage - goal.level) > FAR_OFF:
        if point.coverage == 1:
            return " So many rows are doubted alike that none can be left out by its doubt."
        return " Rows of equal doubt are answered together, so that the share is not quite as asked."
    if goal.kind != RISK or round(point.risk - goal.level, 3) <= 0:
        return ""
    if math.isnan(point.promised):
        return " It misses the goal: no threshold reaches it on all rows together. Ask for less."
    return (
        f" It misses the goal: on the rows that chose the threshold it reached "
        f"{loss_words(point.promised, is_classification)}, on others it does not."
    )


def threshold_words(point: Point) -> str:
    """Return the instruction for future rows: "hand over the 20 % it is least sure of (doubt above 0.187)"."""
    if math.isinf(point.threshold):
        return "answer all" if point.threshold > 0 else "answer none"
    handed = percent(round(1 - point.coverage, 3))
    return f"hand over the {handed} that it is least sure of (doubt above {number(point.threshold)})"


def headline(models: Sequence[ReliabilitySummary], is_classification: bool) -> str:
    """Return whether the models know what they do not know: by how much abstaining helps each."""
    return "\n".join(f"- {_helps(one, is_classification)}" for one in models)


def _helps(one: ReliabilitySummary, is_classification: bool) -> str:
    area = one.area
    what = "wrong answers" if is_classification else "average error"
    chance, best = (percent(round(a, 4)) if is_classification else number(a) for a in (area.chance, area.best))
    here = percent(round(area.value, 4)) if is_classification else number(area.value)
    text = f"**{one.title}**: over all shares answered, {here} {what} on average"
    return f"{text} (uninformative doubts: {chance}; perfect ones: {best}). {_verdict(area)}"


def _verdict(area: Area) -> str:
    gap = area.chance - area.best
    part = (area.chance - area.value) / gap if gap > 1e-12 else math.nan
    if math.isnan(part):
        return "There is nothing to tell apart."
    if part < 0.05:
        return "Its doubts say next to nothing."
    if part < 0.5:
        return "Its doubts say something."
    return "Its doubts can be trusted." if part < 0.8 else "It knows well when not to answer."
