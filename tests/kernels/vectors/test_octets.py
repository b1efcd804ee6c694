"""Steps on bytes say, without the compiler, what their names say; compiled, trees show that they say the same."""

import numpy as np

from espalier.kernels.vectors.octets import (
    add_at_most,
    bytes_of,
    count_at_most,
    count_up_to,
    first_at_least,
    larger,
    largest,
    load_bytes,
    none_counted,
    or_all,
    plus_bytes,
    store_bytes,
    weigh_at_most,
    where_larger,
    within,
)


def test_steps_on_the_bytes_of_a_word():
    word, limits = (np.array(x, np.uint8).view(np.int64)[0] for x in ([0, 1, 2, 3, 4, 5, 6, 255], [3] * 8))
    below = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    assert bytes_of(count_at_most(word, word, limits)).tolist() == (bytes_of(word) + below).tolist()
    assert bytes_of(weigh_at_most(word, 3, word, limits)).tolist() == (bytes_of(word) + 3 * below).tolist()
    assert add_at_most(np.arange(8.0), 0.5, word, limits).tolist() == (np.arange(8) + below / 2).tolist()
    assert plus_bytes(np.full(8, 0.5), word).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 255.5]
    assert larger(np.array([1.0, np.nan]), np.array([2.0, 3.0])).tolist() == [2, 3]
    assert np.isnan(within(np.arange(8.0), 2, 6)).tolist() == [True, True, False, False, False, False, False, True]


def test_the_largest_of_eight_and_the_first_that_is_large_enough():
    reals = np.array([1.0, -np.inf, 4.0, 2.0, 4.0, 0.0, 3.0, 1.0])
    assert largest(reals) == 4
    assert [first_at_least(reals, limit) for limit in (1.0, 2.0, 4.0, 5.0)] == [0, 2, 2, 8]
    assert where_larger(reals, np.ones(8), reals, np.zeros(8)).tolist() == [0, 0, 4, 2, 4, 0, 3, 0]


def test_steps_on_64_bytes():
    array = np.arange(70, dtype=np.uint8)
    lanes = load_bytes(array, 3)
    assert lanes.tolist() == list(range(3, 67))
    assert count_up_to(none_counted(), lanes, 5).tolist() == [1, 1, 1] + [0] * 61
    assert or_all(lanes, 255).tolist() == [255] * 64
    store_bytes(array, 0, or_all(lanes, 128))
    assert array[:2].tolist() == [131, 132]
