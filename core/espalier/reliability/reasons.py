"""The reasons why a model hands a row over to an expert, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.display.boundaries.plane import in_words, named_value
from espalier.display.cultivated import decision_words, node_decisions
from espalier.display.tables import labels_of, listed, named, target_heading
from espalier.display.text.values import cut_words
from espalier.display.theme import number, percent
from espalier.language import say, to_say
from espalier.oblique import ObliqueTree
from espalier.predict import classes
from espalier.reliability.explanation import NEAR, steps_of
from espalier.reliability.reliability import Answers, FoldModel, FoldModels
from espalier.reliability.uncertainty import (
    NONE,
    SHARE,
    SPREAD,
    Conflict,
    Uncertainty,
    conflicts,
    goes_left,
    hesitation,
)
from espalier.reliability.unsettled import Unsettled
from espalier.reliability.words import ReliabilitySummary
from espalier.trees import AnyTree, CultivatedTree, Tree

MOST_MODULES = 2  # named for one row
LEAST_PART = 0.1  # least part of the doubt of a named module, after the first
LEAST_VOTES, LEAST_SHARE = 0.005, 0.0005  # least parts of all that are named
SMALL = 10  # most rows of a leaf that is called small


def reason(one: FoldModel, at: int, dataset: Dataset, by: str) -> str:
    """Return why the model doubts the row at this place of its fold; `by` SHARE if doubt is only about shares."""
    doubts, x = one.doubts, dataset.X[one.rows[at]]
    if dataset.is_classification and (by == SHARE or one.measure == NONE):
        return shares_words(one.answers[at], dataset.target)
    if isinstance(one.model, CultivatedTree):
        return conflict_words(one.model, dataset, x)
    if isinstance(one.model, (Tree, ObliqueTree)):
        return leaf_words(one.model, dataset, x, one.answers[at], doubts, at)
    if doubts.votes is not None:
        return votes_words(doubts.votes[at], dataset.target) + _between(doubts, at)
    return numbers_words(one.measure, one.n_trees, float(doubts.doubt[at])) + _between(doubts, at)


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
    step = min(near, key=lambda one: one.gap)
    f = int(tree.feature[step.node])
    feature, cut = dataset.features[f], float(tree.threshold[step.node])
    known = {"value": named_value(feature, float(x[f]), 6), "cut": cut_words(feature, cut)}
    if feature.is_whole:
        return "; " + say("{value} is close to the cut {cut}", **known)
    return "; " + say("{value} is close to {cut}", **known)


# ---- a cultivated tree: its modules


def conflict_words(tree: CultivatedTree, dataset: Dataset, x: np.ndarray) -> str:
    """Return the modules that conflict: "petal width 1.7 is near ≲ 1.75 (61 % of the doubt); …"."""
    modules = conflicts(tree, x)
    if not modules:
        return say("no module conflicts; its leaves predict the same")
    named = [one for i, one in enumerate(modules[:MOST_MODULES]) if not i or one.part >= LEAST_PART]
    parts = [
        say(
            "{conflict} ({share} of the doubt)",
            conflict=one_conflict(tree, dataset, x, one),
            share=percent(round(one.part, 2)),
        )
        for one in named
    ]
    rest = len(modules) - len(named)
    more = [say("{n} more module" if rest == 1 else "{n} more modules", n=rest)] if rest else []
    return "; ".join([*parts, *more])


def one_conflict(tree: CultivatedTree, dataset: Dataset, x: np.ndarray, one: Conflict) -> str:
    """Return why a module is divided: a value near its cuts, or options that point to different predictions."""
    decisions = divided(tree, x, one.node)
    values = [_value(tree, dataset.features, d, x) for d in decisions]
    if len(decisions) > 1:
        return say("{first} and {second} point to different answers", first=values[0], second=values[1])
    feature = dataset.features[int(tree.decisions.feature[decisions[0]])]
    if np.isnan(x[tree.decisions.feature[decisions[0]]]):
        return say("{name} is missing", name=feature.name)
    asked = decision_words(tree, dataset.features, decisions[0])
    return say(
        "“{question}” hesitates at {value}" if feature.categories else "{value} is near the cuts of “{question}”",
        question=asked,
        value=values[0],
    )


def divided(tree: CultivatedTree, x: np.ndarray, node: int) -> list[int]:
    """Return the decision of a node that hesitates most.

    Or, if decisions contradict, the strongest on each side.
    """
    here = list(node_decisions(tree, node))
    left = np.array([goes_left(tree, d, x) for d in here])
    share = tree.decisions.share[here]
    if hesitation(tree, x, node) >= 0.5:
        return [here[int(np.argmax(share * left * (1 - left)))]]
    return [here[int(np.argmax(share * part))] for part in (left, 1 - left)]


def _value(tree: CultivatedTree, features: Sequence[Feature], d: int, x: np.ndarray) -> str:
    f = int(tree.decisions.feature[d])
    return named_value(features[f], float(x[f]))


# ---- tables of reliability: the rows for an expert with their reasons, the curves, and the goal's outcome

ROW, DOUBT, ANSWER = to_say("row"), to_say("doubt"), to_say("would say")  # columns of the rows for an expert
TRUTH, RIGHT, OFF_BY = to_say("in truth"), "right", to_say("off by")
WHY = to_say("why it is doubted")
POSSIBLE = to_say("trees as good say")
UNSETTLED = (ROW, ANSWER, TRUTH, POSSIBLE)  # columns of the rows that are not settled, beside their labels
IS_RIGHT = to_say("is right")  # the head of `RIGHT`, which also is a direction


def for_experts(answers: Answers, handed_over: np.ndarray) -> np.ndarray:
    """Return the places of the rows handed over in the first repeat among its answers, the most doubted first."""
    places = np.flatnonzero(handed_over & (answers.repeat == 0))
    return places[np.lexsort((answers.row[places], -answers.doubt[places]))]


def experts(models: FoldModels, answers: Answers, places: np.ndarray, by: str) -> pd.DataFrame:
    """Return a row for each place: its number from 1, label, doubt, prediction, truth, and why it is doubted."""
    data = models.dataset
    rows = answers.row[places]
    predicted = named(data.target, answers.answer[places].astype(float))
    truth = named(data.target, data.y[rows].astype(float))
    first = {ROW: rows + 1} | _labels(data, rows)
    table = pd.DataFrame({**first, DOUBT: answers.doubt[places], ANSWER: predicted, TRUTH: truth})
    if data.is_classification:
        table[RIGHT] = answers.loss[places] == 0
    else:
        table[OFF_BY] = answers.loss[places]
    asked = {one.number: one for one in models.tried}
    table[WHY] = [
        reason(asked[int(fold)], place_in(asked[int(fold)], int(row)), data, by)
        for fold, row in zip(answers.fold[places], rows, strict=True)
    ]
    return table


def unsettled(models: FoldModels, answers: Answers, found: Unsettled, most: int) -> pd.DataFrame:
    """Return the first rows whose class is not settled: number, label, answer, truth, what trees say."""
    data, places = models.dataset, found.place[:most]
    rows = answers.row[places]
    named_classes = [" / ".join(np.array(data.classes)[some]) for some in found.possible[:most]]
    return pd.DataFrame(
        {
            **({ROW: rows + 1} | _labels(data, rows)),
            ANSWER: named(data.target, answers.answer[places].astype(float)),
            TRUTH: named(data.target, data.y[rows].astype(float)),
            POSSIBLE: named_classes,
        }
    )


def _labels(data: Dataset, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the labels of the rows under the name of their column, in brackets where the table has that name."""
    labels = data.roles.labels
    if labels is None:
        return {}
    taken = {ROW, DOUBT, ANSWER, TRUTH, RIGHT, OFF_BY, WHY, POSSIBLE}
    name = f"({labels.name})" if labels.name in taken else labels.name
    return {name: np.array(labels.texts, dtype=object)[rows]}


def place_in(one: FoldModel, row: int) -> int:
    """Return the place of a row in its fold, whose rows ascend."""
    return int(np.searchsorted(one.rows, row))


def experts_file(table: pd.DataFrame, data: Dataset) -> pd.DataFrame:
    """Return the same with every feature, for a file to hand on."""
    rows = table[ROW].to_numpy() - 1
    values = listed(data, rows).drop(columns=[say(ROW), *labels_of(data), target_heading(data)])
    return pd.concat([table, values], axis=1)


def curves(models: Sequence[ReliabilitySummary], is_classification: bool) -> pd.DataFrame:
    """Return every point of every curve, a row each, for a file."""
    parts = []
    for one in models:
        part = pd.DataFrame(one.curve._asdict())
        if is_classification:
            part["accuracy"] = 1 - part.pop("risk")
            part["accuracy_high"], part["accuracy_low"] = 1 - part.pop("risk_low"), 1 - part.pop("risk_high")
        else:
            part = part.rename(columns=lambda name: name.replace("risk", "mean_error"))
        parts.append(part.assign(model=one.title, doubt_is=one.measure))
    return pd.concat(parts, ignore_index=True)
