"""Fitted trees and ensembles of scikit-learn.

They are known by the names of their classes, so that none of its modules is loaded for a model that is none. Rows
are rounded to float32 before they are compared, if the installed version does so (`thresholds`); never in
histogram boosting (`histograms`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import sklearn

from espalier.data.dataset import Feature
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import category_name
from espalier.learners.imports.model import ImportedForest, ImportedVotes, ModelFacts, model_of, number_features
from espalier.learners.imports.nodes import (
    SEVERAL_NUMBERS,
    FileNodes,
    join_nodes,
    set_of,
    sklearn_thresholds,
    trees_of,
)
from espalier.predict import shares
from espalier.trees import Forest, Tree, make_forest, make_sum

MOST = 64  # categories that a split can tell apart
TOO_MANY = to_say("the column {name} has more than {n} categories, and a split here tells {n} apart")
LINKS = {"poisson": "log", "gamma": "log"}
EVERY = np.uint64(2**64 - 1)


def columns_of(model: Any, names: Sequence[str]) -> tuple[tuple[Feature, ...], np.ndarray, dict[int, np.ndarray]]:
    """Return the columns of X, which of them each of the model's is, and our codes of categories by column of X.

    The model's own order puts categories first. Categories that are all 0 to 63 are their own codes here.
    """
    features = [Feature(name) for name in names]
    if model.is_categorical_ is None:
        return tuple(features), np.arange(len(names)), {}
    is_category = np.asarray(model.is_categorical_)
    encoder = model._preprocessor.named_transformers_["encoder"]
    codes = {}
    for column, values in zip(np.flatnonzero(is_category).tolist(), encoder.categories_, strict=True):
        features[column], codes[column] = _column(names[column], values)
    order = np.concatenate([np.flatnonzero(is_category), np.flatnonzero(~is_category)])
    return tuple(features), order, codes


def _column(name: str, values: np.ndarray) -> tuple[Feature, np.ndarray]:
    """Return the feature of a column of categories, and our codes of them."""
    values_ = [value for value in values.tolist() if value is not None and value == value]
    is_code = all(
        isinstance(value, (int, float)) and 0 <= value < MOST and value == int(value) for value in values_
    )
    codes = np.array(values_ if is_code else range(len(values_)), dtype=np.int64)
    if len(values_) > MOST:
        raise Refusal(TOO_MANY, name=name, n=MOST)
    n = int(codes.max(initial=-1)) + 1
    names = tuple(map(str, range(n))) if is_code else tuple(map(category_name, values_))
    return Feature(name, "category", names), codes


def forest_of(model: Any, order: np.ndarray, codes: dict[int, np.ndarray]) -> Forest:
    """Return the sum of the model's trees; `order` and `codes` are those of `columns_of`."""
    rounds = model._predictors
    predictors = [predictor for predictors_ in rounds for predictor in predictors_]
    n_scores = model.n_trees_per_iteration_
    steps = np.tile(np.eye(n_scores), (len(rounds), 1))  # what a tree's step adds to each score
    parts = [
        _histograms_nodes(predictor, step, order, codes) for predictor, step in zip(predictors, steps, strict=True)
    ]
    trees = trees_of(*join_nodes(parts), len(order))
    is_classification = hasattr(model, "classes_")
    link = LINKS.get(model.loss, "identity")
    if is_classification:
        link = "logistic" if n_scores == 1 else "softmax"
    return make_sum(trees, np.ravel(model._baseline_prediction).astype(np.float64), link, [])


def _histograms_nodes(
    predictor: Any, score: np.ndarray, order: np.ndarray, codes: dict[int, np.ndarray]
) -> FileNodes:
    nodes = predictor.nodes
    is_split, is_category = ~nodes["is_leaf"].astype(bool), nodes["is_categorical"].astype(bool)
    feature = order[np.where(is_split, nodes["feature_idx"], 0)]
    sets = np.zeros(len(nodes), np.uint64)
    for node in np.flatnonzero(is_split & is_category):
        bits = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        sets[node] = _left(bits, codes[int(feature[node])], bool(nodes["missing_go_to_left"][node]))
    return FileNodes(
        feature,
        np.where(is_category, np.nan, nodes["num_threshold"]),
        np.where(is_split, nodes["left"].astype(np.int64), -1),
        np.where(is_split, nodes["right"].astype(np.int64), -1),
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
    left = set_of(codes[goes])
    return left | (EVERY & ~set_of(codes)) if missing_left else left


# ---- fitted trees and ensembles of scikit-learn

NOT_TREES = to_say("the ensemble holds models of another kind, {name}; every member must be a decision tree")
OWN_ANSWER = to_say(
    "the model {name} has a method {method} of its own, so that its trees alone do not say what it says"
)
ANSWERS = ("predict", "predict_proba", "decision_function", "score_samples")
UNFITTED = to_say("the model {name} is not fitted; fit it first")


def read_sklearn(model: Any) -> ImportedForest | None:
    """Return the forest of a fitted model of scikit-learn; None for another kind of object. Raises Refusal."""
    names = [class_.__name__ for class_ in type(model).__mro__ if class_.__module__.startswith("sklearn.")]
    reader = next((READERS[name] for name in names if name in READERS), None)
    if reader is None:
        return None
    own = next((method for method in ANSWERS if not _is_of_sklearn(model, method)), None)
    if own is not None:
        raise Refusal(OWN_ANSWER, name=type(model).__name__, method=own)
    if not hasattr(model, "n_features_in_"):
        raise Refusal(UNFITTED, name=type(model).__name__)
    return reader(model)


def _is_of_sklearn(model: Any, method: str) -> bool:
    """Return whether a model answers as scikit-learn's class does, which a class made of it may do otherwise."""
    maker = next((class_ for class_ in type(model).__mro__ if method in vars(class_)), None)
    return method not in vars(model) and (maker is None or maker.__module__.startswith("sklearn."))


def facts_of(
    model: Any, scale: float = 1.0, unused: tuple[Phrase, ...] = (), features: tuple[Feature, ...] = ()
) -> ModelFacts:
    """Return what the model says of its columns and classes."""
    names = getattr(model, "feature_names_in_", None)
    columns = (
        tuple(Feature(str(name)) for name in names) if names is not None else number_features(model.n_features_in_)
    )
    classes = tuple(model.classes_) if hasattr(model, "classes_") else ()
    library = f"scikit-learn {sklearn.__version__}, {type(model).__name__}"
    return ModelFacts(library, features or columns, classes, unused, scale, names is not None)


def _nodes(tree: Any, value: np.ndarray, columns: np.ndarray | None = None) -> FileNodes:
    """Return the nodes of a decision tree's `tree_` with these values (n_nodes, n_outputs).

    `columns` are those of X that the tree numbers 0, 1, …; None: all.
    """
    state = tree.__getstate__()["nodes"]
    is_split = state["left_child"] >= 0
    column = np.where(is_split, state["feature"], 0)
    return FileNodes(
        column if columns is None else np.asarray(columns)[column],
        sklearn_thresholds(state["threshold"]),
        np.where(is_split, state["left_child"], -1),
        np.where(is_split, state["right_child"], -1),
        state["missing_go_to_left"].astype(bool),
        value,
        n_samples=state["n_node_samples"],
        weight=state["weighted_n_node_samples"],
        impurity=state["impurity"],
    )


def _values(tree: Any) -> np.ndarray:
    """Return the values of nodes (n_nodes, n_outputs). Raises Refusal for a tree of several targets."""
    if tree.value.shape[1] != 1:
        raise Refusal(SEVERAL_NUMBERS)
    return tree.value[:, 0, :]


def _check_trees(models: Sequence[Any]) -> None:
    for model in models:
        if not hasattr(model, "tree_") or not hasattr(model.tree_, "children_left"):
            raise Refusal(NOT_TREES, name=type(model).__name__)


def _member(model: Any, n_classes: int, columns: np.ndarray) -> FileNodes:
    """Return a tree of an ensemble whose classes are 0 to n_classes - 1; the tree may know some of them only."""
    value = _values(model.tree_)
    if n_classes:
        among = np.zeros((len(value), n_classes))
        among[:, np.asarray(getattr(model, "classes_", range(n_classes)), dtype=np.int64)] = value
        value = among
    return _nodes(model.tree_, value, columns)


# ---- one tree, and means of trees


def _tree(model: Any) -> ImportedForest:
    facts = facts_of(model)
    trees = trees_of(_nodes(model.tree_, _values(model.tree_)), np.zeros(1, np.int64), model.n_features_in_)
    return model_of(_mean(trees, facts), facts)


def _mean(trees: tuple[Tree, ...], facts: ModelFacts) -> Forest:
    prior = np.mean([tree.value[0] for tree in trees], axis=0) if facts.classes else []
    return make_forest(trees, np.ones(len(trees)), "mean", prior)


def _read_averages(model: Any) -> ImportedForest:
    facts = facts_of(model)
    members = [_nodes(estimator.tree_, _values(estimator.tree_)) for estimator in model.estimators_]
    return model_of(_mean(trees_of(*join_nodes(members), model.n_features_in_), facts), facts)


def _read_bagging(model: Any) -> ImportedForest:
    facts = facts_of(model)
    _check_trees(model.estimators_)
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    members = [_member(estimator, len(facts.classes), columns) for estimator, columns in pairs]
    return model_of(_mean(trees_of(*join_nodes(members), model.n_features_in_), facts), facts)


# ---- votes and sums


def _adaboost(model: Any) -> ImportedForest:
    facts = facts_of(model)
    if not facts.classes:
        raise Refusal(
            "the model {name} takes the median of its trees; a forest here takes votes, a mean or a sum",
            name=type(model).__name__,
        )
    _check_trees(model.estimators_)
    code = {label: number for number, label in enumerate(facts.classes)}
    members = []
    for estimator in model.estimators_:
        value = np.zeros((estimator.tree_.node_count, len(facts.classes)))
        value[:, [code[label] for label in estimator.classes_]] = _values(estimator.tree_)
        members.append(_nodes(estimator.tree_, value))
    trees = trees_of(*join_nodes(members), model.n_features_in_)
    weight = model.estimator_weights_[: len(trees)]
    return ImportedVotes(make_forest(trees, weight, "votes", []), facts)


def _read_boosting(model: Any) -> ImportedForest:
    if not (model.init_ == "zero" or type(model.init_).__name__.startswith("Dummy")):
        raise Refusal(
            "the model starts from {name}, which is no constant; fit it without init",
            name=type(model.init_).__name__,
        )
    scale = 2.0 if model.loss == "exponential" else 1.0  # its raw score is half of the log odds
    facts = facts_of(model, scale)
    n_scores = model.estimators_.shape[1]
    members = []
    for number, estimator in enumerate(model.estimators_.ravel()):
        value = np.zeros((estimator.tree_.node_count, n_scores))
        value[:, number % n_scores] = _values(estimator.tree_)[:, 0] * (model.learning_rate * scale)
        members.append(_nodes(estimator.tree_, value))
    trees = trees_of(*join_nodes(members), model.n_features_in_)
    link = "identity" if not facts.classes else "logistic" if n_scores == 1 else "softmax"
    return model_of(make_sum(trees, _start(model, trees, scale), link, []), facts)


def _start(model: Any, trees: Sequence[Tree], scale: float) -> np.ndarray:
    """Return the scores before the first tree: those of a row of zeros without the trees' part."""
    rows = np.zeros((1, model.n_features_in_))
    names = getattr(model, "feature_names_in_", None)
    theirs: Any = rows if names is None else pd.DataFrame(rows, columns=names)
    answers = model.decision_function(theirs) if hasattr(model, "classes_") else model.predict(theirs)
    return np.ravel(answers) * scale - sum(shares(tree, rows)[0] for tree in trees)


def _histograms(model: Any) -> ImportedForest:
    names = getattr(model, "feature_names_in_", None)
    features, order, codes = columns_of(model, [f.name for f in facts_of(model).features])
    facts = facts_of(model, features=features)._replace(has_names=names is not None, has_values=True)
    return model_of(forest_of(model, order, codes), facts)


READERS: dict[str, Callable[[Any], ImportedForest]] = {
    "DecisionTreeClassifier": _tree,
    "DecisionTreeRegressor": _tree,
    "RandomForestClassifier": _read_averages,
    "RandomForestRegressor": _read_averages,
    "ExtraTreesClassifier": _read_averages,
    "ExtraTreesRegressor": _read_averages,
    "BaggingClassifier": _read_bagging,
    "BaggingRegressor": _read_bagging,
    "AdaBoostClassifier": _adaboost,
    "AdaBoostRegressor": _adaboost,
    "GradientBoostingClassifier": _read_boosting,
    "GradientBoostingRegressor": _read_boosting,
    "HistGradientBoostingClassifier": _histograms,
    "HistGradientBoostingRegressor": _histograms,
}
