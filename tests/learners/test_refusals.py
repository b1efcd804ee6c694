"""Parameters that cannot be are refused by every learner in a sentence that names them and says what would do."""

import re
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.learners import CartClassifier, CartRegressor, RandomForestClassifier
from tests.tools.every_learner import NAMES, small
from tests.tools.forests import X, y

NAN = np.nan
SQUARE = np.random.default_rng(0).random((60, 2))
CULTIVATED = [
    ({"max_depth": 0}, "max_depth is 0; it must be a whole number of at least 1"),
    ({"max_depth": 2.5}, "max_depth is 2.5; it must be a whole number"),
    ({"k": "root"}, "k is 'root'; it must be one of sqrt, cbrt, all, or a number of at least 0"),
    *(({"k": k}, f"k is {k}; it must be one of sqrt") for k in (-1, None, NAN)),
    ({"eta": -0.1}, "eta is -0.1; it must be a number of at least 0"),
    ({"eta": "0.3"}, "eta is '0.3'; it must be a number of at least 0"),
    ({"min_node_weight": -6}, "min_node_weight is -6; it must be a number of at least 0"),
    ({"share_power": NAN}, "share_power is nan; it must be a number of at least 0"),
    ({"ccp_alpha": -1}, "ccp_alpha is -1; it must be a number of at least 0"),
    ({"min_fraction": 0.6}, "min_fraction is 0.6; more than 0.5 would leave a sample nowhere"),
    ({"max_features": "all"}, "max_features is 'all'; it must be"),
    ({"thresholds": "middle"}, "thresholds is 'middle'; it must be one of midpoint, data"),
]
REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "CartClassifier": [
        ({"criterion": "giny"}, "criterion is 'giny'"),
        ({"max_depth": 0}, "max_depth is 0; it must be a whole number of at least 1"),
        ({"min_samples_leaf": 1.5}, "min_samples_leaf is 1.5"),
        ({"max_features": "all"}, "max_features is 'all'"),
        ({"ccp_alpha": -1}, "ccp_alpha is -1"),
        ({"splitter": "worst"}, "splitter is 'worst'"),
        ({"categories": "each"}, "categories is 'each'"),
        ({"missing": "drop"}, "missing is 'drop'; it must be one of side, category, impute, surrogate"),
        ({"missing": "impute", "impute_with": "mode"}, "impute_with is 'mode'"),
        ({"max_surrogates": -1}, "max_surrogates is -1"),
        ({"forced_splits": {"L": (0, 1.0)}}, "with a forced split above it"),
        ({"forced_splits": {"": (9, 1.0)}}, "no such column"),
        ({"forced_splits": {"": (0, [1])}}, "give a threshold"),
        ({"forced_splits": [(0, 1.0)]}, "must be a dict"),
    ],
    "CultivatedClassifier": CULTIVATED,
    "CultivatedRegressor": CULTIVATED,
    "ObliqueClassifier": [({name: value}, name) for name, value in
                          (("max_terms", 0), ("criterion", "squared_error"), ("max_depth", 0))],
    "ModelTreeRegressor": [
        ({"max_depth": 0}, "max_depth is 0"), ({"shrinkage": -1}, "shrinkage is"),
        ({"min_leaf_weight": -1}, "min_leaf_weight is -1"),
    ],
    "OptimalClassifier": [
        *(({"max_depth": value}, "max_depth") for value in (-1, 1.5, "3", True, None)),
        *(({"max_splits": value}, "max_splits") for value in (-1, 2.5, "all")),
        *(({"misclassification_cost": value}, "misclassification_cost") for value in (
            [[0, 1]], [[0, -1], [1, 0]], [[1, 1], [1, 0]], "ill", [[0, NAN], [1, 0]], [[0, np.inf], [1, 0]],
            1 - np.eye(4))),
        ({"binarisation": "halves"}, "binarisation"),
        *(({"max_thresholds": value}, "max_thresholds") for value in (0, 1.5, "all")),
        *(({"time_limit": value}, "time_limit") for value in (-1, "1 s", NAN)),
        *(({"max_memory": value}, "max_memory") for value in (0, -1, "big")),
        *(({"n_jobs": value}, "n_jobs") for value in (0, 1.5, "two")),
        *(({"min_weight_fraction_leaf": value}, "min_weight_fraction_leaf") for value in (-0.1, "a", NAN, True)),
        ({"forced_splits": {"": (9, 1.0)}}, "no such column"),
        ({"forced_splits": {"L": (0, 5.0)}}, "path 'L'"),
        ({"forced_splits": {"": (0, "a")}}, "give a threshold"),
        ({"forced_splits": {"": 3}}, "a column and a threshold"),
        ({"forced_splits": {"": (0, 99.0)}}, "no samples at the path 'R'"),
        ({"forced_splits": {"": (0, 4.3)}, "min_weight_fraction_leaf": 0.1}, "too little weight at the path 'L'"),
        ({"forced_splits": {"": (0, 5.0), "L": (0, 4.6)}, "max_depth": 1}, "max_depth"),
        ({"forced_splits": {"": (0, 5.0)}, "max_splits": 0}, "max_splits"),
        ({"forced_splits": [1]}, "must be a dict"),
        ({"forbidden_features": ["petal"]}, "no such column"),
        ({"forbidden_features": "petal"}, "must be a list"),
    ],
    "OptimalRegressor": [
        ({"max_depth": 11}, "depth of 10 at most"), ({"max_thresholds": 0}, "max_thresholds"),
        ({"time_limit": -1}, "time_limit"), ({"min_samples_leaf": 0}, "min_samples_leaf"),
    ],
    "RandomForestClassifier": [
        *(({name: value}, f"{name} is {value!r}; it must be True or False")
          for name, value in (("oob_score", "yes"), ("warm_start", 1), ("bootstrap", None))),
        *(({"max_samples": value}, r"max_samples is .*; it must be an int in the range \[1, inf\) or a float")
          for value in (0, 0.0, 1.5, -3, "half", True)),
        ({"max_samples": 0.5, "bootstrap": False}, r"max_samples is 0\.5, but bootstrap=False"),
        ({"splitter": "worst"}, "splitter is 'worst'"), ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1"),
        ({"min_weight_fraction_leaf": -0.1}, "min_weight_fraction_leaf is -0.1"),
        *(({name: value}, name) for name, value in (
            ("n_estimators", 0), ("n_estimators", 2.5), ("criterion", "best"), ("max_depth", 0),
            ("min_samples_leaf", 0), ("min_samples_split", 1), ("max_features", 0), ("max_features", "half"),
            ("voting", "loudest"), ("n_jobs", 1.5), ("n_jobs", 0), ("oob_score", 2), ("random_state", "a"),
            ("class_weight", "heavy"))),
        ({"oob_score": True, "bootstrap": False}, "oob_score"),
    ],
    "CultivatedForestClassifier": [({name: value}, name) for name, value in (
        ("n_estimators", 0), ("n_estimators", 2.5), ("abstain", -0.1), ("oob_score", True))],
    "BaggedForestClassifier": [
        *(({name: value}, name) for name, value in (
            ("n_estimators", 0), ("voting", "loudest"), ("n_jobs", 0), ("decorrelated", True), ("decorrelated", 1),
            ("slack", -1), ("max_choices", 0), ("oob_score", 2), ("estimator", CartRegressor()),
            ("estimator", RandomForestClassifier()), ("estimator", "cart"))),
        ({"estimator": CartClassifier(max_depth=0)}, "max_depth is 0"),
        ({"estimator": learners.OptimalClassifier(misclassification_cost=[[0, 1]])}, "misclassification_cost"),
    ],
    "BaggedForestRegressor": [({"estimator": CartClassifier()}, "estimator")],
    "SubspaceForestClassifier": [({name: value}, name) for name, value in (
        ("voting", "oob"), ("draw", "straws"), ("max_features", 0))],
    "RootForestClassifier": [({"n_estimators": 0}, "n_estimators"), ({"n_jobs": 1.5}, "n_jobs")],
    "BoostedForestClassifier": [({"n_estimators": 1.5}, "n_estimators")],
    "GradientBoostingRegressor": [
        ({"learning_rate": 0}, "learning_rate is 0; it must be a number above 0"),
        ({"subsample": 1.5}, "subsample is 1.5; it must be a number above 0 and at most 1"),
        ({"max_bins": 256}, "whole number from 2 to 255"),
        ({"loss": "huber"}, "loss is 'huber'; it must be squared_error or absolute_error or poisson"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1"),
        ({"n_iter_no_change": 3, "validation_fraction": 0.001}, "leaves none to grow on or none to judge by"),
    ],
    "ApproximationClassifier": [
        ({"model": 3}, "model is 3"), ({"max_depth": 0}, "max_depth is 0"), ({"alpha": 0}, "alpha is 0"),
        ({"alpha": 0.5}, "alpha is 0.5"), ({"max_samples": 0.5}, "max_samples is 0.5"),
        ({"method": "guess"}, "method is 'guess'; it must be sampled or exact"), ({"jump": 2}, "jump is 2"),
        ({"variance": "none"}, "variance is 'none'"), ({"at_limit": "toss"}, "at_limit is 'toss'"),
        ({"bandwidth": [1, 2]}, "for 4 features it must have 4 numbers"),
        ({"bandwidth": "wide"}, "bandwidth is 'wide'"), ({"n_jobs": 0}, "n_jobs is 0"),
        ({"discrete_features": [9]}, "a column that X does not have"),
        ({"model": lambda X: X}, "class shares"),
        ({"model": lambda X: np.full((len(X), 2), 0.9)}, "a sum of 1"),
        ({"model": LogisticRegression().fit(SQUARE, SQUARE[:, 0] > 0.5)}, "the model was fitted on 2"),
        *(({"time_limit": value}, "time_limit is .*; it must be a number of") for value in (-1, "1", NAN)),
    ],
}  # fmt: skip


def refusal(model: Any) -> str:
    """What is said of it when it is fitted."""
    try:
        model.fit(X, y)
    except ValueError as error:
        return str(error)
    return "nothing"


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_by_name(name):
    for parameters, words in REFUSED[name]:
        assert re.search(words, refusal(small(name, **parameters))), parameters


def test_columns_that_are_not_there_are_no_categories_of_any_learner():
    wrong: dict[str, Any] = {"categorical_features": [9]}
    for name in NAMES:
        has_own = "categorical_features" in small(name).get_params()
        base = "CartClassifier" if name.endswith("Classifier") else "CartRegressor"
        said = refusal(small(name, **(wrong if has_own else {"estimator": small(base, **wrong)})))
        assert "categorical_features names a column that X does not have" in said, name
