"""The panel of a lesson leads over the pages, each as its step has it."""

import pytest

from espalier.lessons.answers import read_answers, written_answers
from pages.shared.app import address
from pages.shared.lessons import panel
from tests.tools.on_page import address_of, open_tree, press, sent_to, until_grown, whole, words_of

LESSON = """
title = "Trees"
teaches = "What a tree is."

[[step]]
title = "One"
text = "Look at the root."
link = "/?data=iris&depth=1"
[step.question]
kind = "page"
ask = "Click the right leaf."
parameter = "node"
answers = ["2"]
right = "Yes, that one."
wrong = "No, the other."

[[step]]
title = "Two"
text = "Another page."
link = "/hesitation?k=100"
[step.question]
kind = "choice"
ask = "How many?"
choices = ["one", "two"]
answer = 2
right = "Two it is."
wrong = "It is two."
[step.reveal]
text = "The answer is on this page."
link = "/hesitation"
"""


@pytest.fixture
def lesson():
    """The name of a lesson that a teacher brought."""
    return panel.keep({"en": LESSON})


def test_a_link_with_a_lesson_opens_its_step_as_it_is_meant_where_a_student_has_not_set_something_else(lesson):
    page = whole(open_tree(lesson=lesson, step="1"))
    assert "Look at the root." in words_of(page)
    assert address_of(page).items() >= {"data": "iris", "depth": "1", "lesson": lesson, "step": "1"}.items()
    page = whole(open_tree(lesson=lesson, step="1", depth="2"))
    assert "Look at the root." in words_of(page)
    assert page.session_state["depth"] == 2
    page = press(page, "lesson-again")
    assert page.session_state["depth"] == 1
    page = press(open_tree(lesson=lesson, step="1", depth="2"), "leave lesson")
    assert page.session_state["depth"] == 2
    assert not address_of(page).keys() & {"lesson", "step", "answers"}
    assert "Look at the root." not in words_of(whole(page.run()))


def test_a_step_is_exactly_its_link_whatever_was_set_before_and_the_way_back_goes_over_the_same_places(lesson):
    page = open_tree(data="moons", held="10", depth="5")
    page.query_params.clear()
    page.query_params |= {"lesson": lesson, "step": "1"}
    page = whole(page.run())
    assert page.session_state["held"] == 30
    assert address_of(page)["data"] == "iris"
    page = open_tree(lesson=lesson, step="2r")
    steps = []
    for _ in range(3):
        steps.append(address_of(page)["step"])
        page = press(page, "lesson-back") if steps[-1] != "1" else page
    assert steps == ["2r", "2", "1"]


def test_a_fault_of_a_lesson_leaves_the_page_as_it_is_and_apologises(lesson, monkeypatch, caplog):
    def broken(_):
        raise KeyError("a step without a text")

    monkeypatch.setattr(panel, "find", broken)
    page = open_tree(lesson=lesson, step="1")
    assert not page.exception
    assert "Something went wrong" in words_of(page)
    assert sent_to(page, "espalier_tree")
    assert "a step without a text" in caplog.text


def test_a_click_on_the_page_answers_a_question(lesson):
    page = open_tree(lesson=lesson, step="1")
    page.query_params["node"] = "1"
    page = whole(page.run())
    assert [page.button(key).proto.type for key in ("give answer", "lesson-on")] == ["primary", "tertiary"]
    page = press(page, "give answer")
    assert "No, the other." in words_of(page)
    page.query_params["node"] = "2"
    page = press(whole(page.run()), "give answer")
    assert "Yes, that one." in words_of(page)
    assert address_of(page)["answers"] == "1-2"


def test_an_answer_leads_on_and_the_end_is_a_link_to_hand_in(lesson):
    page = open_tree(lesson=lesson, step="1")
    page = press(page, "lesson-on")
    assert page.session_state[address.PLACE] == "hesitation"
    assert address_of(page)["k"] == "100"
    page.radio(f"answer {lesson} 2 False").set_value("2")
    page = press(whole(page.run()), "give answer")
    assert address_of(page)["step"] == "2r"
    assert "k" not in address_of(page)
    assert "Two it is." in words_of(page)
    page = press(page, "lesson-on")
    assert page.session_state[address.PLACE] == "lessons"
    assert address_of(page) == {"lesson": lesson, "answers": "2-2"}
    assert "**1 of 2**" in words_of(page)


def test_a_lesson_or_a_step_that_there_is_not_is_said_or_replaced_and_the_page_opens(lesson):
    for step in ["0", "99", "-1", "x", "1rr", "٣"]:
        assert "of 2" in words_of(whole(open_tree(lesson=lesson, step=step, answers="x_9-9_-_1")))
    page = whole(open_tree(lesson="gone", step="1"))
    assert any("not on this server" in warning.value for warning in page.warning)
    assert address_of(page).get("data", "iris") == "iris"


def test_the_text_of_a_teacher_has_no_links_or_html_and_a_lesson_with_mistakes_is_refused_with_all_of_them():
    texts_ = {"en": LESSON.replace("Look at the root.", "![a](//b) <b> :red[c] **bold** $x$")}
    page = whole(open_tree(lesson=panel.keep(texts_), step="1"))
    assert r"!\[a\](//b) \<b> \:red\[c\] **bold** $x$" in words_of(page)
    with pytest.raises(ValueError, match="step 1 leads to a page “woods”"):
        panel.bring(LESSON.replace("/hesitation", "/woods").replace("/?", "/woods?").encode(), "a.toml", [""])
    name = panel.bring(LESSON.encode(), "a.toml", ["", "hesitation"])
    assert getattr(panel.find(name), "title", "") == "Trees"
    given = {1: "a_b-c", 2: "0.5~1", 12: "petal length"}
    assert read_answers(written_answers(given)) == given


def test_the_list_shows_all_lessons_and_begins_one():
    page = whole(open_tree().switch_page("pages/lessons.py").run())
    names = [str(button.key)[6:] for button in page.button if str(button.key).startswith("begin ")]
    assert names == panel.bundled()
    page = until_grown(press(page, f"begin {names[0]}"))
    assert address_of(page).items() >= {"lesson": names[0], "step": "1"}.items()
