"""Practice on the page of lessons: answers are checked at once, and the address gives everybody the same."""

import pytest
from streamlit.testing.v1 import AppTest

from espalier.practice import exercise, series
from pages.shared.practice import choice, course
from pages.shared.words import practice as words
from tests.tools.on_page import APP, engine, whole

__all__ = ["engine"]


def open_practice(**address):
    page = AppTest.from_file(APP, default_timeout=120)
    page.switch_page("pages/lessons.py")
    for key, text in ({"view": "practice"} | address).items():
        page.query_params[key] = text
    return whole(page.run())


def press(page, label):
    return whole(next(button for button in page.button if button.label == label).click().run())


def give(page, answer):
    page.text_input[0].set_value(answer)
    return press(page, words.CHECK)


def test_an_answer_is_checked_and_explained_and_the_next_exercise_comes():
    page = open_practice(kinds="variance", seed="7")
    one = exercise("variance", 1, 700)
    assert any(str(one.ask) in text.value for text in page.markdown)
    give(page, repr(one.mistakes[0].answer))
    assert "without correlation" in page.error[0].value
    assert page.query_params["seed"] == "7"
    press(page, words.NEXT)
    following = exercise("variance", 1, 701)
    assert any(str(following.ask) in text.value for text in page.markdown)
    give(page, "nonsense")
    assert page.warning[0].value == words.NO_NUMBER
    give(page, f"{following.right:.2f}")
    assert page.success
    work = page.session_state[course.WORK]
    assert [answer.is_right for answer in work.answers] == [False, True]
    assert not {"answers", "name"} & set(page.query_params)


def test_the_address_says_kinds_and_a_wrong_kind_is_noted():
    page = open_practice(kinds="votes,gain", level="3", seed="5")
    assert page.session_state[course.WORK].course == (("gain", "votes"), 3, 5)
    assert series(("gain", "votes"), 5)[0] in ("gain", "votes")
    assert any("kinds" in warning.value for warning in open_practice(kinds="unknown").warning)


@pytest.mark.parametrize("text", ["", "gain,", "gain,unknown"])
def test_kinds_that_there_are_not_are_refused(text):
    with pytest.raises(ValueError, match="kinds with commas"):
        choice.kinds_of(text)
