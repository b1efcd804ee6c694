"""A session's file holds what is set, by key, and the table's digest; other files are refused with the reason."""

import json

import pytest

from espalier.data import samples
from espalier.language import speaking
from pages.shared.data.saved.session_file import SavedSession, read, table_of, written

IRIS = samples.load("iris")
SESSION = SavedSession(table_of(IRIS, "iris"), {"depth": "5", "held": "30", "note": "grün"})


def test_a_session_is_read_as_it_was_written():
    assert read(written(SESSION).encode()) == SESSION
    assert IRIS.digest in written(SESSION)
    assert "5.1" not in written(SESSION)  # no row of the table


def changed(**changes) -> bytes:
    return json.dumps(json.loads(written(SESSION)) | changes).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "does not name the format"),
        (changed(format="other"), "does not name the format espalier-session"),
        (changed(version=2), "newer version"),
        (changed(version="1"), "newer version"),
        (changed(table={"name": "iris"}), "which table"),
        (changed(table=None), "which table"),
        (changed(values=[]), "what was set"),
        (changed(values={"depth": 5}), "the value of depth is no text"),
    ],
)
def test_files_that_are_no_session_are_refused_with_the_reason(content, said):
    with pytest.raises(ValueError, match=said):
        read(content)


def test_a_refusal_is_in_the_language_of_the_page():
    with speaking("de"), pytest.raises(ValueError, match="kein JSON"):
        read(b"")
