"""The bundled lessons: they read, they are short, they are in every language, and they end with an exercise."""

from espalier.language import LANGUAGES
from espalier.lessons import BUNDLED, from_folder, lesson_in, names
from espalier.lessons.checking import problems_of
from pages.shared.lessons.opening import pages
from tests.tools.cases import case


def test_a_bundled_lesson_has_nothing_wrong():
    for name in names():
        with case(name):
            texts = from_folder(BUNDLED / name)
            assert texts.keys() == LANGUAGES.keys()
            assert problems_of(texts, pages()) == []


def test_a_bundled_lesson_predicts_first_and_ends_with_an_exercise_that_is_checked():
    for name in names():
        with case(name):
            lesson = lesson_in(from_folder(BUNDLED / name))
            assert lesson.number
            assert lesson.minutes
            assert lesson.source
            assert lesson.steps[-1].question, "a lesson ends with an exercise"
            asked = [step for step in lesson.steps if step.question]
            assert len(asked) >= len(lesson.steps) - 1
            for step in asked:
                assert step.question
                assert not step.question.is_right("")


def test_the_lessons_stand_in_the_order_of_a_course():
    numbers = [lesson_in(from_folder(BUNDLED / name)).number for name in names()]
    assert numbers == sorted(set(numbers))
