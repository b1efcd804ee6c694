"""A forest as Python source that needs nothing but Python: a table for each tree, and a walk through all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export import python
from espalier.export.changes import changes_on_reading
from espalier.export.columns import ExportedColumn, answers, columns
from espalier.export.ensembles import cultivated, parts
from espalier.export.ensembles.parts import WrittenTrees
from espalier.export.python_cells import ReadingSource, sample_words
from espalier.language import english
from espalier.learners.description import describe_forest
from espalier.trees import Forest

PROMISE = '''

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
    parts.check_size(forest)
    read = columns(forest, features)
    trees = cultivated.written(forest, read) if parts.is_cultivated(forest) else _plain(forest, read)
    reading = ReadingSource(read.values())
    source = [
        f"# {parts.title(forest, target)}",
        "# Exported from Espalier.",
        *(f"# {line}" for line in changes_on_reading(read.values(), target)),
        "from math import exp, inf, isnan, nan",
        *trees.imports,
        *([reading.imports] if reading.imports else []),
        "",
        *_constants(forest, target),
        *reading.constants(),
        *trees.words,
        "TREES = (",
        *trees.tables,
        ")",
        PROMISE.format(sample=sample_words(read.values()), walk=trees.walk),
        _answer(forest, target),
        *reading.row(),
    ]
    return ("\n".join(source) + trees.functions + reading.functions()).rstrip() + "\n"


def _constants(forest: Forest, target: Feature) -> Iterator[str]:
    yield f"START = ({', '.join(_number(score) for score in forest.start.tolist())},)"
    if target.categories:
        prior = forest.prior if len(forest.prior) else np.zeros(len(target.categories))
        yield f"CLASSES = {answers(target)!r}"
        yield f"PRIOR = {tuple(prior.tolist())!r}  # of equal shares, the class that was the most frequent wins"
        yield f"ALIKE = {parts.tolerance(forest)!r}  # shares that differ less are equal"


def _number(score: float) -> str:
    return repr(score)  # of a class that no row had it is -inf, a name that is imported


def _plain(forest: Forest, read: dict[int, ExportedColumn]) -> WrittenTrees:
    words = ("# A node: (None, what a leaf adds to each score), or a question and the numbers of the next nodes.",)
    walk = "\n".join([*_walk(), "        for k, part in node[1]:"])
    return WrittenTrees(words, tuple(_tables(forest, read)), walk)


def _tables(forest: Forest, read: dict[int, ExportedColumn]) -> Iterator[str]:
    for number, tree in enumerate(parts.plain_trees(forest)):
        value = parts.added(forest, number)

        def adds(node: int, _value: object, value: np.ndarray = value) -> str:
            pairs = [f"({k}, {float(part)!r})" for k, part in enumerate(value[node]) if part]
            return f"({', '.join(pairs)},)" if pairs else "()"

        yield f"    (  # tree {number + 1}"
        yield from (f"    {line}" for line in python.table(tree, read, adds))
        yield "    ),"


def _walk() -> Iterator[str]:
    """Yield the loop through the nodes of one tree, which single trees have, too."""
    yield from (f"    {line.replace('NODES', 'nodes')}" for line in python.LOOP[1:-1])


def _answer(forest: Forest, target: Feature) -> str:
    if target.categories:
        return CLASSIFY.format(shares=LINKS[forest.link])
    score = "scores(sample)[0]"
    return NUMBER.format(number=f"exp({score})" if forest.link == "log" else score)
