"""The reasons why a model hands a row over to an expert, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.boundaries.surface import in_words, named_value
from espalier.display.cultivated.modules import decision_words, of_node
from espalier.display.text.whole_numbers import cut_words
from espalier.display.theme import number, percent
from espalier.language import say
from espalier.oblique import ObliqueTree
from espalier.predict import classes
from espalier.reliability.explanation import NEAR, steps_of
from espalier.reliability.reliability import FoldModel
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
    here = list(of_node(tree, node))
    left = np.array([goes_left(tree, d, x) for d in here])
    share = tree.decisions.share[here]
    if hesitation(tree, x, node) >= 0.5:
        return [here[int(np.argmax(share * left * (1 - left)))]]
    return [here[int(np.argmax(share * part))] for part in (left, 1 - left)]


def _value(tree: CultivatedTree, features: Sequence[Feature], d: int, x: np.ndarray) -> str:
    f = int(tree.decisions.feature[d])
    return named_value(features[f], float(x[f]))
