"""Laws that every learner keeps: of threads, seeds, copies, weights, progress, and of a class or number alone."""

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from espalier.learners import BoostedForestClassifier, CultivatedClassifier, RootForestClassifier
from espalier.predict import record_of
from espalier.progress import Progress
from tests.tools.every_learner import answers, every, ids, is_classifier, small, trees_of, unfitted
from tests.tools.forests import SMALL_OPTIMAL, bagged, of_subspaces
from tests.tools.same_trees import are_same, arrays_of

RNG, N = np.random.default_rng(0), 150
X = np.where(RNG.random((N, 6)) < 0.1, np.nan, RNG.normal(size=(N, 6)))  # no ties: there, rounding decides
NUMBERS = np.nan_to_num(X) @ np.arange(1.0, 7.0) + RNG.normal(size=N)
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
    return own.set_params(**settings).fit(X, target(model))


def assert_same_forest(one, other):
    """The same answers, trees, draws, votes, and estimates by trees that have not seen a row."""
    for table in (X, X + 0.2):
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
        assert one.estimators_[0].fit(X, target(model)).n_features_in_ == X.shape[1]


@EVERY
def test_a_seed_repeats_the_model_and_another_one_matters_where_something_is_drawn(model):
    one, again = fitted(model), fitted(model)
    assert_same_forest(one, again)
    if hasattr(model, "random_state"):
        other = fitted(model, random_state=1)
        is_same = np.array_equal(answers(one, X + 0.2), answers(other, X + 0.2))
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
    weighted.fit(X, goal, sample_weight=times)
    repeated.fit(X.repeat(times, 0), goal.repeat(times))
    absent.fit(X[here], goal[here], sample_weight=times[here])
    for other in (repeated, absent):
        assert answers(weighted, X[here]) == pytest.approx(answers(other, X[here]), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("model", [one for one in FORESTS if "validation" not in str(one)], ids=ids)
def test_rows_of_weight_zero_are_never_drawn(model):
    weight = (np.arange(N) % 3 > 0).astype(float)
    here = weight > 0
    own = unfitted(model).fit(X, target(model), sample_weight=weight)
    without = unfitted(model).fit(X[here], target(model)[here])
    np.testing.assert_array_equal(own.in_bag()[:, here], without.in_bag())
    assert not own.in_bag()[:, ~here].any()
    assert answers(own, X) == pytest.approx(answers(without, X), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("model", every("Forest", "ExtraTrees", "Gradient", "Optimal", "Approximation"), ids=ids)
def test_progress_of_a_tree_ends_with_every_row_in_a_leaf_and_a_stop_leaves_the_root(model):
    progress = Progress()
    own = unfitted(model).fit(X, target(model), progress=progress)
    least = N - ids(model).startswith("Cultivated")  # of fractions, whole numbers rounded down
    assert least <= progress.done <= N
    own.fit(X, target(model), progress=Progress(is_stopped=True))
    assert own.tree_.n_nodes == 1
    assert np.ptp(answers(own, X), axis=0) == pytest.approx(0)


@pytest.mark.parametrize("model", FORESTS, ids=ids)
def test_progress_of_a_forest_ends_with_the_rows_of_all_trees_and_a_stop_leaves_the_first(model):
    own, progress = unfitted(model), Progress()
    assert own.trees_so_far() == {}
    whole = own.fit(X, target(model), progress=progress).forest_
    n_planned = getattr(own, "n_planned_", whole.n_trees)
    assert (progress.done, progress.is_stopped) == (n_planned * N, False)
    assert n_planned >= whole.n_trees
    assert list(own.trees_so_far()) == list(range(whole.n_trees))
    stopped = own.fit(X, target(model), progress=Progress(is_stopped=True))
    assert stopped.forest_.n_trees == 1
    assert "Root" in ids(model) or "Optimal" in str(model) or trees_of(stopped)[0].n_nodes == 1
    assert stopped.predict(X).shape == (N,)


@EVERY
def test_a_class_or_a_number_that_is_the_only_one_is_said_for_certain(model):
    only = "yes" if is_classifier(model) else 7.25
    own = unfitted(model).fit(X, np.full(N, only))
    assert (own.predict(X) == only).all() if only == "yes" else own.predict(X) == pytest.approx(7.25)
    assert answers(own, X) == pytest.approx(1 if only == "yes" else 7.25, abs=1e-12)
    assert ids(model).startswith(("Gradient", "Root")) or {tree.n_nodes for tree in trees_of(own)} == {1}
