"""Tables as people have them, each with the truth about it, compared with what the Data page makes of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from espalier.data.columns.convert import TargetPlan, encode, moments, to_dataset
from espalier.data.columns.kinds import ColumnPlan, guess_target, label
from espalier.data.contents import contents
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


TABLES: defaultdict[str, list[Callable[[], KnownTable]]] = defaultdict(list)  # by the module that describes them


def differences(table: KnownTable) -> list[str]:
    """Return how the table as read differs from the truth, and what is not asked though it must be."""
    try:
        found = contents(table.content, table.filename)
    except TableError as error:
        return [] if "refusal" in table.asks else [f"refused: {error}"]
    target = TargetPlan(table.target or guess_target(list(found.plans)) or "")
    notes = to_dataset(found.table.frame, found.plans, target, "t", found.table.origins)[1]
    sentences = [*found.table.notes, *notes]

    def says(name: str) -> str:
        """What is said or asked of a column, or of the file; empty if nothing is."""
        questions = [choice.question for choice in found.table.choices if choice.what == name]
        return " / ".join(questions + [sentence for sentence in sentences if quoted(name) in sentence])

    names, n_rows = list(found.table.frame.columns), len(found.table.frame)
    wrong = [f"{names} for {list(table.columns)}"] if names != list(table.columns) else []
    wrong += [f"{n_rows} rows for {table.n_rows}"] if n_rows != table.n_rows else []
    wrong += [f"{ask} is not asked" for ask in table.asks if not says(ask)]  # a refusal never is
    plans = {plan.name: plan for plan in found.plans if plan.name in table.columns}
    for name, plan in plans.items():
        column = table.columns[name]
        off = _difference(column, found.table.frame[name], plan)
        if column.is_asked and not says(name):
            wrong.append(f"{name} is not asked: {off or plan.kind}")
        elif off and not column.is_asked:
            wrong.append(f"{name}: {off}. It is said: {says(name)}")
    return wrong


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
