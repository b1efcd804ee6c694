"""Every link of a bundled lesson and of the table of figures is understood by its page; others are judged."""

import re
import sys

import pytest

from espalier import __main__ as command
from espalier.data.samples.redrawn import painted_of
from espalier.learners import CartClassifier, OptimalClassifier
from espalier.lessons import BUNDLED, from_folder, lesson_in, names
from espalier.lessons.reading import Link
from espalier.paths import APP
from pages.shared.lessons import opening, place

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


def test_the_command_says_what_does_not_open_in_the_language_that_it_is_asked_for_and_ends_with_a_code(
    tmp_path, capsys, monkeypatch
):
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
OF_LESSONS = [link for link in LINKS if f"{place.LESSON}=" in link]
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
