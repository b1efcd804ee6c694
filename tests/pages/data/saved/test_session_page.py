"""Opening a session's file: every page takes up what was set, and the table is the one that it is about."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import Dataset, read_table, samples
from espalier.data.columns.convert import TargetPlan
from espalier.data.columns.kinds import guess_kinds
from espalier.data.recipe import TableRecipe
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


def by_menu(page: AppTest, name: str) -> dict[str, str]:
    """The address of a page that is opened by the menu, to a bare address."""
    page.query_params.clear()
    page.switch_page(f"pages/{name}.py")
    return address_of(whole(page.run()))


@pytest.mark.usefixtures("idle")
def test_what_is_asked_of_columns_and_of_changes_is_there_on_every_page():
    asked = {"without": "alcohol", "may-keep": "2", "may-within": "3~1~2"}
    page = opened(SavedSession(WINE, asked | {"m1": "cart", "m1-cart-given": ":hue:0.9", "r1": "cart"}))
    there = by_menu(page, "compare")
    assert (there["m1-without"], there["m1-given"]) == ("alcohol", ":hue:0.9")
    there = by_menu(page, "reliability")
    assert (there["m1-without"], there["keep"], there["within"]) == ("alcohol", "2", "3~1~2")
    there = by_menu(page, "tree")
    assert (there["without"], there["keep"], there["within"]) == ("alcohol", "2", "3~1~2")


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


TABLE = "age;grade;ill\n" + "".join(
    f"{20 + i % 40},5;{(1, 2, 3)[i % 3]};{'sick' if i % 7 > 3 else 'well'}\n" for i in range(80)
)


def read_as_wished(tmp_path) -> tuple[TableRecipe, Dataset]:
    """A file whose column of numbers a person made categories, and its data set."""
    (tmp_path / "patients.csv").write_text(TABLE, encoding="utf-8")
    table = read_table(tmp_path / "patients.csv")
    plans = [
        one._replace(kind="category") if one.name == "grade" else one
        for one in guess_kinds(table.frame, table.categories)
    ]
    recipe = TableRecipe("patients.csv", table.options, tuple(plans), TargetPlan("ill"))
    return recipe, recipe.dataset(tmp_path)


def test_a_persons_own_file_is_read_as_it_was_and_what_was_set_for_it_waits(tmp_path):
    recipe, data = read_as_wished(tmp_path)
    values = {"costly": "sick", "times": "5", "depth": "2"}
    page = opened(SavedSession(table_of(data, data.digest), values, recipe))
    assert "patients\\.csv, below: it will be read as it was then" in page.warning[0].value
    page.switch_page("pages/tree.py")
    page = whole(page.run())
    assert not any("costly" in one.value for one in page.warning)  # iris has no such class
    assert address_of(page)["depth"] == "2"
    page.switch_page("pages/data.py")
    whole(page.run())
    upload: Any = next(one for one in page.get("file_uploader") if one.key == "upload")
    upload.set_value([("patients.csv", TABLE.encode(), "text/csv")])
    page = whole(page.run())
    next(one for one in page.button if one.label == "Use this table").click()
    whole(page.run())
    page.switch_page("pages/tree.py")
    page = whole(page.run())
    assert address_of(page)["costly"] == "sick"
    assert address_of(page)["data"] == data.digest
    page.switch_page("pages/data.py")
    assert any("every page is set" in one.value for one in whole(page.run()).success)


def test_another_file_is_read_by_guesses_though_a_session_waits(tmp_path):
    recipe, data = read_as_wished(tmp_path)
    page = opened(SavedSession(table_of(data, data.digest), {}, recipe))
    upload: Any = next(one for one in page.get("file_uploader") if one.key == "upload")
    upload.set_value([("others.csv", TABLE.encode(), "text/csv")])
    page = whole(page.run())
    kinds = {plan.name: plan.kind for plan in page.session_state["draft"].plans}
    assert kinds["grade"] != "category"


def test_a_link_to_a_table_that_is_not_here_says_which_file_to_upload():
    page = AppTest.from_file(APP, default_timeout=120)
    page.query_params.update({"data": "0" * 32, "file": "pati*ents.csv"})
    page = whole(page.run())
    assert r"Upload the file “pati\*ents\.csv” again on the Data page" in page.warning[0].value


def test_the_link_to_copy_names_the_file_of_a_persons_own_table_and_of_no_sample():
    page = AppTest.from_file(APP, default_timeout=120)
    page.switch_page("pages/data.py")
    whole(page.run())
    upload: Any = next(one for one in page.get("file_uploader") if one.key == "upload")
    upload.set_value([("patients.csv", TABLE.encode(), "text/csv")])
    page = whole(page.run())
    next(one for one in page.button if one.label == "Use this table").click()
    whole(page.run())
    page.switch_page("pages/tree.py")
    page.session_state["export menu"] = True
    assert "file=patients.csv" in whole(page.run()).code[-1].value
    other = AppTest.from_file(APP, default_timeout=120)
    other.session_state["export menu"] = True
    assert "file=" not in whole(other.run()).code[-1].value
