"""CatBoost's models, as `save_model(…, format="json")` writes them.

Values are rounded to float32 and go right if they are above a border. In a symmetric tree all nodes of a level ask
the same question, and bit k of a leaf's number is the answer to the k-th.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Refusal, to_say
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of
from espalier.learners.imports.nodes import (
    MOST_NODES,
    NO_COLUMN,
    OBJECTIVE,
    FileNodes,
    at_most_as_float32,
    check_values,
    check_width,
    damage,
    join_nodes,
    trees_of,
)
from espalier.trees import make_sum

LINKS = {
    "Logloss": "logistic",
    "CrossEntropy": "logistic",
    "MultiClass": "softmax",
    "Poisson": "log",
    "Tweedie": "log",
}
SUMS = ("RMSE", "MAE", "Quantile", "Expectile", "Huber", "MAPE", "LogCosh", "Lq", "LogLinQuantile", "PairLogit",
        "QueryRMSE", "YetiRank")  # fmt: skip
OTHER_SPLITS = to_say(
    "the model makes numbers of its own from categories or text ({name}), which its file does not explain; "
    "train it with numbers alone, or bring it as an ONNX file"
)
THRESHOLD = to_say(
    "the model says its second class from a share of {share} on, and a forest here takes the class with the "
    "greatest share; save it after set_probability_threshold(0.5), and decide by the shares"
)
NO_LABELS = to_say(
    "the file does not say what the model's classes are called; save it again with a newer CatBoost"
)
BORDERS = to_say("its trees ask other questions than the file lists")
LEAVES = to_say("tree {tree} has another number of leaves than its questions make")


# The nodes of a tree: the number of the question (-1 at leaves), left, right, and the leaf's place in the values.
Nodes: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def is_catboost(document: Any) -> bool:
    """Return whether a JSON document is a model of CatBoost."""
    return isinstance(document, dict) and "features_info" in document and "model_info" in document


def read_catboost(document: dict[str, Any]) -> ImportedForest:
    """Return the forest of a model's document. Raises Refusal for what a forest here cannot be."""
    parameters = document["model_info"]["params"]
    objective = parameters["loss_function"]["type"]
    if objective not in LINKS and objective not in SUMS:
        raise Refusal(OBJECTIVE, name=objective)
    share = float(document["model_info"].get("binclass_probability_threshold", 0.5))
    if share != 0.5 and LINKS.get(objective) == "logistic":
        raise Refusal(THRESHOLD, share=share)
    factor, start = document["scale_and_bias"]
    start = np.atleast_1d(np.asarray(start, np.float64))
    check_values(np.array([float(factor), *start]))
    features = document["features_info"].get("float_features", [])
    columns = _columns(document)
    trees = _trees(document, factor, len(start), columns)
    names = [str(feature.get("feature_id") or "") for feature in features]
    link = LINKS.get(objective, "identity")
    facts = ModelFacts(
        f"CatBoost, {objective}", columns, _classes(document, link, len(start)), has_names=all(names)
    )
    return model_of(make_sum(trees, start, link, []), facts)


def _columns(document: dict[str, Any]) -> tuple[Feature, ...]:
    """Return the columns of X in the order of the training data; those of categories are there, too."""
    info = document["features_info"]
    kinds = ("float_features", "categorical_features", "text_features", "embedding_features")
    every = [column | {"kind": kind} for kind in kinds for column in info.get(kind, [])]
    places = [int(column["flat_feature_index"]) for column in every]
    n = 1 + max(places, default=0)
    check_width(n)
    if len(set(places)) < len(places) or min(places, default=0) < 0:
        raise damage(NO_COLUMN)
    features = [Feature(f"x{number}") for number in range(n)]
    for column in every:
        at = int(column["flat_feature_index"])
        kind = "number" if column["kind"] == "float_features" else "category"
        features[at] = Feature(str(column.get("feature_id") or f"x{at}"), kind)
    return tuple(features)


def _classes(document: dict[str, Any], link: str, n_scores: int) -> tuple[Any, ...]:
    """Return the labels, 0 and 1 for a target of shares (CrossEntropy). Raises Refusal for a file without them."""
    n = 2 if link == "logistic" else n_scores if link == "softmax" else 0
    names = document["model_info"].get("class_params", {}).get("class_names")
    if not names and document["model_info"]["params"]["loss_function"]["type"] == "CrossEntropy":
        return tuple(range(n))
    kinds = {type(name) for name in names or ()}
    if n and (not names or len(names) != n or not (kinds <= {int, float} or kinds in ({str}, {bool}))):
        raise Refusal(NO_LABELS)
    return tuple(names)[:n] if n else ()


def _trees(document: dict[str, Any], factor: float, n_scores: int, columns: tuple[Feature, ...]) -> Any:
    info = document["features_info"].get("float_features", [])
    place = {int(column["feature_index"]): int(column["flat_feature_index"]) for column in info}
    nan_left = {int(column["feature_index"]): column["nan_value_treatment"] != "AsTrue" for column in info}
    parts, n_nodes, places = [], 0, set()
    for number, tree in enumerate(document.get("oblivious_trees") or document["trees"]):
        if "leaf_values" in tree and not _has_leaves(tree, n_scores):
            raise damage(LEAVES, tree=number + 1)
        places |= _questions(tree)
        parts.append(_nodes(tree, n_scores, place, nan_left))
        n_nodes += len(parts[-1].left)
        if n_nodes > MOST_NODES:
            raise Refusal("the trees have more than {n} nodes", n=MOST_NODES)
    if places != {
        (int(column["feature_index"]), float(at)) for column in info for at in column.get("borders") or ()
    }:
        raise damage(BORDERS)  # the file lists those that are asked, and no others
    nodes, roots = join_nodes(parts)
    return trees_of(nodes._replace(value=nodes.value * factor), roots, len(columns))


def _has_leaves(tree: dict[str, Any], n_scores: int) -> bool:
    n = 2 ** len(tree["splits"] or [])
    weights = tree.get("leaf_weights")
    return len(tree["leaf_values"]) == n * n_scores and (not weights or len(weights) == n)


def _questions(tree: dict[str, Any]) -> set[tuple[int, float]]:
    """Return the column and border of each question. Raises Refusal for a question about other than numbers."""
    questions, waiting = list(tree.get("splits") or []), [tree] if "split" in tree else []
    while waiting:
        node = waiting.pop()
        if "split" in node:
            questions.append(node["split"])
            waiting += [node["left"], node["right"]]
    for question in questions:
        if question["split_type"] != "FloatFeature":
            raise Refusal(OTHER_SPLITS, name=question["split_type"])
    return {(int(question["float_feature_index"]), float(question["border"])) for question in questions}


def _nodes(tree: dict[str, Any], n_scores: int, place: dict, nan_left: dict) -> FileNodes:
    if "leaf_values" in tree:
        questions, nodes = tree["splits"] or [], _symmetric(len(tree["splits"] or []))
        value, count = tree["leaf_values"], tree.get("leaf_weights") or None
    else:
        questions, nodes, value, count = _free(tree)
    split, left, right, leaf = nodes
    number = [int(question["float_feature_index"]) for question in questions] or [next(iter(place), 0)]
    border = at_most_as_float32(np.array([float(question["border"]) for question in questions] or [0.0]))
    is_split, at = split >= 0, np.maximum(split, 0)
    values = np.full((len(at), n_scores), np.nan)
    values[~is_split] = np.asarray(value, np.float64).reshape(-1, n_scores)[leaf[~is_split]]
    counts = None if count is None else np.where(is_split, np.nan, np.asarray(count, np.float64)[leaf])
    return FileNodes(
        np.array([place.get(question, 0) for question in number])[at],
        border[at],
        left,
        right,
        np.array([nan_left.get(question, True) for question in number])[at],
        values,
        n_samples=counts,
    )


def _symmetric(depth: int) -> Nodes:
    """Return the full tree of a depth, level by level: the last question is the root's."""
    n = 2**depth - 1
    nodes = np.arange(2 * n + 1)
    level = np.floor(np.log2(nodes + 1)).astype(np.int64)
    is_split = nodes < n
    leaf = np.zeros(2 * n + 1, np.int64)
    leaf[n:] = np.arange(n + 1)
    split = np.where(is_split, depth - 1 - level, -1)
    return split, np.where(is_split, 2 * nodes + 1, -1), np.where(is_split, 2 * nodes + 2, -1), leaf


def _free(tree: dict[str, Any]) -> tuple[list[dict[str, Any]], Nodes, list[Any], list[float]]:
    """Return the questions, nodes, values and weights of a tree whose nodes ask questions of their own."""
    questions, value, weight = [], [], []
    rows: list[list[int]] = []  # of split, left, right and leaf
    waiting = [(tree, -1, 0)]
    while waiting:
        node, parent, side = waiting.pop()
        if parent >= 0:
            rows[parent][side] = len(rows)
        if "split" in node:
            rows.append([len(questions), -1, -1, 0])
            questions.append(node["split"])
            waiting += [(node["right"], len(rows) - 1, 2), (node["left"], len(rows) - 1, 1)]
        else:
            rows.append([-1, -1, -1, len(value)])
            value.append(node["value"])
            weight.append(float(node.get("weight", 0.0)))
    split, left, right, leaf = np.array(rows).T
    return questions, (split, left, right, leaf), value, weight
