"""Histogram gradient boosting of scikit-learn: doubles, missing values with a side, and sets of categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Refusal, to_say
from espalier.learners.imports.categories import category_name
from espalier.learners.imports.nodes import FileNodes, joined, trees_of
from espalier.trees import Forest, make_sum

MOST = 64  # categories that a split can tell apart
TOO_MANY = to_say("the column {name} has more than {n} categories, and a split here tells {n} apart")
LINKS = {"poisson": "log", "gamma": "log"}
EVERY = np.uint64(2**64 - 1)


class HistogramColumns(NamedTuple):
    """The model's columns in its own order, which puts categories first."""

    features: tuple[Feature, ...]  # in the order of X
    order: np.ndarray  # (n_features,) column of X of each of the model's
    codes: dict[int, np.ndarray]  # by column of X: our code of each of the model's, (n_categories,)


def columns_of(model: Any, names: Sequence[str]) -> HistogramColumns:
    """Return the columns of a fitted model; categories that are all 0 to 63 are their own codes here."""
    features = [Feature(name) for name in names]
    if model.is_categorical_ is None:
        return HistogramColumns(tuple(features), np.arange(len(names)), {})
    is_category = np.asarray(model.is_categorical_)
    encoder = model._preprocessor.named_transformers_["encoder"]
    codes = {}
    for column, values in zip(np.flatnonzero(is_category).tolist(), encoder.categories_, strict=True):
        features[column], codes[column] = _column(names[column], values)
    order = np.concatenate([np.flatnonzero(is_category), np.flatnonzero(~is_category)])
    return HistogramColumns(tuple(features), order, codes)


def _column(name: str, values: np.ndarray) -> tuple[Feature, np.ndarray]:
    """Return the feature of a column of categories, and our codes of them."""
    known = [value for value in values.tolist() if value is not None and value == value]
    is_code = all(isinstance(value, (int, float)) and 0 <= value < MOST and value == int(value) for value in known)
    codes = np.array(known if is_code else range(len(known)), dtype=np.int64)
    if len(known) > MOST:
        raise Refusal(TOO_MANY, name=name, n=MOST)
    n = int(codes.max(initial=-1)) + 1
    names = tuple(map(str, range(n))) if is_code else tuple(map(category_name, known))
    return Feature(name, "category", names), codes


def forest_of(model: Any, columns: HistogramColumns) -> Forest:
    """Return the sum of the model's trees."""
    rounds = model._predictors
    predictors = [one for of_round in rounds for one in of_round]
    first = np.cumsum([0, *(len(one.nodes) for one in predictors)])
    n_scores = model.n_trees_per_iteration_
    of_score = np.tile(np.eye(n_scores), (len(rounds), 1))  # what a tree's step adds to each score
    parts = [_nodes(one, int(first[at]), of_score[at], columns) for at, one in enumerate(predictors)]
    trees = trees_of(joined(parts), first[:-1], len(columns.features))
    is_classification = hasattr(model, "classes_")
    link = LINKS.get(model.loss, "identity")
    if is_classification:
        link = "logistic" if n_scores == 1 else "softmax"
    return make_sum(trees, np.ravel(model._baseline_prediction).astype(np.float64), link, [])


def _nodes(predictor: Any, first: int, score: np.ndarray, columns: HistogramColumns) -> FileNodes:
    nodes = predictor.nodes
    is_split, is_category = ~nodes["is_leaf"].astype(bool), nodes["is_categorical"].astype(bool)
    feature = columns.order[np.where(is_split, nodes["feature_idx"], 0)]
    sets = np.zeros(len(nodes), np.uint64)
    for node in np.flatnonzero(is_split & is_category):
        bits = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        sets[node] = _left(bits, columns.codes[int(feature[node])], bool(nodes["missing_go_to_left"][node]))
    return FileNodes(
        feature,
        np.where(is_category, np.nan, nodes["num_threshold"]),
        np.where(is_split, nodes["left"].astype(np.int64) + first, -1),
        np.where(is_split, nodes["right"].astype(np.int64) + first, -1),
        nodes["missing_go_to_left"].astype(bool),
        nodes["value"][:, None] * score,
        sets,
        nodes["count"].astype(np.int64),
        gain=nodes["gain"],
    )


def _left(bits: np.ndarray, codes: np.ndarray, missing_left: bool) -> np.uint64:
    """Return the set of codes that go left; a category that the model does not know goes as a missing value."""
    places = np.arange(len(codes))
    goes = (bits[places // 32] >> (places % 32).astype(np.uint32)) & 1 == 1
    left = np.bitwise_or.reduce(np.uint64(1) << codes[goes].astype(np.uint64), initial=np.uint64(0))
    known = np.bitwise_or.reduce(np.uint64(1) << codes.astype(np.uint64), initial=np.uint64(0))
    return left | (EVERY & ~known) if missing_left else left
