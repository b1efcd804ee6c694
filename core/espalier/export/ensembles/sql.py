"""A forest as SQL expressions: a sum of one CASE for each tree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.theme import count
from espalier.export import dialects, sql_cells
from espalier.export.columns import columns
from espalier.export.dialects import Dialect, real
from espalier.export.ensembles import cultivated, parts
from espalier.export.sql import ExportedRow, cases, heading, test
from espalier.language import Refusal, english
from espalier.learners.description import describe_forest
from espalier.tree.rules import step
from espalier.trees import LEAF, Forest, Tree

MAX_CASES = 20_000  # leaves in all expressions together: about 2 MB
MAX_NESTED = 30  # levels of CASE in a CASE: SQLite, for one, keeps track of 1,000 brackets


@english()
def forest_to_sql(
    model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None, dialect: str = "standard"
) -> str:
    """Return expressions for a SELECT: the share of every class, or the number, of a row of the table ``t``.

    `model` is a fitted estimator, or its forest with features and target. Of two classes only the share of the
    second. `dialect`, the names of columns and how they are read are as in
    `to_sql`. Sums of scores need the function EXP, which SQLite has only where it was built so. Raises ValueError
    for an unknown dialect, and for a forest too large for an expression.

    >>> from espalier.data import samples
    >>> from espalier.learners import GradientBoostingRegressor
    >>> data = samples.load("diabetes")
    >>> forest = GradientBoostingRegressor(n_estimators=2).fit(data.X, data.y).forest_
    >>> forest_to_sql(forest, data.features, data.target).splitlines()[0]
    '-- Forest for progression: 2 trees, added up, 33 leaves.'
    """
    forest, features, target = describe_forest(model, features, target)
    parts.check_size(forest)
    check_sql(forest)
    sql, read = dialects.dialect(dialect), columns(forest, features)
    row = ExportedRow(read, sql_cells.names(read, sql), sql)
    head = heading(parts.title(forest, target), read, target, sql)
    origin = f"\nFROM {sql_cells.source(read, sql)}" if read else ""
    if parts.is_cultivated(forest):
        said = ", ".join(f"{text}\n AS {name}" for text, name in cultivated.answers_of_trees(forest, row))
        origin = f"\nFROM (SELECT {said}{origin}) AS trees"
    names = ", ".join(f"{_score(forest, k, row)}\n AS s{k}" for k in _needed(forest))
    written = [
        f"(SELECT {answer} FROM (SELECT {names}{origin}) AS scores){f' AS {name}' if name else ''}"
        for answer, name in _answers(forest, target, sql)
    ]
    return head + ",\n".join(written) + "\n"


def _needed(forest: Forest) -> list[int]:
    """Return the scores that the expressions need: of two shares the second alone."""
    is_pair = forest.combine != "sum" and forest.n_outputs == 2
    return [1] if is_pair else list(range(len(forest.start)))


def _answers(forest: Forest, target: Feature, sql: Dialect) -> list[tuple[str, str]]:
    """Return the expression of each answer in terms of the scores s0, s1, …, and its name."""
    if not target.categories:
        return [("EXP(s0)" if forest.link == "log" else "s0", "")]
    names = [sql.name(f"share of {name}") for name in target.categories]
    if forest.link == "logistic":
        return [("1e0 / (1e0 + EXP(-s0))", names[1])]
    if forest.link == "softmax":
        powers = [f"EXP(s{k})" if math.isfinite(start) else "0e0" for k, start in enumerate(forest.start.tolist())]
        return [(f"{power} / ({' + '.join(powers)})", name) for power, name in zip(powers, names, strict=True)]
    return [(f"s{k}", names[k]) for k in _needed(forest)]


def check_sql(forest: Forest) -> None:
    """Raise Refusal for a forest that no expression has room for."""
    n_scores = len(_needed(forest))
    n_answers = n_scores if forest.link in ("softmax", "identity") else 1
    if parts.is_cultivated(forest):
        cultivated.check_cases(forest, MAX_CASES // n_answers)
        return
    in_each = sum(tree.n_leaves for tree in forest.trees) * (1 if forest.combine == "sum" else n_scores)
    n_cases = in_each * n_answers
    if n_cases > MAX_CASES:
        raise Refusal(
            "An expression in SQL of {n} cases is more than databases take; the limit is {most}. Grow fewer "
            "trees, or trees of less depth, or save the forest as Python.",
            n=count(n_cases),
            most=count(MAX_CASES),
        )


def _score(forest: Forest, k: int, row: ExportedRow) -> str:
    """Return the sum of what all trees add to a score."""
    if parts.is_cultivated(forest):
        return _summed(cultivated.terms(forest, k))
    start = float(forest.start[k])
    terms = [real(start)] if start and math.isfinite(start) else []
    for number, tree in enumerate(parts.plain_trees(forest)):
        value = parts.added(forest, number)[:, k]
        if value[tree.feature == LEAF].any():
            terms.append(_case(tree, value, row))
    return _summed(terms or ["0e0"])


def _summed(terms: Sequence[str]) -> str:
    """Return the sum with brackets in pairs, whose depth databases limit."""
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [f"({' + '.join(pair)})" if len(pair) == 2 else pair[0] for pair in pairs]
    return terms[0]


def _case(tree: Tree, value: np.ndarray, row: ExportedRow) -> str:
    """Return what the tree adds: CASE in CASE, or a WHEN for each leaf of a tree that is too deep for that."""
    if tree.depth > MAX_NESTED:
        return cases(tree, lambda node: real(float(value[node])), row)
    return "".join(_nested(tree, value, row))


def _nested(tree: Tree, value: np.ndarray, row: ExportedRow) -> Iterator[str]:
    todo: list[int | str] = [0]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            yield node
        elif tree.feature[node] == LEAF:
            yield real(float(value[node]))
        else:
            feature = int(tree.feature[node])
            asked = test(step(tree, node, left=True), row.read[feature], row.names[feature], row.sql)
            yield f"\nCASE WHEN {asked} THEN "
            todo += [" END", int(tree.right[node]), " ELSE ", int(tree.left[node])]
