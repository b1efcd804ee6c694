"""Opening a session's file: every page takes up what was set, and the table is the one that it is about."""

from typing import Any

from streamlit.testing.v1 import AppTest

from espalier.data import samples
from pages.shared.data.saved import controls
from pages.shared.data.saved.session_file import SavedSession, SavedTable, table_of, written
from tests.tools.on_page import APP, address_of, engine, whole

__all__ = ["engine"]

WINE = table_of(samples.load("wine"), "wine")


def given(page: AppTest, content: bytes) -> AppTest:
    box: Any = next(one for one in page.get("file_uploader") if one.key == controls.UPLOAD)
    box.set_value([("session.json", content, "application/json")])
    return whole(page.run())


def opened(session: SavedSession) -> AppTest:
    """The Data page, once the file was given to it."""
    page = AppTest.from_file(APP, default_timeout=120)
    page.switch_page("pages/data.py")
    whole(page.run())
    return given(page, written(session).encode())


def test_pages_are_set_as_they_were_and_the_table_is_taken():
    page = opened(SavedSession(WINE, {"depth": "2", "leaf": "7", "folds": "4"}))
    assert "every page is set" in page.success[0].value
    assert address_of(page)["data"] == "wine"
    page.switch_page("pages/tree.py")
    assert address_of(whole(page.run())) == {"data": "wine", "depth": "2", "leaf": "7"}


def test_a_value_that_means_nothing_is_named_and_the_others_stay():
    page = opened(SavedSession(WINE, {"depth": "many", "leaf": "7"}))
    page.switch_page("pages/tree.py")
    page = whole(page.run())
    assert any("depth=many should be" in one.value for one in page.warning)
    assert address_of(page)["leaf"] == "7"


def test_a_table_that_is_not_here_is_asked_for_by_name():
    page = opened(SavedSession(SavedTable("0" * 32, "Patients", "0" * 32, 120, 8), {"depth": "2"}))
    assert "“Patients”, with 120 rows and 8 columns" in page.warning[0].value
    assert page.session_state[controls.AWAITED].name == "Patients"


def test_another_file_leaves_everything_as_it_is():
    page = AppTest.from_file(APP, default_timeout=120)
    page.switch_page("pages/data.py")
    whole(page.run())
    page = given(page, b"{}")
    assert "does not name the format" in page.error[0].value
