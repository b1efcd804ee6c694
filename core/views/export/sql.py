"""A tree as an SQL expression."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.analysis.rules import Bound, admitted, leaf_bounds
from core.data.dataset import Feature
from core.trees import Tree
from core.views.export.columns import Column, columns
from core.views.theme import percent


def to_sql(tree: Tree, features: Sequence[Feature], target: Feature) -> str:
    """A ``CASE`` expression (standard SQL) for the class, or the mean: one ``WHEN`` a leaf, so of any depth.

    Columns are named as the features; of equal names, all but the first get a number ("x (2)"). NULL is
    missing and goes where the tree sends missing values, as does a category that the tree does not know.
    Raises ValueError where two categories of a feature share a name.
    """
    read = columns(tree, features)
    leaves = leaf_bounds(tree)
    answers = [_answer(tree, target, node) for node, _ in leaves]
    if len(leaves) == 1:
        return answers[0] + "\n"
    lines = []
    for (_, demands), answer in zip(leaves[:-1], answers, strict=False):
        test = " AND ".join(_test(bound, read[bound.feature]) for bound in demands)
        lines.append(f"  WHEN {test} THEN {answer}")
    return "\n".join(["CASE", *lines, f"  ELSE {answers[-1]}", "END"]) + "\n"


def _answer(tree: Tree, target: Feature, node: int) -> str:
    n = f"n = {tree.n_samples[node]}"
    if not target.categories:
        return f"{float(tree.value[node, 0])!r} /* {n} */"
    best = int(tree.value[node].argmax())
    return f"{literal(target.categories[best])} /* {percent(float(tree.value[node, best]))}, {n} */"


def literal(text: str) -> str:
    """The text between quotes, as SQL reads it."""
    return "'" + text.replace("\0", "").replace("'", "''") + "'"


def column_name(key: str) -> str:
    """The name of a column between quotes, as SQL reads it."""
    return '"' + key.replace("\0", "").replace('"', '""') + '"'


def _test(bound: Bound, column: Column) -> str:
    """Condition that is true of every value that the bound admits, NULL among them or not."""
    name = column_name(column.key)
    if column.names:
        return _in_set(bound, column, name)
    tests = []
    if bound.low > -math.inf:
        tests.append(f"{name} > {_number(bound.low)}")
    if bound.high < math.inf:
        tests.append(f"{name} <= {_number(bound.high)}")
    if bound.low == math.inf:
        tests = ["1 = 0"]
    if not bound.missing:
        return " AND ".join(tests) or f"{name} IS NOT NULL"
    return f"({name} IS NULL OR {' AND '.join(tests)})" if tests else "1 = 1"


def _number(threshold: float) -> str:
    return repr(threshold)


def _in_set(bound: Bound, column: Column, name: str) -> str:
    n = len(column.names)
    codes = admitted(bound, n)
    if not bound.missing:
        return f"{name} IN ({_listed(codes, column)})" if codes else "1 = 0"
    others = sorted(set(range(n)) - set(codes))
    return f"({name} IS NULL OR {name} NOT IN ({_listed(others, column)}))" if others else "1 = 1"


def _listed(codes: list[int], column: Column) -> str:
    return ", ".join(column.names[c] if column.coded else literal(column.names[c]) for c in codes)
