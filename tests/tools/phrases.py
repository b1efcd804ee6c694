"""Phrases that the library says, found in its source, and a language of its own to see which texts are none."""

import ast
import re
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from espalier import language

PROJECT = Path(__file__).resolve().parents[2]
PSEUDO = "pseudo"  # the language in which every phrase is written in letters that nothing else has
WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in (*range(65, 91), *range(97, 123))})
SAYING = ("say", "to_say", "Texts", "Refusal", "LostTask", "EditRefused", "Phrase")
SAYS = re.compile(rf"\b({'|'.join(SAYING)})\(")  # in the text of a file: to read its syntax takes much longer


@cache
def said_in(folder):
    """Phrases that `say` is given in the files of a folder of the project, with their files."""
    found = {}
    for path, call in _calls_in(folder):
        for phrase in constants(call):
            found.setdefault(phrase, path)
    return found


def values_in(folder):
    """The phrases of a folder, or of a file, with the names of their values; those of its places if not known."""
    given = {}
    for _, call in _calls_in(folder):
        names = {keyword.arg for keyword in call.keywords}
        for phrase in constants(call):
            is_known = ast.unparse(call.func) == "say" and None not in names
            given[phrase] = given.get(phrase, places(phrase)) | names if is_known else places(phrase)
    return given


@cache
def _calls_in(folder) -> list[tuple[str, Any]]:
    start = PROJECT / folder
    files = sorted(start.rglob("*.py")) if start.is_dir() else [start]
    texts = {path.relative_to(PROJECT).as_posix(): path.read_text("utf-8") for path in files}
    return [(path, call) for path, text in texts.items() if SAYS.search(text) for call in calls(ast.parse(text))]


def calls(tree):
    """Calls of `say` with a phrase, and of `to_say`."""
    return [node for node in ast.walk(tree) if is_saying(node) and constants(node)]


def is_saying(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYING


def constants(call):
    """The phrases of a call: one, or those of a choice such as ``"{n} row" if n == 1 else "{n} rows"``."""
    if ast.unparse(call.func) == "Texts":
        return [text for given in call.args for text in _values(given) if text]
    contexts = [ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg == "context"]
    begin = f"{contexts[0]}{language.CONTEXT}" if contexts else ""
    return [begin + phrase for given in call.args[:2] for phrase in _choices(given)]


def _values(node):
    """The texts of a table, without its keys."""
    if isinstance(node, ast.Dict):
        for value in node.values:
            yield from _values(value)
    elif isinstance(node, ast.Tuple | ast.List):
        for value in node.elts:
            yield from _values(value)
    else:
        yield from _choices(node)


def _choices(node):
    if isinstance(node, ast.IfExp):
        yield from _choices(node.body)
        yield from _choices(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def texts_spoken(script):
    """Texts in the first argument of each call of `spoken` in a component's script, those of a choice, too."""
    for call in re.finditer(r"\bspoken\(", script):
        argument = _first_argument(script[call.end() :])
        yield from re.findall(r'(?:^|[?:]|(?<!\w)\()\s*"([^"]+)"', argument)


def _first_argument(code):
    depth = 0
    for sign in re.finditer(r'"[^"]*"|[^"]', code):
        depth += (sign[0] in "([{") - (sign[0] in ")]}")
        if depth < 0 or (depth == 0 and sign[0] == ","):
            return code[: sign.start()]
    return code


def places(phrase):
    """The names of a phrase's places; a text without values may have braces of its own."""
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
    monkeypatch.setattr(language, "texts", lambda code: Wide())
    language.speak(PSEUDO)
    try:
        yield
    finally:
        language.speak(language.ENGLISH)
