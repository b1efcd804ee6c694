"""Small problems of optimal trees as tables of booleans, and packed levels read back as such."""

from __future__ import annotations

from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from espalier.kernels.optimal.bitset import WORD, Problem, SearchLevel
from espalier.learners.optimal.problem import (
    Costs,
    DistinctQuestions,
    MergedRows,
    Planes,
    distinct_columns,
    lay_planes,
    make_problem,
    merge_rows,
    packed_rows,
    whole_costs,
)

WEIGHTS = {"one": (1,), "whole": (1, 2, 3, 11), "fractions": (0.25, 0.5, 1.75), "far": (1e-3, 1, 1e4), "any": ()}
DEPTHS = 4  # rooms of a level


class Sample(NamedTuple):
    """What a problem is made of."""

    given: np.ndarray  # (n_samples, n_questions) bool
    label: np.ndarray  # (n_samples,)
    weight: np.ndarray  # (n_samples,)
    cost: np.ndarray  # (n_classes, n_classes), [true, predicted]


class Table(NamedTuple):
    """A problem at every step on its way to the kernels."""

    sample: Sample
    columns: DistinctQuestions
    costs: Costs
    rows: MergedRows
    planes: Planes
    problem: Problem
    level: SearchLevel  # the root's rows at depth 0


class Unit(NamedTuple):
    """Where a bit stands, and what it is."""

    plane: int
    name: tuple[int, int]
    answers: tuple[bool, ...]


def random_sample(seed, *, weights="one", costs=False, columns=(1, 40), samples=(1, 300)) -> Sample:
    """Up to four classes; questions that few or many answer yes, some repeated, opposite, or of one answer."""
    rng = np.random.default_rng((seed, len(weights), costs, *columns))
    n, m = rng.integers(*samples, endpoint=True), rng.integers(*columns, endpoint=True)
    given = rng.random((n, m)) < rng.choice([0.03, 0.2, 0.5, 0.9, 1.0], m, p=[0.2, 0.3, 0.3, 0.15, 0.05])
    again = rng.integers(0, m, m)
    repeats = np.flatnonzero(rng.random(m) < 0.15)
    given[:, repeats] = given[:, again[repeats]] ^ (rng.random(len(repeats)) < 0.5)
    k = int(rng.integers(2, 5))
    weight = rng.choice(np.array(WEIGHTS[weights], float), n) if WEIGHTS[weights] else rng.random(n)
    cost = rng.integers(0, 6, (k, k)) if costs else np.ones((k, k))
    cost = np.where(np.eye(k, dtype=bool), 0.0, cost)
    cost[0, 1] = max(cost[0, 1], 1)
    return Sample(given, rng.integers(0, k, n), weight, cost)


def make_table(sample: Sample, max_depth=4) -> Table:
    columns = distinct_columns(sample.given)
    costs = whole_costs(sample.weight, sample.cost)
    rows = merge_rows(columns.bits, sample.label, costs)
    planes = lay_planes(rows)
    problem = make_problem(planes, max_depth, True)
    return Table(sample, columns, costs, rows, planes, problem, packed_rows(planes, rows, DEPTHS))


def units_of(level: SearchLevel, k: int) -> list[Unit]:
    """The units of the node at depth k, plane by plane, in order of their places."""
    n, stride = level.shape[k].tolist()
    start = level.start[k].tolist()
    words = level.words[k].view(np.uint32)[: start[-1] * stride].reshape(-1, stride)
    bits = np.unpackbits(words.T.copy().view(np.uint8), axis=1, bitorder="little").astype(bool)
    found = []
    for plane, (first, end) in enumerate(pairwise(start)):
        for place in range(first * WORD, end * WORD):
            if bits[n, place]:
                name = level.name[k, 0, place], level.name[k, 1, place]
                found.append(Unit(plane, (int(name[0]), int(name[1])), tuple(bits[:n, place].tolist())))
    return found


def grid_of(level: SearchLevel, k: int) -> np.ndarray:
    """(n_places, stride) bool: all bits of the node at depth k, whether units or not."""
    stride, end = int(level.shape[k, 1]), int(level.start[k, -1])
    words = level.words[k].view(np.uint32)[: end * stride].reshape(-1, stride)
    return np.unpackbits(words.T.copy().view(np.uint8), axis=1, bitorder="little").astype(bool).T


def combined(units) -> tuple[int, int]:
    """The xor of the units' names."""
    names = [0, 0]
    for unit in units:
        names = [names[0] ^ unit.name[0], names[1] ^ unit.name[1]]
    return names[0], names[1]


def inside(table: Table, path) -> np.ndarray:
    """(n_groups,) bool: the groups that give these answers, (column, 0 or 1) after each other."""
    here = np.ones(len(table.rows.bits), dtype=bool)
    for column, side in path:
        here &= table.rows.bits[:, column] == bool(side)
    return here


def leaf_cost(rows: MergedRows, here) -> int:
    """What the best leaf for these groups costs, above what cannot be avoided."""
    return int(rows.worth[here].sum() - rows.earned[here].sum(axis=0).max())


def least_keys(rows: MergedRows, here, asked) -> list[int]:
    """The least ``cost * 4 + splits`` of all trees of depth two with at most 0 to 3 splits over these columns."""
    keys = [4 * leaf_cost(rows, here)] * 4
    for root in asked:
        sides = here & rows.bits[:, root], here & ~rows.bits[:, root]
        for left, right in product(*(_stumps(rows, side, asked) for side in sides)):
            splits = 1 + left[1] + right[1]
            keys[splits] = min(keys[splits], 4 * (left[0] + right[0]) + splits)
    return np.minimum.accumulate(keys).tolist()


def _stumps(rows, here, asked) -> list[tuple[int, int]]:
    """(cost, number of splits) of the leaf and of every tree with one split."""
    bits = rows.bits
    split = [leaf_cost(rows, here & bits[:, i]) + leaf_cost(rows, here & ~bits[:, i]) for i in asked]
    return [(leaf_cost(rows, here), 0), *((cost, 1) for cost in split)]
