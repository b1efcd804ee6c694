"""The sweep over many classes keeps running sums, and finds the cut of a search that adds up anew at each cut."""

import numpy as np
import pytest

from espalier.kernels.cart.sweep import ClassSums, sweep_classes
from espalier.kernels.impurity import CODES, score_of_sides, table_of_x_log_x
from espalier.kernels.task import Sweep, Task
from tests.tools.selection import seeds

CRITERIA = ["gini", "entropy", "misclassification"]


def weights_of(kind, n, rng):
    """Weights of one kind; wild ones are so far apart that running sums lose most of their digits."""
    return {
        "unit": np.ones(n),
        "whole": rng.integers(1, 6, n).astype(float),
        "real": rng.uniform(0.1, 3, n),
        "wild": 10 ** rng.uniform(-7, 7, n),
    }[kind]


def case(kind, criterion, seed):
    """A task of many classes, and a sweep over a column with equal values, of which some are missing."""
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(4, 400)), int(rng.integers(3, 30))
    x = np.sort(np.round(rng.normal(size=n), int(rng.choice([1, 6]))))
    place = np.clip((x + 2) / 4 + rng.normal(scale=rng.choice([0, 0.3]), size=n), 0, 0.999)
    label, weight = (place * n_classes).astype(np.uint16), weights_of(kind, n, rng)
    table = table_of_x_log_x(n if kind == "unit" else 0)
    unit = kind == "unit"
    task = Task(CODES[criterion], n_classes, label, np.empty(0), weight, unit, False, table)
    known = n - int(rng.choice([0, n // 4]))
    first, last = int(rng.integers(0, 3)), known - 2
    entries = (np.arange(n) << 1).astype(np.uint32)
    return task, Sweep(entries, known, x, False, known < n and seed % 2 == 0, first, last)


def sums_beside(sweep, task, cut):
    """The weights of the classes on both sides of a cut, each added up anew."""
    left = np.arange(len(task.label)) <= cut
    left[sweep.known :] = sweep.missing_left
    return tuple(np.bincount(task.label[s], task.weight[s], task.n_classes) for s in (left, ~left))


def scores(sweep, task, min_weight):
    """The score of each cut, (n,); -inf where it may not be."""
    result = np.full(len(task.label), -np.inf)
    for cut in range(sweep.first, sweep.last + 1):
        left, right = sums_beside(sweep, task, cut)
        if sweep.column[cut] != sweep.column[cut + 1] and min(left.sum(), right.sum()) >= min_weight:
            result[cut] = score_of_sides(left, right, task.criterion)
    return result


def found(sweep, task, min_weight):
    """The score and place of the cut that the sweep finds."""
    node = np.bincount(task.label, task.weight, task.n_classes)
    sums = ClassSums(node, *(np.full(task.n_classes, np.nan) for _ in range(3)))
    return sweep_classes(sweep, sums, task, min_weight, -np.inf)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["unit", "whole"])
@seeds(20, 60)
def test_whole_weights_give_the_same_cut_to_the_last_bit(kind, criterion, seeds):
    for seed in seeds:
        task, sweep = case(kind, criterion, seed)
        min_weight = 0.1 * task.weight.sum() if seed % 3 == 0 else 0.0
        wanted = scores(sweep, task, min_weight)
        score, cut = found(sweep, task, min_weight)
        assert score == wanted.max()
        assert cut == (wanted.argmax() if np.isfinite(wanted.max()) else -1)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", ["real", "wild"])
@seeds(20, 60)
def test_running_sums_of_real_weights_hide_no_better_cut(kind, criterion, seeds):
    for seed in seeds:
        task, sweep = case(kind, criterion, seed)
        wanted = scores(sweep, task, 0.0)
        score, cut = found(sweep, task, 0.0)
        size = 1e-12 * task.weight.sum() * np.log(task.weight.sum() + 3)
        assert cut >= 0 or not np.isfinite(wanted.max())
        if cut >= 0:
            assert wanted[cut] == pytest.approx(score, rel=1e-12, abs=size)
            assert wanted[cut] == pytest.approx(wanted.max(), rel=1e-12, abs=size)


def light_end(light, seed):
    """A task of one class but for its last few samples, so light that what is left of running sums is rounding."""
    rng = np.random.default_rng(seed)
    n, n_light = int(rng.integers(60, 300)), int(rng.integers(1, 4))
    weight = rng.uniform(0.1, 3, n)
    weight[-n_light:] *= light
    label = np.zeros(n, np.uint16)
    label[-n_light:] = rng.integers(1, 5)
    task = Task(CODES["gini"], 5, label, np.empty(0), weight, False, False, table_of_x_log_x(0))
    entries = (np.arange(n) << 1).astype(np.uint32)
    return task, Sweep(entries, n, np.arange(float(n)), True, False, 0, n - 2), n - n_light - 1


@pytest.mark.parametrize("light", [1e-6, 1e-8, 1e-9, 1e-10])
@seeds(20, 60)
def test_samples_far_lighter_than_the_others_are_parted_from_them(light, seeds):
    for seed in seeds:
        task, sweep, cut = light_end(light, seed)
        wanted = scores(sweep, task, 0.0)
        assert wanted.argmax() == cut
        score, place = found(sweep, task, 0.0)
        assert place == cut
        assert score == pytest.approx(wanted[cut], rel=1e-12)


def test_a_table_of_logarithms_changes_nothing_but_the_time():
    for seed in range(20):
        task, sweep = case("unit", "entropy", seed)
        score, cut = found(sweep, task, 0.0)
        assert found(sweep, task._replace(table=table_of_x_log_x(0)), 0.0) == (score, cut)
