"""Texts of saving and opening a session."""

from __future__ import annotations

SESSION = "Session"
SESSION_HELP = "Save what is set on all pages to a file, or go on with one that was saved."
SAVE = "Save this session (.json)"
WITHOUT_ROWS = (
    "The file holds what is set on all pages, the name and digest of the table, and how its file was read, but "
    "none of its rows: keep the table beside it."
)
OPEN = "Open a session"
NOT_JSON = "this is no file of a session: it is not JSON"
NO_TABLE = "the file does not say which table the session is about"
NO_VALUES = "the file does not say what was set"
OPENED = "The session is open: every page is set as it was saved."


def not_opened(wrong: str) -> str:
    """Error of a file that cannot be opened."""
    return f"The session was not opened: {wrong}. What you had is unchanged."


def awaits(name: str, n_rows: int, n_columns: int, in_use: str) -> str:
    """Note on the table that a session is about, which is not the one in use."""
    return (
        f"Every page is set as the session says, but it is about another table: “{name}”, with {n_rows} rows and "
        f"{n_columns} columns beside the target; in use is “{in_use}”."
    )


BRING_IT = "Upload its file below, and have it read in the same way as then."


def bring_file(name: str) -> str:
    """What to do about a table whose file is known by name; Markdown."""
    return f"Upload its file, {name}, below: it will be read as it was then."


def no_reading(where: str) -> str:
    """Reason for refusing how the table's file was read; `where` names the part that is wrong."""
    return f"what it says about how the table was read cannot be used ({where})"


def no_session(form: str) -> str:
    """Reason for refusing a file of something else."""
    return f"this is no file of a session: it does not name the format {form}"


def newer(version: int) -> str:
    """Reason for refusing the file of a newer version."""
    return f"it was saved by a newer version of Espalier; this one reads version {version}"


def no_text(key: str) -> str:
    """Reason for refusing a value."""
    return f"the value of {key} is no text"
