"""An oblique tree as Python source that needs nothing but Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.changes import changes_on_reading
from espalier.export.columns import ExportedColumn, answers, columns, one_line
from espalier.export.python import answer_in_python, leaf_remark
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.oblique import ObliqueTree, terms_of
from espalier.trees import LEAF

SOURCE = '''

def predict(sample):
    """What the tree says of a sample: {answer}.

    {sample}
    None and nan are missing, and so is a category that the tree does not know: FILL stands in for them.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """
    row = _filled(_read(sample))
    node = NODES[0]
    while node[0] is not None:
        terms, test, left, right = node
        if isinstance(test, float):
            total = 0.0
            for name, weight in terms:
                total += weight * row[name]
            goes_left = total <= test
        else:  # the categories that go left
            goes_left = row[terms[0][0]] in test
        node = NODES[left if goes_left else right]
    return node[1]


def _filled(row):
    """The numbers, levels and categories of a row, with nothing missing."""
    for name, fill in FILL.items():
        value = row[name]
        if name in LEVELS:
            row[name] = LEVELS[name].get(value, fill)
        elif value is None or value != value or name in NAMES and value not in NAMES[name]:
            row[name] = fill
    return row
'''


def to_python(tree: ObliqueTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the source of a function ``predict(sample)`` of a row of the table.

    Samples and answers are as in `python.to_python`. A table of nodes lists the terms of each split, feature and
    coefficient; a loop walks through it. Raises ValueError if two categories of a feature have the same name.
    """
    read = columns(tree, features)
    reading = ReadingSource(read.values())
    promised = "(class, shares of CLASSES)" if target.categories else "a number"
    walk = SOURCE.replace("{answer}", promised).replace("{sample}", sample_words(read.values()))
    parts = [
        f"# Oblique tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}.",
        "# Exported from Espalier. A split weighs its features: a sum of at most the threshold goes left.",
        *(f"# {line}" for line in changes_on_reading(read.values(), target)),
        "from math import nan",
        *([reading.imports] if reading.imports else []),
        "",
        *([f"CLASSES = {answers(target)!r}"] if target.categories else []),
        *reading.constants(),
        *_fills(tree, read),
        "# A node: ((feature, coefficient), …), a threshold or the categories that go left, and its children.",
        "NODES = (",
        *_nodes(tree, target, read),
        ")",
    ]
    return "\n".join(parts) + walk.rstrip() + "\n".join(reading.row()) + reading.functions() + "\n"


def _fills(tree: ObliqueTree, read: dict[int, ExportedColumn]) -> Iterator[str]:
    """Yield what stands in for missing values, the levels of ordered categories, and the names of the others."""
    in_sets = set(tree.feature[(tree.left != LEAF) & np.isnan(tree.threshold)].tolist())
    fill, levels, names = {}, {}, {}
    for feature, column in read.items():
        fill[column.key] = value = float(tree.fill[feature])
        if feature in in_sets:
            fill[column.key] = column.names[int(value)] if value < len(column.names) else None
            names[column.key] = column.names
        elif column.names:
            levels[column.key] = {name: float(code) for code, name in enumerate(column.names)}
    yield f"FILL = {fill!r}  # what a missing value counts as"
    yield f"LEVELS = {levels!r}"
    yield f"NAMES = {names!r}"


def _nodes(tree: ObliqueTree, target: Feature, read: dict[int, ExportedColumn]) -> Iterator[str]:
    for node in range(tree.n_nodes):
        if tree.left[node] == LEAF:
            remark = leaf_remark(tree, target, node)
            yield f"    (None, {answer_in_python(tree, target, node)}),  # {node}: {remark}"
            continue
        feature, coefficient = terms_of(tree, node)
        terms = zip(feature.tolist(), coefficient.tolist(), strict=True)
        named = tuple((read[f].key, c) for f, c in terms) or ((read[int(tree.feature[node])].key, 1.0),)
        test = _test(tree, node, read)
        yield f"    ({named!r}, {test}, {tree.left[node]}, {tree.right[node]}),  # {node}"


def _test(tree: ObliqueTree, node: int, read: dict[int, ExportedColumn]) -> str:
    threshold = float(tree.threshold[node])
    if threshold == threshold:
        return repr(threshold)
    names, mask = read[int(tree.feature[node])].names, int(tree.categories[node])
    return repr(tuple(name for code, name in enumerate(names) if mask >> code & 1))
