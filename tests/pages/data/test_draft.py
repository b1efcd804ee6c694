"""The table that is being brought in: read beside the page, kept over a reload, and safe from faults."""

import gzip
import time

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data.reading import background
from espalier.paths import APP
from pages.shared.data import draft as drafts
from pages.shared.data import intake
from pages.shared.data.draft import Draft
from pages.shared.data.shelf import Shelf

GOOD = b"age,stage,ill\n" + b"".join(
    b"%d,%s,%s\n" % (i, b"ab"[i % 2 :][:1], b"ny"[i % 2 :][:1]) for i in range(40)
)
LARGE, LARGER = (
    gzip.compress(b"a,b,c\n" + b"".join(b"%d,some words,%d\n" % (i % 7, i % 3) for i in range(n_rows)))
    for n_rows in (50_000, 300_000)
)


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


def opened(**parameters):
    page = AppTest.from_file(str(APP / "app.py"), default_timeout=120)
    page.query_params.update(parameters)
    page.switch_page("pages/data.py")
    return page.run()


def upload(page, name, source):
    page.file_uploader(key="upload").set_value((name, source, "text/csv"))
    return page.run()


def word_of(page):
    found = page.query_params[drafts.PARAMETER]
    return found[0] if isinstance(found, list) else found


def read(page):
    """The page once the file is read."""
    until = time.monotonic() + 60
    while page.session_state[drafts.KEY].reading is not None and time.monotonic() < until:
        time.sleep(0.1)
        page.run()
    return page


def button(page, label):
    return next(b for b in page.button if b.label == label)


def texts(page):
    return " ".join(element.value for element in [*page.markdown, *page.error, *page.info, *page.caption])


def test_a_page_loaded_anew_has_the_draft_with_all_that_was_said_of_it():
    page = upload(opened(), "people.csv", GOOD)
    page.selectbox(key="target 1").set_value("stage").run()
    plans = page.session_state[drafts.KEY].plans
    chosen = plans[0]._replace(kind="category", reason="by your choice")
    edited = page.session_state[drafts.KEY]._replace(plans=(chosen, *plans[1:]))
    drafts.shelf().put(word_of(page), edited._replace(table=None, summaries=()))
    again = opened(draft=word_of(page))
    assert not again.exception
    assert "people\\.csv" in texts(again)
    assert again.selectbox(key="target 1").value == "stage"
    assert chosen in again.session_state[drafts.KEY].plans


def test_options_that_were_corrected_survive_a_reload():
    page = upload(opened(), "people.csv", GOOD)
    page.toggle(key="header 1").set_value(False).run()
    again = opened(draft=word_of(page))
    assert not again.toggle(key="header 1").value
    assert "column 1" in again.session_state[drafts.KEY].table.frame


def test_a_draft_that_was_discarded_is_not_found_again():
    page = upload(opened(), "people.csv", GOOD)
    word = word_of(page)
    button(page, "Discard").click().run()
    assert drafts.PARAMETER not in page.query_params
    again = opened(draft=word)
    assert not again.exception
    assert drafts.KEY not in again.session_state
    assert drafts.PARAMETER not in again.query_params


@pytest.mark.parametrize("word", ["", "x" * 5_000, "../../etc", "\u202e"])
def test_a_word_that_names_no_draft_is_let_go(word):
    page = opened(draft=word)
    assert not page.exception
    assert drafts.KEY not in page.session_state


def test_a_file_that_takes_its_time_shows_how_far_it_is_and_becomes_the_draft(monkeypatch):
    monkeypatch.setattr(drafts, "PATIENCE_SECONDS", 0.0)
    page = upload(opened(), "large.csv.gz", LARGE)
    text = page.get("progress")[0].proto.text
    assert "Reading the file" in text or "Other files are read first" in text  # of this server, by other tests
    assert "Cancel" in [b.label for b in page.button]
    read(page)
    assert not page.exception
    assert len(page.session_state[drafts.KEY].table.frame) == 50_000
    assert "Use this table" in [b.label for b in page.button]


def test_reading_can_be_cancelled_and_then_there_is_no_draft(monkeypatch):
    monkeypatch.setattr(drafts, "PATIENCE_SECONDS", 0.0)
    page = upload(opened(), "large.csv.gz", LARGE)
    going = page.session_state[drafts.KEY].reading
    button(page, "Cancel").click()
    page.run()
    assert not page.exception
    assert going.is_cancelled
    assert drafts.KEY not in page.session_state


def test_a_fault_in_a_callback_is_an_apology_and_the_work_stays(monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret path /etc")

    page = upload(opened(), "people.csv", GOOD)
    monkeypatch.setattr(intake.draft, "start", broken)
    page.text_area(key="pasted").set_value("a,b\n1,2\n")
    button(page, "Read the pasted table").click()
    page.run()
    assert not page.exception
    assert "Something went wrong while doing what you asked" in texts(page)
    assert "secret" not in texts(page)
    assert "secret" in caplog.text
    assert "people\\.csv" in texts(page)
    assert "Something went wrong" not in texts(page.run())


def draft(n):
    return Draft(1, bytes(n), "x.csv", None, None, None)


def test_the_shelf_lets_the_oldest_drafts_go_beyond_its_budget():
    shelf = Shelf(megabytes=2.5)
    words = [shelf.put("", draft(1_000_000)) for _ in range(3)]
    assert len(set(words)) == 3
    assert [shelf.find(word) is not None for word in words] == [False, True, True]


def test_the_shelf_lets_drafts_go_after_a_while(monkeypatch):
    shelf = Shelf(minutes=1)
    word = shelf.put("", draft(1))
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 59)
    assert shelf.find(word)
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert shelf.find(word) is None
