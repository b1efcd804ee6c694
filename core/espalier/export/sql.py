"""A tree as an SQL expression."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from espalier.data.dataset import Feature
from espalier.display.theme import percent
from espalier.export import dialects, sql_cells
from espalier.export.changes import WIDTH, changes_on_reading
from espalier.export.columns import ExportedColumn, answers, columns, one_line, tie_remark
from espalier.export.dialects import Dialect, real
from espalier.inert import INVISIBLE, ISOLATES
from espalier.oblique import ObliqueTree
from espalier.tree.rules import Bound, admitted, leaf_bounds
from espalier.tree.surrogates import questions_in_order
from espalier.trees import Tree, path_to


def to_sql(tree: Tree, features: Sequence[Feature], target: Feature, dialect: str = "standard") -> str:
    """Return an expression for the class, or the mean, of a row of the table ``t``: ``SELECT (…) FROM iris AS t``.

    `dialect` is one of `export.dialects.DIALECTS`. Inside is a ``CASE`` with one ``WHEN`` per leaf, which
    allows any depth; around it, the columns are read as they were from the file, with pooled categories, missing
    texts and number formats written out. Columns have their names in the file, after ``t.``, so that an unknown
    one is an error everywhere (SQLite takes an unknown "name" alone for a text); a column without a usable name
    is "column 3". NULL is missing and goes where the tree sends missing values, and so do categories that the
    tree does not know and texts that are not numbers. Raises ValueError for an unknown dialect, and if two
    categories of a feature have the same name; Refusal for dates, times and durations in SQLite and MySQL, and in
    standard SQL for durations, and for dates that do not begin with the year.

    Run by the tests on SQLite and DuckDB, and by hand on PostgreSQL. The dialect of MySQL was never run on
    MySQL itself: its expressions gave the app's answers on MariaDB 10.11 (52 tables), with the table named inside
    the innermost subquery, since MariaDB refuses a reference to ``t`` there. MySQL has no names of over 64
    characters, nor any that end in a blank.
    """
    sql = dialects.dialect(dialect)
    read = columns(tree, features)
    title = f"Decision tree for {one_line(target.name)}: {tree.n_leaves} leaves, depth {tree.depth}."
    head = heading(title, read, target, sql)
    case = cases(
        tree,
        lambda node: answer_in_sql(tree, target, node, sql),
        ExportedRow(read, sql_cells.names(read, sql), sql),
    )
    if not read:
        return f"{head}{case}\n"
    return f"{head}(SELECT {case}\nFROM {sql_cells.source(read, sql)})\n"


class ExportedRow(NamedTuple):
    """The columns of a row, their names in expressions, and the dialect."""

    read: Mapping[int, ExportedColumn]
    names: Mapping[int, str]
    sql: Dialect


def cases(tree: Tree, says: Callable[[int], str], row: ExportedRow) -> str:
    """Return the CASE with a WHEN for each leaf, which has the expression that `says` gives for it."""
    *leaves, (last, _) = leaf_bounds(tree)
    if not leaves:
        return says(last)
    lines = []
    for leaf, demands in leaves:
        tests: Iterable[str] = (
            test(bound, row.read[bound.feature], row.names[bound.feature], row.sql) for bound in demands
        )
        if tree.has_surrogates:
            tests = _tests_on_way(tree, leaf, row)
        lines.append(f"  WHEN {' AND '.join(tests)} THEN {says(leaf)}")
    return "\n".join(["CASE", *lines, f"  ELSE {says(last)}", "END"])


def heading(title: str, read: Mapping[int, ExportedColumn], target: Feature, sql: Dialect) -> str:
    """Return the comments at the head of the source."""
    lines = [title, f"Exported from Espalier for {sql.label}."]
    if read:
        lines += textwrap.wrap(
            f"An expression over a table named {sql_cells.TABLE}: SELECT (…) FROM your_table AS t. "
            f"NULL is missing. A category that the tree does not know goes where a missing value goes. {sql.note}",
            WIDTH,
        )
    lines += changes_on_reading(read.values(), target, with_units=False)
    unnamed = [c for c in read.values() if c.origin and c.sql_name != c.origin.name]
    for column in unnamed:
        lines.append(f"- It must be named {sql.name(column.sql_name)} here: {one_line(column.key)}.")
    names = (*target.categories, *(name for column in read.values() for name in (column.key, *column.names)))
    if any(INVISIBLE.search(name) or ISOLATES.search(name) for name in names):
        lines.append("A name in this source has characters that turn the text after it around: it may look amiss.")
    return "".join(f"-- {line}\n" for line in lines)


def answer_in_sql(tree: Tree | ObliqueTree, target: Feature, node: int, sql: Dialect) -> str:
    """Return the class, or the mean, that a leaf predicts, and a comment on its samples."""
    n = f"n = {tree.n_samples[node]}"
    if not target.categories:
        return f"{real(float(tree.value[node, 0]))} /* {n} */"
    best = int(tree.value[node].argmax())
    text = class_literal(target, best, sql)
    tied = tie_remark(target, tree.value[node]).replace("*/", "* /").replace("/*", "/ *")
    return f"{text} /* {percent(float(tree.value[node, best]))}, {n}{tied} */"


def class_literal(target: Feature, code: int, sql: Dialect) -> str:
    """Return a class as a prediction: a number, TRUE or FALSE, or a text, as `answers` says."""
    names = answers(target)
    name = names[code]
    if isinstance(name, (str, bool)):
        return sql.literal(name) if isinstance(name, str) else str(name).upper()
    return real(float(name)) if any(isinstance(other, float) for other in names) else str(name)


def _tests_on_way(tree: Tree, leaf: int, row: ExportedRow) -> Iterator[str]:
    """Yield a condition for each split above a leaf: the first of its tests whose value is known decides."""
    for node, below in itertools.pairwise(path_to(tree, leaf)):
        cases = []
        for question in questions_in_order(tree, node):
            feature = question.left.feature
            left, known = (
                test(bound, row.read[feature], row.names[feature], row.sql)
                for bound in (question.left, question.known)
            )
            cases.append(f"WHEN {left} THEN 1 WHEN {known} THEN 0")
        otherwise = int(tree.missing_left[node])
        yield f"CASE {' '.join(cases)} ELSE {otherwise} END = {int(below == tree.left[node])}"


def test(bound: Bound, column: ExportedColumn, name: str, sql: Dialect) -> str:
    """Return the condition that is true for exactly the values that the bound admits, including NULL."""
    if column.names:
        return _in_set(bound, column, name, sql)
    tests = []
    if bound.low > -math.inf:
        tests.append(f"{name} > {real(bound.low)}")
    if bound.high < math.inf:
        tests.append(f"{name} <= {real(bound.high)}")
    if bound.low == math.inf:
        tests = ["1 = 0"]
    if not bound.missing:
        return " AND ".join(tests) or f"{name} IS NOT NULL"
    return f"({name} IS NULL OR {' AND '.join(tests)})" if tests else "1 = 1"


def _in_set(bound: Bound, column: ExportedColumn, name: str, sql: Dialect) -> str:
    n = len(column.names)
    codes = admitted(bound, n)
    if not bound.missing:
        return f"{name} IN ({sql_cells.in_list(column, codes, sql)})" if codes else "1 = 0"
    others = sorted(set(range(n)) - set(codes))
    return f"({name} IS NULL OR {name} NOT IN ({sql_cells.in_list(column, others, sql)}))" if others else "1 = 1"
