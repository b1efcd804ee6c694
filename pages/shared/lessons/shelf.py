"""The lessons that a link may name: those that are bundled, and those that teachers brought to this server.

A lesson that was brought is known by the digest of its content, so that a class opens it by the same link; it
stays until the server ends or many others came after it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
from collections.abc import Mapping

import streamlit as st

from espalier.language import spoken
from espalier.lessons import BUNDLED, Lesson, LessonError, from_folder, from_text, from_zip, lesson_in, names
from espalier.lessons.checking import UNTRANSLATED, problems_of
from pages.shared.app.store import Store

_log = logging.getLogger("espalier")
MOST_BROUGHT = 200
MOST_MB = 1


@st.cache_resource(show_spinner=False)
def _brought() -> Store[dict[str, str]]:
    """The texts of lessons that were brought, by name."""
    return Store(MOST_BROUGHT, lasts=True)


def find(name: str) -> Lesson | None:
    """The lesson of this name in the language that is spoken; None where there is no such lesson."""
    if name in bundled():
        return _read(name, spoken(), _stamp())
    texts = _brought().find(name)
    return None if texts is None else lesson_in(texts, spoken())


def bundled() -> list[str]:
    """Names of the bundled lessons, in the order of a course."""
    return _names(_stamp())


def _stamp() -> float:
    """When a bundled lesson was changed last: a teacher edits them while the server runs."""
    return max((path.stat().st_mtime for path in BUNDLED.glob("*/*.toml")), default=0.0)


@functools.lru_cache(maxsize=1)
def _names(stamp: float) -> list[str]:
    return names()


@functools.lru_cache(maxsize=64)
def _read(name: str, language: str, stamp: float) -> Lesson | None:
    """The lesson; None while it cannot be read, which the log says: it may be edited at this moment."""
    try:
        return lesson_in(from_folder(BUNDLED / name), language)
    except LessonError:
        _log.exception("lesson %s", name)
        return None


def texts_of(name: str) -> dict[str, str]:
    """The texts of a lesson that was brought, by language; none where it has gone."""
    return _brought().find(name) or {}


def bring(content: bytes, filename: str, pages: list[str]) -> str:
    """Keep the lesson of a file; its name in links. Raises LessonError with all that is wrong with it."""
    texts = from_zip(content) if filename.lower().endswith(".zip") else from_text(content)
    problems = [one for one in problems_of(texts, pages) if not one.endswith(UNTRANSLATED)]  # English is shown
    if problems:
        raise LessonError(*problems)
    return keep(texts)


def keep(texts: Mapping[str, str]) -> str:
    """Keep the texts of a lesson by language; its name in links."""
    name = hashlib.sha256(json.dumps(dict(texts), sort_keys=True).encode()).hexdigest()[:12]
    _brought().find_or_put(name, lambda: dict(texts))
    return name
