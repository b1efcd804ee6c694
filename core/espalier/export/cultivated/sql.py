"""A cultivated tree as SQL: a module is a number between 0 and 1, and a node the mixture of its children.

The prediction of a node is ``g * left + (1 - g) * right``, where g is the pooled gate of its module. Multiplied
out this is the sum over the leaves of products of gates, but it names every gate twice instead of once for each
leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from espalier.data.dataset import Feature
from espalier.display.theme import number
from espalier.export import dialects, sql_cells
from espalier.export.columns import ExportedColumn, columns, one_line
from espalier.export.dialects import Dialect, real
from espalier.export.gates import ExportedGate, gates
from espalier.export.sql import ExportedRow, heading
from espalier.trees import LEAF, CultivatedTree

MAX_TERMS = 5_000  # cases of all CASE expressions together: databases refuse much longer sources
MAX_DEPTH = 15  # nested brackets: SQLite, for one, keeps track of 100


def to_sql(tree: CultivatedTree, features: Sequence[Feature], target: Feature, dialect: str = "standard") -> str:
    """Return expressions for a SELECT: the share of every class, or the mean, of a row of the table ``t``.

    `dialect`, the names of columns and how they are read are as in `sql.to_sql`. NULL is missing, and so is a
    category that the tree does not know. Raises ValueError for an unknown dialect, if two categories of a
    feature have the same name, and if the tree is too large for an expression.
    """
    sql = dialects.dialect(dialect)
    read = columns(tree, features)
    _check_size(tree, read)
    row = ExportedRow(read, sql_cells.names(read, sql), sql)
    title = f"Cultivated tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}."
    head = heading(title, read, target, sql)
    origin = f"\nFROM {sql_cells.source(read, sql)}" if read else ""
    if not target.categories:
        return f"{head}(SELECT {mixed(tree, row, 0)}{origin})\n"
    shares = (f"(SELECT {mixed(tree, row, k)}{origin})" for k in range(len(target.categories)))
    titles = (sql.name(f"share of {name}") for name in target.categories)
    return head + ",\n".join(f"{share} AS {name}" for share, name in zip(shares, titles, strict=True)) + "\n"


def _check_size(tree: CultivatedTree, read: Mapping[int, ExportedColumn]) -> None:
    n_parts = sum(len(gate.parts) for node in range(tree.n_nodes) for gate in gates(tree, node, read))
    n_terms = 2 * n_parts * tree.value.shape[1]
    if n_terms > MAX_TERMS or tree.depth > MAX_DEPTH:
        raise ValueError(
            f"every row is in several leaves, so all {number(tree.n_leaves)} leaves would stand in one expression "
            f"of {number(n_terms)} cases, which databases refuse; the Python function has no such limit, and a "
            f"tree of fewer levels or cuts can be written (up to {number(MAX_TERMS)} cases and {MAX_DEPTH} levels)"
        )


def mixed(tree: CultivatedTree, row: ExportedRow, output: int) -> str:
    """Return the expression for one output of the root; it is built from the last node to the first."""
    written = {node: _gate(tree, node, row) for node in range(tree.n_nodes) if tree.left[node] != LEAF}
    says: dict[int, str] = {}
    for node in reversed(range(tree.n_nodes)):
        if tree.left[node] == LEAF:
            says[node] = real(float(tree.value[node, output]))
            continue
        left, right, gate = says.pop(int(tree.left[node])), says.pop(int(tree.right[node])), written[node]
        says[node] = f"(({gate}) * {left}\n + (1e0 - ({gate})) * {right})"
    return says[0]


def _gate(tree: CultivatedTree, node: int, row: ExportedRow) -> str:
    """Return the part that a module sends to the left."""
    pooled = gates(tree, node, row.read)
    return " + ".join(_times(gate, row.read[gate.feature], row.names[gate.feature], row.sql) for gate in pooled)


def _times(gate: ExportedGate, column: ExportedColumn, name: str, sql: Dialect) -> str:
    case = _case(gate, column, name, sql)
    return case if gate.share == 1.0 else f"{real(gate.share)} * {case}"


def _case(gate: ExportedGate, column: ExportedColumn, name: str, sql: Dialect) -> str:
    if column.names:
        return f"CASE {_by_name(gate, column, name, sql)}ELSE {real(gate.missing)} END"
    steps = [
        f"WHEN {name} <= {real(cut)} THEN {real(part)} "
        for cut, part in zip(gate.cuts, gate.parts[:-1], strict=True)
    ]
    return f"CASE WHEN {name} IS NULL THEN {real(gate.missing)} {''.join(steps)}ELSE {real(gate.parts[-1])} END"


def _by_name(gate: ExportedGate, column: ExportedColumn, name: str, sql: Dialect) -> str:
    by_part: dict[float, list[int]] = {}
    for code, part in enumerate(gate.parts):
        by_part.setdefault(part, []).append(code)
    lists = ((sql_cells.in_list(column, codes, sql), part) for part, codes in by_part.items())
    return "".join(f"WHEN {name} IN ({texts}) THEN {real(part)} " for texts, part in lists)
