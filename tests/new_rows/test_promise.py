"""Promises over folds, kept on rows drawn again; and the test for drift, exact where rows are alike."""

import numpy as np
import pytest

from espalier.analysis import Folds, ask
from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.data.roles import RowRoles, RowWeights, row_groups
from espalier.language import Refusal
from espalier.learners import CartClassifier, CartRegressor, RandomForestRegressor
from espalier.new_rows import promises
from espalier.new_rows.promises import ALL, DOUBT_WIDTH, EACH_CLASS, LEAST_SCALE, promised_intervals, promised_sets
from espalier.new_rows.scoring import ALPHA, FEWEST, drift
from espalier.progress import Progress
from espalier.reliability.reliability import answered
from tests.tools.uneven import loans

IRIS, DIABETES = samples.load("iris"), samples.load("diabetes")
FIVE = Folds(n_folds=5)


@pytest.fixture(scope="module")
def irises():
    return ask(CartClassifier(max_depth=3, min_samples_leaf=4), IRIS, FIVE)


def test_each_fold_has_the_limit_that_the_other_folds_choose(irises):
    found, answers = promised_sets(irises, 0.97), answered(irises)
    scores = {
        one.number: promises.class_scores(one.answers, one.prediction, IRIS.y[one.rows]) for one in irises.tried
    }
    for one in irises.tried:
        others = np.concatenate([score for number, score in scores.items() if number != one.number])
        limits = np.array([promises.score_limit(others, 0.97)])
        expected = promises.class_sets(one.answers, one.prediction, limits)
        assert np.array_equal(found.sets[answers.fold == one.number], expected)
    assert found.promised.limits.tolist() == [promises.score_limit(np.concatenate(list(scores.values())), 0.97)]


def test_sizes_are_shares_of_the_rows_coverage_counts_the_truth_and_a_model_that_is_right_names_one_class(irises):
    found = promised_sets(irises, 0.8)
    assert found.sizes.tolist() == [1.0, 0.0, 0.0]
    assert found.promised.limits.tolist() == [0.0]
    assert found.promised.coverage.value == pytest.approx(1 - answered(irises).loss.mean())
    found = promised_sets(irises, 0.97)
    n_classes = found.sets.sum(axis=1)
    assert found.sizes.tolist() == pytest.approx([float(np.mean(n_classes == size)) for size in range(1, 4)])
    uneven = IRIS._replace(row_weights=RowWeights("w", np.resize([1.0, 4.0], 150)))
    for models in (irises, ask(CartClassifier(max_depth=3, min_samples_leaf=4), uneven, FIVE)):
        found, answers = promised_sets(models, 0.97), answered(models)
        y, weight = IRIS.y[answers.row], answers.weight
        holds = found.sets[np.arange(150), y]
        assert found.promised.coverage.value == pytest.approx(np.average(holds, weights=weight))
        of_class = [np.average(holds[y == c], weights=weight[y == c]) for c in range(3)]
        assert [share.value for share in found.promised.by_class] == pytest.approx(of_class)


def test_a_rare_class_is_promised_as_much_only_by_class_and_intervals_hold_nine_tenths_wider_where_doubted():
    folds = ask(CartClassifier(max_depth=3), loans(2000), FIVE)
    rare = {by: promised_sets(folds, 0.9, by).promised.by_class[1].value for by in (ALL, EACH_CLASS)}
    assert rare[ALL] < 0.1
    assert rare[EACH_CLASS] == pytest.approx(0.9, abs=0.04)
    found = promised_intervals(ask(CartRegressor(max_depth=3), DIABETES, FIVE), 0.9)
    assert found.promised.coverage.value == pytest.approx(0.9, abs=0.02)
    assert found.promised.coverage.low < 0.9 < found.promised.coverage.high
    assert len(set((found.ends[:, 1] - found.ends[:, 0]).round(9))) <= 5  # one for each fold
    folds = ask(RandomForestRegressor(n_estimators=25, random_state=0), DIABETES, FIVE)
    answers, found = answered(folds), promised_intervals(folds, 0.9, DOUBT_WIDTH)
    half = (found.ends[:, 1] - found.ends[:, 0]) / 2
    scale = np.maximum(answers.doubt, LEAST_SCALE * answers.doubt.mean())
    for number in range(5):
        inside = answers.fold == number
        assert np.ptp(half[inside] / scale[inside]) < 1e-9
    y = DIABETES.y[answers.row]
    assert np.array_equal(found.promised.holds, (found.ends[:, 0] <= y) & (y <= found.ends[:, 1]))


def test_answers_of_several_repeats_are_evidence_once():
    folds = ask(CartRegressor(max_depth=2), DIABETES, Folds(n_folds=3, n_repeats=2))
    answers, found = answered(folds), promised_intervals(folds, 0.9)
    first = answers.repeat == 0
    off = promises.error_scores(answers.answer[first], DIABETES.y[answers.row[first]])
    assert found.promised.limits.tolist() == [promises.score_limit(off, 0.9)]


def in_groups(data, n_groups):
    """The table with its rows in so many groups, dealt out in turn."""
    return data._replace(roles=RowRoles(row_groups("patient", np.arange(len(data.y)) % n_groups)))


@pytest.mark.parametrize(
    ("promised", "model", "data"),
    [
        (promised_sets, CartClassifier(max_depth=3), IRIS),
        (promised_intervals, CartRegressor(max_depth=3), DIABETES),
    ],
)
def test_fewer_groups_beside_a_fold_than_a_promise_takes_are_refused_with_their_number(promised, model, data):
    needed = promises.units_needed(0.9)
    n_folds = needed + 1  # of one group each: all others choose
    found = promised(ask(model, in_groups(data, n_folds), Folds(n_folds=n_folds)), 0.9).promised
    assert np.isfinite(found.limits).all()
    few = ask(model, in_groups(data, needed), Folds(n_folds=needed))
    with pytest.raises(Refusal, match=rf"90 % .* takes {needed} beside .* there are {needed - 1}; promise less"):
        promised(few, 0.9)


def test_the_limit_of_new_rows_counts_each_group_once():
    data = in_groups(DIABETES, 20)
    folds = ask(CartRegressor(max_depth=3), data, FIVE)
    answers, found = answered(folds), promised_intervals(folds, 0.9)
    score, unit = np.abs(answers.answer - data.y[answers.row]), answers.row % 20
    assert found.promised.limits.tolist() == [promises.score_limit(score, 0.9, unit=unit)]
    assert found.promised.limits[0] != promises.score_limit(score, 0.9)


def table(X):
    features = tuple(Feature(f"x{f}") for f in range(X.shape[1]))
    return make_dataset("rows", X, features, np.zeros(len(X)), Feature("y"))


NEW = np.arange(90) >= 60


def test_p_values_of_rows_that_are_alike_are_small_as_seldom_as_they_say():
    alike = [drift(table(np.random.default_rng(seed).normal(size=(90, 3))), NEW, 9, seed) for seed in range(20)]
    assert sum(found.p_value <= 0.2 for found in alike) <= 9  # 20 % of 20, and binomial error


def of_patients(seed):
    """Visits of 30 patients, each near a place of its own; the last 10 are new, and like the others."""
    patient = np.repeat(np.arange(30), 3)
    rng = np.random.default_rng(seed)
    data = table(rng.normal(size=(30, 3))[patient] + 0.1 * rng.normal(size=(90, 3)))
    return data, data._replace(roles=RowRoles(row_groups("patient", patient)))


@pytest.mark.parametrize(("n", "most"), [(10, 5), pytest.param(20, 9, marks=pytest.mark.slow)])
def test_whole_groups_that_are_alike_are_told_apart_as_seldom_as_p_values_say_and_their_rows_would_be_often(
    n, most
):
    by_rows, by_groups = 0, 0
    for seed in range(n):
        rows, groups = of_patients(seed)
        by_rows += drift(rows, NEW, 9, seed).p_value <= 0.2
        by_groups += drift(groups, NEW, 9, seed).p_value <= 0.2
    assert by_groups <= most < by_rows  # 20 % of them, and binomial error


def test_a_column_that_moved_or_goes_together_otherwise_is_found_and_p_counts_the_shuffles_that_do_as_well():
    X = np.random.default_rng(0).normal(size=(90, 4))
    X[NEW, 2] += 2.0
    found = drift(table(X), NEW, 39)
    assert found.p_value == 1 / 40  # the smallest there is
    assert int(found.use.argmax()) == 2
    assert found.auc > found.shuffled.max()
    # Each column alone has the same distribution before and after.
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (300, 2))
    a[:, 1] = np.where(np.arange(300) < 150, 1, -1) * np.sign(a[:, 0]) * np.abs(a[:, 1])
    assert drift(table(a), np.arange(300) >= 150, 39).p_value <= ALPHA
    found = drift(table(np.random.default_rng(5).normal(size=(60, 2))), np.arange(60) >= 30, 19)
    assert found.p_value == (1 + sum(one >= found.auc for one in found.shuffled)) / 20


def test_too_few_rows_are_refused_and_a_test_that_is_stopped_at_once_finds_nothing():
    data = table(np.zeros((90, 1)))
    with pytest.raises(ValueError, match="too few"):
        drift(data, np.arange(90) < FEWEST - 1)
    assert drift(data, NEW, progress=Progress(is_stopped=True)).p_value == 1.0
