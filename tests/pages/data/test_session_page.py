"""A saved session: what its file holds, and that every page takes up what was set, on its own table."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import Dataset, read_table, samples
from espalier.data.columns.convert import TableRecipe, TargetPlan
from espalier.data.columns.kinds import ColumnPlan, RoleNames, guess_kinds
from espalier.data.options import NumberFormat, ReadOptions, to_plain
from espalier.data.sessions import VERSION, SavedSession, SavedTable, table_of
from espalier.data.sessions import read_session as read
from espalier.data.sessions import session_text as file_of
from espalier.language import speaking
from pages.shared.data import sessions as controls
from tests.tools.on_page import address_of, begin_page, open_session, press, whole, with_file

WINE = table_of(samples.load("wine"), "wine")


def test_pages_are_set_as_they_were_a_value_that_means_nothing_is_named_and_the_table_is_taken():
    page = open_session(SavedSession(WINE, {"depth": "2", "leaf": "7", "folds": "4"}))
    assert "every page is set" in page.success[0].value
    assert address_of(page)["data"] == "wine"
    page.switch_page("pages/tree.py")
    assert address_of(whole(page.run())) == {"data": "wine", "depth": "2", "leaf": "7"}
    page = open_session(SavedSession(WINE, {"depth": "many", "leaf": "7"}))
    page = whole(page.switch_page("pages/tree.py").run())
    assert any("depth=many should be" in one.value for one in page.warning)
    assert address_of(page)["leaf"] == "7"


def by_menu(page: AppTest, name: str) -> dict[str, str]:
    """The address of a page that is opened by the menu, to a bare address."""
    page.query_params.clear()
    page.switch_page(f"pages/{name}.py")
    return address_of(whole(page.run()))


@pytest.mark.usefixtures("idle")
def test_what_is_asked_of_columns_and_of_changes_is_there_on_every_page():
    asked = {"without": "alcohol", "may-keep": "2", "may-within": "3~1~2"}
    page = open_session(SavedSession(WINE, asked | {"m1": "cart", "m1-cart-given": ":hue:0.9", "r1": "cart"}))
    there = by_menu(page, "compare")
    assert (there["m1-without"], there["m1-given"]) == ("alcohol", ":hue:0.9")
    there = by_menu(page, "reliability")
    assert (there["m1-without"], there["keep"]) == ("alcohol", "2")
    there = by_menu(page, "tree")
    assert (there["without"], there["keep"]) == ("alcohol", "2")


def test_a_table_that_is_not_here_is_asked_for_by_name_and_another_file_leaves_everything_as_it_is():
    page = open_session(SavedSession(SavedTable("0" * 32, "Patients", "0" * 32, 120, 8), {"depth": "2"}))
    assert "upload Patients (120 rows, 8 columns)" in page.warning[0].value
    assert page.session_state[controls.AWAITED].name == "Patients"
    page = with_file(begin_page("data"), controls.UPLOAD, "session.json", b"{}")
    assert "no file of a session" in page.error[0].value


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


def test_a_persons_own_file_is_read_as_it_was_while_another_is_read_by_guesses_and_what_was_set_waits(tmp_path):
    recipe, data = read_as_wished(tmp_path)
    values = {"costly": "sick", "times": "5", "depth": "2"}
    page = open_session(SavedSession(table_of(data, data.digest), values, recipe))
    assert "upload patients\\.csv (80 rows" in page.warning[0].value
    page = whole(page.switch_page("pages/tree.py").run())
    assert not any("costly" in one.value for one in page.warning)  # iris has no such class
    assert address_of(page)["depth"] == "2"
    whole(page.switch_page("pages/data.py").run())
    page = with_file(page, "upload", "patients.csv", TABLE.encode())
    press(page, "use")
    page = whole(page.switch_page("pages/tree.py").run())
    assert address_of(page)["costly"] == "sick"
    assert address_of(page)["data"] == data.digest
    page.switch_page("pages/data.py")
    assert any("every page is set" in one.value for one in whole(page.run()).success)
    recipe, data = read_as_wished(tmp_path)
    page = open_session(SavedSession(table_of(data, data.digest), {}, recipe))
    page = with_file(page, "upload", "others.csv", TABLE.encode())
    kinds = {plan.name: plan.kind for plan in page.session_state["draft"].plans}
    assert kinds["grade"] != "category"


def test_a_link_to_copy_names_the_file_of_a_persons_own_table_for_which_it_asks_where_it_is_not_here():
    page = begin_page("data")
    page = with_file(page, "upload", "patients.csv", TABLE.encode())
    press(page, "use")
    page.switch_page("pages/tree.py")
    page.session_state["export menu"] = True
    assert "file=patients.csv" in whole(page.run()).code[-1].value
    assert "file=" not in begin_page("tree", {"export menu": True}).code[-1].value
    page = begin_page("tree", data="0" * 32, file="pati*ents.csv")
    assert r"Upload “pati\*ents\.csv” again on the Data page" in page.warning[0].value


IRIS = samples.load("iris")
SESSION = SavedSession(table_of(IRIS, "iris"), {"depth": "5", "held": "30", "note": "grün"})


RECIPE = TableRecipe(
    "patients.csv",
    ReadOptions(decimal=",", missing=("", "?"), formats=((1, NumberFormat(",", ".", True)),)),
    (ColumnPlan("age", "number"), ColumnPlan("grade", "ordered", ("low", "high"))),
    TargetPlan("ill", "classification", roles=RoleNames(group="person")),
)
READING: dict[str, Any] = to_plain(RECIPE)
FIRST = """{"format": "espalier-session", "version": 1,
 "table": {"key": "iris", "name": "iris", "digest": "0123", "n_rows": 150, "n_columns": 4},
 "values": {"depth": "5", "edits": "0~2~2.5", "costly": "virginica"}}"""  # as it was saved before version 2


def test_a_session_is_read_as_it_was_written_also_how_a_file_was_read_and_by_later_or_earlier_versions():
    session = SESSION._replace(recipe=RECIPE)
    assert read(file_of(session).encode()) == session
    assert json.loads(file_of(session))["version"] == VERSION
    later = json.loads(file_of(SESSION._replace(recipe=RECIPE)))
    later["reading"]["weather"] = "fine"
    assert read(json.dumps(later).encode()).recipe == RECIPE
    table = SavedTable("iris", "iris", "0123", 150, 4)
    values = {"depth": "5", "edits": "0~2~2.5", "costly": "virginica"}
    assert read(FIRST.encode()) == SavedSession(table, values, None)
    assert read(file_of(SESSION).encode()) == SESSION
    assert IRIS.digest in file_of(SESSION)
    assert "5.1" not in file_of(SESSION)  # no row of the table


def changed(**changes) -> bytes:
    return json.dumps(json.loads(file_of(SESSION)) | changes).encode()


def test_files_that_are_no_session_are_refused_with_the_reason_in_the_language_of_the_page():
    cases = [
        (b"\xff\xfe\x00", "no file of a session"),
        (b"[" * 100_000, "no file of a session"),
        (changed(format="other"), "no file of a session"),
        (changed(version=VERSION + 1), "newer version"),
        (changed(version="1"), "newer version"),
        (changed(table={"name": "iris"}), "session.table.key cannot be read"),
        (changed(table=None), "session.table cannot"),
        (changed(values=[]), "session.values cannot"),
        (changed(reading=[]), "session.recipe cannot"),
        (changed(reading={"filename": "a.csv"}), "session.recipe.options cannot"),
        (changed(reading=READING | {"plans": [{"name": "a", "kind": "magic"}]}), "session.recipe.plans.kind"),
        (changed(reading=READING | {"options": {"formats": [[0]]}}), "session.recipe.options.formats"),
        (changed(values={"depth": 5}), "session.values"),
        (changed(values={"depth": "5" * 100_001}), "session.values"),
    ]
    for content, said in cases:
        with pytest.raises(ValueError, match=said):
            read(content)
    with speaking("de"), pytest.raises(ValueError, match="keine Datei einer Sitzung"):
        read(b"")
