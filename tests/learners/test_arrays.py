"""Arrays that learners are given: which skip scikit-learn's checks, which are refused, and what they compile."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numba.core.registry import CPUDispatcher

from espalier import learners
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor, CultivatedClassifier, RandomForestRegressor
from espalier.learners.base import is_plain
from espalier.predict import shares
from espalier.reliability.changeable import other_class
from espalier.reliability.counterfactuals import change_search, seek
from tests.tools.every_learner import NAMES, every, ids, is_classifier, small
from tests.tools.same_trees import are_same

RNG = np.random.default_rng(4)
X, LABELS, NUMBERS = RNG.normal(size=(60, 3)), RNG.integers(0, 2, 60), RNG.normal(size=60)
HUGE = np.full((60, 3), 1e308)
ROWS = np.arange(12.0)[:, None] % 5
BIG = 2**53 + 1
REGRESSORS = [name for name in NAMES if name.endswith("Regressor")]
EVERY = pytest.mark.parametrize("model", every(), ids=ids)


def test_arrays_of_finite_numbers_are_plain_and_nothing_else_is():
    for y in (LABELS, LABELS > 0, NUMBERS, NUMBERS.astype(np.float32)):
        for table in (X, np.asfortranarray(X), X[::2], HUGE / 200):
            assert is_plain(table, y[: len(table)])
    for bad in (np.nan, np.inf, -np.inf):
        table, numbers = X.copy(), NUMBERS.copy()
        table[3, 1] = numbers[5] = bad
        assert not is_plain(table, NUMBERS)
        assert not is_plain(X, numbers)
    for number, (table, y) in enumerate([
        (X.tolist(), LABELS), (X, LABELS.tolist()), (pd.DataFrame(X), LABELS), (X, pd.Series(LABELS)),
        (X.astype(np.float32), LABELS), (X[0], LABELS[:3]), (X, LABELS[:-1]), (X, LABELS[:, None]),
        (X[:0], LABELS[:0]), (X[:, :0], LABELS), (X, LABELS.astype(str)), (X, LABELS.astype(object)),
        (X, NUMBERS.astype(complex)), (X, None), (HUGE, LABELS), (np.ma.masked_array(X), LABELS),
    ]):  # fmt: skip
        assert not is_plain(table, y), number


def test_trees_of_plain_arrays_are_those_of_lists():
    for learner, y in ((CartClassifier(), LABELS), (CartRegressor(), NUMBERS)):
        plain = learner.fit(X, y).tree_
        assert learner.n_features_in_ == 3
        assert are_same(plain, learner.fit(X.tolist(), y.tolist()).tree_)


def test_names_of_an_earlier_table_are_forgotten():
    model = CartClassifier().fit(pd.DataFrame(X, columns=["a", "b", "c"]), LABELS)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(model.fit(X, LABELS), "feature_names_in_")
    assert model.predict(X).tolist() == LABELS.tolist()


@EVERY
def test_what_is_infinite_or_of_another_length_is_refused(model):
    infinite = X.copy()
    infinite[2, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(infinite, LABELS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, LABELS[:-1])


# ---- numbers that floating point would round, and weights whose powers are infinite


@EVERY
def test_whole_numbers_that_would_be_rounded_are_refused_where_they_are(model):
    rows = [[1, BIG + 2 * i] for i in range(8)]
    for kind in (np.array, list, pd.DataFrame):
        with pytest.raises(ValueError, match=rf"column 1.* holds {BIG}; whole numbers beyond 2\*\*53"):
            model.fit(kind(rows), [0, 1] * 4)
        model.fit(kind([[1, i] for i in range(8)]), [0, 1] * 4)
        with pytest.raises(ValueError, match="would be rounded"):
            model.predict(kind(rows))


def test_large_whole_numbers_that_are_exact_are_taken():
    X = np.array([[2**60], [2**61], [-(2**62)], [0]])
    assert CartClassifier().fit(X, [0, 1, 1, 0]).predict(X).tolist() == [0, 1, 1, 0]
    CartClassifier().fit(np.array([[2**63], [2**63 + 2**12]], np.uint64), [0, 1])


def test_nullable_columns_and_targets_are_looked_at_too():
    frame = pd.DataFrame({"size": [1.0, 2.0], "id": pd.array([BIG, None], dtype="Int64")})
    with pytest.raises(ValueError, match=f"the column 'id' holds {BIG}"):
        CartClassifier().fit(frame, [0, 1])
    with pytest.raises(ValueError, match=f"the target y holds {BIG}"):
        CartRegressor().fit([[0.0], [1.0]], [BIG, BIG + 2])
    labels = CartClassifier().fit([[0.0], [1.0]], [BIG, BIG + 1]).classes_  # classes are not computed with
    assert labels.tolist() == [BIG, BIG + 1]


@EVERY
def test_weights_with_infinite_powers_are_refused(model):
    for weight in (1e200, 1e-200, 1e308):
        with pytest.raises(
            ValueError, match=r"the weights sum to .*; their sum must be between 1e-100 and 1e\+100"
        ):
            model.fit([[0.0], [1.0], [2.0]], [0, 1, 1], sample_weight=[weight] * 3)


@pytest.mark.parametrize("learner", [CartClassifier(), CultivatedClassifier(k="all", min_node_weight=0)])
@pytest.mark.parametrize("unit", [1e90, 1e-90])
def test_weights_within_the_limit_are_what_their_ratios_are(learner, unit):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.integers(1, 4, 60).astype(float)
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    near = learner.fit(X, y, sample_weight=weight).predict_proba(X)
    assert learner.fit(X, y, sample_weight=weight * unit).predict_proba(X) == pytest.approx(near)


# ---- Numbers whose squares are infinite, or all but zero, cannot be learned: every regressor says so, and which


def regressor(name, says):
    """A regressor, and what an approximation is asked to follow."""
    return small(name, model=says) if "Approximation" in name else small(name)


@pytest.mark.parametrize("name", REGRESSORS)
def test_targets_near_the_ends_of_all_numbers_are_refused_with_a_sentence(name):
    for size, words in (
        (1.7e308, r"as large as 1\.7e\+308; the limit is 1e\+150"),
        (1e-160, "further from 0 than 1e-160, and of numbers below 1e-150 the squares"),
    ):
        y = size * np.sign(ROWS[:, 0] - 2)
        with pytest.raises(ValueError, match=words):
            regressor(name, lambda rows, y=y: np.resize(y, len(rows))).fit(ROWS, y)


def test_targets_that_are_all_zero_or_up_to_the_limits_are_learned():
    for size in (0.0, 1e150, 1e-150):
        y = size * np.sign(ROWS[:, 0] - 2.5)
        assert CartRegressor().fit(ROWS, y).predict(ROWS) == pytest.approx(y, rel=1e-12, abs=0)


@pytest.mark.parametrize("name", REGRESSORS)
def test_a_step_far_from_zero_is_learned_as_one_near_it_but_for_the_rounding_of_its_mean(name):
    """Sums are centred before they are squared, and small steps added before what is far from 0."""
    rows, far = np.arange(60.0)[:, None], 1e15

    def predicted(start):
        def step(rows):
            return start + 8.0 * (rows[:, 0] > 20)

        return regressor(name, step).fit(rows, step(rows)).predict(rows)

    assert predicted(far) - far == pytest.approx(predicted(0.0), abs=32 * np.spacing(far))


# ---- what pandas and files hand over may be read-only or have gaps: no kernel is compiled anew for that


def compiled() -> dict[str, int]:
    """Return for how many kinds of arguments each kernel is compiled here."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("espalier.kernels")]
    kernels = {
        f"{one.py_func.__module__}.{one.py_func.__qualname__}": len(one.signatures)
        for module in modules
        for one in vars(module).values()
        if isinstance(one, CPUDispatcher)
    }
    return {name: n for name, n in kernels.items() if n}


def hard_to_write(values: np.ndarray, step: int) -> np.ndarray:
    """Return the same numbers, read-only, each so many places after the one before it."""
    view = np.repeat(values, step)[::step]
    view.flags.writeable = False
    return view


@EVERY
def test_read_only_targets_and_weights_with_or_without_gaps_need_no_other_kernels(model):
    weight, y = RNG.random(60) + 0.5, LABELS if is_classifier(model) else NUMBERS
    plain = model.fit(X, y, sample_weight=weight).predict(X)
    before = compiled()
    for step in (1, 2):
        model.fit(X, hard_to_write(y, step), sample_weight=hard_to_write(weight, step))
        assert compiled() == before
        assert np.array_equal(model.predict(X), plain)


def test_a_row_of_a_table_needs_no_other_kernels_for_the_search_of_its_smallest_change():
    iris = samples.load("iris")
    forest = (
        learners.RandomForestClassifier(n_estimators=4, max_depth=3, random_state=0).fit(iris.X, iris.y).forest_
    )
    tell = (lambda X: shares(forest, X), other_class(0, forest.prior))

    def least(x: np.ndarray) -> Any:
        return seek(change_search(iris, forest, x, tell), forest, shares(forest, x[np.newaxis])[0], 0)

    plain = least(iris.X[0].copy())
    before = compiled()
    assert least(iris.X[0]) == plain
    assert compiled() == before


@pytest.mark.parametrize("n", [3_000, 40_000])
def test_of_a_column_and_its_negative_which_part_alike_the_first_is_asked_however_many_samples_are_summed(n):
    for values in (7, 300, 10**6):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, values, n).astype(float), rng.normal(size=n)
        both = np.stack([x, -x], axis=1)
        forest = RandomForestRegressor(n_estimators=2, max_features=None, max_depth=6, random_state=0).fit(both, y)
        for tree in (CartRegressor(max_depth=6).fit(both, y).tree_, *forest.forest_.trees):
            assert (tree.feature < 1).all()
            assert tree.n_leaves > 1
