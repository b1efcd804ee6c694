"""The way of many rows through a coded forest.

Rows are coded once for all trees. More of them, and of nodes of half the size, stay in a cache than in
`espalier.kernels.forest.packed`. Eight rows descend together, for a number of steps at first, whether they have
arrived or not; those that have not go on in further rounds, so that few wait for the longest way. Results are the
same, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.kernels import kernel
from espalier.kernels.forest.coded.nodes import CODE, FEATURE, NEXT, code_all
from espalier.kernels.forest.packed import EIGHT, block_rows

TOGETHER = 8192  # rows that are coded feature by feature
FIRST, LATER = 20, 6  # steps of a round


class EightRows(NamedTuple):
    """A number of each of eight rows that descend together."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int


class CodedTree(NamedTuple):
    """What is needed of a tree to begin with it."""

    root: int
    depth: int
    width: int  # codes of a row


class CodedRows(NamedTuple):
    """Rows that descend together; the last is none of them, but makes groups of eight complete."""

    codes: np.ndarray  # ((n + EIGHT + 1) * n_used,) uint16, row after row
    at: np.ndarray  # (n + EIGHT + 1,) uint32: node of each row
    active: np.ndarray  # (n + 2 * EIGHT,) uint32: rows that have not arrived


@kernel
def code_rows(coded, X, codes):
    """Write the codes of rows X (n, n_features) into codes, flat.

    Some rows at a time, which stay in the cache while one feature after the other is read.
    """
    columns, width = coded.columns, len(coded.of)
    values, own = np.empty(TOGETHER), np.empty(TOGETHER, np.uint16)
    for first in range(0, len(X), TOGETHER):
        n = min(TOGETHER, len(X) - first)
        for number in range(width):
            i, missing = coded.of[number], coded.missing[number]
            if number == 0 or i != coded.of[number - 1]:
                feature = columns.feature[i]
                for row in range(n):
                    values[row] = X[first + row, feature]
                code_all(values[:n], columns, i, own)
            for row in range(n):
                codes[(first + row) * width + number] = missing if np.isnan(values[row]) else own[row]


@kernel
def _step(words, codes, base, at):
    word = words[at]
    code = codes[base + ((word >> FEATURE) & CODE)]
    return np.uint32(np.uint32(word >> NEXT) + np.uint32(code > (word & CODE)))


@kernel
def _steps(words, codes, base, at, n):
    """Return the nodes after n steps of eight rows from the nodes `at`; their codes begin at `base`."""
    a, b, c, d, e, f, g, h = at.a, at.b, at.c, at.d, at.e, at.f, at.g, at.h
    for _ in range(n):
        a, b = _step(words, codes, base.a, a), _step(words, codes, base.b, b)
        c, d = _step(words, codes, base.c, c), _step(words, codes, base.d, d)
        e, f = _step(words, codes, base.e, e), _step(words, codes, base.f, f)
        g, h = _step(words, codes, base.g, g), _step(words, codes, base.h, h)
    return EightRows(a, b, c, d, e, f, g, h)


@kernel
def _round(words, rows, width, n, steps):
    """Move the first n active rows, a multiple of eight, by steps and one; return how many have not arrived."""
    active, at, codes = rows.active, rows.at, rows.codes
    still = 0
    for first in range(0, n, EIGHT):
        eight = active[first : first + EIGHT]
        r = EightRows(eight[0], eight[1], eight[2], eight[3], eight[4], eight[5], eight[6], eight[7])
        base = EightRows(
            np.uint64(r.a) * width, np.uint64(r.b) * width, np.uint64(r.c) * width, np.uint64(r.d) * width,
            np.uint64(r.e) * width, np.uint64(r.f) * width, np.uint64(r.g) * width, np.uint64(r.h) * width,
        )  # fmt: skip
        here = EightRows(at[r.a], at[r.b], at[r.c], at[r.d], at[r.e], at[r.f], at[r.g], at[r.h])
        before = _steps(words, codes, base, here, steps)
        after = _steps(words, codes, base, before, 1)
        for lane in range(EIGHT):
            at[r[lane]] = after[lane]
            active[still] = r[lane]
            still += after[lane] != before[lane]
    return still


@kernel
def _descend(words, rows, n, tree):
    """Write into rows.at the leaf of each of the first n rows; tree is a `CodedTree`."""
    for row in range(len(rows.at)):
        rows.at[row] = tree.root
    spare = np.uint32(len(rows.at) - 1)
    for row in range(n):
        rows.active[row] = row
    steps = min(tree.depth, FIRST)
    while n > 0:
        while n % EIGHT:
            rows.active[n] = spare
            n += 1
        n = _round(words, rows, tree.width, n, steps)
        steps = LATER


@kernel
def _add_votes(label, at, counts):
    for row in range(len(counts)):
        counts[row, label[at[row]]] += np.uint16(1)


@kernel
def _add_values(packed, tree, at, out):
    weight = packed.weight[tree]
    for row in range(len(out)):
        leaf = packed.leaf[at[row]]
        for k in range(out.shape[1]):
            out[row, k] += weight * packed.value[leaf, k]


@kernel
def sum_coded(coded, packed, votes, X, out):
    """Write the predictions of all trees, times their weights, into out (n, n_outputs), which is all 0.

    X (n, n_features) is as from `espalier.kernels.forest.packed.rows_of`; it has missing values only if the forest
    is coded for them.
    """
    width = len(coded.of)
    size = min(block_rows(2 * width), len(X))
    rows = CodedRows(
        np.zeros((size + EIGHT + 1) * width + 1, np.uint16), np.empty(size + EIGHT + 1, np.uint32),
        np.empty(size + 2 * EIGHT, np.uint32),
    )  # fmt: skip
    by_votes = len(votes.label) > 0
    counts = np.empty((size if by_votes else 0, out.shape[1]), np.uint16)
    for start in range(0, len(X), max(size, 1)):
        stop = min(start + size, len(X))
        code_rows(coded, X[start:stop], rows.codes)
        counts[:] = 0
        for tree in range(len(packed.root)):
            of_tree = CodedTree(np.uint32(packed.root[tree]), coded.depth[tree], np.uint64(width))
            _descend(coded.words, rows, stop - start, of_tree)
            if by_votes:
                _add_votes(votes.label, rows.at, counts[: stop - start])
            else:
                _add_values(packed, tree, rows.at, out[start:stop])
        for row in range(stop - start if by_votes else 0):
            for k in range(out.shape[1]):
                out[start + row, k] = votes.total[counts[row, k]]
