"""The best tree that keeps to directions the obvious way: all labels of all trees are looked at."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from espalier.data.binarise import Questions, answers
from tests.tools.naive.optimal import TIE, Case, Found, grid_of


class Table(NamedTuple):
    """Rows and places that questions part, and how large a tree may be."""

    rows: np.ndarray  # (n_samples, n_questions) bool
    places: np.ndarray  # (n_places, n_questions) bool: a place in every cell of the product of all columns
    loss: np.ndarray  # (n_samples, 2): what a sample costs in a leaf of this class
    weight: np.ndarray  # (n_samples,)
    lightest: float  # least weight of a leaf


def least(questions: Questions, case: Case, directions, size, leaf_share=0.0) -> Found:
    """The least objective, and the fewest splits that reach it; `size` is the most levels and the most splits."""
    grid = grid_of(questions)
    loss = case.weight[:, None] * case.cost[case.y]
    lightest = leaf_share * case.weight.sum() - TIE
    table = Table(answers(questions, case.X), answers(questions, grid), loss, case.weight, lightest)
    order = steps(grid, directions)
    max_depth, max_splits = size
    everywhere = np.ones(len(case.X), bool), np.ones(len(grid), bool)
    kept = [
        found
        for labels, found in _functions(table, everywhere, max_depth).items()
        if found.n_splits <= max_splits and all(labels[low] <= labels[high] for low, high in order)
    ]
    objective = min(found.objective for found in kept)
    return Found(objective, min(found.n_splits for found in kept if found.objective <= objective + TIE))


def steps(grid, directions):
    """Pairs of places that differ in one directed column alone, the lower one first."""
    pairs = product(range(len(grid)), repeat=2)
    return [(a, b) for a, b in pairs if _is_step(grid[a], grid[b], directions)]


def _is_step(low, high, directions):
    differ = [column for column in range(len(low)) if not _same(low[column], high[column])]
    if len(differ) != 1 or np.isnan([low[differ[0]], high[differ[0]]]).any():
        return False
    lower, upper, direction = low[differ[0]], high[differ[0]], directions[differ[0]]
    return bool((direction > 0 and lower < upper) or (direction < 0 and lower > upper))


def _same(one, other):
    return one == other or bool(np.isnan(one) and np.isnan(other))


def _functions(table, part, depth) -> dict[bytes, Found]:
    """The labels that trees give to all places, 0 outside the part, each with its objective and fewest splits."""
    rows, places = part
    loss = table.loss[rows].sum(axis=0).tolist()
    found = {(label * places).astype(np.uint8).tobytes(): Found(loss[label], 0) for label in (0, 1)}
    for question in range(table.rows.shape[1] if depth else 0):
        yes, there = table.rows[:, question], table.places[:, question]
        sides = (rows & yes, places & there), (rows & ~yes, places & ~there)
        if any(not side.any() or table.weight[side].sum() < table.lightest for side, _ in sides):
            continue
        first, second = (_functions(table, side, depth - 1) for side in sides)
        for (f, a), (g, b) in product(first.items(), second.items()):
            labels = bytes(x | y for x, y in zip(f, g, strict=True))
            new = Found(a.objective + b.objective, a.n_splits + b.n_splits + 1)
            if labels not in found or new < found[labels]:
                found[labels] = new
    return found
