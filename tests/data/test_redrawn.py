"""Simulated samples drawn anew: what a text names, and what noise, turning and stretching do to the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.samples.redrawn import SIMULATIONS, STRETCH, Redrawing, redraw_of, redrawn
from espalier.learners import CartClassifier
from tests.tools.cases import case

PLANES = [name for name, one in SIMULATIONS.items() if one.has_plane]


@pytest.mark.parametrize("name", SIMULATIONS)
def test_the_points_of_the_bundled_sample_are_drawn_by_the_same_rule(name):
    again, bundled = redrawn(Redrawing(name, rows=SIMULATIONS[name].rows)), samples.load(name)
    np.testing.assert_allclose(again.X, bundled.X)
    np.testing.assert_allclose(again.y, bundled.y)
    assert redrawn(Redrawing(name)) is bundled


@pytest.mark.parametrize("name", SIMULATIONS)
def test_another_seed_draws_other_rows_of_the_same_columns(name):
    first, second = redrawn(Redrawing(name, seed=1)), redrawn(Redrawing(name, seed=2))
    assert first.X.shape == second.X.shape
    assert not np.allclose(first.X, second.X)
    assert [f.name for f in first.features] == [f.name for f in samples.load(name).features]
    assert redrawn(Redrawing(name, seed=1)).digest == first.digest


@pytest.mark.parametrize("name", PLANES)
def test_turning_keeps_distances_and_classes(name):
    usual, turned = samples.load(name), redrawn(Redrawing(name, turn=30))
    np.testing.assert_allclose(np.linalg.norm(turned.X, axis=1), np.linalg.norm(usual.X, axis=1), atol=1e-3)
    np.testing.assert_array_equal(turned.y, usual.y)
    quarter = redrawn(Redrawing(name, turn=90))
    np.testing.assert_allclose(quarter.X, np.column_stack([-usual.X[:, 1], usual.X[:, 0]]), atol=1e-3)


@pytest.mark.parametrize("name", PLANES)
def test_stretching_an_axis_changes_no_answer_of_a_tree_and_turning_does(name):
    usual = samples.load(name)
    answers = [
        CartClassifier(max_depth=4).fit(data.X, data.y).predict(data.X)
        for data in (usual, redrawn(Redrawing(name, stretch=100.0)), redrawn(Redrawing(name, turn=25)))
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    assert (answers[0] != answers[2]).any()


def test_more_noise_flips_those_of_less_noise_too():
    usual, little, much = (redrawn(Redrawing("xor", noise=noise)).y for noise in (None, 0.1, 0.3))
    flipped = little != usual
    assert 0.05 < flipped.mean() < 0.15
    assert (much != usual)[flipped].all()


def test_more_overlap_brings_the_middles_of_the_classes_together():
    middles = []
    for overlap in (0.0, 0.5, 0.9):
        data = redrawn(Redrawing("two-gaussians", overlap=overlap))
        middles.append(np.linalg.norm(data.X[data.y == 0].mean(axis=0) - data.X[data.y == 1].mean(axis=0)))
    assert middles[0] > middles[1] > middles[2]


@given(
    st.sampled_from(PLANES),
    st.integers(20, 2000),
    st.integers(0, 90),
    st.sampled_from(STRETCH),
    st.integers(0, 999),
)
def test_a_text_is_read_as_it_was_written(name, rows, turn, stretch, seed):
    how = Redrawing(name, rows=rows, turn=float(turn), stretch=stretch, seed=seed)
    assert redraw_of(how.text) == how


def test_a_text_that_names_no_redrawing_is_none():
    for text in [
        "iris",
        "",
        "moons~",
        "moons~z3",
        "moons~n9",
        "sine~t45",
        "xor~o0.5",
        "moons~r99999999",
        "moons~s3",
        "moons~nnan",
    ]:
        with case(text):
            assert redraw_of(text) is None
