"""A model tree as an SQL expression: a CASE with a formula for each leaf, and what the formulas say."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data.dataset import Feature
from espalier.export import dialects, sql_cells
from espalier.export.columns import columns, one_line
from espalier.export.dialects import Dialect, real
from espalier.export.sql import ExportedRow, cases, class_literal, heading
from espalier.leaf_models import FormulaTerm, ModelTree, terms_at

MAX_TERMS = 900  # of a formula: SQLite, for one, refuses sums of a thousand numbers
PLUS = "\n    + "
FARTHEST = 1e300  # stands for an infinite score


def to_sql(model: ModelTree, features: Sequence[Feature], target: Feature, dialect: str = "standard") -> str:
    """Return an expression for the class, or the number, of a row of the table ``t``.

    `dialect`, the names of columns and how they are read are as in `espalier.export.sql.to_sql`. Inside is,
    for each score, a ``CASE`` with the formula of each leaf. Raises ValueError as that does, and where a formula
    has more terms than databases take.
    """
    sql = dialects.dialect(dialect)
    read = columns(model, features)
    row = ExportedRow(read, sql_cells.names(read, sql), sql)
    _check_size(model)
    title = f"Model tree for {one_line(target.name)}: {model.n_leaves} leaves, depth {model.depth}."
    head = heading(title, read, target, sql)
    origin = f"\nFROM {sql_cells.source(read, sql)}" if read else ""
    scores = [
        cases(model.tree, lambda leaf, k=k: _formula(model, leaf, k, row), row) + f" AS score_{k + 1}"
        for k in range(model.models.n_scores)
    ]
    inner = ",\n".join(scores)
    return f"{head}(SELECT {_answer(model, target, sql)}\nFROM (SELECT {inner}{origin}) AS s)\n"


def _check_size(model: ModelTree) -> None:
    n_terms = max(len(terms_at(model.models, leaf)) for leaf in range(model.n_nodes))
    if n_terms > MAX_TERMS:
        raise ValueError(
            f"a formula of this tree has {n_terms} terms, and databases refuse sums of more than {MAX_TERMS}; the "
            "Python function has no such limit"
        )


def _formula(model: ModelTree, leaf: int, score: int, row: ExportedRow) -> str:
    intercept = float(model.models.intercept[leaf, score])
    parts = [real(min(max(intercept, -FARTHEST), FARTHEST))]
    terms = (term for term in terms_at(model.models, leaf) if term.coefficient[score])
    parts += [_times(term, score, row) for term in terms]
    return PLUS.join(parts) + f" /* n = {model.tree.n_samples[leaf]} */"


def _times(term: FormulaTerm, score: int, row: ExportedRow) -> str:
    column, name, sql = row.read[term.feature], row.names[term.feature], row.sql
    if column.names:
        steps = [
            f"WHEN {name} IN ({sql_cells.in_list(column, [code], sql)}) THEN {_at(term, score, float(code))}"
            for code in range(len(column.names))
        ]
        return f"CASE {' '.join(steps)} ELSE {_at(term, score, term.fill)} END"
    low, high = real(term.low), real(term.high)
    ends = f"WHEN {name} < {low} THEN {low} WHEN {name} > {high} THEN {high}"
    value = f"CASE WHEN {name} IS NULL THEN {real(term.fill)} {ends} ELSE {name} END"
    return f"({real(term.coefficient[score])}) * {value}"


def _at(term: FormulaTerm, score: int, value: float) -> str:
    return real(term.coefficient[score] * min(max(value, term.low), term.high))


def _answer(model: ModelTree, target: Feature, sql: Dialect) -> str:
    """Return what the scores of a row say: the number within its limits, or the class."""
    if not target.categories:
        low, high = real(float(model.models.least[0])), real(float(model.models.greatest[0]))
        return f"CASE WHEN s.score_1 < {low} THEN {low} WHEN s.score_1 > {high} THEN {high} ELSE s.score_1 END"
    texts = [class_literal(target, code, sql) for code in range(len(target.categories))]
    if model.models.link == "logistic":
        return f"CASE WHEN s.score_1 > 0e0 THEN {texts[1]} ELSE {texts[0]} END"
    steps = []
    for code, text in enumerate(texts[:-1], start=1):
        later = range(code + 1, len(texts) + 1)
        tests = " AND ".join(f"s.score_{code} >= s.score_{other}" for other in later)
        steps.append(f"WHEN {tests} THEN {text}")
    return f"CASE {' '.join(steps)} ELSE {texts[-1]} END" if steps else texts[0]
