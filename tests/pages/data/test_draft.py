"""The table that is being brought in: read beside the page, corrected by hand, kept, and safe from faults."""

import gzip
import io
import time
from concurrent.futures import wait

import pandas as pd
import pytest

from espalier.data import background
from pages.shared.data import draft as drafts
from pages.shared.data import intake
from pages.shared.data.draft import Draft, Shelf
from tests.tools.on_page import begin_page, press, whole, words_of

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
