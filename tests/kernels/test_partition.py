"""Parting a node's samples by the codes of a column, as by its values."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.kernels.cart.columns import make_columns
from espalier.kernels.cart.grow import NODE
from espalier.kernels.partition import part_levels, part_rows


def node(start, stop, threshold, missing_left):
    here = np.zeros(1, NODE)
    here["start"], here["stop"], here["threshold"], here["missing_left"] = start, stop, threshold, missing_left
    return here.view(np.recarray)[0]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([-3.0, -1.0, 0.0, 2.0, 2.5, 7.0, np.nan]), min_size=2, max_size=60),
    st.sampled_from([-4.0, -3.0, -0.5, 2.0, 2.2, 7.0, np.inf]),
    st.booleans(),
)
def test_codes_part_samples_as_values_do(values, threshold, missing_left):
    x = np.array(values)
    columns = make_columns(x[None], np.zeros(1, bool))
    entries = (np.random.default_rng(len(x)).permutation(len(x)) << 1).astype(np.uint32)
    here = node(1, len(x), threshold, missing_left)
    by_values, by_codes = ((np.zeros_like(entries), np.zeros(len(x), bool)) for _ in range(2))
    expected = part_rows(entries, by_values[0], x, here, by_values[1])
    codes, levels = columns.codes[:, 0], columns.levels[0]
    assert part_levels(entries, by_codes[0], codes, levels, here, by_codes[1]) == expected
    assert by_codes[0].tolist() == by_values[0].tolist()
    assert by_codes[1].tolist() == by_values[1].tolist()
