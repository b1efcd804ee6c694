"""What trees as good rely on when the samples are drawn anew."""

import numpy as np
import pytest

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good.redrawn import RedrawnReliance, SampleDraws, redrawn_reliance
from espalier.learners.optimal.as_good.reliance import reliance
from espalier.learners.optimal.as_good.without import trees_without
from espalier.progress import Progress

SOURCE = np.random.default_rng(3)
X = SOURCE.integers(0, 4, (60, 3)).astype(float)
Y = (X[:, 1] + SOURCE.normal(0, 0.7, 60) > 1.5).astype(int)  # feature 1 matters, the others are noise
MODEL = OptimalClassifier(max_depth=2)
TRAINING = MODEL.prepare(X, Y)


def test_each_draw_is_a_table_of_its_own_whose_ranges_are_joined():
    found = redrawn_reliance(MODEL, TRAINING, slack=1, draws=SampleDraws(n=4, seed=7))
    source, every = np.random.default_rng(7), []
    for _ in range(4):
        rows = np.repeat(np.arange(60), np.bincount(source.integers(0, 60, 60), minlength=60))
        model = OptimalClassifier(max_depth=2).fit(X[rows], Y[rows])
        trees = trees_as_good(model, model.prepare(X[rows], Y[rows]), slack=1)
        asked = reliance(trees, 3, 100)
        every.append((asked.least, asked.most, np.array(trees_without(trees, 3)) == 0))
    least, most, needed = (np.array(part) for part in zip(*every, strict=True))
    assert found.least == pytest.approx(least.min(axis=0))
    assert found.most == pytest.approx(most.max(axis=0))
    assert found.n_needed.tolist() == needed.sum(axis=0).tolist()
    assert (found.n_counted, found.n_drawn) == (4, 4)


def test_a_column_that_decides_is_needed_in_every_draw_and_noise_in_few():
    found = redrawn_reliance(MODEL, TRAINING, draws=SampleDraws(n=8))
    assert found.n_needed[1] == 8
    assert found.least[1] > 0
    assert max(found.n_needed[0], found.n_needed[2]) < 8


def test_what_belongs_together_is_drawn_together():
    """Two groups, each of one class: a draw of one group twice has one class, and needs no column."""
    groups = np.repeat([0, 1], 30)
    training = MODEL.prepare(np.repeat([[0.0], [1.0]], 30, axis=0), groups)
    found = redrawn_reliance(MODEL, training, draws=SampleDraws(n=12, together=groups))
    assert 0 < found.n_needed[0] < 12


def test_without_time_no_draw_is_counted_and_all_are_said_to_be_left_out():
    found = redrawn_reliance(OptimalClassifier(max_depth=3), TRAINING, draws=SampleDraws(n=2, seconds=0.0))
    assert (found.n_counted, found.n_drawn) == (0, 2)
    assert found.n_needed.tolist() == [0, 0, 0]


def test_once_stopped_the_draws_so_far_are_there():
    progress = Progress()
    progress.stop()
    found = redrawn_reliance(MODEL, TRAINING, draws=SampleDraws(n=5), progress=progress)
    assert isinstance(found, RedrawnReliance)
    assert found.n_drawn == 0
