"""The panel of a lesson: it leads over the pages, each as its step has it, and checks answers."""

import pytest

from pages.shared.app import address
from pages.shared.lessons import panel, place
from tests.tools.on_page import address_of, engine, open_tree, sent_to, until_grown, whole

__all__ = ["engine"]

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


def press(page, key):
    button = next(button for button in page.button if button.key == key)
    return whole(button.click().run())


def texts(page):
    return " ".join(
        element.value for kind in ("markdown", "success", "info", "caption") for element in page.get(kind)
    )


def test_a_link_with_a_lesson_and_no_settings_opens_its_step_as_it_is_meant(lesson):
    page = whole(open_tree(lesson=lesson, step="1"))
    assert "Look at the root." in texts(page)
    assert address_of(page).items() >= {"data": "iris", "depth": "1", "lesson": lesson, "step": "1"}.items()


def test_settings_of_a_student_win_over_those_of_the_step(lesson):
    page = whole(open_tree(lesson=lesson, step="1", depth="2"))
    assert "Look at the root." in texts(page)
    assert page.session_state["depth"] == 2
    page = press(page, "lesson-again")
    assert page.session_state["depth"] == 1


def test_a_step_is_exactly_its_link_whatever_was_set_before_on_any_page(lesson):
    page = open_tree(data="moons", held="10", depth="5")
    page.query_params.clear()
    page.query_params |= {"lesson": lesson, "step": "1"}
    page = whole(page.run())
    assert page.session_state["held"] == 30
    assert address_of(page)["data"] == "iris"


def test_a_fault_of_a_lesson_leaves_the_page_as_it_is_and_apologises(lesson, monkeypatch, caplog):
    def broken(_):
        raise KeyError("a step without a text")

    monkeypatch.setattr(panel, "find", broken)
    page = open_tree(lesson=lesson, step="1")
    assert not page.exception
    assert "Something went wrong" in texts(page)
    assert sent_to(page, "espalier_tree")
    assert "a step without a text" in caplog.text


def test_a_click_on_the_page_answers_a_question(lesson):
    page = open_tree(lesson=lesson, step="1")
    page.query_params["node"] = "1"
    page = press(whole(page.run()), "give answer")
    assert "No, the other." in texts(page)
    page.query_params["node"] = "2"
    page = press(whole(page.run()), "give answer")
    assert "Yes, that one." in texts(page)
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
    assert "Two it is." in texts(page)
    page = press(page, "lesson-on")
    assert page.session_state[address.PLACE] == "lessons"
    assert address_of(page) == {"lesson": lesson, "answers": "2-2"}
    assert "**1 of 2**" in texts(page)


def test_the_way_back_goes_over_the_same_places(lesson):
    page = open_tree(lesson=lesson, step="2r")
    steps = []
    for _ in range(3):
        steps.append(address_of(page)["step"])
        page = press(page, "lesson-back") if steps[-1] != "1" else page
    assert steps == ["2r", "2", "1"]


def test_a_lesson_that_ends_leaves_the_page_as_it_is(lesson):
    page = press(open_tree(lesson=lesson, step="1", depth="2"), "leave lesson")
    assert page.session_state["depth"] == 2
    assert not address_of(page).keys() & {"lesson", "step", "answers"}
    assert "Look at the root." not in texts(whole(page.run()))


@pytest.mark.parametrize("step", ["0", "99", "-1", "x", "1rr", "٣"])
def test_a_step_that_there_is_not_opens_one_that_there_is(lesson, step):
    assert "of 2" in texts(whole(open_tree(lesson=lesson, step=step, answers="x_9-9_-_1")))


def test_a_lesson_that_is_not_here_is_said_once_and_the_page_opens():
    page = whole(open_tree(lesson="gone", step="1"))
    assert any("not on this server" in warning.value for warning in page.warning)
    assert address_of(page).get("data", "iris") == "iris"


def test_the_text_of_a_teacher_has_no_links_pictures_colours_or_html():
    texts_ = {"en": LESSON.replace("Look at the root.", "![a](//b) <b> :red[c] **bold** $x$")}
    page = whole(open_tree(lesson=panel.keep(texts_), step="1"))
    assert r"!\[a\](//b) \<b> \:red\[c\] **bold** $x$" in texts(page)


def test_answers_stand_in_an_address_whatever_they_are():
    given = {1: "a_b-c", 2: "0.5~1", 12: "petal length"}
    assert place.read_answers(place.written_answers(given)) == given


def test_the_list_shows_all_lessons_and_begins_one():
    page = open_tree()
    page = whole(page.switch_page("pages/lessons.py").run())
    keys = [button.key or "" for button in page.button]
    names = [key.removeprefix("begin ") for key in keys if key.startswith("begin ")]
    assert names == panel.bundled()
    page = until_grown(press(page, f"begin {names[0]}"))
    assert address_of(page).items() >= {"lesson": names[0], "step": "1"}.items()


def test_a_lesson_with_mistakes_is_refused_with_all_of_them():
    with pytest.raises(ValueError, match="step 1 leads to a page “woods”"):
        panel.bring(LESSON.replace("/hesitation", "/woods").replace("/?", "/woods?").encode(), "a.toml", [""])
    name = panel.bring(LESSON.encode(), "a.toml", ["", "hesitation"])
    found = panel.find(name)
    assert found
    assert found.title == "Trees"
