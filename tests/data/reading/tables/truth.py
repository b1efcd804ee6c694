"""Tables as people have them, each with the truth about it, compared with what the Data page makes of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from espalier.data.columns.convert import TargetPlan, encode, moments, to_dataset
from espalier.data.columns.kinds import ColumnPlan, guess_target, label
from espalier.data.contents import Contents, contents
from espalier.data.errors import TableError, quoted

TEXTS = ("category", "identifier")


class Column(NamedTuple):
    """What a column is, and its first cells: numbers, texts, or seconds; None where one is missing."""

    kinds: tuple[str, ...]
    cells: tuple[Any, ...] = ()
    order: tuple[str, ...] = ()
    is_asked: bool = False  # nobody can know: a sentence or a choice must name the column


class KnownTable(NamedTuple):
    """A file, and what is true of it."""

    what: str
    filename: str
    content: bytes
    columns: dict[str, Column]
    n_rows: int
    asks: tuple[str, ...] = ()  # choices ("encoding") and names that must be asked, or "refusal"
    target: str = ""  # empty: as the app guesses


def number(*cells: float | None) -> Column:
    """Return the truth of a column of numbers."""
    return Column(("number",), cells)


def text(*cells: str | None) -> Column:
    """Return the truth of a column of words or codes without an order."""
    return Column(TEXTS, cells)


def code(*cells: str) -> Column:
    """Return the truth of a column of codes: texts, or numbers if these have the same digits."""
    return Column((*TEXTS, "number", "ordered"), cells)


def order(*steps: str) -> Column:
    """Return the truth of a column of steps, from least to most."""
    return Column(("ordered",), (), steps)


def yes_no(no: str, yes: str) -> Column:
    """Return the truth of a column of yes and no."""
    return Column(("yes/no",), (), (no, yes))


def date(*cells: str | None) -> Column:
    """Return the truth of a column of dates, given as in ISO 8601; without a zone, UTC."""
    return Column(("date",), tuple(None if cell is None else _seconds(cell) for cell in cells))


def clock(*cells: float | None) -> Column:
    """Return the truth of a column of times of day, in seconds."""
    return Column(("time of day",), cells)


def duration(*cells: float | None) -> Column:
    """Return the truth of a column of durations, in seconds."""
    return Column(("duration",), cells)


def unused() -> Column:
    """Return the truth of a column that says nothing, or that only names its rows."""
    return Column(("ignored", "identifier"))


def asked() -> Column:
    """Return the truth of a column that can be read in two ways: it must be asked about."""
    return Column((), is_asked=True)


class Finding(NamedTuple):
    """A difference between a table as read and the truth."""

    where: str
    read: str
    sentence: str  # that the app says of it; empty: wrong without a word


TABLES: defaultdict[str, list[Callable[[], KnownTable]]] = defaultdict(list)  # by the module that describes them


def differences(table: KnownTable) -> list[Finding]:
    """Return how the table as read differs from the truth, and what is not asked though it must be."""
    try:
        found = contents(table.content, table.filename)
    except TableError as error:
        return [] if "refusal" in table.asks else [Finding("file", "refused", str(error))]
    target = table.target or guess_target(list(found.plans)) or ""
    sentences = [*found.table.notes]
    try:
        _, notes = to_dataset(found.table.frame, found.plans, TargetPlan(target), "t", found.table.origins)
        sentences += notes
    except TableError as error:
        return [Finding(target, "refused as a target", str(error))]
    wrong = [Finding("file", "not refused", "")] if "refusal" in table.asks else []
    names = list(found.table.frame.columns)
    if names != list(table.columns):
        wrong.append(Finding("names", f"{names} for {list(table.columns)}", _named_table(found)))
    if len(found.table.frame) != table.n_rows:
        wrong.append(Finding("rows", f"{len(found.table.frame)} for {table.n_rows}", _named_table(found)))
    plans = {plan.name: plan for plan in found.plans}
    for ask in table.asks:
        if ask != "refusal" and not _sentence(ask, found, sentences):
            wrong.append(Finding(ask, "not asked", ""))
    for name, column in table.columns.items():
        if name in plans:
            is_read = _difference(column, found.table.frame[name], plans[name])
            sentence = _sentence(name, found, sentences)
            if column.is_asked and not sentence:
                wrong.append(Finding(name, f"not asked: {is_read or plans[name].kind}", ""))
            elif is_read and not column.is_asked:
                wrong.append(Finding(name, is_read, sentence))
    return wrong


def _named_table(found: Contents) -> str:
    return " / ".join([*(choice.question for choice in found.table.choices), *found.table.notes])


def _sentence(name: str, found: Contents, sentences: list[str]) -> str:
    """Return what is said or asked of a column, or of the file; empty if nothing is."""
    asked_ = [choice.question for choice in found.table.choices if choice.what == name]
    return " / ".join(asked_ + [sentence for sentence in sentences if quoted(name) in sentence])


def _difference(column: Column, values: Any, plan: ColumnPlan) -> str:
    """Return in what a column as read differs from the truth; empty if it does not."""
    example = ", ".join(label(value) for value in values.dropna().iloc[:4])
    if column.kinds and plan.kind not in column.kinds:
        return f"{plan.kind} ({example}) for {column.kinds[0]}"
    if column.order and plan.categories != column.order:
        return f"{' < '.join(plan.categories)} for {' < '.join(column.order)}"
    try:
        cells = _cells(values, plan, "category" in column.kinds)[: len(column.cells)]
    except TableError as error:
        return f"its own guess is refused: {error}"
    return "" if all(map(_is_same, cells, column.cells)) else f"{cells} for {list(column.cells)}"


def _cells(values: Any, plan: ColumnPlan, is_code: bool) -> list[Any]:
    """Return the cells of a column as its kind gives them to trees; texts that are not used as they are."""
    if plan.kind in ("ignored", "identifier", "category") or is_code:
        return [None if missing else label(cell) for cell, missing in zip(values, values.isna(), strict=True)]
    if plan.kind in ("date", "time of day", "duration"):
        feature = moments(values, plan)[0]
        moment = feature.feature.moment
        assert moment is not None
        return _or_none(feature.values * moment.unit + moment.since * 86_400)
    return _or_none(encode(values, plan).values)


def _or_none(floats: np.ndarray) -> list[float | None]:
    return [None if np.isnan(x) else float(x) for x in floats]


def _is_same(cell: Any, true: Any) -> bool:
    if isinstance(true, int | float) and isinstance(cell, float):
        return bool(np.isclose(cell, true, rtol=1e-12, atol=1e-9))
    return cell == true


def _seconds(cell: str) -> float:
    moment = datetime.fromisoformat(cell)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
