"""Trees and forests as SQL expressions over the columns of a table ``t``.

A tree of bounds or sums is a ``CASE`` with one ``WHEN`` for each leaf, which allows any depth. A pool of
decisions is a number between 0 and 1, and a node the mixture of its children, ``g * left + (1 - g) * right``.
Multiplied out this is the sum over the leaves of products of g, but it names every g twice instead of once for
each leaf. A forest is a sum over its trees.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.theme import count, number, percent
from espalier.export import dialects, sql_cells
from espalier.export.columns import (
    WIDTH,
    ExportedColumn,
    answers,
    changes_on_reading,
    columns,
    one_line,
    tie_remark,
)
from espalier.export.dialects import Dialect, real
from espalier.export.node_sources import (
    Gate,
    NodeSource,
    PoolSource,
    additions,
    check_python,
    forest_sources,
    forest_title,
    source_of,
)
from espalier.inert import INVISIBLE, ISOLATES
from espalier.language import Refusal, english
from espalier.leaf_models import FormulaTerm, LeafModels, terms_at
from espalier.learners.description import describe_forest
from espalier.tree.rules import Bound, Slant, admitted_codes, questions_in_order, step
from espalier.trees import LEAF, Forest, Tree, path_to

MAX_TERMS = 900  # of a formula: SQLite, for one, refuses sums of a thousand numbers
FARTHEST = 1e300  # stands for an infinite score
MAX_POOL_CASES = 5_000  # of all CASE expressions of a tree of pools: databases refuse much longer sources
MAX_POOL_DEPTH = 15  # nested brackets: SQLite, for one, keeps track of 100
MAX_CASES = 20_000  # leaves in all expressions of a forest: about 2 MB
MAX_NESTED = 30  # levels of CASE in a CASE: SQLite, for one, keeps track of 1,000 brackets


class ExportedRow(NamedTuple):
    """The columns of a row, their names in expressions, and the dialect."""

    read: Mapping[int, ExportedColumn]
    names: Mapping[int, str]
    sql: Dialect


@english()
def to_sql(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    dialect: str = "standard",
) -> str:
    """Return an SQL expression that predicts, in a dialect of `dialects.DIALECTS`; `model` as in `to_python`.

    It is for ``SELECT (…) FROM iris AS t``, and gives the class or the number; of a cultivated tree there is an
    expression for the share of every class. Columns are read as they were from the file, with pooled categories,
    missing texts and number formats written out. They have their names in the file, after ``t.``, so that an
    unknown one is an error everywhere (SQLite takes an unknown "name" alone for a text); a column without a usable
    name is "column 3". NULL is missing and goes where the tree sends missing values, and so do categories that the
    tree does not know and texts that are not numbers.

    Raises ValueError as `to_python`, for an unknown dialect, and for a tree that is too large for an expression;
    Refusal for dates, times and durations in SQLite and MySQL, and in standard SQL for durations, and for dates
    that do not begin with the year.

    Run by the tests on SQLite and DuckDB, and by hand on PostgreSQL. The dialect of MySQL was never run on
    MySQL itself: its expressions gave the app's answers on MariaDB 10.11 (52 tables), with the table named inside
    the innermost subquery, since MariaDB refuses a reference to ``t`` there. MySQL has no names of over 64
    characters, nor any that end in a blank.
    """
    source: Any = source_of(model, features, target)
    sql, outcome = dialects.dialect(dialect), source.target
    read = columns(source.record, source.features)
    if source.tests == "pools":
        _check_pools(source, read)
    row = ExportedRow(read, sql_cells.names(read, sql), sql)
    if source.models is not None:
        _check_formulas(source.models)
    head = heading(source.title, read, outcome, sql)
    origin = f"\nFROM {sql_cells.source(read, sql)}" if read else ""
    if source.tests == "pools":
        expressions = [f"(SELECT {mixture(source, row, k)}{origin})" for k in range(source.nodes.value.shape[1])]
        names = [f" AS {sql.name(f'share of {name}')}" for name in outcome.categories] or [""]
        return head + ",\n".join(map("".join, zip(expressions, names, strict=True))) + "\n"
    if source.models is None:
        answer = cases(source, lambda leaf: _constant(source, leaf, sql), row)
        return f"{head}(SELECT {answer}{origin})\n" if read else f"{head}{answer}\n"
    scores = [
        f"{cases(source, lambda leaf, k=k: _formula(source, leaf, k, row), row)} AS score_{k + 1}"
        for k in range(source.models.n_scores)
    ]
    answer, inner = _formula_answer(source.models, outcome, sql), ",\n".join(scores)
    return f"{head}(SELECT {answer}\nFROM (SELECT {inner}{origin}) AS s)\n"


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
    for column in read.values():
        if column.origin and column.sql_name != column.origin.name:
            lines.append(f"- It must be named {sql.name(column.sql_name)} here: {one_line(column.key)}.")
    names = (*target.categories, *(name for column in read.values() for name in (column.key, *column.names)))
    if any(INVISIBLE.search(name) or ISOLATES.search(name) for name in names):
        lines.append("A name in this source has characters that turn the text after it around: it may look amiss.")
    return "".join(f"-- {line}\n" for line in lines)


# ---- trees of bounds and sums: a CASE over the leaves


def cases(source: NodeSource, answer: Callable[[int], str], row: ExportedRow) -> str:
    """Return the CASE with a WHEN for each leaf, which has the expression that `answer` gives for it."""
    *leaves, last = source.leaves
    if not leaves:
        return answer(last)
    conditions = source.conditions()
    lines = []
    for leaf in leaves:
        tests = [_condition(source, condition, row) for condition in conditions[leaf]]
        if source.has_surrogates:
            tests = _tests_on_way(source.nodes, leaf, row)
        lines.append(f"  WHEN {' AND '.join(tests)} THEN {answer(leaf)}")
    return "\n".join(["CASE", *lines, f"  ELSE {answer(last)}", "END"])


def _condition(source: NodeSource, condition: Bound | Slant, row: ExportedRow) -> str:
    if isinstance(condition, Bound):
        return bound_test(condition, row)
    terms = zip(condition.feature, condition.coefficient, strict=True)
    total = " + ".join(
        f"{real(factor)} * {_or_fill(source.nodes.fill, feature, row)}" for feature, factor in terms
    )
    return f"{total} {'<=' if condition.left else '>'} {real(condition.threshold)}"


def bound_test(bound: Bound, row: ExportedRow) -> str:
    """Return the condition that is true for exactly the values that the bound admits, including NULL."""
    column, name = row.read[bound.feature], row.names[bound.feature]
    if column.names:
        codes = admitted_codes(bound, len(column.names))
        if not bound.missing:
            return f"{name} IN ({sql_cells.categories(column, codes, row.sql)})" if codes else "1 = 0"
        rest = sorted(set(range(len(column.names))) - set(codes))
        categories = sql_cells.categories(column, rest, row.sql)
        return f"({name} IS NULL OR {name} NOT IN ({categories}))" if rest else "1 = 1"
    tests = [f"{name} > {real(bound.low)}"] if bound.low > -math.inf else []
    if bound.high < math.inf:
        tests.append(f"{name} <= {real(bound.high)}")
    if bound.low == math.inf:
        tests = ["1 = 0"]
    if not bound.missing:
        return " AND ".join(tests) or f"{name} IS NOT NULL"
    return f"({name} IS NULL OR {' AND '.join(tests)})" if tests else "1 = 1"


def _tests_on_way(tree: Tree, leaf: int, row: ExportedRow) -> Iterator[str]:
    """Yield a condition for each split above a leaf: the first of its tests whose value is known decides."""
    for node, below in itertools.pairwise(path_to(tree, leaf)):
        whens = " ".join(
            f"WHEN {bound_test(question.left, row)} THEN 1 WHEN {bound_test(question.known, row)} THEN 0"
            for question in questions_in_order(tree, node)
        )
        yield f"CASE {whens} ELSE {int(tree.missing_left[node])} END = {int(below == tree.left[node])}"


def _or_fill(fills: np.ndarray, feature: int, row: ExportedRow) -> str:
    """Return the number in a column, or the level of an ordered category; the fill where it is missing."""
    column, name, fill = row.read[feature], row.names[feature], real(float(fills[feature]))
    if not column.names:
        return f"COALESCE({name}, {fill})"
    return f"CASE {_levels(column, name, row.sql, lambda code: real(float(code)))} ELSE {fill} END"


def _levels(column: ExportedColumn, name: str, sql: Dialect, value: Callable[[int], str]) -> str:
    """Return a WHEN for each category with its value."""
    return " ".join(
        f"WHEN {name} IN ({sql_cells.categories(column, [code], sql)}) THEN {value(code)}"
        for code in range(len(column.names))
    )


# ---- answers: a constant, or a formula


def _constant(source: NodeSource, leaf: int, sql: Dialect) -> str:
    """Return the class, or the mean, that a leaf predicts, and a comment on its samples."""
    value, target = source.nodes.value[leaf], source.target
    n = f"n = {source.nodes.n_samples[leaf]}"
    if not target.categories:
        return f"{real(float(value[0]))} /* {n} */"
    best = int(value.argmax())
    ties = tie_remark(target, value).replace("*/", "* /").replace("/*", "/ *")
    return f"{_class_literal(target, best, sql)} /* {percent(float(value[best]))}, {n}{ties} */"


def _class_literal(target: Feature, code: int, sql: Dialect) -> str:
    """Return a class as a prediction: a number, TRUE or FALSE, or a text, as `answers` says."""
    names = answers(target)
    name = names[code]
    if isinstance(name, (str, bool)):
        return sql.literal(name) if isinstance(name, str) else str(name).upper()
    return real(float(name)) if any(isinstance(other, float) for other in names) else str(name)


def _check_formulas(models: LeafModels) -> None:
    n_terms = int(np.diff(models.start).max())
    if n_terms > MAX_TERMS:
        raise ValueError(
            f"a formula of this tree has {n_terms} terms, and databases refuse sums of more than {MAX_TERMS}; the "
            "Python function has no such limit"
        )


def _formula(source: NodeSource, leaf: int, score: int, row: ExportedRow) -> str:
    models: Any = source.models
    intercept = float(models.intercept[leaf, score])
    terms = [_term(term, score, row) for term in terms_at(models, leaf) if term.coefficient[score]]
    total = "\n    + ".join([real(min(max(intercept, -FARTHEST), FARTHEST)), *terms])
    return f"{total} /* n = {source.nodes.n_samples[leaf]} */"


def _term(term: FormulaTerm, score: int, row: ExportedRow) -> str:
    column, name, coefficient = row.read[term.feature], row.names[term.feature], term.coefficient[score]

    def at(value: float) -> str:
        return real(coefficient * min(max(value, term.low), term.high))

    if column.names:
        levels = _levels(column, name, row.sql, lambda code: at(float(code)))
        return f"CASE {levels} ELSE {at(term.fill)} END"
    low, high = real(term.low), real(term.high)
    ends = f"WHEN {name} < {low} THEN {low} WHEN {name} > {high} THEN {high}"
    return f"({real(coefficient)}) * CASE WHEN {name} IS NULL THEN {real(term.fill)} {ends} ELSE {name} END"


def _formula_answer(models: LeafModels, target: Feature, sql: Dialect) -> str:
    """Return what the scores of a row predict: the number within its limits, or the class."""
    if not target.categories:
        low, high = real(float(models.least[0])), real(float(models.greatest[0]))
        return f"CASE WHEN s.score_1 < {low} THEN {low} WHEN s.score_1 > {high} THEN {high} ELSE s.score_1 END"
    texts = [_class_literal(target, code, sql) for code in range(len(target.categories))]
    if models.link == "logistic":
        return f"CASE WHEN s.score_1 > 0e0 THEN {texts[1]} ELSE {texts[0]} END"
    whens = []
    for code, text in enumerate(texts[:-1], start=1):
        later = range(code + 1, len(texts) + 1)
        tests = " AND ".join(f"s.score_{code} >= s.score_{other}" for other in later)
        whens.append(f"WHEN {tests} THEN {text}")
    return f"CASE {' '.join(whens)} ELSE {texts[-1]} END" if whens else texts[0]


# ---- trees of pools: a mixture at each node


def _check_pools(source: PoolSource, read: Mapping[int, ExportedColumn]) -> None:
    tree = source.nodes
    n_parts = sum(len(gate.parts) for node in range(tree.n_nodes) for gate in source.gates(node, read))
    n_cases = 2 * n_parts * tree.value.shape[1]
    if n_cases > MAX_POOL_CASES or tree.depth > MAX_POOL_DEPTH:
        raise ValueError(
            f"every row is in several leaves, so all {number(tree.n_leaves)} leaves would stand in one expression "
            f"of {number(n_cases)} cases, which databases refuse; the Python function has no such limit, and a "
            f"tree of fewer levels or cuts can be written (up to {number(MAX_POOL_CASES)} cases and "
            f"{MAX_POOL_DEPTH} levels)"
        )


def mixture(source: PoolSource, row: ExportedRow, output: int) -> str:
    """Return the expression for one output of the root; it is built from the last node to the first."""
    tree, texts = source.nodes, {}
    for node in reversed(range(tree.n_nodes)):
        if tree.left[node] == LEAF:
            texts[node] = real(float(tree.value[node, output]))
            continue
        part = " + ".join(_gate(gate, row) for gate in source.gates(node, row.read))
        left, right = texts.pop(int(tree.left[node])), texts.pop(int(tree.right[node]))
        texts[node] = f"(({part}) * {left}\n + (1e0 - ({part})) * {right})"
    return texts[0]


def _gate(gate: Gate, row: ExportedRow) -> str:
    """Return the part that a decision sends to the left, times its share."""
    column, name = row.read[gate.feature], row.names[gate.feature]
    if column.names:
        codes: dict[float, list[int]] = {}
        for code, part in enumerate(gate.parts):
            codes.setdefault(part, []).append(code)
        lists = ((sql_cells.categories(column, codes[part], row.sql), part) for part in codes)
        whens = "".join(f"WHEN {name} IN ({texts}) THEN {real(part)} " for texts, part in lists)
        case = f"CASE {whens}ELSE {real(gate.missing)} END"
    else:
        cuts = zip(gate.cuts, gate.parts[:-1], strict=True)
        whens = "".join(f"WHEN {name} <= {real(cut)} THEN {real(part)} " for cut, part in cuts)
        case = f"CASE WHEN {name} IS NULL THEN {real(gate.missing)} {whens}ELSE {real(gate.parts[-1])} END"
    return case if gate.share == 1.0 else f"{real(gate.share)} * {case}"


# ---- forests


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
    check_python(forest)
    check_sql(forest)
    sql, read = dialects.dialect(dialect), columns(forest, features)
    row, sources = ExportedRow(read, sql_cells.names(read, sql), sql), forest_sources(forest)
    head = heading(forest_title(forest, target), read, target, sql)
    origin = f"\nFROM {sql_cells.source(read, sql)}" if read else ""
    if sources[0].tests == "pools":
        outputs = itertools.product(range(len(sources)), range(forest.n_outputs))
        mixtures = (f"{mixture(sources[tree], row, k)}\n AS t{tree}_{k}" for tree, k in outputs)
        origin = f"\nFROM (SELECT {', '.join(mixtures)}{origin}) AS trees"
    names = ", ".join(f"{_score(forest, sources, k, row)}\n AS s{k}" for k in _scores_needed(forest))
    expressions = [
        f"(SELECT {answer} FROM (SELECT {names}{origin}) AS scores){f' AS {name}' if name else ''}"
        for answer, name in _forest_answers(forest, target, sql)
    ]
    return head + ",\n".join(expressions) + "\n"


def check_sql(forest: Forest) -> None:
    """Raise Refusal for a forest that no expression has room for."""
    n_scores = len(_scores_needed(forest))
    n_answers = n_scores if forest.link in ("softmax", "identity") else 1
    if forest_sources(forest)[0].tests == "pools":
        _check_forest_pools(forest, MAX_CASES // n_answers)
        return
    n_leaves = sum(tree.n_leaves for tree in forest.trees) * (1 if forest.combine == "sum" else n_scores)
    if n_leaves * n_answers > MAX_CASES:
        raise Refusal(
            "An expression in SQL of {n} cases is more than databases take; the limit is {most}. Grow fewer or "
            "shallower trees, or save the forest as Python.",
            n=count(n_leaves * n_answers),
            most=count(MAX_CASES),
        )


def _check_forest_pools(forest: Forest, most: int) -> None:
    trees: Any = forest.trees
    n_cases = sum(2 * len(tree.cuts.value) * tree.value.shape[1] for tree in trees)  # the part on either side
    if n_cases > most:
        raise Refusal(
            "As an expression in SQL the cultivated trees have {n} cases, more than databases take; the limit "
            "is {most}. Grow fewer or shallower trees, or save the forest as Python.",
            n=count(n_cases),
            most=count(most),
        )
    if any(tree.depth > MAX_POOL_DEPTH for tree in trees):
        raise Refusal(
            "Trees of more than {most} levels nest deeper than databases take. Grow shallower trees, or save "
            "the forest as Python.",
            most=MAX_POOL_DEPTH,
        )


def _scores_needed(forest: Forest) -> list[int]:
    """Return the scores that the expressions need: of two shares the second alone."""
    is_pair = forest.combine != "sum" and forest.n_outputs == 2
    return [1] if is_pair else list(range(len(forest.start)))


def _forest_answers(forest: Forest, target: Feature, sql: Dialect) -> list[tuple[str, str]]:
    """Return the expression of each answer in terms of the scores s0, s1, …, and its name."""
    if not target.categories:
        return [("EXP(s0)" if forest.link == "log" else "s0", "")]
    names = [sql.name(f"share of {name}") for name in target.categories]
    if forest.link == "logistic":
        return [("1e0 / (1e0 + EXP(-s0))", names[1])]
    if forest.link == "softmax":
        powers = [f"EXP(s{k})" if math.isfinite(start) else "0e0" for k, start in enumerate(forest.start.tolist())]
        return [(f"{power} / ({' + '.join(powers)})", name) for power, name in zip(powers, names, strict=True)]
    return [(f"s{k}", names[k]) for k in _scores_needed(forest)]


def _score(forest: Forest, sources: Sequence[NodeSource], k: int, row: ExportedRow) -> str:
    """Return the sum of what all trees add to a score, with brackets in pairs, whose depth databases limit."""
    start = float(forest.start[k])
    terms = [real(start)] if start and math.isfinite(start) else []
    for tree, source in enumerate(sources):
        if source.tests == "pools":
            weight, is_vote = real(float(forest.weight[tree])), forest.combine == "votes"
            win = f"CASE WHEN {_wins(forest, tree, k)} THEN {weight} ELSE 0e0 END"
            terms.append(win if is_vote else f"{weight} * t{tree}_{k}")
            continue
        value = additions(forest, tree)[:, k]
        if value[source.leaves].any():
            terms.append(_case(source, value, row))
    terms = terms or ["0e0"]
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [f"({' + '.join(pair)})" if len(pair) == 2 else pair[0] for pair in pairs]
    return terms[0]


def _wins(forest: Forest, tree: int, k: int) -> str:
    """Return the condition that a class has the tree's greatest share, and the first of equal ones."""
    rivals = (other for other in range(forest.n_outputs) if other != k)
    tests = [f"t{tree}_{k} {'>' if other < k else '>='} t{tree}_{other}" for other in rivals]
    return " AND ".join(tests) or "1 = 1"


def _case(source: NodeSource, value: np.ndarray, row: ExportedRow) -> str:
    """Return what the tree adds: CASE in CASE, or a WHEN for each leaf of a tree that is too deep for that."""
    tree = source.nodes
    if tree.depth > MAX_NESTED:
        return cases(source, lambda leaf: real(float(value[leaf])), row)
    parts: list[str] = []
    todo: list[int | str] = [0]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            parts.append(node)
        elif tree.feature[node] == LEAF:
            parts.append(real(float(value[node])))
        else:
            parts.append(f"\nCASE WHEN {bound_test(step(tree, node, left=True), row)} THEN ")
            todo += [" END", int(tree.right[node]), " ELSE ", int(tree.left[node])]
    return "".join(parts)
