"""Phrases that the library says, found in its source, and a language of its own to see which texts are none."""

import ast
import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from string import Formatter

from espalier import language

PROJECT = Path(__file__).resolve().parents[2]
PSEUDO = "pseudo"  # the language in which every phrase is written in letters that nothing else has
WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in (*range(65, 91), *range(97, 123))})
SAYING = ("say", "to_say", "Refusal", "LostTask", "EditRefused", "Phrase")
SAYS = re.compile(rf"\b({'|'.join(SAYING)})\(")  # in the text of a file: to read its syntax takes much longer


@cache
def said_in(folder):
    """Phrases that `say` is given in the files of a folder of the project, with their files."""
    found = {}
    for path in sorted((PROJECT / folder).rglob("*.py")):
        if SAYS.search(text := path.read_text("utf-8")):
            for phrase in (phrase for call in calls(ast.parse(text)) for phrase in constants(call)):
                found.setdefault(phrase, path.relative_to(PROJECT).as_posix())
    return found


def calls(tree):
    """Calls of `say` with a phrase, and of `to_say`."""
    return [node for node in ast.walk(tree) if is_saying(node) and constants(node)]


def is_saying(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYING


def constants(call):
    """The phrases of a call: one, or those of a choice such as ``"{n} row" if n == 1 else "{n} rows"``."""
    return [phrase for given in call.args[:2] for phrase in _choices(given)]


def _choices(node):
    if isinstance(node, ast.IfExp):
        yield from _choices(node.body)
        yield from _choices(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def places(phrase):
    """The names of a phrase's places."""
    return {name for _, name, _, _ in Formatter().parse(phrase) if name}


def wide(phrase):
    """A phrase in wide letters, except for the names of its places."""
    return re.sub(r"[^{}]+(?![^{}]*\})", lambda part: part[0].translate(WIDE), phrase)


def narrow(text):
    """Whether Latin letters of a text are in no phrase: its words that are data, or that nobody can translate."""
    return re.findall(r"[^\W\d_]*[A-Za-z][^\W\d_]*", re.sub("[\uff21-\uff5a]+", " ", text))


class Wide(dict):
    """The phrases of the pseudo-language."""

    def get(self, phrase, otherwise=None):
        return wide(phrase)


@contextmanager
def pseudo_language(monkeypatch):
    """Speak the pseudo-language for a while."""
    monkeypatch.setattr(language, "LANGUAGES", {**language.LANGUAGES, PSEUDO: PSEUDO})
    monkeypatch.setattr(language, "phrases", lambda code: Wide())
    language.speak(PSEUDO)
    try:
        yield
    finally:
        language.speak(language.ENGLISH)
