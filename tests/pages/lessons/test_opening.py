"""Every link of a bundled lesson is understood by its page; the command says of others what is not."""

import sys
from pathlib import Path

import pytest

from espalier import __main__ as command
from espalier.lessons import BUNDLED, from_folder, lesson_in, names
from espalier.lessons.record import Link
from espalier.progress import Progress
from pages.shared.jobs.run import Stopped
from pages.shared.lessons import listing, opening
from tests.tools.on_page import engine

__all__ = ["engine"]

LESSON = """
title = "Trees"
teaches = "What a tree is."
[[step]]
title = "One"
text = "Look."
link = "LINK"
"""


def test_every_link_of_a_bundled_lesson_is_understood_by_its_page():
    for name in names():
        assert opening.problems(lesson_in(from_folder(BUNDLED / name))) == [], name


@pytest.mark.few(4)
@pytest.mark.parametrize("name", names())
def test_the_page_of_an_exercise_draws_without_a_note(name):
    lesson = lesson_in(from_folder(BUNDLED / name))
    assert opening.problems_of_link(lesson.steps[-1].link, draw=True) == []


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("/?data=iris&nonsense=1", "nonsense has no effect"),
        ("/?data=iris&depth=99", "depth=99 should be a whole number from 1 to 30"),
        ("/?data=gone", "which this server does not have"),
        ("/lessons?view=practice&kinds=pruning,nonsense", "should be kinds with commas"),
        ("/forests?data=moons&a=boosted&a-leaf=3", "a-leaf has no effect"),
    ],
)
def test_what_a_page_does_not_understand_is_said(link, problem):
    (said,) = opening.problems_of_link(Link.of(link))
    assert problem in said


def test_the_command_speaks_the_language_that_it_is_asked_for(tmp_path, capsys):
    lesson = LESSON.replace("LINK", "/hesitation?nonsense=1")
    (tmp_path / "lesson.toml").write_text(lesson, encoding="utf-8")
    assert opening.main([str(tmp_path), "--language", "de"]) == 1
    assert "Schritt 1: nonsense hat in /hesitation?nonsense=1 keine Wirkung" in capsys.readouterr().out


def test_a_lesson_that_was_brought_is_asked_as_the_command_does(monkeypatch):
    asked = []

    def said_by(command, progress):
        asked.append((command[2:5], (Path(command[-1]) / "lesson.toml").read_text("utf-8")))
        return f"{command[-1]}: step 1: depth has no effect\n"

    monkeypatch.setattr(listing, "said_by", said_by)
    assert listing.problems({"en": LESSON}, "en", Progress()) == ["step 1: depth has no effect"]
    assert asked == [(["espalier", "lesson", "check"], LESSON)]
    monkeypatch.setattr(listing, "said_by", lambda command, progress: f"{command[-1]}: everything opens\n")
    assert listing.problems({"en": LESSON}, "en", Progress()) == []


def test_a_check_that_was_stopped_ends_its_process():
    with pytest.raises(Stopped):
        listing.said_by([sys.executable, "-c", "import time; time.sleep(60)"], Progress(is_stopped=True))


def test_the_command_says_what_does_not_open_and_ends_with_a_code(tmp_path, capsys, monkeypatch):
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
