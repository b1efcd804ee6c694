"""Replicates: against fitting on the sample written out, for any number of threads, and when stopped."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone as clone_any

from espalier.data.dataset import Feature, make_dataset
from espalier.learners import (
    ApproximationClassifier,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedRegressor,
    OptimalClassifier,
    OptimalRegressor,
    RandomForestClassifier,
)
from espalier.progress import Progress
from espalier.stability.replicates import PARTS, GrowthWatch, Plan, join_replicates, replicate, so_far
from espalier.stability.resampling import KINDS, Redraw, redrawn
from espalier.stability.structures import splits_of
from tests.tools.same_trees import are_same

clone: Any = clone_any  # whose result has no type of its own
NO, YES = Feature("y"), Feature("y", "category", ("no", "yes"))


def table(n=120, target=YES, missing=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    X[:, 2] = rng.integers(0, 6, n)
    X[:, 3] = rng.integers(0, 4, n)
    y = X[:, 0] + 0.5 * X[:, 1] + (X[:, 3] == 2) + rng.normal(scale=0.7, size=n)
    if missing:
        X[rng.random((n, 4)) < 0.1] = np.nan
    features = [*map(Feature, "abc"), Feature("d", "category", tuple("wxyz"))]
    return make_dataset("t", X, features, y > 0 if target is YES else y, target)


def numbers_only(data):
    """The table without its category: coded tables serve it."""
    return make_dataset("t", data.X[:, :3], data.features[:3], data.y, data.target)


def same(one, other):
    assert len(one) == len(other)
    assert all(are_same(a, b) for a, b in zip(one, other, strict=True))


ROWS = [
    Redraw("bootstrap"),
    Redraw("subsample", 0.7),
    Redraw("folds", 5),
    Redraw("leave_out", 9),
    Redraw("noise", 0.1),
]


def grows_as_written_out(learner, data, redraw, n=6, seed=0):
    """Every replicate is the tree of the sample of its redraw, written out."""
    found = replicate(learner, data, Plan(redraw, n, seed=seed))
    for number, tree in zip(found.numbers, found.trees, strict=True):
        drawn = redrawn(redraw, data, seed, number)
        same([tree], [clone(learner).fit(drawn.X[drawn.rows], data.y[drawn.rows]).tree_])


@pytest.mark.parametrize("redraw", ROWS, ids=lambda redraw: redraw.kind)
@pytest.mark.parametrize(
    "data", [table(), table(missing=True), numbers_only(table())], ids=["", "missing", "coded"]
)
def test_cart_grows_as_on_the_sample_written_out(redraw, data):
    learner = CartClassifier(max_depth=5, min_samples_leaf=2, categorical_features=data.categorical)
    grows_as_written_out(learner, data, redraw, 12, seed=4)


OTHERS: list[dict[str, Any]] = [
    {"criterion": "entropy"}, {"ccp_alpha": 0.01}, {"max_leaf_nodes": 6}, {"class_weight": {0: 1.0, 1: 3.0}},
    {"min_samples_leaf": 0.1}, {"missing": "category"}, {"missing": "impute"}, {"missing": "surrogate"},
]  # fmt: skip


@pytest.mark.parametrize("changed", OTHERS, ids=str)
@pytest.mark.parametrize("redraw", [Redraw("bootstrap"), Redraw("subsample", 0.5)], ids=lambda redraw: redraw.kind)
def test_so_it_does_with_other_parameters_and_in_every_way_of_missing_values(changed, redraw):
    data = table(missing=True) if "missing" in changed else numbers_only(table())
    learner = CartClassifier(**{"max_depth": 5, "categorical_features": data.categorical, **changed})
    grows_as_written_out(learner, data, redraw)


@pytest.mark.parametrize(
    "make", [CartRegressor, CultivatedRegressor, CultivatedClassifier, OptimalClassifier, OptimalRegressor]
)
def test_others_ask_what_they_ask_on_the_sample_written_out(make):
    data = numbers_only(table(target=NO if "Regressor" in make.__name__ else YES))
    by_chance = {"random_state": 0} if "random_state" in make().get_params() else {}
    learner = make(max_depth=2, **by_chance)
    found = replicate(learner, data, Plan(Redraw("bootstrap"), 6))
    for number, tree in zip(found.numbers, found.trees, strict=True):
        rows = redrawn(Redraw(), data, 0, number).rows
        expected = clone(learner).fit(data.X[rows], data.y[rows]).tree_
        np.testing.assert_array_equal(tree.feature, expected.feature)
        pools: Any = (getattr(tree, "decisions", tree), getattr(expected, "decisions", expected))
        np.testing.assert_allclose(pools[0].threshold, pools[1].threshold)
        np.testing.assert_allclose(tree.weight, expected.weight)
        np.testing.assert_allclose(tree.value, expected.value, atol=1e-9)


def approximation(**changed):
    model = RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0)
    settings = {"max_depth": 2, "max_samples": 300, "initial_samples": 100, "random_state": 0}
    return ApproximationClassifier(model, **{**settings, **changed})


LEARNERS = [
    CartClassifier(max_depth=4),
    CartClassifier(max_depth=4, max_features=2),
    CultivatedClassifier(max_depth=3),
    OptimalClassifier(max_depth=2, max_thresholds=3),
    approximation(),
]


@pytest.mark.parametrize("kind", ["bootstrap", "noise", "seeds"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_results_are_the_same_for_any_number_of_threads(learner, kind):
    redraw, data = Redraw(kind, 0.05), numbers_only(table())
    if isinstance(learner, ApproximationClassifier):
        learner = clone(learner).fit(data.X, data.y)
    alone, many = (replicate(learner, data, Plan(redraw, 7, seed=1), GrowthWatch(n)) for n in (1, 3))
    np.testing.assert_array_equal(alone.numbers, range(7))
    np.testing.assert_array_equal(many.numbers, range(7))
    same(alone.trees, many.trees)


def test_new_seeds_are_new_pseudo_samples_of_the_same_model():
    data = numbers_only(table())
    fitted = approximation().fit(data.X, data.y)
    found = replicate(fitted, data, Plan(Redraw("seeds"), 8))
    assert len({splits_of(tree).threshold[0] for tree in found.trees}) > 1
    same([fitted.tree_], [clone(fitted).fit(data.X, data.y).tree_])  # which is left as it was


def test_more_replicates_and_a_repetition_are_those_of_one_long_plan_and_other_parts_cannot_be_joined():
    data, learner = numbers_only(table()), CartClassifier(max_depth=3)
    long = replicate(learner, data, Plan(Redraw(), 10, seed=2))
    plan = Plan(Redraw(), 4, seed=2)
    parts = [replicate(learner, data, p) for p in (plan.repeated(), plan, plan.repeated().more(2))]
    both = join_replicates(parts)
    assert both.plan == long.plan
    same(both.trees, long.trees)
    roots = [[splits_of(tree).threshold[0] for tree in part.trees] for part in parts[:2]]
    assert roots[0] != roots[1]
    data, plan = table(), Plan(Redraw(), 2)
    part = replicate(CartClassifier(), data, plan)
    with pytest.raises(ValueError, match="follow each other"):
        join_replicates([part, part])
    with pytest.raises(ValueError, match="one seed"):
        join_replicates([part, replicate(CartClassifier(), data, plan.repeated()._replace(seed=1))])


@pytest.mark.parametrize("learner", LEARNERS[:1] + LEARNERS[2:4], ids=lambda learner: type(learner).__name__)
def test_stopping_keeps_what_there_is(learner):
    data, progress = numbers_only(table()), Progress()

    class Trees(dict):
        """Stops when the third tree is there."""

        def __setitem__(self, number, tree):
            super().__setitem__(number, tree)
            if len(self) >= 3:
                progress.stop()

    plan, trees = Plan(Redraw(), 100_000), Trees()
    found = replicate(learner, data, plan, GrowthWatch(2, progress, trees))
    assert 3 <= len(found.trees) < plan.n_replicates
    assert not found.is_complete
    assert sorted(trees) == found.numbers.tolist()
    some = found.numbers[:20]
    whole = replicate(learner, data, plan._replace(n_replicates=int(some.max()) + 1))
    same(found.trees[:20], [whole.trees[number] for number in some])  # none of them cut short


def test_progress_ends_at_the_total_trees_come_one_by_one_and_none_where_it_is_stopped_before():
    progress, trees = Progress(), {}
    plan = Plan(Redraw("leave_out", 5), 20)
    found = replicate(
        CultivatedClassifier(max_depth=2), numbers_only(table()), plan, GrowthWatch(2, progress, trees)
    )
    assert progress.done == plan.total == 20 * PARTS
    assert found.is_complete
    first = so_far(plan, {5: trees[5], 2: trees[2], 99: trees[3]})
    assert first.numbers.tolist() == [2, 5]
    same(first.trees, [trees[2], trees[5]])
    found = replicate(CartClassifier(), table(), Plan(Redraw(), 9), GrowthWatch(2, Progress(is_stopped=True)))
    assert found.trees == ()
    assert len(found.numbers) == 0


def test_a_class_that_is_not_drawn_is_still_a_class_and_every_kind_of_redraw_grows():
    X, y = np.arange(12.0)[:, None], np.array([0] * 10 + [1, 2])
    data = make_dataset("t", X, [Feature("x")], y, Feature("y", "category", ("a", "b", "c")))
    for learner in (CartClassifier(), CultivatedClassifier(min_node_weight=2), OptimalClassifier(max_depth=2)):
        found = replicate(learner, data, Plan(Redraw("leave_out", 6), 12))
        assert {tree.value.shape[1] for tree in found.trees} == {3}
    data = table()
    learner = CartClassifier(max_depth=2, categorical_features=data.categorical)
    for kind in KINDS:
        assert replicate(learner, data, Plan(Redraw(kind.name, kind.default), 3)).is_complete


@pytest.mark.parametrize(
    ("learner", "plan", "words"),
    [
        (RandomForestClassifier(), Plan(), "RandomForestClassifier grows no single tree"),
        (CartClassifier(), Plan(n_replicates=0), "number of replicates is 0"),
        (CartClassifier(), Plan(Redraw("folds", 1)), "“Folds” is 1"),
        (CartClassifier(max_depth=0), Plan(), "max_depth is 0"),
    ],
)
def test_what_cannot_be_grown_is_named(learner, plan, words):
    with pytest.raises(ValueError, match=words):
        replicate(learner, table(), plan)
