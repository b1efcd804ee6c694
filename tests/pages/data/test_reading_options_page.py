"""What a person corrects on the page Data of how a file is read, and what it leaves open."""

import io
from concurrent.futures import wait

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from espalier.data.reading import background
from espalier.paths import APP
from pages.shared.data import draft as drafts


@pytest.fixture(autouse=True, scope="module")
def no_process_is_left():
    yield
    background._waiting.end()


@pytest.fixture
def page():
    app = AppTest.from_file(str(APP / "app.py"), default_timeout=120)
    app.switch_page("pages/data.py")
    return app


def settled(page):
    """The page, once the file has been read that is read beside it."""
    while (draft := page.session_state[drafts.KEY]).reading is not None:
        wait([draft.reading.future], 60)
        page.run()
    return page


def press(page, label):
    next(button for button in page.button if button.label == label).click()
    return settled(page.run())


def paste(page, text):
    page.run()
    page.text_area(key="pasted").set_value(text)
    return press(page, "Read the pasted table")


def frame(page):
    return page.session_state[drafts.KEY].table.frame


def test_an_open_point_is_shown_in_two_readings_and_one_click_takes_the_other(page):
    paste(page, "x;t\n1.234;a\n2.345;b\n")
    assert "Which number is “1.234”?" in " ".join(text.value for text in page.markdown).replace("\\", "")
    assert frame(page)["x"].tolist() == [1.234, 2.345]
    press(page, "Read it so")
    assert not page.exception
    assert frame(page)["x"].tolist() == [1234, 2345]
    assert page.selectbox(key="decimal 1").value == ","
    assert page.selectbox(key="thousands 1").value == "."
    press(page, "Read it so")
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
    settled(page.run())
    assert not page.exception
    assert not page.error
    assert list(frame(page).columns) == ['{"a"', "b}"]


def test_missing_texts_can_be_corrected_in_every_format(page):
    out = io.BytesIO()
    pd.DataFrame({"w": ["NA", "EU", "NA", "US"], "y": ["a", "b", "a", "b"]}).to_parquet(out)
    page.run()
    page.file_uploader(key="upload").set_value(("x.parquet", out.getvalue(), "application/octet-stream"))
    settled(page.run())
    assert "“NA” is read as missing" in page.info[0].value
    page.multiselect(key="missing 1").set_value(["(empty cell)"])
    settled(page.run())
    assert not page.exception
    assert frame(page)["w"].tolist() == ["NA", "EU", "NA", "US"]
