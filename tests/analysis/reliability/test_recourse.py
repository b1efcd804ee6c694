"""The region of recourse: it says what the model says, and ends where the person's permission ends."""

import numpy as np

from espalier.analysis.reliability.changeable import FREE, Allowed
from espalier.analysis.reliability.explanation import story
from espalier.analysis.reliability.recourse import recourse_plane
from espalier.data import samples
from espalier.learners import CartClassifier, CartRegressor

IRIS = samples.load("iris")
MODEL = CartClassifier(max_depth=3).fit(IRIS.X, IRIS.y)
ROW = IRIS.X[70]


def plane(allowed=FREE):
    found = recourse_plane(MODEL, IRIS, story(MODEL, IRIS, ROW, allowed))
    assert found is not None
    return found


def cell_of(found, place):
    """Row and column of the cell that a place is in, which includes its upper ends, as leaves do."""
    return tuple(int(np.searchsorted(found.edges[axis], place[axis])) - 1 for axis in (1, 0))


def test_the_model_itself_says_so_in_the_middle_of_every_cell():
    found = plane()
    across, up = ((edges[1:] + edges[:-1]) / 2 for edges in found.edges)
    rng = np.random.default_rng(0)
    for row, column in rng.integers(0, [len(up), len(across)], (60, 2)):
        x = ROW.copy()
        x[found.features[0]], x[found.features[1]] = across[column], up[row]
        assert found.is_other[row, column] == (MODEL.predict(x[None, :])[0] != MODEL.predict(ROW[None, :])[0])


def test_the_row_is_where_the_answer_is_its_own_and_the_change_where_it_is_another():
    found = plane()
    assert not found.is_other[cell_of(found, found.now)]
    assert found.is_other[cell_of(found, found.then)]
    assert found.is_allowed[cell_of(found, found.then)]


def test_what_may_only_go_down_is_not_allowed_above_the_row():
    first = plane().features[0]
    found = plane(Allowed(down=(first,)))
    axis = found.features.index(first)
    shut = ~found.is_allowed.any(axis=axis)
    assert np.array_equal(shut, found.edges[axis][:-1] > ROW[first])


def test_what_stays_leaves_only_its_own_line():
    whole = plane()
    found = story(MODEL, IRIS, ROW)
    fixed = found._replace(allowed=Allowed(fixed=(whole.features[1],)))
    here = recourse_plane(MODEL, IRIS, fixed)
    assert here is not None
    assert here.is_allowed.any(axis=1).sum() <= 2


def test_there_is_no_plane_without_a_change_a_second_column_or_a_value():
    found = story(MODEL, IRIS, ROW)
    assert found.flip is not None
    assert recourse_plane(MODEL, IRIS, found._replace(flip=None)) is None
    alone = found._replace(singles=(), flip=found.flip._replace(changes=found.flip.changes[:1]))
    assert recourse_plane(MODEL, IRIS, alone) is None
    assert recourse_plane(MODEL, IRIS, found._replace(x=np.full(4, np.nan))) is None


def test_a_number_is_another_one_where_it_is_far_enough_away():
    data = samples.load("diabetes")
    model = CartRegressor(max_depth=3).fit(data.X, data.y)
    told = story(model, data, data.X[3])
    found = recourse_plane(model, data, told)
    assert found is not None
    assert np.array_equal(found.is_other, np.abs(found.answers[..., 0] - told.answer) >= told.least_move)


def test_the_plane_is_that_of_the_axes_if_the_change_lies_in_it_and_else_of_the_change():
    found = story(MODEL, IRIS, ROW)
    assert found.flip is not None
    moved = [change.feature for change in found.flip.changes]
    other = next(f for f in range(4) if f not in moved)
    assert len(moved) == 1
    inside = recourse_plane(MODEL, IRIS, found, (other, moved[0]))
    assert inside is not None
    assert inside.features == (other, moved[0])
    outside = recourse_plane(MODEL, IRIS, found, [f for f in range(4) if f not in moved][:2])
    assert outside is not None
    assert outside.features[0] == moved[0]
