"""The test for drift: exact where rows are alike, and it finds what has moved."""

import numpy as np
import pytest

from espalier.analysis.promises.drift import ALPHA, FEWEST, drift
from espalier.data.dataset import Feature, make_dataset
from espalier.data.rows.roles import RowRoles, row_groups
from espalier.progress import Progress


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


def test_a_column_that_moved_is_found_and_named():
    X = np.random.default_rng(0).normal(size=(90, 4))
    X[NEW, 2] += 2.0
    found = drift(table(X), NEW, 39)
    assert found.p_value == 1 / 40  # the smallest there is
    assert int(found.use.argmax()) == 2
    assert found.auc > found.shuffled.max()


def test_columns_that_only_go_together_otherwise_are_found():
    """Each column alone has the same distribution before and after."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-1, 1, (300, 2))
    a[:, 1] = np.where(np.arange(300) < 150, 1, -1) * np.sign(a[:, 0]) * np.abs(a[:, 1])
    assert drift(table(a), np.arange(300) >= 150, 39).p_value <= ALPHA


def test_the_p_value_counts_the_shuffles_that_do_as_well():
    found = drift(table(np.random.default_rng(5).normal(size=(60, 2))), np.arange(60) >= 30, 19)
    assert found.p_value == (1 + sum(one >= found.auc for one in found.shuffled)) / 20


def test_too_few_rows_are_refused_and_a_test_that_is_stopped_at_once_finds_nothing():
    data = table(np.zeros((90, 1)))
    with pytest.raises(ValueError, match="too few"):
        drift(data, np.arange(90) < FEWEST - 1)
    assert drift(data, NEW, progress=Progress(is_stopped=True)).p_value == 1.0
