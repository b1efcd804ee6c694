"""An oblique tree as an SQL expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.export import dialects, sql_cells
from espalier.export.columns import columns, one_line
from espalier.export.dialects import real
from espalier.export.sql import ExportedRow, answer_in_sql, heading, test
from espalier.oblique import ObliqueTree
from espalier.tree.rules import Demands, Slant, all_demands
from espalier.trees import LEAF


def to_sql(tree: ObliqueTree, features: Sequence[Feature], target: Feature, dialect: str = "standard") -> str:
    """Return an expression for the class, or the mean, of a row of the table ``t``.

    `dialect`, the names of columns and how they are read are as in `sql.to_sql`. NULL, and a category that the
    tree does not know, count as the fill of the column. Raises ValueError for an unknown dialect, and if two
    categories of a feature have the same name.
    """
    sql = dialects.dialect(dialect)
    read = columns(tree, features)
    leaves = np.flatnonzero(tree.left == LEAF).tolist()
    says = [answer_in_sql(tree, target, leaf, sql) for leaf in leaves]
    title = f"Oblique tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}."
    head = heading(title, read, target, sql)
    if len(leaves) == 1:
        return head + says[0] + "\n"
    row, demands = ExportedRow(read, sql_cells.names(read, sql), sql), all_demands(tree)
    lines = [
        f"  WHEN {' AND '.join(_tests(tree, demands[leaf], row))} THEN {said}"
        for leaf, said in zip(leaves[:-1], says, strict=False)
    ]
    case = "\n".join(["CASE", *lines, f"  ELSE {says[-1]}", "END"])
    return f"{head}(SELECT {case}\nFROM {sql_cells.source(read, sql)})\n"


def _tests(tree: ObliqueTree, demands: Demands, row: ExportedRow) -> Iterator[str]:
    for bound in demands.bounds:
        yield test(bound, row.read[bound.feature], row.names[bound.feature], row.sql)
    for slant in demands.slants:
        yield f"{_sum(tree, slant, row)} {'<=' if slant.left else '>'} {real(slant.threshold)}"


def _sum(tree: ObliqueTree, slant: Slant, row: ExportedRow) -> str:
    terms = zip(slant.feature, slant.coefficient, strict=True)
    return " + ".join(f"{real(coefficient)} * {_value(tree, feature, row)}" for feature, coefficient in terms)


def _value(tree: ObliqueTree, feature: int, row: ExportedRow) -> str:
    """Return the number in a column, or the level of an ordered category; the fill where it is missing."""
    column, name, fill = row.read[feature], row.names[feature], real(float(tree.fill[feature]))
    if not column.names:
        return f"COALESCE({name}, {fill})"
    levels = (
        f"WHEN {name} IN ({sql_cells.in_list(column, [code], row.sql)}) THEN {real(float(code))}"
        for code in range(len(column.names))
    )
    return f"CASE {' '.join(levels)} ELSE {fill} END"
