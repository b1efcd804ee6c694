"""Fitted models of ydf (YDF, Yggdrasil Decision Forests), whose trees its own reader gives as objects.

Numbers are rounded to float32 before they are compared, and a condition on a number holds at ``>=``. The first
category of a column stands for all that the model does not know, and conditions may name it as any other.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Refusal
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of
from espalier.learners.imports.nodes import (
    CATEGORIES,
    MOST_CODES,
    QUESTION,
    FileNodes,
    below_as_float32,
    join_nodes,
    trees_of,
)
from espalier.trees import Tree, make_forest, make_sum

FORESTS = ("RandomForestModel", "GradientBoostedTreesModel")
TASKS = ("CLASSIFICATION", "REGRESSION", "RANKING")
LINK = {"SIGMOID": "logistic", "SOFTMAX": "softmax", "IDENTITY": "identity"}
KINDS = (np.int64, np.float64, np.int64, np.int64, bool, np.float64, np.uint64, np.float64)  # of `FileNodes`
TRUE = 0.5  # a column of no and yes counts as yes from here on


class ReadSplit(NamedTuple):
    """A condition as a node of ours; `left_holds` says whether the left child is of rows for which it holds."""

    attribute: int
    cut: float = math.nan  # rows below it go left; infinite where every value does
    categories: int = 0
    left_holds: bool = False
    missing_holds: bool = False


def read_ydf(model: Any) -> ImportedForest | None:
    """Return the forest of a fitted model of ydf; None for another object. Raises Refusal for other kinds."""
    if type(model).__module__.partition(".")[0] != "ydf":
        return None
    kind, task = type(model).__name__, getattr(getattr(model, "task", dict)(), "name", "")
    if kind not in FORESTS or task not in TASKS:
        raise Refusal("no trees can be read from a {name} of ydf whose task is {task}", name=kind, task=task)
    descriptions = model.data_spec().columns
    features = tuple(_feature(column, descriptions[column.column_idx]) for column in model.input_features())
    classes = tuple(model.label_classes()) if task == "CLASSIFICATION" else ()
    version = getattr(sys.modules.get("ydf"), "__version__", "")
    facts = ModelFacts(f"ydf {version}, {kind}", features, classes, names_others=True)
    return (_read_boosting if kind == "GradientBoostedTreesModel" else _read_averages)(model, facts)


# ---- columns and conditions


def _feature(one: Any, described: Any) -> Feature:
    if one.semantic.name not in ("NUMERICAL", "DISCRETIZED_NUMERICAL", "BOOLEAN", "CATEGORICAL"):
        raise Refusal(
            "the column {name} is of the kind {kind}, which a forest here cannot ask about",
            name=one.name,
            kind=one.semantic.name,
        )
    if one.semantic.name != "CATEGORICAL":
        return Feature(one.name)
    if described.categorical.is_already_integerized:
        raise Refusal(
            "the categories of the column {name} are numbers without names; fit the model to a column of texts",
            name=one.name,
        )
    return Feature(one.name, "category", _names(described.categorical))


def _names(categorical: Any) -> tuple[str, ...]:
    """Return the names by their codes; the first stands for all others. Raises Refusal for too many."""
    if categorical.number_of_unique_values > MOST_CODES:
        raise Refusal(CATEGORIES, n=MOST_CODES)
    return tuple(sorted(categorical.items, key=lambda name: categorical.items[name].index))


def _split(condition: Any, descriptions: Sequence[Any]) -> ReadSplit:
    """Return a condition's split; `descriptions` are those of all columns of the table that ydf was given."""
    kind = type(condition).__name__
    if kind == "NumericalHigherThanCondition":
        cut = condition.threshold
    elif kind == "DiscretizedNumericalHigherThanCondition":
        boundaries = descriptions[condition.attribute].discretized_numerical.boundaries
        cut = boundaries[condition.threshold_idx - 1]
    elif kind == "IsTrueCondition":
        cut = TRUE
    elif kind == "IsMissingInCondition":
        return ReadSplit(condition.attribute, math.inf, missing_holds=True)
    elif kind == "CategoricalIsInCondition":
        bits = sum(1 << int(code) for code in condition.mask)
        return ReadSplit(condition.attribute, math.nan, bits, True, condition.missing)
    else:
        raise Refusal(QUESTION, name=kind)
    return ReadSplit(condition.attribute, cut, missing_holds=condition.missing)


# ---- trees


def _trees(model: Any, value_of: Callable[[int, Any], Sequence[float]], n_outputs: int) -> tuple[Tree, ...]:
    """Return our trees; `value_of` says the value of a node of the tree of a number."""
    places = {column.column_idx: number for number, column in enumerate(model.input_features())}
    split_of = partial(_split, descriptions=model.data_spec().columns)
    trees = enumerate(model.iter_trees())
    parts = [_nodes(tree.root, places, split_of, partial(value_of, number)) for number, tree in trees]
    nodes, roots = join_nodes(parts)
    is_counted = np.nan_to_num(nodes.n_samples).max() > 0  # type: ignore[arg-type]
    nodes = nodes._replace(
        threshold=np.where(np.isposinf(nodes.threshold), np.inf, below_as_float32(nodes.threshold)),
        value=nodes.value.reshape(len(nodes.left), n_outputs),
        n_samples=nodes.n_samples if is_counted else None,
    )
    return trees_of(nodes, roots, len(places))


def _nodes(
    root: Any,
    places: dict[int, int],
    split_of: Callable[[Any], ReadSplit],
    value_of: Callable[[Any], Sequence[float]],
) -> FileNodes:
    """Return the nodes of a tree level by level; `places` has our column for each number that conditions name."""
    waiting, rows = [root], []
    for node in waiting:  # grows while it is walked along
        value, n = value_of(node), getattr(node.value, "num_examples", math.nan)
        if node.is_leaf:
            rows.append((0, math.nan, -1, -1, False, value, 0, n))
            continue
        split = split_of(node.condition)
        child = len(waiting)
        waiting += (node.pos_child, node.neg_child) if split.left_holds else (node.neg_child, node.pos_child)
        missing_left = split.missing_holds == split.left_holds
        place = places[split.attribute]
        rows.append((place, split.cut, child, child + 1, missing_left, value, split.categories, n))
    return FileNodes(*(np.array(field, kind) for field, kind in zip(zip(*rows, strict=True), KINDS, strict=True)))


def _read_averages(model: Any, facts: ModelFacts) -> ImportedForest:
    n = len(facts.classes) or 1
    nothing = [math.nan] * n

    def value_of(_number: int, node: Any) -> Sequence[float]:
        if node.value is None:
            return nothing
        return node.value.probability if facts.classes else [node.value.value]

    trees = _trees(model, value_of, n)
    prior = np.mean([tree.value[0] for tree in trees], axis=0) if facts.classes else []
    votes = bool(facts.classes) and model.winner_takes_all()
    return model_of(make_forest(trees, np.ones(len(trees)), "votes" if votes else "mean", prior), facts)


def _read_boosting(model: Any, facts: ModelFacts) -> ImportedForest:
    start = np.ravel(model.initial_predictions()).astype(np.float64)
    n = len(start)

    def value_of(number: int, node: Any) -> Sequence[float]:
        value = [0.0] * n
        value[number % n] = math.nan if node.value is None else node.value.value
        return value

    trees = _trees(model, value_of, n)
    return model_of(make_sum(trees, start, _link(model), []), facts)


def _link(model: Any) -> str:
    """Return the link of the sum: for counts `activation` says none, and only the description names the loss."""
    is_of_counts = model.task().name == "REGRESSION" and "\nLoss: POISSON" in model.describe("text")
    return "log" if is_of_counts else LINK[model.activation().name]
