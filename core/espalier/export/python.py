"""Trees and forests as Python source that needs nothing but Python.

A source reads the cells of a row as the file was read (`python_cells`), and walks from the root to a leaf, or to
several (`python_walks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.columns import ExportedColumn, answers, changes_on_reading, columns
from espalier.export.node_sources import (
    NodeSource,
    PoolSource,
    additions,
    check_python,
    forest_sources,
    forest_title,
    source_of,
    tolerance,
)
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.export.python_walks import (
    LOOP,
    POOL_WALK,
    POOL_WORDS,
    PythonWalk,
    n_rows,
    pool_table,
    table,
    tree_walk,
)
from espalier.language import english
from espalier.learners.description import describe_forest
from espalier.trees import Forest


@english()
def to_python(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the source of a Python function that predicts; `model` is a fitted estimator, or its tree.

    ``predict(sample)`` takes a row of the table: a dict from the names of columns to cells or, for a table that
    was read from a file, a list of its cells. It returns the class and the shares of all classes, or the number;
    of a cultivated tree also the spread, and ``fractions(sample)`` says what part of a row is in each leaf. Cells
    are as in the file, and are read as Espalier reads them: names, missing texts, number formats and pooled
    categories are written out at the top. Sums of formulas may differ from the app's in their last digits.

    Raises ValueError for a forest, for features and target that do not fit the tree, and if two categories of a
    feature have the same name.

    >>> import pandas as pd
    >>> from espalier.learners import CartClassifier
    >>> rows = pd.DataFrame({"town": ["Oslo", "Rome", "Oslo"]})
    >>> module = {}
    >>> exec(to_python(CartClassifier().fit(rows, ["well", "ill", "well"])), module)
    >>> module["predict"]({"town": "Rome"})[0]
    'ill'
    """
    source: NodeSource = source_of(model, features, target)
    read = columns(source.record, source.features)
    reading = ReadingSource(read.values())
    walk = tree_walk(source, read, reading)
    classes = [f"CLASSES = {answers(source.target)!r}"] if source.target.categories else []
    about = [source.title, f"Exported from Espalier. {source.note}".rstrip()]
    return _module(about, source.target, reading, walk._replace(constants=[*classes, *walk.constants]))


@english()
def forest_to_python(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the source of a function ``predict(sample)``; for samples see `to_python`.

    `model` is a fitted estimator, or its forest with features and target. The function returns the class and the
    shares of all classes, or the number. Raises ValueError for more nodes than a file has room for, and if two
    categories of a feature have the same name.

    >>> from espalier.data import samples
    >>> from espalier.learners import RandomForestClassifier
    >>> iris = samples.load("iris")
    >>> forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(iris.X, iris.y).forest_
    >>> module = {}
    >>> exec(forest_to_python(forest, iris.features, iris.target), module)
    >>> flower = dict(zip((feature.name for feature in iris.features), iris.X[0]))
    >>> module["predict"](flower)
    ('setosa', (1.0, 0.0, 0.0))
    """
    forest, features, target = describe_forest(model, features, target)
    check_python(forest)
    read = columns(forest, features)
    reading = ReadingSource(read.values())
    sources = forest_sources(forest)
    trees, loop = (_pools if sources[0].tests == "pools" else _bounds)(forest, sources, read)
    scores = SCORES.format(sample=sample_words(read.values()), walk=loop)
    walk = PythonWalk(
        ["from math import exp, inf, isnan, nan", *trees.imports],
        list(_constants(forest, target)),
        trees.tables,
        "\n".join(["", scores, _answer(forest, target), *reading.row()]) + trees.functions,
    )
    return _module([forest_title(forest, target), "Exported from Espalier."], target, reading, walk)


def _module(about: list[str], target: Feature, reading: ReadingSource, walk: PythonWalk) -> str:
    """Return the source of a module: comments, imports, constants, the tables of nodes, and functions."""
    lines = [
        *(f"# {line}" for line in about),
        *(f"# {line}" for line in changes_on_reading(reading.read, target)),
        *walk.imports,
        *([reading.imports] if reading.imports else []),
        "",
        *walk.constants,
        *reading.constants(),
        *walk.tables,
    ]
    return ("\n".join(lines) + walk.functions + reading.functions()).rstrip() + "\n"


# ---- forests

SCORES = '''

def scores(sample):
    """What the trees add up to for a sample, before `predict` makes an answer of it.

    {sample}
    None and nan are missing, and so is a category that the trees do not know.
    Raises KeyError where a column is absent, ValueError where a text is no number.
    """
    row = _read(sample)
    sums = list(START)
    for nodes in TREES:
{walk}
            sums[k] += part
    return sums


def predict(sample):'''
LINKS = {
    "identity": "    shares = tuple(scores(sample))",
    "logistic": "    odds = scores(sample)[0]\n"
    "    share = 1 / (1 + exp(-odds)) if odds >= 0 else 1 - 1 / (1 + exp(odds))\n"
    "    shares = (1 - share, share)",
    "softmax": "    found = scores(sample)\n"
    "    parts = [exp(score - max(found)) for score in found]\n"
    "    shares = tuple(part / sum(parts) for part in parts)",
}
CLASSIFY = '''    """What the forest says of a sample: (class, shares of CLASSES). See `scores`."""
{shares}
    likely = [k for k, share in enumerate(shares) if share >= max(shares) - ALIKE]
    return CLASSES[max(likely, key=PRIOR.__getitem__)], shares'''
NUMBER = '''    """What the forest says of a sample: a number. See `scores`."""
    return {number}'''
MEAN = '''


def _mean(row, weight, nodes, values):
    """What a tree adds to each score: the mean of its leaves by the row's fractions in them, times its weight."""
    sums = [0.0] * len(START)
    for leaf, part in _fractions(row, nodes).items():
        for k, value in enumerate(values[leaf]):
            sums[k] += part * value
    return [weight * value for value in sums]'''
VOTE = '''


def _vote(row, weight, nodes, values):
    """What a tree adds to each score: its weight, to the class of its greatest share."""
    shares = _mean(row, 1.0, nodes, values)
    best = shares.index(max(shares))
    return [weight * (k == best) for k in range(len(shares))]'''


def _constants(forest: Forest, target: Feature) -> Iterator[str]:
    # the score of a class that no row had is -inf, a name that is imported
    yield f"START = ({', '.join(map(repr, forest.start.tolist()))},)"
    if target.categories:
        prior = forest.prior if len(forest.prior) else np.zeros(len(target.categories))
        yield f"CLASSES = {answers(target)!r}"
        yield f"PRIOR = {tuple(prior.tolist())!r}  # of equal shares, the class that was the most frequent wins"
        yield f"ALIKE = {tolerance(forest)!r}  # shares that differ less are equal"


def _answer(forest: Forest, target: Feature) -> str:
    if target.categories:
        return CLASSIFY.format(shares=LINKS[forest.link])
    score = "scores(sample)[0]"
    return NUMBER.format(number=f"exp({score})" if forest.link == "log" else score)


def _bounds(
    forest: Forest, sources: Sequence[NodeSource], read: dict[int, ExportedColumn]
) -> tuple[PythonWalk, str]:
    """Return the tables of trees in which each row is in one leaf, and the loop through what a tree adds."""
    tables = []
    for number, source in enumerate(sources):
        value, ends = additions(forest, number), {}
        for leaf in source.leaves:
            pairs = [f"({k}, {float(part)!r})" for k, part in enumerate(value[leaf]) if part]
            ends[leaf] = f"({', '.join(pairs)},)" if pairs else "()", n_rows(source.nodes, leaf)
        lines = table(source.nodes, read, ends)
        tables += [f"    (  # tree {number + 1}", *(f"    {line}" for line in lines), "    ),"]
    words = "# A node: (None, what a leaf adds to each score), or a question and the numbers of the next nodes."
    walk = [f"    {line.replace('NODES', 'nodes')}" for line in LOOP[1:-1]]  # the one that single trees have
    loop = "\n".join([*walk, "        for k, part in node[1]:"])
    return PythonWalk([], [], [words, "TREES = (", *tables, ")"], ""), loop


def _pools(
    forest: Forest, sources: Sequence[PoolSource], read: dict[int, ExportedColumn]
) -> tuple[PythonWalk, str]:
    """Return the tables of trees in which a row is in several leaves, and the loop through what a tree adds."""
    is_vote = forest.combine == "votes"
    tables = []
    for number, source in enumerate(sources):
        values = (f"            {leaf}: {tuple(source.nodes.value[leaf].tolist())!r}," for leaf in source.leaves)
        tables += [
            f"    (  # tree {number + 1}",
            f"        {float(forest.weight[number])!r},",
            "        (",
            *(f"        {line}" for line in pool_table(source, read)),
            "        ),",
            "        {",
            *values,
            "        },",
            "    ),",
        ]
    words = [*POOL_WORDS, "# A tree: its weight, its nodes, and what each leaf says."]
    functions = POOL_WALK.rstrip() + MEAN + (VOTE if is_vote else "")
    walk = PythonWalk(["from bisect import bisect_left"], [], [*words, "TREES = (", *tables, ")"], functions)
    return walk, f"        for k, part in enumerate(_{'vote' if is_vote else 'mean'}(row, *nodes)):"
