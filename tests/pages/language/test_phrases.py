"""Whatever the library writes for people is a phrase that each language has, with the same values in it."""

import ast
import json
import re
from collections import Counter

import pytest

from espalier import language
from espalier.display.components import COMPONENTS, add_texts, join_modules
from espalier.language import ENGLISH, LANGUAGES, say
from tests.tools.phrases import PROJECT, is_saying, narrow, places, texts_spoken, values_in, wide

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
CORE = PROJECT / "core/espalier"
BELOW = {"kernels", "learners", "data", "executors", "sandbox", "practice", "lessons", "tree"}  # write no pages
MARKUP = {"svg.py", "theme.py", "components.py", "export", "sheet.py", "paper.py", "screens.py", "script.py"}
MARKUP |= {"scripts.py", "units.py"}  # styles, units and code
FILES = sorted(
    file
    for folder in CORE.iterdir()
    if folder.is_dir() and folder.name not in BELOW
    for file in folder.rglob("*.py")
    if not MARKUP & set(file.relative_to(CORE).parts)
    and (folder.name == "display" or "espalier.display" in file.read_text("utf-8"))
)
DATA = PROJECT / "core/espalier/data"
FOR_PYTHON = {"vocabulary.py", "units.py", "folds.py", "roles.py"}  # words and errors
SAID = ("choices", "contents", "errors", "filters", "options", "remarks", "table")  # modules with texts for pages
READERS = sorted(
    file
    for part in ("columns", "formats", *(f"{name}.py" for name in SAID))
    for file in ([DATA / part] if part.endswith(".py") else (DATA / part).glob("*.py"))
    if file.name not in FOR_PYTHON
)
WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? | [a-z]{2,}")  # part of a sentence, and not a key or a colour
HEADS_OF_FILES = {"calibration error", " low", " high", " spread", "right, of ", "a tree", "share of trees"}
HEADS_OF_FILES |= {"most frequent of the first draws"}  # of tables that are saved, in English for all
CODE = re.compile(r"[<>{}]|=\"|: [\w.%]+;|^\^|^return $|\$ £")  # styles, HTML, scripts and units
NO_SENTENCES = {  # markup, names of windows, and the head of an export, which is in English
    "Source Sans Pro,Helvetica,Arial,sans-serif",
    "middle right",
    "image-rendering: pixelated",
    "cube root",
    "square root",
    "Changed by hand:",
    *HEADS_OF_FILES,
}

NAMES_IN_DATA = {  # kinds, encodings, names of columns, and what `counted` counts
    "time of day",
    "hidden rows",
    "hidden columns",
    " is no ",
    "1 day 2:30",
    "jan feb mar apr may jun jul aug sep oct nov dec",
    " jän feb mär apr mai jun jul aug sep okt nov dez jän feb mrz apr mai jun jul aug sep okt nov dez",
    "utf-8 + cp1252",
    "keine Angabe",
    "weiß nicht",
    "row name",
    "column ",
    r"column \d+|",
    "blank row",
    "empty column",
}


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_has_places_for_values_that_it_is_given_in_each_language_and_stands_once_in_its_file(code):
    texts = language.texts(code)
    given = {**values_in("core/espalier"), **values_in("pages"), **values_in("app.py")}
    assert not [text for text, values in given.items() if not places(text) | places(texts.get(text, "")) <= values]
    lines = (language.TEXTS / f"{code}.po").read_text("utf-8").splitlines()
    pairs = zip(["", *lines], lines, strict=False)
    english = [
        (before * before.startswith("msgctxt "), line) for before, line in pairs if line.startswith("msgid ")
    ][1:]
    assert not [line for line, times in Counter(english).items() if times > 1]


def test_no_sentence_stands_outside_a_phrase():
    """Such a sentence would be in English whatever the page speaks. Errors are in English for all."""
    found = {path: sentences(ast.parse(path.read_text("utf-8"))) for path in FILES}
    assert not {path: texts for path, texts in found.items() if texts}, "say them: `espalier.language.say`"
    found = {path: {*sentences(ast.parse(path.read_text("utf-8")), True)} - NAMES_IN_DATA for path in READERS}
    assert not {path: texts for path, texts in found.items() if texts}, "say them: `espalier.language.say`"


def sentences(tree, errors_too=False):
    """Texts of more than a word that are no phrase and in no docstring, nor in an error unless these count."""
    aside = {id(node) for part in ast.walk(tree) if is_aside(part, errors_too) for node in ast.walk(part)}
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in aside]
    texts = [node.value for node in nodes if isinstance(node.value, str)]
    return [text for text in texts if WORDS.search(text) and text not in NO_SENTENCES and not CODE.search(text)]


def is_aside(node, errors_too=False):
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_error = isinstance(node, ast.Raise | ast.Assert) or is_call(node, "boxed(")
    return is_docstring or is_saying(node) or (is_error and not errors_too) or is_call(node, "_log.")


def is_call(node, start):
    return isinstance(node, ast.Call) and ast.unparse(node).startswith(start)


def test_sentences_outside_phrases_are_seen_and_texts_that_a_component_speaks_in_choices_too():
    code = '"""Of a module."""\nwords = f"{n} rows go left"\nsay("{n} rows")\nraise ValueError("not this one")'
    assert sentences(ast.parse(code)) == [" rows go left"]
    assert sentences(ast.parse(code), errors_too=True) == [" rows go left", "not this one"]
    script = """spoken("a, {n}", { n: x("no") }); spoken(x.endsWith("L") ? (y ? "b" : "c") : "d"); said("no")"""
    assert list(texts_spoken(script)) == ["a, {n}", "b", "c", "d"]


def test_values_of_a_phrase_stand_at_its_places_in_any_order_also_in_wide_letters():
    assert say("{a} or {b}", b="{a}", a="x") == "x or {a}"
    assert say("no values in {this}") == "no values in {this}"
    text = wide("{name} is known").format(name="petal length")
    assert (text, narrow(text)) == ("petal length ｉｓ ｋｎｏｗｎ", ["petal", "length"])


@pytest.mark.parametrize("code", OTHERS)
def test_a_component_has_every_text_that_it_speaks_in_each_language(code):
    n_texts = 0
    for name in sorted(path.parent.name for path in COMPONENTS.glob("*/main.js")):
        modules = join_modules(f"{name}/main.js")
        spoken, given = set(texts_spoken(modules)), re.search(r"(?m)^const TEXTS = (.*);$", add_texts(modules))
        texts = json.loads(given[1])[code] if given else {}
        assert not spoken - texts.keys(), f"core/espalier/texts/{code}.po lacks what {name} speaks"
        assert not [text for text in spoken if places(texts[text]) != places(text)]
        n_texts += len(spoken)
    assert n_texts > 100
