"""Practice on the page of lessons: answers are checked at once, and the address gives everyone the same."""

import pytest

from espalier.practice import exercise, series
from espalier.practice.exercises import shape_text
from espalier.practice.results import GivenAnswer, to_json
from pages.shared.practice import course
from tests.practice.test_exercises import shape_of
from tests.tools.on_page import begin_page, press, whole


def open_practice(**address):
    return begin_page("practice", {course.TEACHER: True}, **address)


def give(page, answer):
    page.text_input[0].set_value(answer)
    return press(page, "Check")


def test_an_answer_is_checked_and_explained_and_the_next_exercise_comes():
    page = open_practice(kinds="variance", seed="7")
    one = exercise("variance", 1, 700)
    assert any(str(one.ask) in text.value for text in page.markdown)
    give(page, repr(one.mistakes[0].answer))
    assert "without correlation" in page.error[0].value
    assert page.query_params["seed"] == "7"
    press(page, "Next")
    following = exercise("variance", 1, 701)
    assert any(str(following.ask) in text.value for text in page.markdown)
    give(page, "nonsense")
    assert page.warning[0].value == "Write a number, such as 0.48."
    give(page, f"{following.right:.2f}")
    assert page.success
    work = page.session_state[course.WORK]
    assert [answer.is_right for answer in work.answers] == [False, True]
    assert not {"answers", "name"} & set(page.query_params)


def test_the_address_says_kinds_and_those_that_there_are_not_are_refused_or_noted():
    page = open_practice(kinds="votes,gain", level="3", seed="5")
    assert page.session_state[course.WORK][:3] == (("gain", "votes"), 3, 5)
    assert series(("gain", "votes"), 5)[0] in ("gain", "votes")
    assert any("kinds" in warning.value for warning in open_practice(kinds="unknown").warning)
    for text in ["", "gain,", "gain,unknown"]:
        with pytest.raises(ValueError, match="kinds with commas"):
            course.read_kinds(text)


def test_files_of_results_become_one_table_and_a_file_that_is_none_is_named():
    page = open_practice()
    given = [GivenAnswer("variance", 1, 3, "0", False, 12)]
    files = [(f"{name}.json", to_json(name, given).encode(), "application/json") for name in ("Ada", "Bo")]
    page.file_uploader(key=course.UPLOAD).set_value([*files, ("notes.json", b"{}", "application/json")])
    page = whole(page.run())
    assert page.dataframe[0].value.iloc[:, 0].tolist() == ["Ada", "Bo"]
    assert [error.value.split(":")[0] for error in page.error] == [r"notes\.json"]
    assert page.dataframe[0].value.equals(whole(page.run()).dataframe[0].value)  # also of files that went


def test_a_tree_is_chosen_question_by_question_and_checked_as_a_surface():
    """The first choice is there alone; each question brings those of its two sides."""
    page = open_practice(kinds="drawing", seed="7")
    one = exercise("drawing", 1, 700)
    assert len(page.selectbox) == 1
    press(page, "Check")
    assert page.warning[0].value == "Choose the first question."
    splits = shape_text(shape_of(one.surfaces[0])).split()
    for place, asked in enumerate(splits):
        whole(page.selectbox[place].select(asked).run())
    assert len(page.selectbox) == len(splits)
    press(page, "Check")
    assert page.success
    assert [answer.answer for answer in page.session_state[course.WORK].answers] == [" ".join(splits)]


def test_a_tree_has_its_surface_among_four_and_a_lesson_ends_with_exercises_that_fit_it():
    page = open_practice(kinds="surface", seed="7")
    one = exercise("surface", 1, 700)
    page.radio[0].set_value(str(int(one.mistakes[0].answer)))
    press(page, "Check")
    assert str(one.mistakes[0].meaning).rstrip(".") in page.error[0].value
    page = press(begin_page("lessons", lesson="purity"), "Exercises that fit this lesson")
    assert page.session_state[course.WORK][:3] == (("impurity", "gain"), 1, 2)
    assert page.query_params == {"kinds": "impurity,gain", "seed": "2"}
    page = begin_page("lessons", view="practice", kinds="gain", level="2", seed="7")  # where they stood once
    assert page.session_state[course.WORK][:3] == (("gain",), 2, 7)
    assert page.query_params == {"kinds": "gain", "level": "2", "seed": "7"}
