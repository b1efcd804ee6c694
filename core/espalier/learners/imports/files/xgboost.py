"""XGBoost's models: JSON or Universal Binary JSON, as `save_model` writes them.

Values are rounded to float32 and go left if they are below the threshold; a set of categories goes right.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from espalier.data.dataset import Feature
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import columns_asked
from espalier.learners.imports.files.xgboost_checks import (
    category_names,
    check_kinds,
    check_model,
    estimator_of,
    labels_of,
    rounds_of,
)
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of, unnamed
from espalier.learners.imports.nodes import FileNodes, check_values, trees_of
from espalier.learners.imports.refusals import CATEGORIES, MOST_CODES, OBJECTIVE, SEVERAL_NUMBERS, check_width
from espalier.learners.imports.thresholds import below_as_float32
from espalier.trees import make_sum

LINKS = {  # of objectives; others keep the sum as it is
    "binary:logistic": "logistic", "multi:softprob": "softmax", "multi:softmax": "softmax",
    "count:poisson": "log", "reg:gamma": "log", "reg:tweedie": "log", "survival:cox": "log", "survival:aft": "log",
}  # fmt: skip
SUMS = ("reg:squarederror", "reg:linear", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
        "reg:quantileerror", "reg:expectileerror", "binary:logitraw", "rank:")  # fmt: skip
BOOSTER = to_say("the model is a {name}; only trees can be read")
LATER_ROUNDS = to_say("early stopping chose {n} of {all} rounds; the later ones are not used")


class XgboostTrees(NamedTuple):
    """The trees of a file that are used."""

    trees: list[dict[str, Any]]
    score: np.ndarray  # (n_trees,) which score each tree adds to
    factor: np.ndarray  # (n_trees,) of its values
    unused: tuple[Phrase, ...]
    names: list[tuple[str, ...]]  # of the categories of each column


def is_xgboost(document: Any) -> bool:
    """Return whether a JSON document is a model of XGBoost."""
    return isinstance(document, dict) and isinstance(document.get("learner"), dict) and "version" in document


def read_xgboost(document: dict[str, Any]) -> ImportedForest:
    """Return the forest of a model's document. Raises Refusal for what a forest here cannot be."""
    learner = document["learner"]
    parameters, objective = learner["learner_model_param"], learner["objective"]["name"]
    link = _link(objective)
    n_scores = max(int(parameters["num_class"]), 1)
    if int(parameters.get("num_target", 1)) > 1:
        raise Refusal(SEVERAL_NUMBERS)
    if n_scores > 1 and link != "softmax":
        raise Refusal(SEVERAL_NUMBERS)
    n_features, names = int(parameters["num_feature"]), list(learner.get("feature_names") or [])
    check_width(n_features)
    chosen = _chosen(learner, n_scores, n_features)
    trees = _trees(chosen, learner.get("feature_types"), n_scores, n_features)
    n_classes = 2 if link == "logistic" else n_scores if link == "softmax" else 0
    if not n_classes and estimator_of(learner["attributes"]).get("_estimator_type") == "classifier":
        raise Refusal(OBJECTIVE, name=objective)  # an estimator makes classes of it in a way of its own
    features = _features(learner, names, chosen.names)
    forest = make_sum(trees, _start(parameters["base_score"], objective, n_scores), link, [])
    if any(len(features[column].categories) > MOST_CODES for column in columns_asked(forest)):
        raise Refusal(CATEGORIES, n=MOST_CODES)
    library = f"XGBoost {'.'.join(str(part) for part in document['version'])}, {objective}"
    labels = labels_of(learner["attributes"], n_classes)
    kept = {"has_names": bool(names), "codes": "unknown", "refuses_others": True}
    return model_of(forest, ModelFacts(library, features, labels, chosen.unused, **kept))


def _link(objective: str) -> str:
    if objective not in LINKS and not objective.startswith(SUMS):
        raise Refusal(OBJECTIVE, name=objective)
    return LINKS.get(objective, "identity")


def _chosen(learner: dict[str, Any], n_scores: int, n_features: int) -> XgboostTrees:
    """Return the trees that predict: where XGBClassifier stopped early, those up to its best round."""
    booster = learner["gradient_booster"]
    dropped = booster["name"] == "dart"
    if booster["name"] not in ("gbtree", "dart"):
        raise Refusal(BOOSTER, name=booster["name"])
    model = booster["gbtree"]["model"] if dropped else booster["model"]
    check_model(model, n_scores, n_features)
    trees, score = model["trees"], np.asarray(model["tree_info"], np.int64)
    factor = np.asarray(booster["weight_drop"], np.float64) if dropped else np.ones(len(trees))
    check_values(factor)
    per_round = n_scores * int(model["gbtree_model_param"].get("num_parallel_tree", 1) or 1)
    rounds = rounds_of(learner["attributes"], len(trees) // per_round)
    n = len(trees) if rounds is None else rounds * per_round
    unused = (
        () if n == len(trees) else (Phrase(LATER_ROUNDS, {"n": n // per_round, "all": len(trees) // per_round}),)
    )
    return XgboostTrees(trees[:n], score[:n], factor[:n], unused, category_names(model, n_features))


def _trees(chosen: XgboostTrees, kinds: list[str] | None, n_scores: int, n_features: int) -> Any:
    first = np.cumsum([0, *(len(tree["left_children"]) for tree in chosen.trees)])
    left, right = (_children(chosen.trees, side, first) for side in ("left_children", "right_children"))
    number, is_split = np.repeat(np.arange(len(chosen.trees)), np.diff(first)), left >= 0
    condition = _joined(chosen.trees, "split_conditions", np.float32)
    value = np.zeros((len(left), n_scores))
    at = np.arange(len(left)), chosen.score[number]
    value[at] = np.where(is_split, np.nan, condition * chosen.factor[number])
    value[np.isnan(value).any(axis=1)] = np.nan
    categories = _categories(chosen.trees, first)
    check_kinds(chosen.trees, kinds)
    is_set = _joined(chosen.trees, "split_type", np.int64) == 1
    nodes = FileNodes(
        _joined(chosen.trees, "split_indices", np.int64),
        np.where(is_set, np.nan, below_as_float32(condition)),
        left,
        right,
        _joined(chosen.trees, "default_left", np.int64) != 0,
        value,
        categories,
        weight=_joined(chosen.trees, "sum_hessian", np.float64),
        n_samples=_joined(chosen.trees, "sum_hessian", np.float64),
        gain=_joined(chosen.trees, "loss_changes", np.float64),
    )
    return trees_of(nodes, first[:-1], n_features)


def _joined(trees: list[dict[str, Any]], name: str, kind: Any) -> np.ndarray:
    parts = [np.asarray(tree[name], kind) for tree in trees]
    if any(len(part) != len(tree["left_children"]) for part, tree in zip(parts, trees, strict=True)):
        raise Refusal(SEVERAL_NUMBERS)  # leaves with a vector
    return np.concatenate(parts)


def _children(trees: list[dict[str, Any]], name: str, first: np.ndarray) -> np.ndarray:
    parts = [np.asarray(tree[name], np.int64) for tree in trees]
    return np.concatenate([np.where(part < 0, -1, part + at) for part, at in zip(parts, first[:-1], strict=True)])


def _categories(trees: list[dict[str, Any]], first: np.ndarray) -> np.ndarray:
    """Return the codes that go left: all but those that the file lists."""
    left = np.zeros(int(first[-1]), np.uint64)
    for tree, at in zip(trees, first[:-1], strict=True):
        spans = (tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"])
        for node, begin, size in zip(*(np.asarray(span, np.int64).tolist() for span in spans), strict=True):
            codes = np.asarray(tree["categories"][begin : begin + size], np.int64)
            if len(codes) and codes.max() >= MOST_CODES:
                raise Refusal(CATEGORIES, n=MOST_CODES)
            bits = np.bitwise_or.reduce(np.uint64(1) << codes.astype(np.uint64), initial=np.uint64(0))
            left[at + node] = ~bits
    return left


def _features(learner: dict[str, Any], names: list[str], categories: list[tuple[str, ...]]) -> tuple[Feature, ...]:
    kinds = learner.get("feature_types") or ["float"] * len(categories)
    features = [Feature(name) for name in names] if names else list(unnamed(len(categories)))
    return tuple(
        feature._replace(kind="category", categories=known) if kind == "c" else feature
        for feature, kind, known in zip(features, kinds, categories, strict=True)
    )


def _start(base_score: Any, objective: str, n_scores: int) -> np.ndarray:
    """Return the scores before the first tree: the base score is written as a prediction."""
    written = json.loads(base_score) if isinstance(base_score, str) else base_score
    base = np.asarray(written, np.float32).astype(np.float64).ravel()
    check_values(base)
    if LINKS.get(objective) == "logistic":
        base = logit(base)
    elif LINKS.get(objective) == "log":
        base = np.log(base)
    return np.broadcast_to(base, n_scores).copy()
