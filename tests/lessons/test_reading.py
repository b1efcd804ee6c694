"""Lessons from text: what is read, what is refused, and with which words."""

import io
import zipfile
from typing import Any

import pytest

from espalier import lessons
from espalier.language import LANGUAGES
from espalier.lessons import reading
from espalier.lessons.reading import problems_of
from pages.shared.lessons.opening import pages
from tests.tools.cases import case

PAGES = ["", "forests"]
SMALL = """
title = "Trees"
teaches = "What a tree is."

[[step]]
title = "One"
text = "Look at the **root**."
link = "http://localhost:8501/?data=iris&depth=1&lesson=x&step=4"

[step.question]
kind = "choice"
ask = "How many leaves?"
choices = ["one", "two"]
answer = 2
right = "Yes."
wrong = "No."

[step.reveal]
text = "Two."
link = "/forests?data=iris"
change = "Drag."
"""
GERMAN = """
title = "Bäume"
teaches = "Was ein Baum ist."
[[step]]
title = "Eins"
text = "Sehen Sie die **Wurzel** an."
link = "/nirgendwo"
[step.question]
kind = "number"
ask = "Wie viele Blätter?"
choices = ["eines", "zwei"]
answer = 1
right = "Ja."
wrong = "Nein."
[step.reveal]
text = "Zwei."
change = "Ziehen."
"""


def test_a_step_has_the_page_and_its_settings_but_not_the_lesson_that_the_address_was_copied_from():
    (step,) = lessons.lesson_in({"en": SMALL}).steps
    assert step.link == reading.Link("", {"data": "iris", "depth": "1"})
    assert [link.page for link in step.links()] == ["", "forests"]
    assert step.change == "Drag."


def test_another_language_changes_texts_alone_what_it_lacks_is_said_with_its_place_and_a_zip_holds_both():
    english, german = (lessons.lesson_in({"en": SMALL, "de": GERMAN}, code) for code in ("en", "de"))
    assert (german.title, german.steps[0].text) == ("Bäume", "Sehen Sie die **Wurzel** an.")
    assert german.steps[0].link == english.steps[0].link
    question = german.steps[0].question
    assert question
    assert question.is_right("2")
    assert question.solution() == "zwei"
    assert problems_of({"en": SMALL, "de": GERMAN}, PAGES) == []
    found = problems_of({"en": SMALL, "de": GERMAN.replace('text = "Zwei."', "")}, PAGES)
    assert found == ["de: step 1 reveal text is not translated"]
    texts = lessons.from_zip(packed(mine__lesson_toml=SMALL, mine__lesson_de_toml=GERMAN))
    assert problems_of(texts, PAGES) == []
    assert lessons.lesson_in(texts, "de").title == "Bäume"


def test_what_is_wrong_is_said_with_its_place():
    for old, new, problem in [
        ('title = "Trees"', "", "the lesson needs a title"),
        ('title = "Trees"', "title = 3", "the lesson has a title that should be a text in quotes"),
        ("[step.reveal]", "[step.revael]", "step 1 has “revael”, which means nothing; did you mean reveal?"),
        ("answer = 2", "answer = 3", "step 1: the question has the answer 3, which is not among its 2 choices"),
        ("answer = 2", "", "step 1: the question needs a answer"),
        ('kind = "choice"', 'kind = "guess"', "step 1: the question needs a kind: one of choice, number,"),
        ('title = "Trees"', 'title = "a"\npractice = "/woods"', "practice leads to a page “woods”; it should be"),
        ("/forests", "/woods", "step 1 leads to a page “woods”; there are /, /forests"),
        ("Look at", "word " * 81, "step 1: text has 83 words; at most 80 are read"),
        ("the **root**", "[a](http://b)", "step 1: text has a link, a picture or HTML"),
        ("[[step]]", "[[step]", "lesson.toml is no TOML: "),
    ]:
        with case((old, new, problem)):
            found = problems_of({"en": SMALL.replace(old, new, 1)}, PAGES)
            assert any(one.startswith(problem) for one in found), found


@pytest.mark.parametrize(
    ("kind", "answers", "rights"),
    [
        ('kind = "number"\nanswer = 0.5\ntolerance = 0.01', ["0.49", "0,51", "0.52", "half", "nan", ""], "rrwwww"),
        ('kind = "slider"\nanswer = 3\nhigh = 5', ["3", "4"], "rw"),
        ('kind = "page"\nparameter = "node"\nanswers = ["2", "5"]', ["2", "5", "3", ""], "rrww"),
        ('kind = "page"\nparameter = "depth"\nlow = 2\nhigh = 4\nunset = "3"', ["2", "5", "none", ""], "rwww"),
        (
            'kind = "sketch"\nacross = ["1", "2"]\nanswer = [0, 1]\nhigh = 1\ntolerance = 0.1',
            ["0~1", "0.2~1", "0.2~0.8", "0", "0~x", ""],
            "rrwwww",
        ),
    ],
)
def test_answers_are_right_or_wrong_and_never_an_error(kind, answers, rights):
    text = SMALL.replace('kind = "choice"', kind).replace('choices = ["one", "two"]\nanswer = 2', "")
    question: Any = lessons.lesson_in({"en": text}).steps[0].question
    assert "".join("r" if question.is_right(answer) else "w" for answer in answers) == rights


def packed(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in files.items():
            file.writestr(name.replace("__", "/").replace("_toml", ".toml").replace("_de", ".de"), text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no zip", "cannot be opened"),
        (packed(other_toml=SMALL), "there is no lesson.toml in the packed file"),
        (packed(lesson_toml="#" * 300_000), "at most 200 kB"),
    ],
    ids=["no zip", "no lesson", "too long"],  # a zip has the time, and each process its own
)
def test_a_zip_that_is_none_is_refused(content, said):
    with pytest.raises(lessons.LessonError, match=said):
        lessons.from_zip(content)


@pytest.mark.parametrize(("content", "said"), [(b"\xff\xfe\x00", "UTF-8"), (b"#" * 300_000, "at most 200 kB")])
def test_a_file_that_is_no_text_is_refused(content, said):
    with pytest.raises(lessons.LessonError, match=said):
        lessons.from_text(content)


def test_a_folder_without_a_lesson_is_refused(tmp_path):
    with pytest.raises(lessons.LessonError, match=r"there is no lesson\.toml"):
        lessons.from_folder(tmp_path)


def test_bundled_lessons_have_nothing_wrong_and_stand_in_the_order_of_a_course():
    for name in lessons.names():
        with case(name):
            texts = lessons.from_folder(lessons.BUNDLED / name)
            assert texts.keys() == LANGUAGES.keys()
            assert problems_of(texts, pages()) == []
    numbers = [lessons.lesson_in(lessons.from_folder(lessons.BUNDLED / name)).number for name in lessons.names()]
    assert numbers == sorted(set(numbers))


def test_a_bundled_lesson_predicts_first_and_ends_with_an_exercise_that_is_checked():
    for name in lessons.names():
        with case(name):
            lesson = lessons.lesson_in(lessons.from_folder(lessons.BUNDLED / name))
            assert lesson.number
            assert lesson.minutes
            assert lesson.source
            assert lesson.steps[-1].question, "a lesson ends with an exercise"
            asked = [step for step in lesson.steps if step.question]
            assert len(asked) >= len(lesson.steps) - 1
            for step in asked:
                assert step.question
                assert not step.question.is_right("")
