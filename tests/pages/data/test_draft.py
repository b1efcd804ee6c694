"""The table that is being brought in; a saved session: what its file holds and what pages take up of it."""

import gzip
import io
import json
import time
from concurrent.futures import wait
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import Dataset, background, read_table, samples
from espalier.data.columns.convert import TableRecipe, TargetPlan
from espalier.data.columns.kinds import ColumnPlan, RoleNames, guess_kinds
from espalier.data.options import NumberFormat, ReadOptions, to_plain
from espalier.data.sessions import VERSION, SavedSession, SavedTable, table_of
from espalier.data.sessions import read_session as read
from espalier.data.sessions import session_text as file_of
from espalier.language import speaking
from pages.shared.data import draft as drafts
from pages.shared.data import intake
from pages.shared.data import sessions as controls
from pages.shared.data.draft import Draft, Shelf
from tests.tools.on_page import address_of, begin_page, open_session, press, whole, with_file, words_of

GOOD = b"age,stage,ill\n" + b"".join(
    b"%d,%s,%s\n" % (i, b"ab"[i % 2 :][:1], b"ny"[i % 2 :][:1]) for i in range(40)
)
LARGE = gzip.compress(b"a,b,c\n" + b"".join(b"%d,some words,%d\n" % (i % 7, i % 3) for i in range(50_000)))


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


def opened(**parameters):
    return begin_page("data", **parameters)


def upload(page, name, source):
    page.file_uploader(key="upload").set_value((name, source, "text/csv"))
    return page.run()


def word_of(page):
    found = page.query_params[drafts.PARAMETER]
    return found[0] if isinstance(found, list) else found


def test_a_page_loaded_anew_has_the_draft_with_all_that_was_said_of_it_and_options_that_were_corrected():
    page = upload(opened(), "people.csv", GOOD)
    page.selectbox(key="target 1").set_value("stage").run()
    plans = page.session_state[drafts.KEY].plans
    chosen = plans[0]._replace(kind="category", reason="by your choice")
    edited = page.session_state[drafts.KEY]._replace(plans=(chosen, *plans[1:]))
    drafts.shelf().put(word_of(page), edited._replace(table=None, summaries=()))
    again = opened(draft=word_of(page))
    assert again.subheader[0].value == "people\\.csv"
    assert again.selectbox(key="target 1").value == "stage"
    assert chosen in again.session_state[drafts.KEY].plans
    page.toggle(key="header 1").set_value(False).run()
    again = opened(draft=word_of(page))
    assert not again.toggle(key="header 1").value
    assert "column 1" in again.session_state[drafts.KEY].table.frame


def test_a_draft_that_was_discarded_is_not_found_again_nor_a_word_that_names_none():
    page = upload(opened(), "people.csv", GOOD)
    word = word_of(page)
    press(page, "Discard")
    assert drafts.PARAMETER not in page.query_params
    again = opened(draft=word)
    assert drafts.KEY not in again.session_state
    assert drafts.PARAMETER not in again.query_params
    for word in ["", "x" * 5_000, "../../etc", "\u202e"]:
        page = opened(draft=word)
        assert drafts.KEY not in page.session_state


def test_a_file_that_takes_its_time_shows_how_far_it_is_and_becomes_the_draft_or_can_be_cancelled(monkeypatch):
    monkeypatch.setattr(drafts, "PATIENCE_SECONDS", 0.0)
    page = upload(opened(), "large.csv.gz", LARGE)
    text = page.get("progress")[0].proto.text
    assert "Reading the file" in text or "Other files are read first" in text  # of this server, by other tests
    assert "Cancel" in [b.label for b in page.button]
    once_read(page)
    assert not page.exception
    assert len(page.session_state[drafts.KEY].table.frame) == 50_000
    assert "use" in [b.key for b in page.button]
    page = upload(opened(), "large.csv.gz", LARGE)
    going = page.session_state[drafts.KEY].reading
    press(page, "Cancel")
    assert going.is_cancelled
    assert drafts.KEY not in page.session_state


def test_a_fault_in_a_callback_is_an_apology_and_the_work_stays(monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret path /etc")

    page = upload(opened(), "people.csv", GOOD)
    monkeypatch.setattr(intake.draft, "start", broken)
    page.text_area(key="pasted").set_value("a,b\n1,2\n")
    next(b for b in page.button if b.label == "Read the pasted table").click()
    page.run()
    assert not page.exception
    assert "Something went wrong while doing what you asked" in words_of(page)
    assert "secret" not in words_of(page)
    assert "secret" in caplog.text
    assert page.subheader[0].value == "people\\.csv"
    assert "Something went wrong" not in words_of(page.run())


def draft(n):
    return Draft(1, bytes(n), "x.csv", None, None, None)


def test_the_shelf_lets_drafts_go_beyond_its_budget_and_after_a_while(monkeypatch):
    shelf = Shelf(megabytes=2.5)
    words = [shelf.put("", draft(1_000_000)) for _ in range(3)]
    assert len(set(words)) == 3
    assert [shelf.find(word) is not None for word in words] == [False, True, True]
    shelf = Shelf(minutes=1)
    word = shelf.put("", draft(1))
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 59)
    assert shelf.find(word)
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert shelf.find(word) is None


@pytest.fixture
def page():
    return begin_page("data")


def once_read(page):
    """The page, once the file has been read that is read beside it."""
    while (draft := page.session_state[drafts.KEY]).reading is not None:
        wait([draft.reading.future], 60)
        page.run()
    return page


def click(page, label):
    return once_read(press(page, label))


def paste(page, text):
    page.text_area(key="pasted").set_value(text)
    return click(page, "Read the pasted table")


def frame(page):
    return page.session_state[drafts.KEY].table.frame


def test_an_open_point_is_shown_in_two_readings_and_one_click_takes_the_other(page):
    paste(page, "x;t\n1.234;a\n2.345;b\n")
    assert "Which number is “1.234”?" in " ".join(text.value for text in page.markdown).replace("\\", "")
    assert frame(page)["x"].tolist() == [1.234, 2.345]
    click(page, "Read it so")
    assert frame(page)["x"].tolist() == [1234, 2345]
    assert page.selectbox(key="decimal 1").value == ","
    assert page.selectbox(key="thousands 1").value == "."
    click(page, "Read it so")
    assert frame(page)["x"].tolist() == [1.234, 2.345]
    assert page.selectbox(key="decimal 1").value == "."


def test_a_new_delimiter_has_the_numbers_guessed_anew(page):
    paste(page, "a;b\n1,5;2\n3,5;4\n")
    page.selectbox(key="delimiter 1").set_value("|")
    page.run()
    page.selectbox(key="delimiter 1").set_value(";")
    page.run()
    assert frame(page)["a"].tolist() == [1.5, 3.5]
    page.selectbox(key="decimal 1").set_value(".")
    page.run()
    assert frame(page)["a"].tolist() == ["1,5", "3,5"]


def test_a_text_taken_for_json_can_be_called_a_text(page):
    paste(page, '{"a",b}\n1,2\n3,4\n')
    assert "JSON" in page.error[0].value
    page.selectbox(key="format 1").set_value("text")
    once_read(whole(page.run()))
    assert not page.error
    assert list(frame(page).columns) == ['{"a"', "b}"]


def test_missing_texts_can_be_corrected_in_every_format(page):
    out = io.BytesIO()
    pd.DataFrame({"w": ["NA", "EU", "NA", "US"], "y": ["a", "b", "a", "b"]}).to_parquet(out)
    page.run()
    page.file_uploader(key="upload").set_value(("x.parquet", out.getvalue(), "application/octet-stream"))
    once_read(whole(page.run()))
    assert "“NA” is read as missing" in page.info[0].value
    page.multiselect(key="missing 1").set_value(["(empty cell)"])
    once_read(whole(page.run()))
    assert frame(page)["w"].tolist() == ["NA", "EU", "NA", "US"]


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
    assert r"Upload “pati\*ents\.csv” again under *Other tables*" in page.warning[0].value


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
