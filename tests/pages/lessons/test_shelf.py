"""The shelf of lessons: bundled ones are read anew when a teacher has edited them."""

import itertools
import os

import pytest

from espalier.lessons import reading
from pages.shared.lessons import panel

LESSON = """
title = "{}"
teaches = "What a tree is."
[[step]]
title = "One"
text = "Look."
link = "/?data=iris"
"""
SECONDS = itertools.count(1_000)


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Function that writes the only bundled lesson, each time a second later."""
    for module in (reading, panel):
        monkeypatch.setattr(module, "BUNDLED", tmp_path)
    (tmp_path / "own").mkdir()
    file = tmp_path / "own" / "lesson.toml"

    def write_(text):
        file.write_text(text, encoding="utf-8")
        os.utime(file, (now := next(SECONDS), now))

    return write_


def title():
    lesson = panel.find("own")
    return lesson and lesson.title


def test_a_bundled_lesson_that_is_edited_is_there_anew(write):
    write(LESSON.format("First"))
    assert (panel.bundled(), title()) == (["own"], "First")
    write(LESSON.format("Second"))
    assert title() == "Second"


def test_a_bundled_lesson_that_cannot_be_read_for_now_is_not_there_and_comes_back(write):
    write("title = ")
    assert (panel.bundled(), title()) == (["own"], None)
    write(LESSON.format("Third"))
    assert title() == "Third"
