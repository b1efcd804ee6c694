"""Lessons: each link is understood by its page, the panel leads over pages, practice is checked at once."""

import re
import sys

import pytest

from espalier import __main__ as command
from espalier.data.samples.redrawn import painted_of
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.lessons import BUNDLED, from_folder, lesson_in, names
from espalier.lessons.answers import read_answers, written_answers
from espalier.lessons.reading import Link
from espalier.paths import APP
from espalier.practice import exercise, series
from espalier.practice.exercises import shape_text
from espalier.practice.results import GivenAnswer, to_json
from pages.shared.app import address
from pages.shared.lessons import opening, panel
from pages.shared.practice import course
from tests.practice.test_exercises import shape_of
from tests.tools.on_page import address_of, begin_page, open_tree, press, sent_to, until_grown, whole, words_of

LESSON = """
title = "Trees"
teaches = "What a tree is."
[[step]]
title = "One"
text = "Look."
link = "LINK"
"""


@pytest.mark.few(4)
@pytest.mark.parametrize("name", names())
def test_the_page_of_an_exercise_draws_without_a_note(name):
    lesson = lesson_in(from_folder(BUNDLED / name))
    assert opening.problems_of_link(lesson.steps[-1].link, draw=True) == []


def test_what_a_page_does_not_understand_is_said():
    for link, problem in [
        ("/?data=iris&nonsense=1", "nonsense has no effect"),
        ("/?data=iris&depth=99", "depth=99 should be a whole number from 1 to 30"),
        ("/?data=gone", "is not on this server"),
        ("/lessons?view=practice&kinds=pruning,nonsense", "should be kinds with commas"),
        ("/forests?data=moons&a=boosted&a-leaf=3", "a-leaf has no effect"),
    ]:
        (said,) = opening.problems_of_link(Link.of(link))
        assert problem in said


def test_the_command_says_what_does_not_open_in_any_language_and_ends_with_a_code(tmp_path, capsys, monkeypatch):
    lesson = LESSON.replace("LINK", "/hesitation?nonsense=1")
    (tmp_path / "lesson.toml").write_text(lesson, encoding="utf-8")
    assert opening.main([str(tmp_path), "--language", "de"]) == 1
    assert "Schritt 1: nonsense hat in /hesitation?nonsense=1 keine Wirkung" in capsys.readouterr().out
    good, bad = BUNDLED / names()[0], tmp_path / "lesson.toml"
    bad.write_text('title = "x"\n', encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["espalier", "lesson", "check", str(bad), str(tmp_path / "nothing")])
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "the lesson needs a step" in said
    assert "nothing: " in said
    assert opening.check(good) == []


TABLE = (APP / "docs" / "figures.md").read_text("utf-8")
LINKS = list(dict.fromkeys(re.findall(r"\]\(http://localhost:8501([^)]*)\)", TABLE)))
OF_LESSONS = [link for link in LINKS if f"{panel.LESSON}=" in link]
STEP = re.compile(r"/\?lesson=(\w+)&step=(\d+)(r?)")


def test_every_link_of_the_table_and_of_lessons_is_understood_by_its_page():
    problems = {link: opening.problems_of_link(Link.of(link)) for link in LINKS if link not in OF_LESSONS}
    assert problems
    assert not {link: found for link, found in problems.items() if found}
    for link in OF_LESSONS:
        ((name, step, revealed),) = STEP.findall(link)
        there = lesson_in(from_folder(BUNDLED / name)).steps[int(step) - 1]
        assert there.reveal or not revealed, link
    for name in names():
        assert opening.problems(lesson_in(from_folder(BUNDLED / name))) == [], name


def test_four_boxes_around_a_fifth_take_six_leaves():
    """No split leaves all five whole (figure 8.3 of ISLP), so that a tree of five leaves errs somewhere."""
    (text,) = {Link.of(link).parameters["data"] for link in LINKS if "Pinwheel" in link}
    table = painted_of(text)
    assert table
    data = table.dataset
    assert CartClassifier().fit(data.X, data.y).tree_.n_leaves == 6
    five = OptimalClassifier(max_depth=4, max_splits=4, max_thresholds=None).fit(data.X, data.y)
    assert five.proof_.proved
    assert (five.predict(data.X) != data.y).sum() > 0


TREES = """
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
    return panel.keep({"en": TREES})


def test_a_link_with_a_lesson_opens_its_step_unless_a_student_has_set_something_else(lesson, monkeypatch):
    page = open_tree(lesson=lesson, step="1")
    assert "Look at the root." in words_of(page)
    assert address_of(page).items() >= {"data": "iris", "depth": "1", "lesson": lesson, "step": "1"}.items()
    with monkeypatch.context() as browser:
        browser.setattr(address, "is_step_of_browser", lambda: True)
        page.query_params.clear()
        page.run()
    assert "Look at the root." not in words_of(page)
    assert not any("welcome" in data for data in sent_to(page, "espalier_stage"))
    page = open_tree(lesson=lesson, step="1", depth="2")
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

    page = open_tree()
    monkeypatch.setattr(panel, "find", broken)
    page.query_params |= {"lesson": lesson, "step": "1"}
    page.run()
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
        assert "of 2" in words_of(open_tree(lesson=lesson, step=step, answers="x_9-9_-_1"))
    page = open_tree(lesson="gone", step="1")
    assert any("not on this server" in warning.value for warning in page.warning)
    assert address_of(page).get("data", "iris") == "iris"


def test_the_text_of_a_teacher_has_no_links_or_html_and_a_lesson_with_mistakes_is_refused_with_all_of_them():
    texts_ = {"en": TREES.replace("Look at the root.", "![a](//b) <b> :red[c] **bold** $x$")}
    page = whole(open_tree(lesson=panel.keep(texts_), step="1"))
    assert r"!\[a\](//b) \<b> \:red\[c\] **bold** $x$" in words_of(page)
    with pytest.raises(ValueError, match="step 1 leads to a page “woods”"):
        panel.bring(TREES.replace("/hesitation", "/woods").replace("/?", "/woods?").encode(), "a.toml", [""])
    name = panel.bring(TREES.encode(), "a.toml", ["", "hesitation"])
    assert getattr(panel.find(name), "title", "") == "Trees"
    given = {1: "a_b-c", 2: "0.5~1", 12: "petal length"}
    assert read_answers(written_answers(given)) == given


def test_the_list_shows_all_lessons_and_begins_one():
    page = whole(open_tree().switch_page("pages/lessons.py").run())
    names = [str(button.key)[6:] for button in page.button if str(button.key).startswith("begin ")]
    assert names == panel.bundled()
    page = until_grown(press(page, f"begin {names[0]}"))
    assert address_of(page).items() >= {"lesson": names[0], "step": "1"}.items()
    page = whole(page.switch_page("pages/lessons.py").run().run())
    assert page.button(f"begin {names[1]}")  # the list stays, though its address says which lesson goes on


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
    for number, asked in enumerate(splits):
        whole(page.selectbox[number].select(asked).run())
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
