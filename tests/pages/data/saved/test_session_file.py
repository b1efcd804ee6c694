"""A session's file holds what is set, by key, and the table's digest; other files are refused with the reason."""

import json
from typing import Any

import pytest

from espalier.data import samples
from espalier.data.columns.convert import TargetPlan
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.columns.row_columns import RoleNames
from espalier.data.options import NumberFormat, ReadOptions
from espalier.data.reading.recipe_file import recipe_to_json
from espalier.data.recipe import TableRecipe
from espalier.language import speaking
from pages.shared.data.saved.session_file import VERSION, SavedSession, SavedTable, read, table_of, written

IRIS = samples.load("iris")
SESSION = SavedSession(table_of(IRIS, "iris"), {"depth": "5", "held": "30", "note": "grün"})


def test_a_session_is_read_as_it_was_written():
    assert read(written(SESSION).encode()) == SESSION
    assert IRIS.digest in written(SESSION)
    assert "5.1" not in written(SESSION)  # no row of the table


RECIPE = TableRecipe(
    "patients.csv",
    ReadOptions(decimal=",", missing=("", "?"), formats=((1, NumberFormat(",", ".", True)),)),
    (ColumnPlan("age", "number"), ColumnPlan("grade", "ordered", ("low", "high"))),
    TargetPlan("ill", "classification", roles=RoleNames(group="person")),
)
READING: dict[str, Any] = recipe_to_json(RECIPE)
FIRST = """{"format": "espalier-session", "version": 1,
 "table": {"key": "iris", "name": "iris", "digest": "0123", "n_rows": 150, "n_columns": 4},
 "values": {"depth": "5", "edits": "0~2~2.5", "costly": "virginica"}}"""  # as it was saved before version 2


def test_a_file_of_the_first_version_opens_and_says_nothing_of_reading():
    table = SavedTable("iris", "iris", "0123", 150, 4)
    values = {"depth": "5", "edits": "0~2~2.5", "costly": "virginica"}
    assert read(FIRST.encode()) == SavedSession(table, values, None)


def test_how_a_file_was_read_is_kept_to_the_last_choice():
    session = SESSION._replace(recipe=RECIPE)
    assert read(written(session).encode()) == session
    assert json.loads(written(session))["version"] == VERSION


def test_fields_that_a_later_version_adds_to_reading_are_left_out():
    later = json.loads(written(SESSION._replace(recipe=RECIPE)))
    later["reading"]["weather"] = "fine"
    assert read(json.dumps(later).encode()).recipe == RECIPE


def changed(**changes) -> bytes:
    return json.dumps(json.loads(written(SESSION)) | changes).encode()


def test_files_that_are_no_session_are_refused_with_the_reason():
    cases = [
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "does not name the format"),
        (changed(format="other"), "does not name the format espalier-session"),
        (changed(version=VERSION + 1), "newer version"),
        (changed(version="1"), "newer version"),
        (changed(table={"name": "iris"}), "which table"),
        (changed(table=None), "which table"),
        (changed(values=[]), "what was set"),
        (changed(reading=[]), r"how the table was read cannot be used \(reading\)"),
        (changed(reading={"filename": "a.csv"}), r"\(reading.options\)"),
        (changed(reading=READING | {"filename": 5}), r"\(reading.filename\)"),
        (changed(reading=READING | {"plans": [{"name": "a", "kind": "magic"}]}), r"\(reading.plans.kind\)"),
        (changed(reading=READING | {"options": {"formats": [[0]]}}), r"\(reading.options.formats\)"),
        (changed(values={"depth": 5}), "the value of depth is no text"),
    ]
    for content, said in cases:
        with pytest.raises(ValueError, match=said):
            read(content)


def test_a_refusal_is_in_the_language_of_the_page():
    with speaking("de"), pytest.raises(ValueError, match="kein JSON"):
        read(b"")
