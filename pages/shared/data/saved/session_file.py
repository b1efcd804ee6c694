"""The file of a session: what a person has set on all pages, and the table that it is about, but not its rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from espalier.data.columns.convert import TableRecipe
from espalier.data.dataset import Dataset
from espalier.data.options import from_plain, to_plain
from espalier.language import say

FORMAT, VERSION = "espalier-session", 2  # 1: without how the file of the table was read
MOST_KEYS, MOST_LETTERS = 2_000, 100_000  # of a file that is opened: values, and letters of one


class SavedTable(NamedTuple):
    """The table of a session, as far as it can be recognised without its rows."""

    key: str  # its text in addresses
    name: str
    digest: str
    n_rows: int
    n_columns: int


KINDS = {"key": str, "name": str, "digest": str, "n_rows": int, "n_columns": int}  # of a table's facts


class SavedSession(NamedTuple):
    """A session."""

    table: SavedTable
    values: dict[str, str]  # texts of what is set, by the keys of entries
    recipe: TableRecipe | None = None  # how the table's file was read; None where that is not known


def table_of(dataset: Dataset, key: str) -> SavedTable:
    """The table as the file names it."""
    return SavedTable(key, dataset.name, dataset.digest, len(dataset.y), len(dataset.features))


def written(session: SavedSession) -> str:
    """The file, as JSON."""
    content = {"format": FORMAT, "version": VERSION, "table": session.table._asdict(), "values": session.values}
    if session.recipe is not None:
        content["reading"] = to_plain(session.recipe)
    return json.dumps(content, ensure_ascii=False, indent=1)


def read(content: bytes) -> SavedSession:
    """The session of a file. Raises ValueError, in the language that is spoken, with what is wrong and where."""
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(say("this is no file of a session: it is not JSON")) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(say("this is no file of a session: it does not name the format {form}", form=FORMAT))
    version = found.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(
            say("it was saved by a newer version of Espalier; this one reads version {version}", version=VERSION)
        )
    return SavedSession(_table(found.get("table")), _values(found.get("values")), _recipe(found.get("reading")))


def _table(found: Any) -> SavedTable:
    if not isinstance(found, Mapping) or any(type(found.get(name)) is not kind for name, kind in KINDS.items()):
        raise ValueError(say("the file does not say which table the session is about"))
    return SavedTable(**{name: found[name] for name in KINDS})


def _recipe(found: Any) -> TableRecipe | None:
    try:
        return None if found is None else from_plain(TableRecipe, found, "reading")
    except ValueError as wrong:
        raise ValueError(
            say("what it says about how the table was read cannot be used ({where})", where=str(wrong))
        ) from None


def _values(found: Any) -> dict[str, str]:
    if not isinstance(found, Mapping) or len(found) > MOST_KEYS:
        raise ValueError(say("the file does not say what was set"))
    wrong = [key for key, text in found.items() if not isinstance(text, str) or len(text) > MOST_LETTERS]
    if wrong:
        raise ValueError(say("the value of {key} is no text", key=wrong[0][:40]))
    return dict(found)
