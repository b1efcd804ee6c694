"""Reliability in words and tables: measures of doubt, the outcome of a goal, and why rows are for an expert."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from espalier.comparison.class_rates import Rates
from espalier.data.dataset import Dataset, Feature
from espalier.data.roles import RowLabels
from espalier.display.cultivated import decision_words, node_decisions
from espalier.display.tables import labels_of, listed, named, target_heading
from espalier.display.text.trees import share_words
from espalier.display.text.values import cut_words, in_words, named_value
from espalier.display.theme import count, number, percent
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.predict import classes
from espalier.reliability import reliability
from espalier.reliability.explanation import NEAR, steps_of
from espalier.reliability.reliability import (
    ANSWER,
    COST,
    RISK,
    Answers,
    CoverageCurve,
    FoldModel,
    FoldModels,
    Goal,
    Point,
)
from espalier.reliability.uncertainty import (
    LEAF_DOUBT,
    NONE,
    SHARE,
    SPREAD,
    VOTES,
    Conflict,
    Uncertainty,
    conflicts,
    goes_left,
    hesitation,
)
from espalier.trees import AnyTree, CultivatedTree, Tree

MOST_CLASSES = 6  # of which each has a line at the goal
FAR_OFF = 0.02  # from the goal's share: a larger difference is explained

MEASURES = {
    SPREAD: to_say("how far the answers of its leaves differ"),
    VOTES: to_say("share of trees that say another class"),
    LEAF_DOUBT: to_say("1 − the share of its answer in its leaf, with one more row of every class"),
    NONE: to_say("1 − the share of its answer"),
    SHARE: to_say("1 − the share of its answer"),
}
MEASURES_OF_NUMBERS = {
    SPREAD: to_say("how far the answers of its leaves differ"),
    VOTES: to_say("how far its trees differ"),
    LEAF_DOUBT: to_say("how far the rows of its leaf differ"),
    NONE: to_say("nothing: it doubts no row more than another"),
}
HOW = to_say(
    "Doubt: of a cultivated tree the spread σ of its leaves' answers (Nalenz & Augustin 2021); of a forest the "
    "share of trees that say another class; of a tree 1 − the answer's share in the leaf, with one more row of "
    "every class (Provost & Domingos 2003). *Terms:* abstention, selective prediction."
)


class ReliabilitySummary(NamedTuple):
    """A model, and how good it is at knowing when not to answer."""

    title: str
    slot: int  # its place, 0 the first, from which its colour follows
    measure: str  # of its doubt: a key of `MEASURES`
    curve: CoverageCurve
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


def points_table(models: Sequence[ReliabilitySummary], goal: Goal, dataset: Dataset) -> pd.DataFrame:
    """Return a column for each model: what it answers at its operating point, how well, and from which doubt not.

    Shares of a class are of the rows of that class that the model answers itself.
    """
    columns = {model.title: _column(model, goal, dataset) for model in models}
    return pd.DataFrame(columns).rename_axis(index=say("measure"))


def _column(model: ReliabilitySummary, goal: Goal, dataset: Dataset) -> dict[str, str]:
    point, is_classes = model.point, dataset.is_classification
    ends = sorted(1 - end if is_classes else end for end in (point.risk_low, point.risk_high))
    low, high = (percent(round(end, 3)) if is_classes else number(end) for end in ends)
    nothing = math.isnan(point.risk)
    cells = {
        say("answered"): percent(round(point.coverage, 4)),
        say("right, of these") if is_classes else say("off by, on average"): loss_words(point.risk, is_classes),
        say("95 % interval"): say("{low} to {high}", low=low, high=high),
    }
    cells = {name: "–" if nothing else text for name, text in cells.items()}
    if goal.kind == COST:
        prices = point.cost, point.cost_of_answering, goal.asking
        names = say("cost of a row"), say("to answer all"), say("to ask about all")
        cells |= dict(zip(names, map(number, prices), strict=True))
    if is_classes:
        rates = model.rates if model.rates is not None and model.rates.n_rows and not nothing else None
        cells[say("baseline")] = "–" if rates is None else percent(round(rates.baseline, 4))
        for k, name in enumerate(dataset.classes if len(dataset.classes) <= MOST_CLASSES else ()):
            right = math.nan if rates is None else float(rates.of_class[k])
            label = say("right, of “{name}”", name=name)
            n = None if rates is None or rates.n.dtype.kind == "f" else int(rates.n[k])
            cells[label] = "–" if math.isnan(right) else share_words(right, n)
    threshold = number(point.threshold) if math.isfinite(point.threshold) else "–"
    return cells | {say("doubt, at most"): threshold}


def point_notes(model: ReliabilitySummary, goal: Goal, is_classification: bool) -> str:
    """Return why a model answers nothing, misses the goal or does not pay; empty where there is nothing to add."""
    point = model.point
    if math.isnan(point.risk):
        return say("It answers nothing: {why}", why=_why_nothing(goal, point.n_groups, is_classification))
    texts = [_no_gain(point, goal) if goal.kind == COST else "", _promise(point, goal)]
    return " ".join(filter(None, texts))


def _no_gain(point: Point, goal: Goal) -> str:
    """Return a warning if abstaining does not pay on rows that did not choose the threshold; else empty."""
    if point.cost <= min(point.cost_of_answering, goal.asking):
        return ""
    return say("**It does not pay here**: its doubt tells little of its mistakes.")


def _why_nothing(goal: Goal, n_groups: int | None, is_classification: bool) -> str:
    if goal.kind == COST:
        return say("asking about every row is cheapest.")
    wanted = loss_words(goal.level, is_classification)
    if goal.confidence is None:
        return say("not even its surest answers reach {wanted}. Ask for less.", wanted=wanted)
    values = {"wanted": wanted, "n": count(reliability.rows_needed(goal.level, goal.confidence))}
    if n_groups is None:
        return say("to promise {wanted} takes {n} answers without a mistake. Ask for less.", **values)
    return say("to promise {wanted} takes {n} groups without a mistake. Ask for less.", **values)


def _promise(point: Point, goal: Goal) -> str:
    """Return why a goal is missed, or the confidence of a promise; empty where there is nothing to add."""
    if goal.kind == ANSWER and abs(point.coverage - goal.level) > FAR_OFF:
        return say("Rows of equal doubt go together.")
    if goal.kind == RISK and round(point.risk - goal.level, 3) > 0:
        return say("It misses the goal on rows that did not choose the threshold. Ask for less.")
    if goal.confidence is None or point.threshold == -math.inf:
        return ""
    return say("Promised for new rows, with {confidence} confidence.", confidence=percent(goal.confidence))


# ---- the reasons why a model hands a row over to an expert, in words

MOST_MODULES = 2  # named for one row
LEAST_PART = 0.1  # least part of the doubt of a named module, after the first
LEAST_VOTES, LEAST_SHARE = 0.005, 0.0005  # least parts of all that are named
SMALL = 10  # most rows of a leaf that is called small


def reason(model: FoldModel, at: int, dataset: Dataset, by: str) -> str:
    """Return why the model doubts the row at this place of its fold; `by` SHARE if doubt is only about shares."""
    doubts, x = model.doubts, dataset.X[model.rows[at]]
    if dataset.is_classification and (by == SHARE or model.measure == NONE):
        return shares_words(model.answers[at], dataset.target)
    if isinstance(model.model, CultivatedTree):
        return conflict_words(model.model, dataset, x)
    if isinstance(model.model, (Tree, ObliqueTree)):
        return leaf_words(model.model, dataset, x, model.answers[at], doubts, at)
    if doubts.votes is not None:
        return votes_words(doubts.votes[at], dataset.target) + _between(doubts, at)
    return numbers_words(model.measure, model.n_trees, float(doubts.doubt[at])) + _between(doubts, at)


def numbers_words(measure: str, n_trees: int, doubt: float) -> str:
    """Return how far the numbers differ of which the prediction is the mean."""
    if measure == NONE:
        return say("its prediction is the same for every row")
    if measure == SPREAD:
        return say("the leaves of {n} trees differ by ± {doubt}", doubt=number(doubt), n=n_trees)
    return say("the numbers of {n} trees differ by ± {doubt}", n=n_trees, doubt=number(doubt))


def shares_words(shares: np.ndarray, target: Feature, most: int = 3) -> str:
    """Return the shares of the leading classes: "versicolor 52 %, virginica 46 %"."""
    order = [int(k) for k in np.argsort(-shares, kind="stable")[:most] if shares[k] >= LEAST_SHARE]
    return ", ".join(f"{in_words(target, k)} {percent(round(float(shares[k]), 3))}" for k in order)


def votes_words(votes: np.ndarray, target: Feature) -> str:
    """Return the division of the trees' votes: "59 % of the trees say versicolor, 41 % virginica"."""
    order = [int(k) for k in np.argsort(-votes, kind="stable") if votes[k] >= LEAST_VOTES]
    parts = [f"{percent(round(float(votes[k]), 3))} {in_words(target, k)}" for k in order[1:3]]
    first = say(
        "{share} of the trees say {answer}",
        share=percent(round(float(votes[order[0]]), 3)),
        answer=in_words(target, order[0]),
    )
    return ", ".join([first, *parts])


def _between(doubts: Uncertainty, at: int) -> str:
    if doubts.between is None:
        return ""
    part = float(doubts.between[at])
    share = percent(round(part, 2))
    return "; " + say("{share} of the doubt because trees differ, the rest within them", share=share)


# ---- a tree: its leaf, and thresholds that were close


def leaf_words(
    tree: Tree | ObliqueTree, dataset: Dataset, x: np.ndarray, answers: np.ndarray, doubts: Uncertainty, at: int
) -> str:
    """Return how small or mixed the leaf is, and the closest threshold beyond which the prediction changes."""
    weight = float(doubts.leaf_weight[at]) if doubts.leaf_weight is not None else 0.0
    rows = weight_words(weight)
    if not dataset.is_classification:
        differ = number(float(doubts.doubt[at]))
        text = say("its leaf has {rows}, which differ by ± {differ}", rows=rows, differ=differ)
    elif answers.max() > 1 - 1e-9:
        text = say(
            "its leaf is small: {rows}, all {answer}" if weight < SMALL else "its leaf has {rows}, all {answer}",
            rows=rows,
            answer=in_words(dataset.target, int(answers.argmax())),
        )
    else:
        text = say("its leaf has {rows}: {shares}", rows=rows, shares=shares_words(answers, dataset.target))
    return text + close_call(tree, dataset, x)


def rows_in(tree: Tree | ObliqueTree, dataset: Dataset, leaf: int) -> float:
    """Return how many samples a leaf has learned from: their weight, where the table itself weighs them.

    Weights of classes and costs of errors make no sample two.
    """
    return float(tree.n_samples[leaf]) if dataset.row_weights is None else float(tree.weight[leaf])


def weight_words(weight: float) -> str:
    """Return the weight of rows in words: "1 row", "12.5 rows"."""
    return say("{n} row" if weight == 1 else "{n} rows", n=number(weight))


def close_call(tree: AnyTree | ObliqueTree, dataset: Dataset, x: np.ndarray) -> str:
    """Return the closest threshold on the path beyond which the prediction changes; empty if none is near."""
    if not isinstance(tree, Tree) or not dataset.is_classification:
        return ""
    own = classes(tree, x[None, :])[0]
    near = [step for step in steps_of(tree, dataset, x) if step.gap <= NEAR and step.otherwise.argmax() != own]
    if not near:
        return ""
    step = min(near, key=lambda step: step.gap)
    f = int(tree.feature[step.node])
    feature, cut = dataset.features[f], float(tree.threshold[step.node])
    values = {"value": named_value(feature, float(x[f]), 6), "cut": cut_words(feature, cut)}
    if feature.is_whole:
        return "; " + say("{value} is close to the cut {cut}", **values)
    return "; " + say("{value} is close to {cut}", **values)


# ---- a cultivated tree: its modules


def conflict_words(tree: CultivatedTree, dataset: Dataset, x: np.ndarray) -> str:
    """Return the modules that conflict: "petal width 1.7 is near ≲ 1.75 (61 % of the doubt); …"."""
    modules = conflicts(tree, x)
    if not modules:
        return say("no module conflicts; its leaves predict the same")
    top = [conflict for i, conflict in enumerate(modules[:MOST_MODULES]) if not i or conflict.part >= LEAST_PART]
    parts = [
        say(
            "{conflict} ({share} of the doubt)",
            conflict=one_conflict(tree, dataset, x, conflict),
            share=percent(round(conflict.part, 2)),
        )
        for conflict in top
    ]
    rest = len(modules) - len(top)
    more = [say("{n} more module" if rest == 1 else "{n} more modules", n=rest)] if rest else []
    return "; ".join([*parts, *more])


def one_conflict(tree: CultivatedTree, dataset: Dataset, x: np.ndarray, conflict: Conflict) -> str:
    """Return why a module is divided: a value near its cuts, or options that point to different predictions."""
    decisions = dividing_decisions(tree, x, conflict.node)
    numbers = tree.decisions.feature[decisions].tolist()
    values = [named_value(dataset.features[f], float(x[f])) for f in numbers]
    if len(decisions) > 1:
        return say("{first} and {second} point to different answers", first=values[0], second=values[1])
    feature = dataset.features[numbers[0]]
    if np.isnan(x[numbers[0]]):
        return say("{name} is missing", name=feature.name)
    asks = decision_words(tree, dataset.features, decisions[0])
    return say(
        "“{question}” hesitates at {value}" if feature.categories else "{value} is near the cuts of “{question}”",
        question=asks,
        value=values[0],
    )


def dividing_decisions(tree: CultivatedTree, x: np.ndarray, node: int) -> list[int]:
    """Return the decision of a node that hesitates most; if decisions contradict, the strongest on each side."""
    here = list(node_decisions(tree, node))
    left = np.array([goes_left(tree, d, x) for d in here])
    share = tree.decisions.share[here]
    if hesitation(tree, x, node) >= 0.5:
        return [here[int(np.argmax(share * left * (1 - left)))]]
    return [here[int(np.argmax(share * part))] for part in (left, 1 - left)]


# ---- tables of reliability: the rows for an expert with their reasons, the curves, and the goal's outcome

ROW, DOUBT, WOULD_SAY = to_say("row"), to_say("doubt"), to_say("would say")  # columns of the rows for an expert
TRUTH, RIGHT, OFF_BY = to_say("in truth"), "right", to_say("off by")
WHY = to_say("why it is doubted")
HEADS = (ROW, DOUBT, WOULD_SAY, TRUTH, RIGHT, OFF_BY, WHY)
IS_RIGHT = to_say("is right")  # the head of `RIGHT`, which also is a direction


def for_experts(answers: Answers, handed_over: np.ndarray) -> np.ndarray:
    """Return the places of the rows handed over in the first repeat among its answers, the most doubted first."""
    places = np.flatnonzero(handed_over & (answers.repeat == 0))
    return places[np.lexsort((answers.row[places], -answers.doubt[places]))]


def experts_table(models: FoldModels, answers: Answers, places: np.ndarray, by: str) -> pd.DataFrame:
    """Return a row for each place: its number from 1, label, doubt, prediction, truth, and why it is doubted."""
    data = models.dataset
    rows = answers.row[places]
    prediction = named(data.target, answers.answer[places].astype(float))
    truth = named(data.target, data.y[rows].astype(float))
    first = {ROW: rows + 1} | label_column(data.roles.labels, rows)
    table = pd.DataFrame({**first, DOUBT: answers.doubt[places], WOULD_SAY: prediction, TRUTH: truth})
    if data.is_classification:
        table[RIGHT] = answers.loss[places] == 0
    else:
        table[OFF_BY] = answers.loss[places]
    folds = {model.number: model for model in models.tried}
    table[WHY] = [
        reason(folds[int(fold)], place_in(folds[int(fold)], int(row)), data, by)
        for fold, row in zip(answers.fold[places], rows, strict=True)
    ]
    return table


def label_column(
    labels: RowLabels | None, rows: np.ndarray, heads: Collection[str] = HEADS
) -> dict[str, np.ndarray]:
    """Return the labels of rows under the name of their column, in brackets where the table has that name."""
    if labels is None:
        return {}
    name = f"({labels.name})" if labels.name in heads else labels.name
    return {name: np.array(labels.texts, dtype=object)[rows]}


def place_in(model: FoldModel, row: int) -> int:
    """Return the place of a row in its fold, whose rows ascend."""
    return int(np.searchsorted(model.rows, row))


def experts_file(table: pd.DataFrame, data: Dataset) -> pd.DataFrame:
    """Return the same with every feature, for a file to hand on."""
    rows = table[ROW].to_numpy() - 1
    values = listed(data, rows).drop(columns=[say(ROW), *labels_of(data), target_heading(data)])
    return pd.concat([table, values], axis=1)
