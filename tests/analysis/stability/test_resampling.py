"""Redraws: by hand and by law; all of them follow from seed and number alone."""

import numpy as np
import pytest

from espalier.analysis.stability.resampling import (
    KINDS,
    Redraw,
    bootstrap,
    check_redraw,
    disturbed,
    largest,
    leave_out,
    redrawn,
    subsample,
    without_fold,
)
from espalier.data.dataset import Feature, make_dataset

NAN = np.nan


def table(n=40):
    """A number, a whole number from 0 to 4, a category of three, each with a missing value."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n), rng.integers(0, 3, n)]).astype(float)
    X[0] = NAN
    features = [Feature("x"), Feature("whole"), Feature("colour", "category", ("r", "g", "b"))]
    return make_dataset("t", X, features, np.arange(n) % 2, Feature("y", "category", ("no", "yes")))


REDRAWS = [
    Redraw("bootstrap"),
    Redraw("subsample", 0.5),
    Redraw("folds", 4),
    Redraw("leave_out", 3),
    Redraw("noise", 0.3),
    Redraw("seeds"),
]


@pytest.mark.parametrize("redraw", REDRAWS, ids=lambda redraw: redraw.kind)
def test_a_replicate_follows_from_seed_and_number_alone(redraw):
    data = table()
    drawn = [redrawn(redraw, data, 3, number) for number in (0, 1, 2, 0)]
    np.testing.assert_array_equal(drawn[0].times, drawn[3].times)
    np.testing.assert_array_equal(drawn[0].X, drawn[3].X)
    assert drawn[0].seed == drawn[3].seed
    assert len({one.seed for one in drawn}) == 3
    assert redrawn(redraw, data, 4, 0).seed != drawn[0].seed
    np.testing.assert_array_equal(drawn[0].rows, [row for row in range(40) for _ in range(drawn[0].times[row])])


def test_every_kind_is_tested_here():
    assert {redraw.kind for redraw in REDRAWS} == {kind.name for kind in KINDS}


def test_a_bootstrap_sample_has_as_many_rows_and_leaves_some_out():
    many = np.stack([bootstrap(500, seed) for seed in range(40)])
    assert (many.sum(axis=1) == 500).all()
    left_out = (many == 0).mean()
    assert abs(left_out - (1 - 1 / 500) ** 500) < 4 * np.sqrt(0.25 / many.size)  # more than four deviations off


def test_a_subsample_has_its_share_of_the_rows_and_none_twice():
    for share, n in ((0.5, 20), (0.26, 10), (0.01, 1)):
        times = subsample(40, share, 7)
        assert times.max() == 1
        assert times.sum() == n


def test_folds_are_left_out_one_after_the_other_and_then_dealt_anew():
    y = np.array([0, 1] * 20)
    rounds = [np.stack([without_fold(y, 4, 5, number) for number in range(4 * r, 4 * r + 4)]) for r in (0, 1)]
    for times in rounds:
        np.testing.assert_array_equal((1 - times).sum(axis=0), 1)  # each row is left out once in a round
        np.testing.assert_array_equal((1 - times)[:, y == 0].sum(axis=1), 5)  # with its share of either class
    assert (rounds[0] != rounds[1]).any()


def test_no_row_is_left_out_twice_before_nearly_all_have_been():
    out = np.stack([1 - leave_out(10, 3, 0, number) for number in range(6)])
    np.testing.assert_array_equal(out.sum(axis=1), 3)
    assert out[:3].sum(axis=0).max() == out[3:].sum(axis=0).max() == 1
    jackknife = np.stack([1 - leave_out(10, 1, 0, number) for number in range(10)])
    np.testing.assert_array_equal(jackknife.sum(axis=0), 1)


def test_noise_is_a_share_of_the_span_and_keeps_what_is_missing():
    X = np.full((20_000, 1), NAN)
    X[1:, 0] = np.linspace(-3, 5, 19_999)
    off = (disturbed(X, np.array([False]), 0.1, 0) - X)[:, 0]
    assert np.isnan(off[0])
    known = off[1:]
    assert abs(known.std() - 0.8) < 4 * 0.8 / np.sqrt(2 * len(known))
    assert abs(known.mean()) < 4 * 0.8 / np.sqrt(len(known))


def test_whole_numbers_step_to_the_next_value_that_there_is_and_categories_to_any_other():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.choice([0.0, 1.0, 7.0], 9_000), rng.choice([0.0, 2.0, 5.0], 9_000)])
    noisy = disturbed(X, np.array([False, True]), 0.3, 2)
    assert {(a, b) for a, b in zip(X[:, 0], noisy[:, 0], strict=True) if a != b} == {
        (0, 1),
        (1, 0),
        (1, 7),
        (7, 1),
    }
    pairs = {(a, b) for a, b in zip(X[:, 1], noisy[:, 1], strict=True) if a != b}
    assert pairs == {(a, b) for a in (0, 2, 5) for b in (0, 2, 5) if a != b}
    chance = (X[:, 1] != noisy[:, 1]).mean()
    assert abs(chance - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 9_000)


def test_without_noise_all_stays_as_it_is():
    data = table()
    np.testing.assert_array_equal(redrawn(Redraw("noise", 0), data, 0, 0).X, data.X)


@pytest.mark.parametrize(
    ("redraw", "words"),
    [
        (Redraw("jackknife"), "there is no redraw 'jackknife'; there are bootstrap"),
        (Redraw("subsample", 0), "“Share of the rows” is 0; with 40 rows it must be between 0.05"),
        (Redraw("folds", 41), "“Folds” is 41; with 40 rows it must be between 2 and 40"),
        (Redraw("folds", 2.5), "“Folds” is 2.5; it must be a whole number"),
        (Redraw("leave_out", 40), "“Rows left out” is 40; with 40 rows it must be between 1 and 39"),
        (Redraw("noise", np.nan), "“Share of each column's span” is nan"),
    ],
)
def test_what_cannot_be_drawn_is_named(redraw, words):
    with pytest.raises(ValueError, match=words):
        check_redraw(redraw, 40)


def test_the_defaults_can_be_drawn_and_so_can_the_largest():
    for kind in KINDS:
        check_redraw(Redraw(kind.name, kind.default), 1000)
        check_redraw(Redraw(kind.name, largest(kind, 30)), 30)
