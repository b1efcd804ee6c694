"""A cultivated tree as SQL: a module is a number between 0 and 1, and a node the mixture of its children.

What a node says is ``g * left + (1 - g) * right``, where g is the pooled gate of its module. Multiplied out this
is the sum over the leaves of products of gates, but it names every gate twice instead of once for each leaf.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.data.dataset import Feature
from core.trees import LEAF, CultivatedTree
from core.views.export.columns import Column, columns
from core.views.export.gates import Gate, gates
from core.views.export.sql import column_name, literal
from core.views.theme import number

MAX_TERMS = 5_000  # cases of all CASE expressions together: databases refuse much longer texts
MAX_DEPTH = 15  # brackets in brackets: SQLite, for one, remembers 100 open parts


def to_sql(tree: CultivatedTree, features: Sequence[Feature], target: Feature) -> str:
    """Expressions for a SELECT (standard SQL): the share of every class, or the mean.

    Columns are named as the features; of equal names, all but the first get a number ("x (2)"). NULL is missing,
    and so is a category that the tree does not know. Raises ValueError where two categories of a feature share a
    name, and where the tree is too large for an expression.
    """
    read = columns(tree, features)
    pooled = {node: gates(tree, node, read) for node in range(tree.n_nodes) if tree.left[node] != LEAF}
    n_terms = 2 * sum(len(gate.parts) for node in pooled for gate in pooled[node]) * max(len(target.categories), 1)
    _check_size(tree, n_terms)
    written = {node: " + ".join(_times(gate, read[gate.feature]) for gate in pooled[node]) for node in pooled}
    if not target.categories:
        return _mixed(tree, written, 0) + "\n"
    names = [column_name(f"share of {name}") for name in target.categories]
    return ",\n".join(f"{_mixed(tree, written, k)} AS {name}" for k, name in enumerate(names)) + "\n"


def _check_size(tree: CultivatedTree, n_terms: int) -> None:
    if n_terms > MAX_TERMS or tree.depth > MAX_DEPTH:
        raise ValueError(
            f"every row is in several leaves, so all {number(tree.n_leaves)} leaves would stand in one expression "
            f"of {number(n_terms)} cases, which databases refuse; the Python function has no such limit, and a "
            f"tree of fewer levels or cuts can be written (up to {number(MAX_TERMS)} cases and {MAX_DEPTH} levels)"
        )


def _mixed(tree: CultivatedTree, written: dict[int, str], output: int) -> str:
    """Expression for one output of the root: children first, since a node stands before what is below it."""
    says: dict[int, str] = {}
    for node in reversed(range(tree.n_nodes)):
        if tree.left[node] == LEAF:
            says[node] = repr(float(tree.value[node, output]))
            continue
        left, right, gate = says.pop(int(tree.left[node])), says.pop(int(tree.right[node])), written[node]
        says[node] = f"(({gate}) * {left}\n + (1.0 - ({gate})) * {right})"
    return says[0]


def _times(gate: Gate, column: Column) -> str:
    case = _case(gate, column)
    return case if gate.share == 1.0 else f"{gate.share!r} * {case}"


def _case(gate: Gate, column: Column) -> str:
    name = column_name(column.key)
    if column.names:
        return f"CASE {_by_name(gate, column, name)}ELSE {gate.missing!r} END"
    steps = [
        f"WHEN {name} <= {cut!r} THEN {part!r} " for cut, part in zip(gate.cuts, gate.parts[:-1], strict=True)
    ]
    return f"CASE WHEN {name} IS NULL THEN {gate.missing!r} {''.join(steps)}ELSE {gate.parts[-1]!r} END"


def _by_name(gate: Gate, column: Column, name: str) -> str:
    texts = column.names if column.coded else [literal(text) for text in column.names]
    by_part: dict[float, list[str]] = {}
    for text, part in zip(texts, gate.parts, strict=True):
        by_part.setdefault(part, []).append(text)
    return "".join(f"WHEN {name} IN ({', '.join(group)}) THEN {part!r} " for part, group in by_part.items())
