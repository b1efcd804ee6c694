"""Tables without fault are left alone: those that come with the app, and simulations of any seed."""

import pytest

from espalier.analysis.data.check import TOTAL, check_table
from espalier.data import HeldOut, held_out, samples
from espalier.data.samples import redrawn
from espalier.data.samples.redrawn import SIMULATIONS, Redrawing
from espalier.progress import Progress
from tests.analysis.data.planted import noise, table


@pytest.mark.few(2)
@pytest.mark.parametrize("holdout", [HeldOut(30, 0), HeldOut(0), HeldOut(20, 1), HeldOut(30, 7), HeldOut(50, 3)])
def test_nothing_is_said_of_the_bundled_samples_whichever_rows_are_held_out(holdout):
    for name in samples.names():
        data = samples.load(name)
        assert check_table(data, held_out(data, holdout)) == [], name


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_is_said_of_simulations_drawn_anew(seed):
    for name in SIMULATIONS:
        assert check_table(redrawn.redrawn(Redrawing(name, seed=seed, rows=400))) == [], name


def test_a_look_that_is_stopped_returns_what_it_has():
    one = noise()
    data = table(one.X, one.X[:, 0] > 0, ("low", "high"))
    progress = Progress()
    assert len(check_table(data, progress=progress)) > 0
    assert progress.done == TOTAL
    assert check_table(data, progress=Progress(is_stopped=True)) == []
