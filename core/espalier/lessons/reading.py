"""Lessons from text: a TOML file in English, and one beside it for each other language that has its texts alone.

``lesson.toml`` has everything, ``lesson.de.toml`` the same tables with the texts in German: whatever is not a
text, such as links and right answers, stands in the first file only. What has no translation is shown in English.
"""

from __future__ import annotations

import io
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from espalier.lessons.making import LessonError, lesson_of
from espalier.lessons.record import Lesson
from espalier.paths import ASSETS

__all__ = ["BUNDLED", "LessonError", "from_folder", "from_text", "from_zip", "lesson_in", "names", "with_texts"]
BUNDLED = ASSETS / "lessons"
FILE, LANGUAGE_OF = "lesson.toml", {"lesson.toml": "en", "lesson.de.toml": "de"}
MOST_BYTES = 200_000  # of a file


def names() -> list[str]:
    """Return the names of the bundled lessons, which are those of their folders, in the order of a course.

    A lesson that cannot be read, since a teacher is at it, is the last.
    """
    found = [path.parent.name for path in BUNDLED.glob(f"*/{FILE}")]
    return sorted(found, key=lambda name: (_number(name) or 10**6, name))


def _number(name: str) -> int:
    try:
        return lesson_in(from_folder(BUNDLED / name)).number
    except LessonError:
        return 0


def from_folder(folder: Path) -> dict[str, str]:
    """Return the texts of a lesson's folder, or of one file, by language. Raises LessonError if it is none."""
    if folder.is_file():
        return from_text(folder.read_bytes())
    texts = {language: folder / name for name, language in LANGUAGE_OF.items() if (folder / name).is_file()}
    if "en" not in texts:
        raise LessonError(f"there is no {FILE} in {folder.name}")
    return {language: _decoded(path.read_bytes(), path.name) for language, path in texts.items()}


def from_text(content: bytes) -> dict[str, str]:
    """Return the texts of a lesson of one file, by language. Raises LessonError for what is no text."""
    return {"en": _decoded(content, FILE)}


def from_zip(content: bytes) -> dict[str, str]:
    """Return the texts of a packed folder, by language. Raises LessonError for what is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            members = {PurePosixPath(one.filename).name: one for one in packed.infolist()}
            found = {language: members[name] for name, language in LANGUAGE_OF.items() if name in members}
            if any(one.file_size > MOST_BYTES for one in found.values()):
                raise LessonError(f"a file of a lesson should have at most {MOST_BYTES // 1000} kB")
            texts = {language: _decoded(packed.read(one), one.filename) for language, one in found.items()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as wrong:
        raise LessonError(f"the packed file cannot be opened: {wrong}") from None
    if "en" not in texts:
        raise LessonError(f"there is no {FILE} in the packed file")
    return texts


def lesson_in(texts: Mapping[str, str], language: str = "en") -> Lesson:
    """Return the lesson of these texts in a language; what is not translated is English.

    Raises LessonError, whose `problems` are all that is wrong with it.
    """
    whole = tables_of(texts["en"])
    return lesson_of(with_texts(whole, tables_of(texts[language], language)) if language in texts else whole)


def with_texts(whole: Any, translated: Any) -> Any:
    """Return the tables of a lesson with the texts of another language; links stay, as all that is no text.

    >>> with_texts({"title": "Tree", "step": [{"link": "/"}]}, {"title": "Baum", "step": [{"link": "/data"}]})
    {'title': 'Baum', 'step': [{'link': '/'}]}
    """
    if isinstance(whole, dict) and isinstance(translated, dict):
        return {
            key: part if key in TECHNICAL or key not in translated else with_texts(part, translated[key])
            for key, part in whole.items()
        }
    if isinstance(whole, list) and isinstance(translated, list):
        others = [*translated, *whole[len(translated) :]]
        return [with_texts(part, other) for part, other in zip(whole, others, strict=False)]
    return translated if isinstance(whole, str) and isinstance(translated, str) else whole


TECHNICAL = ("link", "practice", "kind", "parameter", "answers", "unset")  # texts that no language changes


def _decoded(content: bytes, name: str) -> str:
    if len(content) > MOST_BYTES:
        raise LessonError(f"a file of a lesson should have at most {MOST_BYTES // 1000} kB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LessonError(f"{name} should be text in UTF-8") from None


def tables_of(text: str, language: str = "en") -> dict[str, Any]:
    """Return the tables of a lesson's file. Raises LessonError for what is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        file = next(name for name, code in LANGUAGE_OF.items() if code == language)
        raise LessonError(f"{file} is no TOML: {wrong}") from None
