"""A cultivated tree as Python source without imports from elsewhere: a table of modules, and a walk through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from espalier.data.dataset import Feature
from espalier.export.changes import changes_on_reading
from espalier.export.columns import ExportedColumn, answers, columns, one_line
from espalier.export.gates import ExportedGate, gates
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.kernels.gate import DROPPED
from espalier.trees import LEAF, CultivatedTree

SOURCE = '''

def fractions(sample):
    """What fraction of a sample is in each leaf: {leaf: fraction}.

    {sample}
    None and nan are missing, and so is a category that the tree does not know.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """
    return _fractions(_read(sample), NODES)
'''
WALK = '''

def _fractions(row, nodes):
    """What fraction of a row is in each leaf of a tree: {leaf: fraction}."""
    found, todo = {}, [(0, 1.0)]
    while todo:
        node, fraction = todo.pop()
        module, left, right = nodes[node]
        if module is None:
            found[node] = fraction
            continue
        part = min(max(sum(share * goes_left(row, *option) for share, *option in module), 0.0), 1.0)
        for child, here in ((right, fraction * (1.0 - part)), (left, fraction * part)):
            if here > SMALLEST:
                todo.append((child, here))
    return found


def goes_left(row, name, missing, cuts, parts):
    """What part of a row an option sends left: a step for each cut, or a part for each category."""
    value = row[name]
    if value is None or value != value:
        return missing
    return parts.get(value, missing) if cuts is None else parts[bisect_left(cuts, value)]
'''
PREDICT = '''

def predict(sample):
    """What the tree says of a sample: {answer}.

    The spread is the standard deviation over the leaves, by their fractions: how much the tree hesitates.
    """
    here = fractions(sample)
'''
NODES_WORDS = (
    f"SMALLEST = {DROPPED!r}  # a fraction below this is forgotten\n",
    "# A node: (its module, left child, right child). A module has options: their share, feature, the part",
    "# of missing values that goes left, cuts, and the part that goes left up to each cut and past the last.",
)
CLASSIFY = """    shares = tuple(sum(part * VALUES[leaf][k] for leaf, part in here.items()) for k in KINDS)
    off = (part * (VALUES[leaf][k] - share) ** 2 for leaf, part in here.items() for k, share in enumerate(shares))
    return CLASSES[shares.index(max(shares))], shares, sqrt(sum(off) / HALVES)
"""
MEAN = """    mean = sum(part * VALUES[leaf] for leaf, part in here.items())
    return mean, sqrt(sum(part * (VALUES[leaf] - mean) ** 2 for leaf, part in here.items()))
"""


def to_python(tree: CultivatedTree, features: Sequence[Feature], target: Feature) -> str:
    """Return the source of ``fractions(sample)`` and ``predict(sample)``; for samples see `python.to_python`.

    ``predict`` returns the class, the shares of all classes and the spread; or the mean and the spread. Raises
    ValueError if two categories of a feature have the same name.
    """
    read = columns(tree, features)
    reading = ReadingSource(read.values())
    nodes = ["NODES = (", *table(tree, read), ")", "VALUES = {", *_values(tree, target), "}"]
    answer = "(class, shares of CLASSES, spread)" if target.categories else "(mean, spread)"
    walk = SOURCE.replace("{sample}", sample_words(read.values()))
    walk += WALK + PREDICT.replace("{answer}", answer) + (CLASSIFY if target.categories else MEAN)
    parts = [*_head(tree, target, read, reading), *nodes]
    return "\n".join(parts) + walk.rstrip() + "\n".join(reading.row()) + reading.functions() + "\n"


def _head(
    tree: CultivatedTree, target: Feature, read: dict[int, ExportedColumn], reading: ReadingSource
) -> Iterator[str]:
    yield f"# Cultivated tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}."
    yield "# Exported from Espalier. A sample goes both ways at a module, in fractions that sum to 1."
    yield from (f"# {line}" for line in changes_on_reading(read.values(), target))
    yield "from bisect import bisect_left"
    yield "from math import nan, sqrt"
    if reading.imports:
        yield reading.imports
    yield ""
    n_classes = len(target.categories)
    if n_classes:
        yield f"CLASSES = {answers(target)!r}"
        yield f"KINDS = {tuple(range(n_classes))}"
        yield f"HALVES = {min(n_classes, 2)}"
    yield from reading.constants()
    yield from NODES_WORDS


def table(tree: CultivatedTree, read: dict[int, ExportedColumn]) -> Iterator[str]:
    """Yield the source of a line for each node, as `NODES_WORDS` says."""
    for node in range(tree.n_nodes):
        if tree.left[node] == LEAF:
            yield f"    (None, None, None),  # {node}"
            continue
        options = "".join(f"{_option(gate, read[gate.feature])}, " for gate in gates(tree, node, read))
        yield f"    (({options}), {tree.left[node]}, {tree.right[node]}),  # {node}"


def _option(gate: ExportedGate, column: ExportedColumn) -> str:
    parts = dict(zip(column.names, gate.parts, strict=True)) if column.names else gate.parts
    cuts = None if column.names else gate.cuts
    return repr((gate.share, column.key, gate.missing, cuts, parts))


def _values(tree: CultivatedTree, target: Feature) -> Iterator[str]:
    for node in range(tree.n_nodes):
        if tree.left[node] == LEAF:
            value = tuple(tree.value[node].tolist())
            written = repr(value if target.categories else value[0])
            yield f"    {node}: {written},  # weight {float(tree.weight[node]):.6g}"
