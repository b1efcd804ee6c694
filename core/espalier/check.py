"""The command ``espalier check``: what is read, guessed and warned of a table, for a person or a script.

It reads the file as the app does, in a process with limits, and looks at it as the Data page does.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, NamedTuple

from espalier.data.background import FileReading
from espalier.data.choices import ReadingChoice
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import (
    TIME_KINDS,
    ColumnPlan,
    ColumnSummary,
    RoleNames,
    guess_target,
    guessed_roles,
)
from espalier.data.contents import Contents
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError, counted, listed, quoted
from espalier.data.formats.readers import TEXT_FORMATS
from espalier.data.options import DELIMITERS
from espalier.data.table import Table
from espalier.findings.check import check_table
from espalier.findings.finding import Finding
from espalier.findings.findings import sentences
from espalier.inert import inert

FINE, WARNINGS, UNREADABLE = 0, 1, 2  # exit codes
ROLES = {"group": "a group", "time": "a time", "label": "a label"}
LONGEST = 40  # characters of a name in the list of columns


class CheckedTable(NamedTuple):
    """A file, the table in it, the data set that guesses make of it, and what about that misleads."""

    filename: str
    contents: Contents
    dataset: Dataset
    is_guess: bool  # whether the target is guessed
    roles: RoleNames  # that columns look as if they had; the data set has none of them
    notes: tuple[str, ...]
    warnings: tuple[Finding, ...]


def main(arguments: Sequence[str]) -> int:
    """Run the command; its exit code: 0 if nothing misleads, 1 if something does, 2 if the table is unusable."""
    given = parser().parse_args(arguments)
    try:
        checked = checked_table(given.table, given.target)
    except TableError as error:
        refuse(error, given.json)
        return UNREADABLE
    except (KeyboardInterrupt, CancelledError):
        return 130
    print(json.dumps(as_json(checked), indent=2) if given.json else in_words(checked))
    return WARNINGS if checked.warnings else FINE


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command's arguments."""
    parser = argparse.ArgumentParser(
        prog="espalier check",
        description="Say how a table is read, what is guessed of it, and what about it misleads.",
        epilog="Exit code: 0 nothing misleads, 1 something does, 2 the table cannot be read or used.",
    )
    parser.add_argument("table", type=Path, help="CSV, TSV, Excel, Parquet, ARFF or JSON lines, also packed")
    parser.add_argument("--target", default="", help="the column to predict; without it, it is guessed")
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of text")
    return parser


def checked_table(path: Path, target: str = "") -> CheckedTable:
    """Read and check a table; an empty target is guessed. Raises TableError if it cannot be read or used."""
    reading = FileReading(path, path.name)
    try:
        found = reading.future.result()
    finally:
        reading.cancel()
    table, plans = found.table, found.plans
    aim = _target(table, plans, target)
    dataset, notes = to_dataset(table.frame, plans, aim, table.name, table.origins)
    looks = guessed_roles(table.frame, plans, found.summaries)
    roles = RoleNames(*("" if name == aim else name for name in looks))
    warnings = tuple(check_table(dataset))
    return CheckedTable(path.name, found, dataset, not target, roles, (*table.notes, *notes), warnings)


def _target(table: Table, plans: Sequence[ColumnPlan], target: str) -> str:
    """Return the target that is asked for, or the guess. Raises TableError if there is none."""
    if target and target not in table.frame:
        raise TableError(
            f"The table has no column {quoted(target)}.",
            f"Its columns are {listed([quoted(name) for name in table.frame.columns], 12)}.",
            "Name one of them as the target.",
        )
    if found := target or guess_target(list(plans)):
        return found
    raise TableError(
        "No column can be the target.",
        "None holds numbers or words that come again.",
        "Add the column to predict.",
    )


def refuse(error: TableError, is_json: bool) -> None:
    """Write what is wrong: as JSON to the output, in words to that of errors."""
    if is_json:
        said = {"what": error.what, "where": error.where, "what_to_do": error.todo}
        print(json.dumps({"error": said}, indent=2))
    else:
        print(error, file=sys.stderr)


def as_json(checked: CheckedTable) -> dict[str, Any]:
    """Return what is known of the table as plain data. Rows are numbered from 1."""
    data, found = checked.dataset, checked.contents
    columns = [_column(*pair) for pair in zip(found.plans, found.summaries, strict=True)]
    return {
        "file": checked.filename,
        "rows": len(found.table.frame),
        "columns": columns,
        "read_as": _read_as(found.table),
        "target": data.target.name,
        "target_guessed": checked.is_guess,
        "task": "classification" if data.is_classification else "regression",
        "classes": list(data.classes),
        "roles": {role: name for role, name in checked.roles._asdict().items() if name},
        "dates": _dates(checked),
        "questions": [_question(choice) for choice in found.table.choices],
        "notes": list(checked.notes),
        "warnings": _warnings(checked),
    }


def _question(choice: ReadingChoice) -> dict[str, str]:
    """Return what the file leaves open, how it is read, and how else it could be."""
    return {"question": choice.question, "read_as": choice.used.label, "or": choice.other.label}


def _column(plan: ColumnPlan, summary: ColumnSummary) -> dict[str, Any]:
    known = {"missing": summary.n_missing, "distinct": summary.n_distinct, "reason": plan.reason}
    return {"name": plan.name, "kind": plan.kind, **known}


def _read_as(table: Table) -> dict[str, Any]:
    """Return the options of reading that hold for the file's format."""
    options = table.options
    said: dict[str, Any] = {"format": options.format}
    if options.format in TEXT_FORMATS:
        said["encoding"] = options.encoding
    if options.format == "text":
        marks = {"delimiter": options.delimiter, "decimal": options.decimal, "thousands": options.thousands}
        said |= {**marks, "header": options.header, "lines_before": options.skip}
    return said | ({"sheet": options.sheet} if options.format == "excel" else {})


def _dates(checked: CheckedTable) -> dict[str, list[str]]:
    """Return the columns in time, each with the features that are made of it."""
    names = (plan.name for plan in checked.contents.plans if plan.kind in TIME_KINDS)
    made = [(feature.moment.column, feature.name) for feature in checked.dataset.features if feature.moment]
    return {name: [feature for column, feature in made if column == name] for name in names}


def _warnings(checked: CheckedTable) -> list[dict[str, Any]]:
    data = checked.dataset
    texts = sentences(data, checked.warnings)
    return [
        {
            "kind": one.kind,
            "serious": one.is_serious,
            "columns": [data.features[column].name for column in one.columns],
            "rows": [row + 1 for row in one.rows],
            "text": text,
        }
        for one, text in zip(checked.warnings, texts, strict=True)
    ]


def in_words(checked: CheckedTable) -> str:
    """Return what is known of the table, for a terminal."""
    frame = checked.contents.table.frame
    size = f"{counted(len(frame), 'row')}, {counted(len(frame.columns), 'column')}"
    return "\n".join(
        [
            f"{inert(checked.filename)}: {size}",
            f"Read as {_format_words(_read_as(checked.contents.table))}",
            _target_words(checked),
            *_listed("Columns", _column_lines(checked.contents)),
            *_listed("Guesses", _guesses(checked)),
            *_listed("Questions", _question_lines(checked)),
            *_listed("Notes", checked.notes),
            *_listed("Warnings", sentences(checked.dataset, checked.warnings), "Warnings: none"),
        ]
    )


def _listed(title: str, lines: Sequence[str], otherwise: str = "") -> list[str]:
    """Return the lines below their title, after an empty line; what stands there otherwise if there are none."""
    if lines:
        return ["", title, *(f"  {line}" for line in lines)]
    return ["", otherwise] if otherwise else []


def _format_words(read_as: dict[str, Any]) -> str:
    words = [read_as["format"], read_as.get("encoding", "")]
    if "delimiter" in read_as:
        delimiter = DELIMITERS.get(read_as["delimiter"], read_as["delimiter"])
        words += [f"delimiter {delimiter}", f"decimal mark {read_as['decimal']}"]
        words += [] if read_as["header"] else ["without names of columns"]
    return inert(", ".join(filter(None, words)))


def _column_lines(found: Contents) -> list[str]:
    pairs = list(zip(found.plans, found.summaries, strict=True))
    names = [inert(plan.name)[:LONGEST] for plan, _ in pairs]
    wide = max(map(len, names))
    return [_column_line(name.ljust(wide), *pair) for name, pair in zip(names, pairs, strict=True)]


def _column_line(name: str, plan: ColumnPlan, summary: ColumnSummary) -> str:
    facts = [f"{summary.n_distinct:,} distinct"]
    facts += [f"{summary.n_missing:,} missing"] if summary.n_missing else []
    return f"{name}  {plan.kind:<11}  {', '.join(facts)}" + (f" ({inert(plan.reason)})" if plan.reason else "")


def _target_words(checked: CheckedTable) -> str:
    data = checked.dataset
    answers = f"classes {listed([quoted(name) for name in data.classes])}" if data.classes else "a number"
    return f"Target {quoted(data.target.name)}{' (guessed)' if checked.is_guess else ''}: {answers}"


def _question_lines(checked: CheckedTable) -> list[str]:
    found = map(_question, checked.contents.table.choices)
    return [inert(f"{one['question']} Now: {one['read_as']}. Or: {one['or']}.") for one in found]


def _guesses(checked: CheckedTable) -> list[str]:
    roles = [f"{quoted(name)} looks like {ROLES[role]}" for role, name in checked.roles._asdict().items() if name]
    dates = [
        f"{quoted(name)} becomes {listed([quoted(feature) for feature in made])}"
        for name, made in _dates(checked).items()
        if made
    ]
    return [*roles, *dates]
