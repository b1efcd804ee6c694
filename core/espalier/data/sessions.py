"""Files of saved sessions: what was set, by the keys of links, and which table it is about, without its rows."""

from __future__ import annotations

import json
from typing import NamedTuple

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


class SavedSession(NamedTuple):
    """A session."""

    table: SavedTable
    values: dict[str, str]  # texts of what is set, by the keys of entries
    recipe: TableRecipe | None = None  # how the table's file was read; None where that is not known


def table_of(dataset: Dataset, key: str) -> SavedTable:
    """Return the table as the file names it."""
    return SavedTable(key, dataset.name, dataset.digest, len(dataset.y), len(dataset.features))


def session_text(session: SavedSession) -> str:
    """Return the file, as JSON."""
    content = {"format": FORMAT, "version": VERSION, "table": session.table._asdict(), "values": session.values}
    if session.recipe is not None:
        content["reading"] = to_plain(session.recipe)
    return json.dumps(content, ensure_ascii=False, indent=1)


def read_session(content: bytes) -> SavedSession:
    """Return the session of a file. Raises ValueError, in the language spoken, with what is wrong and where."""
    try:
        there = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        there = None
    if not isinstance(there, dict) or there.get("format") != FORMAT:
        raise ValueError(say("this is no file of a session"))
    version = there.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ValueError(say("it was saved by a newer version of Espalier"))
    try:
        session = from_plain(SavedSession, {**there, "recipe": there.get("reading")}, "session")
        if len(session.values) > MOST_KEYS or any(len(text) > MOST_LETTERS for text in session.values.values()):
            raise ValueError("session.values")
    except ValueError as wrong:
        raise ValueError(say("its part {where} cannot be read", where=str(wrong))) from None
    return session
