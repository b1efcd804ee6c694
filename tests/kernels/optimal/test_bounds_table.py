"""What is remembered of sets of rows, against a dictionary."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from espalier.kernels.optimal.branch_and_bound import (
    BUCKET,
    LEAF_BEST,
    PAIR_BEST,
    UNKNOWN,
    BoundsTable,
    SetBounds,
    SetKey,
    recall,
    remember,
)

NOTHING = (0, UNKNOWN, LEAF_BEST)
whole = st.integers(-(2**63), 2**63 - 1)
random_keys = st.builds(SetKey, whole, whole).filter(any)  # no set of rows has the names 0 and 0
crowded = st.builds(SetKey, st.integers(1, 40), st.integers(-3, 3))  # keys that come back, and share buckets
lows = st.sampled_from([0, 1, UNKNOWN - 1]) | st.integers(0, UNKNOWN)
values = st.sampled_from([0, 1, UNKNOWN]) | st.integers(0, UNKNOWN)
questions = st.sampled_from([LEAF_BEST, PAIR_BEST, 0, 65_000]) | st.integers(0, 65_000)
bounds = st.builds(SetBounds, lows, values, questions)
entries = st.tuples(random_keys | crowded, bounds, st.integers(0, 10))


def make_memory(used, most=None):
    """An empty table that uses so many entries and may grow."""
    most = most or used
    return BoundsTable(np.zeros(4 * most, np.int64), np.array([used - 1, 0, most - 1]))


def told(memory, key):
    return tuple(int(number) for number in recall(memory, *key))


def random_numbers(seed, n):
    return [
        SetKey(int(a), int(b)) for a, b in np.random.default_rng(seed).integers(-(2**63), 2**63, (n, 2), np.int64)
    ]


def said(number):
    """SetBounds that tell this number from others."""
    return SetBounds(number, 2 * number + 1, number % 1000)


def better(before, bounds):
    return max(before[0], bounds[0]), *(before if before[1] < bounds[1] else bounds)[1:]


@given(entry=entries, most=st.sampled_from([4, 8, 64]))
def test_what_is_remembered_is_recalled(entry, most):
    key, bounds, depth = entry
    memory = make_memory(BUCKET, most)
    assert told(memory, key) == NOTHING
    remember(memory, key, bounds, depth)
    assert told(memory, key) == bounds
    assert memory.state[1] == 1


@given(steps=st.lists(entries, max_size=120), used=st.sampled_from([4, 8, 32]), most=st.sampled_from([32, 256]))
def test_a_key_recalls_the_best_that_was_said_of_it_or_nothing(steps, used, most):
    memory, last = make_memory(used, most), {}
    for key, bounds, depth in steps:
        before = told(memory, key)
        remember(memory, key, bounds, depth)
        last[key] = bounds if before == NOTHING else better(before, bounds)
        assert told(memory, key) == last[key]
    for key, bounds in last.items():
        assert told(memory, key) in (bounds, NOTHING)
    known = [key for key in last if told(memory, key) != NOTHING or last[key] == NOTHING]
    assert memory.state[1] <= min(len(known), memory.state[0] + 1)


def test_a_full_table_never_lies():
    memory, keys = make_memory(64), random_numbers(0, 3000)
    for number, key in enumerate(keys):
        remember(memory, key, said(number), number % 7)
        assert told(memory, key) == said(number)
    known = [number for number, key in enumerate(keys) if told(memory, key) != NOTHING]
    assert len(known) == memory.state[1] == 64
    assert all(told(memory, keys[number]) == said(number) for number in known)
    assert all(told(memory, key) == NOTHING for key in random_numbers(1, 3000))


def test_one_half_of_a_key_is_not_the_key():
    memory, keys = make_memory(256), random_numbers(2, 20)
    for number, key in enumerate(keys):
        remember(memory, key, said(number), 3)
    for (first, second), (other, another) in pairwise(keys):
        assert told(memory, (first, second)) != NOTHING
        assert told(memory, (first, another)) == told(memory, (other, second)) == NOTHING
        assert told(memory, (first ^ 1 << 40, second)) == told(memory, (first, second ^ 1)) == NOTHING


def test_doubling_loses_nothing():
    memory, kept = make_memory(16, 1024), {}
    for number, key in enumerate(random_numbers(3, 500)):
        before, size = {k for k in kept if told(memory, k) != NOTHING}, int(memory.state[0])
        here = [k for k in before if (k[0] ^ key[0]) & size & -BUCKET == 0]
        remember(memory, key, said(number), 3)
        kept[key] = said(number)
        lost = [k for k in before if told(memory, k) != kept[k]]
        assert len(lost) == (len(here) == BUCKET)  # only where its bucket was full
        assert set(lost) <= set(here)
    assert memory.state[0] == 1023


def test_the_table_doubles_when_it_is_half_full_up_to_its_room():
    memory = make_memory(8, 32)
    sizes = []
    for number in range(40):  # one after the other into all buckets
        remember(memory, SetKey(number * BUCKET + 1, number), said(number), 3)
        sizes.append(int(memory.state[0]) + 1)
    assert sizes[:3] == [8, 8, 8]
    assert sorted(set(sizes)) == [8, 16, 32]
    assert memory.state[1] == 32
    assert len(memory.table) == 4 * 32


@pytest.mark.parametrize("n", range(2, BUCKET + 1))
def test_keys_share_a_bucket(n):
    memory = make_memory(64)
    keys = [SetKey(5 + (number << 20), -number) for number in range(n)]
    for number, key in enumerate(keys):
        remember(memory, key, said(number), 3)
    assert [told(memory, key) for key in keys] == [said(number) for number in range(n)]
    remember(memory, keys[-1], SetBounds(n, 0, 7), 9)
    assert [told(memory, key) for key in keys] == [*(said(number) for number in range(n - 1)), (n, 0, 7)]
    assert memory.state[1] == n


def test_what_is_known_better_stays():
    memory, key = make_memory(64), SetKey(5, 6)
    remember(memory, key, SetBounds(10, 30, 1), 3)
    remember(memory, key, SetBounds(5, 40, 2), 3)
    assert told(memory, key) == (10, 30, 1)
    remember(memory, key, SetBounds(20, 30, 3), 3)
    assert told(memory, key)[:2] == (20, 30)
    remember(memory, key, SetBounds(0, 25, 4), 3)
    assert told(memory, key) == (20, 25, 4)


@pytest.mark.parametrize("least", range(BUCKET))
def test_where_a_bucket_is_full_the_least_work_is_forgotten(least):
    memory = make_memory(64)
    keys = [SetKey(5 + (number << 20), number) for number in range(BUCKET + 1)]
    for number, key in enumerate(keys[:-1]):
        remember(memory, key, said(number), 2 if number == least else 5)
    remember(memory, keys[-1], said(9), 1)
    assert told(memory, keys[-1]) == said(9)
    assert [told(memory, key) == NOTHING for key in keys[:-1]] == [number == least for number in range(BUCKET)]
    assert memory.state[1] == BUCKET


def test_a_half_written_entry_is_the_entry_of_no_key():
    keys = [SetKey(5, 11), SetKey(5 + (1 << 33), 12)]
    tables = []
    for number, key in enumerate(keys):
        memory = make_memory(BUCKET)
        remember(memory, key, said(number + 1), 3)
        tables.append(memory.table.copy())
    for mixture in product((0, 1), repeat=4):
        memory = make_memory(BUCKET)
        memory.table[:] = 0
        for place in np.flatnonzero(tables[0] | tables[1]):
            memory.table[place] = tables[mixture[place % 4]][place]
        for number, key in enumerate(keys):
            whole_entry = mixture == (number,) * 4
            assert told(memory, key) == (said(number + 1) if whole_entry else NOTHING)
