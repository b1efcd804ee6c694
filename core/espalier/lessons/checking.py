"""All that is wrong with a lesson's texts: what does not read, is too long, or is not translated.

Whether the pages of its links understand them, the app itself says (`pages/shared/lessons/opening.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from espalier.lessons.reading import TECHNICAL, Lesson, LessonError, LessonStep, lesson_in, tables_of

MOST_WORDS = 80
PRACTICE = "lessons"  # path of the page that has the exercises
NOT_TRANSLATED = "is not translated"
BRACKETS = ("](", "<", "![")  # a lesson has no links to elsewhere, pictures and HTML


def problems_of(texts: Mapping[str, str], pages: Collection[str]) -> list[str]:
    """Return what is wrong with a lesson, its texts by language, in an app with pages of these paths.

    >>> problems_of({"en": 'title = "Trees"'}, ["", "forests"])
    ['the lesson needs a teaches', 'the lesson needs a step']
    """
    try:
        lesson = lesson_in(texts)
    except LessonError as wrong:
        return list(wrong.problems)
    problems = [*_lesson_problems(lesson, pages)]
    for language in sorted(texts.keys() - {"en"}):
        problems += _translation_problems(texts, language)
    return problems


def _lesson_problems(lesson: Lesson, pages: Collection[str]) -> Iterator[str]:
    for n, step in enumerate(lesson.steps, 1):
        for link in step.links():
            if link.page not in pages:
                there = ", ".join(f"/{page}" for page in sorted(pages))
                yield f"step {n} leads to a page “{link.page[:40]}”; there are {there}"
        yield from (f"step {n}: {problem}" for problem in _word_problems(step))
    if lesson.practice and lesson.practice.page != PRACTICE:
        yield f"practice leads to a page “{lesson.practice.page[:40]}”; it should be /{PRACTICE}?view=practice…"


def _word_problems(step: LessonStep) -> Iterator[str]:
    for name, text in texts_of(step).items():
        if (n := n_words(text)) > MOST_WORDS:
            yield f"{name} has {n} words; at most {MOST_WORDS} are read"
        if any(mark in text for mark in BRACKETS):
            yield f"{name} has a link, a picture or HTML, which lessons do not show"


def texts_of(step: LessonStep) -> dict[str, str]:
    """Return the texts of a step that are read at once, by their names in the file."""
    texts = {"text": step.text, "change": step.change}
    if step.reveal:
        texts["reveal"] = step.reveal.text
    if step.question:
        texts["question"] = step.question.ask
    return texts


def n_words(text: str) -> int:
    """Return the number of words; a formula counts as one.

    >>> n_words("The gini is $2 p (1 - p)$ here.")
    5
    """
    return len(re.findall(r"\S+", re.sub(r"\$[^$]*\$", "x", text)))


def _translation_problems(texts: Mapping[str, str], language: str) -> Iterator[str]:
    try:
        lesson_in(texts, language)
    except LessonError as wrong:
        yield from (f"{language}: {problem}" for problem in wrong.problems)
        return
    yield from (
        f"{language}: {place} {NOT_TRANSLATED}"
        for place in _lacking(tables_of(texts["en"]), tables_of(texts[language]), "")
    )


def _lacking(original: Any, translated: Any, place: str) -> Iterator[str]:
    """Yield the places of texts that another language lacks."""
    if isinstance(original, dict):
        there = translated if isinstance(translated, dict) else {}
        for key, part in original.items():
            if key not in TECHNICAL:
                yield from _lacking(part, there.get(key), f"{place} {key}".strip())
    elif isinstance(original, list):
        there = translated if isinstance(translated, list) else []
        for n, part in enumerate(original):
            yield from _lacking(part, there[n] if n < len(there) else None, f"{place} {n + 1}")
    elif isinstance(original, str) and re.search(r"[^\W\d_]{2}", original) and not isinstance(translated, str):
        yield place
