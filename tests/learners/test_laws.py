"""Laws that every learner keeps, and parameters that cannot be: each is refused by name, with what would do."""

import pickle
import re
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from espalier import learners
from espalier.learners import (
    BoostedForestClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    RandomForestClassifier,
    RootForestClassifier,
)
from espalier.predict import record_of
from espalier.progress import Progress
from tests.tools.every_learner import NAMES, answers, every, ids, is_classifier, small, trees_of, unfitted
from tests.tools.forests import SMALL_OPTIMAL, X, bagged, of_subspaces, y
from tests.tools.same_trees import are_same, arrays_of

RNG, N = np.random.default_rng(0), 150
ROWS = np.where(RNG.random((N, 6)) < 0.1, np.nan, RNG.normal(size=(N, 6)))  # no ties: there, rounding decides
NUMBERS = np.nan_to_num(ROWS) @ np.arange(1.0, 7.0) + RNG.normal(size=N)
CLASSES = np.digitize(NUMBERS, [-5.0, 5.0])
# whose defaults draw rows, columns, thresholds, roots or made-up rows
DRAWS = ("Random", "Extra", "Bagged", "Subspace", "CultivatedForest", "Root", "Approximation")
OUT_OF_BAG = {"bootstrap": True, "oob_score": True}
OTHERS: list[Any] = [  # settings that learners do not have by default
    bagged(SMALL_OPTIMAL, voting="oob", oob_score=True), bagged(voting="validation", n_jobs=2),
    bagged(SMALL_OPTIMAL, decorrelated=True, slack=1, max_choices=5), bagged(CultivatedClassifier(max_depth=3)),
    of_subspaces(SMALL_OPTIMAL), of_subspaces(draw="soft"), of_subspaces(voting="validation"),
    RootForestClassifier(SMALL_OPTIMAL, random_state=0), BoostedForestClassifier(n_estimators=6),
    *(small(name, **OUT_OF_BAG) for name in ("RandomForestClassifier", "ExtraTreesClassifier")),
    *(small(f"CultivatedForest{kind}", **OUT_OF_BAG) for kind in ("Classifier", "Regressor")),
    small("RandomForestClassifier", bootstrap=False, n_jobs=2), small("GradientBoostingClassifier", subsample=0.5),
    small("RandomForestClassifier", class_weight="balanced_subsample"),
]  # fmt: skip
EVERY = pytest.mark.parametrize("model", every(), ids=ids)
FORESTS = [one for one in [*every(), *OTHERS] if hasattr(one, "trees_so_far") and "Gradient" not in ids(one)]


def target(model):
    return CLASSES if is_classifier(model) else NUMBERS


def fitted(model, **settings) -> Any:
    own = unfitted(model)
    return own.set_params(**settings).fit(ROWS, target(model))


def assert_same_forest(one, other):
    """The same answers, trees, draws, votes, and estimates by trees that have not seen a row."""
    for table in (ROWS, ROWS + 0.2):
        np.testing.assert_array_equal(answers(one, table), answers(other, table))
        np.testing.assert_array_equal(one.predict(table), other.predict(table))
    if hasattr(one, "forest_"):
        assert all(are_same(*pair) for pair in zip(trees_of(one), trees_of(other), strict=True))
        np.testing.assert_allclose(one.forest_.weight, other.forest_.weight, rtol=1e-14)
        np.testing.assert_array_equal(one.in_bag(), other.in_bag())
    for name in ("oob_errors_", "oob_score_"):
        np.testing.assert_equal(getattr(one, name, None), getattr(other, name, None))


@pytest.mark.parametrize(
    "model", [one for one in [*every("Optimal"), *OTHERS] if "n_jobs" in one.get_params()], ids=ids
)
def test_the_number_of_threads_changes_nothing(model):
    one, other = (fitted(model, n_jobs=n) for n in (1, 3))
    assert_same_forest(one, other)
    if hasattr(one, "estimators_"):  # each has parameters of its own
        assert one.estimators_[0].fit(ROWS, target(model)).n_features_in_ == ROWS.shape[1]


@EVERY
def test_a_seed_repeats_the_model_and_another_one_matters_where_something_is_drawn(model):
    one, again = fitted(model), fitted(model)
    assert_same_forest(one, again)
    if hasattr(model, "random_state"):
        other = fitted(model, random_state=1)
        is_same = np.array_equal(answers(one, ROWS + 0.2), answers(other, ROWS + 0.2))
        assert is_same != ids(model).startswith(DRAWS)


@EVERY
def test_what_is_pickled_or_copied_answers_alike_and_stays_read_only(model):
    own = fitted(model)
    for copy in (pickle.loads(pickle.dumps(own)), deepcopy(own)):
        assert_same_forest(own, copy)
        arrays = [array for array in arrays_of(record_of(copy)) if isinstance(array, np.ndarray)]
        assert arrays or hasattr(copy, "forest_")
        assert not any(array.flags.writeable for array in arrays)


BOOSTED = [small(f"GradientBoosting{kind}", min_samples_leaf=1) for kind in ("Classifier", "Regressor")]


@pytest.mark.parametrize(
    "model", [*every("Random", "Bagged", "Approximation", "Gradient", "ObliqueR"), *BOOSTED], ids=ids
)
def test_whole_weights_are_as_many_rows_and_those_of_weight_zero_are_absent(model):
    times, goal = np.arange(N) % 4, target(model)
    here = times > 0
    weighted, repeated, absent = (unfitted(model) for _ in range(3))
    weighted.fit(ROWS, goal, sample_weight=times)
    repeated.fit(ROWS.repeat(times, 0), goal.repeat(times))
    absent.fit(ROWS[here], goal[here], sample_weight=times[here])
    for other in (repeated, absent):
        assert answers(weighted, ROWS[here]) == pytest.approx(answers(other, ROWS[here]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("model", [one for one in FORESTS if "validation" not in str(one)], ids=ids)
def test_rows_of_weight_zero_are_never_drawn(model):
    weight = (np.arange(N) % 3 > 0).astype(float)
    here = weight > 0
    own = unfitted(model).fit(ROWS, target(model), sample_weight=weight)
    without = unfitted(model).fit(ROWS[here], target(model)[here])
    np.testing.assert_array_equal(own.in_bag()[:, here], without.in_bag())
    assert not own.in_bag()[:, ~here].any()
    assert answers(own, ROWS) == pytest.approx(answers(without, ROWS), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("model", every("Forest", "ExtraTrees", "Gradient", "Optimal", "Approximation"), ids=ids)
def test_progress_of_a_tree_ends_with_every_row_in_a_leaf_and_a_stop_leaves_the_root(model):
    progress = Progress()
    own = unfitted(model).fit(ROWS, target(model), progress=progress)
    least = N - ids(model).startswith("Cultivated")  # of fractions, whole numbers rounded down
    assert least <= progress.done <= N
    own.fit(ROWS, target(model), progress=Progress(is_stopped=True))
    assert own.tree_.n_nodes == 1
    assert np.ptp(answers(own, ROWS), axis=0) == pytest.approx(0)


@pytest.mark.parametrize("model", FORESTS, ids=ids)
def test_progress_of_a_forest_ends_with_the_rows_of_all_trees_and_a_stop_leaves_the_first(model):
    own, progress = unfitted(model), Progress()
    assert own.trees_so_far() == {}
    whole = own.fit(ROWS, target(model), progress=progress).forest_
    n_planned = getattr(own, "n_planned_", whole.n_trees)
    assert (progress.done, progress.is_stopped) == (n_planned * N, False)
    assert n_planned >= whole.n_trees
    assert list(own.trees_so_far()) == list(range(whole.n_trees))
    stopped = own.fit(ROWS, target(model), progress=Progress(is_stopped=True))
    assert stopped.forest_.n_trees == 1
    assert "Root" in ids(model) or "Optimal" in str(model) or trees_of(stopped)[0].n_nodes == 1
    assert stopped.predict(ROWS).shape == (N,)


@EVERY
def test_a_class_or_a_number_that_is_the_only_one_is_said_for_certain(model):
    only = "yes" if is_classifier(model) else 7.25
    own = unfitted(model).fit(ROWS, np.full(N, only))
    assert (own.predict(ROWS) == only).all() if only == "yes" else own.predict(ROWS) == pytest.approx(7.25)
    assert answers(own, ROWS) == pytest.approx(1 if only == "yes" else 7.25, abs=1e-12)
    assert ids(model).startswith(("Gradient", "Root")) or {tree.n_nodes for tree in trees_of(own)} == {1}


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
