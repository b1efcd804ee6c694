"""Weights of rows: a role of a column, checked where it is given."""

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier.data import RowWeights, make_dataset, samples
from espalier.data.columns.convert import TargetPlan, to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.errors import TableError
from espalier.data.roles import effective_size

IRIS = samples.load("iris")


def weighed(values, name="w") -> Any:
    return make_dataset(
        IRIS.name, IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights(name, np.asarray(values))
    )


def table(weights, sold=("no", "yes", "no", "yes")) -> Any:
    frame = pd.DataFrame({"price": [1.0, 2.0, 3.0, 4.0], "w": weights, "sold": list(sold)})
    return to_dataset(frame, guess_kinds(frame), TargetPlan("sold", weight="w"), "t")


def test_weights_are_part_of_the_digest_and_survive_copies_and_data_without_have_none():
    one, other = weighed(np.ones(150)), weighed(np.full(150, 2.0))
    assert len({IRIS.digest, one.digest, other.digest, weighed(np.ones(150), "v").digest}) == 4
    again = pickle.loads(pickle.dumps(one))
    assert again.digest == one.digest
    assert np.array_equal(again.weights, one.weights)
    assert copy.deepcopy(one).row_weights.name == "w"
    assert not again.weights.flags.writeable
    assert IRIS.weights is None
    assert IRIS.weights_of(np.arange(3)) is None


@pytest.mark.parametrize(("values", "said"), [
    ([1, -1, 1], "negative in 1 of 3 rows, first in row 2"),
    ([1, 1, np.nan], "missing in 1 of 3 rows, first in row 3"),
    ([np.inf, 1, 1], "infinite in 1 of 3 rows, first in row 1"), ([0, 0, 0], "is 0 in every row"),
    ([1e200, 1, 1], "sums to 1e\\+200"), ([1, 1], "there are 2 weights 'w', but 3 targets"),
])  # fmt: skip
def test_weights_that_cannot_be_are_refused_with_their_row(values, said):
    with pytest.raises(ValueError, match=said):
        make_dataset(
            "t", IRIS.X[:3], IRIS.features, IRIS.y[:3], IRIS.target, RowWeights("w", np.array(values, float))
        )


def test_a_column_in_the_role_of_the_weight_is_no_feature():
    data, _ = table([1.0, 2.0, 0.5, 3.0])
    assert [feature.name for feature in data.features] == ["price"]
    assert data.row_weights.name == "w"
    assert data.weights.tolist() == [1, 2, 0.5, 3]


def test_rows_of_weight_0_are_left_out_with_a_note_and_those_without_a_target_need_none():
    data, notes = table([1.0, 0.0, 2.0, 1.0])
    assert data.weights.tolist() == [1, 2, 1]
    assert data.X[:, 0].tolist() == [1, 3, 4]
    assert "1 row left out: the weight “w” is 0." in notes
    data, _ = table([1.0, None, 2.0, 1.0], sold=("no", None, "yes", "yes"))
    assert data.weights.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0, -2.0, 1.0, -5.0], "negative in 2 rows. First in row 2, with -2"),
        ([1.0, 1.0, None, 1.0], "missing in 1 row. First in row 3. Write a number"),
        ([0.0, 0.0, 0.0, 0.0], "is 0 in every row"),
        (["1", "many", "2", "3"], "holds words. It is “many” in row 2"),
    ],
)
def test_a_bad_weight_is_told_with_its_row_counted_from_1(weights, said):
    with pytest.raises(TableError) as error:
        table(weights)
    assert said in str(error.value)


def test_the_target_cannot_be_the_weight_too():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    for plan, said in (
        (TargetPlan("b", weight="b"), "cannot be target and weight"),
        (TargetPlan("b", weight="c"), "no column"),
    ):
        with pytest.raises(TableError, match=said):
            to_dataset(frame, guess_kinds(frame), plan, "t")


def test_equal_weights_are_worth_their_number():
    assert effective_size(np.full(7, 3.0)) == 7
    assert effective_size(np.array([1e200, 1e200])) == 2  # no square overflows
    assert effective_size(np.zeros(0)) == 0
