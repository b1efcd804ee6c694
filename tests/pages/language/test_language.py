"""Every English text of the pages has one in each other language, which says the same in the same place."""

import ast
import importlib.util
import inspect
import re
import threading
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from espalier import language
from espalier.analysis.comparison.scores import LABELS
from espalier.analysis.stability.resampling import KINDS
from espalier.analysis.stability.stability import EQUALITIES
from espalier.language import ENGLISH, LANGUAGES, Later, english, in_style, say, speak, spoken
from espalier.learners import catalogue
from espalier.learners.black_boxes.models import BLACK_BOXES
from espalier.views.comparison.words import SCORE_HELP
from espalier.views.theme import count, number, percent, threshold
from pages.shared import words
from pages.shared.app import language as page_language
from pages.shared.app.language import CHOSEN, of_browser
from pages.shared.words import everywhere
from tests.tools.phrases import said_in

PROJECT = Path(__file__).resolve().parents[3]
OTHERS = [code for code in LANGUAGES if code != ENGLISH]
MODULES = sorted(language.modules())


@pytest.fixture
def german():
    speak("de")
    yield
    speak(ENGLISH)


def folder(module, code):
    return f"{words.__name__}.{code}{module.removeprefix(words.__name__)}"


def own_names(module):
    """Texts and functions of a module of words itself, without what it imports."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
        if getattr(value, "__module__", module.__name__) == module.__name__
    }


def test_every_text_has_one_in_each_language():
    for name, code in product(MODULES, OTHERS):
        there = texts_in(name, code)
        lacking = [one for one in own_names(importlib.import_module(name)) if one not in there]
        assert not lacking, f"{folder(name, code)} lacks {', '.join(lacking)}: translate them there, from {name}"


def texts_in(name, code):
    """Texts of a module in a language; none where there is no such module."""
    there = folder(name, code)
    return own_names(importlib.import_module(there)) if importlib.util.find_spec(there) else {}


def test_a_text_takes_the_same_values_in_every_language():
    for name, code in product(MODULES, OTHERS):
        ours, theirs = own_names(importlib.import_module(name)), texts_in(name, code)
        texts = {value for value in ours.values() if isinstance(value, str)}
        for one, text in theirs.items():
            assert one in ours, f"{folder(name, code)}.{one} is of no use: {name} has no such text"
            assert are_alike(ours[one], text, texts), f"{folder(name, code)}.{one}"


def are_alike(ours, theirs, texts):
    """Whether both have the same parameters, as many texts, and the same keys but for those that are `texts`."""
    if callable(ours):
        return values_of(ours) == values_of(theirs)
    if isinstance(ours, dict):
        own = ours.keys() - texts
        every = len(ours) == len(theirs) and own <= theirs.keys()
        return every and all(are_alike(ours[key], theirs[key], texts) for key in own)
    if isinstance(ours, tuple | list):
        return len(ours) == len(theirs) and all(are_alike(a, b, texts) for a, b in zip(ours, theirs, strict=True))
    return type(ours) is type(theirs)


def values_of(function):
    """Names and defaults of what a text takes."""
    return [(one.name, one.default) for one in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("code", OTHERS)
def test_every_phrase_of_the_library_has_one_in_each_language(code):
    ours, theirs = set(phrases_shown()), language.phrases(code)
    lacking, idle = ours - theirs.keys(), theirs.keys() - ours
    assert not lacking, f"core/espalier/phrases/{code} lacks these phrases: write them there"
    assert not idle, f"no page shows these phrases of core/espalier/phrases/{code}"
    assert not [text for text, there in theirs.items() if text.count("`") != there.count("`")]


def phrases_shown():
    """Phrases of the library that pages show through `say`."""
    yield from (*said_in("core/espalier"), *said_in("pages"))
    for kind in (*catalogue.KINDS, catalogue.BROUGHT):
        yield from filter(None, (kind.title, kind.words, kind.beyond_boxes))
        for setting in kind.settings:
            yield from filter(
                None, (setting.label, setting.words, setting.no_number, *dict(setting.options).values())
            )
    for box in BLACK_BOXES:
        yield from (box.title, box.words)
    for redraw in KINDS:
        yield from filter(None, (redraw.title, redraw.words, redraw.asks))
    for _, title, text in EQUALITIES:
        yield from (title, text)
    yield from (*LABELS.values(), *SCORE_HELP.values())


SAME_IN_GERMAN = 0.06  # of the texts: names, signs, and words such as "CART", "AUC", "Film", "Start"


def test_few_texts_are_the_same_in_german():
    """More would be texts that somebody copied and has not translated yet."""
    pairs = [
        (text, texts_in(name, "de")[one])
        for name in MODULES
        for one, text in own_names(importlib.import_module(name)).items()
        if isinstance(text, str)
    ]
    pairs += language.phrases("de").items()
    same = [text for text, german_text in pairs if text == german_text]
    assert len(same) <= SAME_IN_GERMAN * len(pairs), same
    assert not [text for text in same if len(re.findall("[a-z]{2}", text)) > 12]


def test_nobody_speaks_anything_but_english_by_default():
    assert (spoken(), say("Gini impurity"), everywhere.UNDO) == (ENGLISH, "Gini impurity", "Undo")


def test_a_module_of_words_speaks_the_language_of_the_page(german):
    assert (everywhere.UNDO, everywhere.row_numbers(3)) == ("Zurück", "1 bis 3")
    with english():
        assert everywhere.UNDO == "Undo"


def test_a_text_that_a_language_lacks_is_english(german, monkeypatch):
    monkeypatch.delitem(vars(importlib.import_module(folder(everywhere.__name__, "de"))), "UNDO")
    assert everywhere.UNDO == "Undo"


def test_work_beside_the_page_is_english(german):
    said = []
    thread = threading.Thread(target=lambda: said.append(everywhere.UNDO))
    thread.start()
    thread.join()
    assert said == ["Undo"]


def test_no_one_speaks_a_language_that_there_is_not():
    with pytest.raises(KeyError, match="no language 'xx'; there are en, de"):
        speak("xx")


def test_numbers_have_the_marks_of_the_language(german):
    written = [number(12345.678, 8), number(1e-7), count(30_000), percent(0.125), threshold(1 / 3)]
    assert written == ["12\u202f345,678", "1·10⁻⁷", "30\u202f000", "12,5\u00a0%", "0,333333…"]
    with english():
        assert number(12345.678, 8) == "12,345.678"
    assert in_style("1,000.5") == "1\u202f000,5"


def test_a_text_for_later_is_looked_up_when_it_is_shown(german):
    text = Later(lambda: everywhere.UNDO)
    with english():
        assert str(text) == "Undo"
    assert str(text) == "Zurück"


@pytest.mark.parametrize(
    ("locale", "code"), [("de-AT", "de"), ("de", "de"), ("en-US", "en"), ("fr-FR", "en"), ("", "en"), (None, "en")]
)
def test_the_browser_says_which_language_is_spoken_among_those_that_are_whole(locale, code, monkeypatch):
    assert of_browser(locale) == code
    monkeypatch.setattr("pages.shared.app.language.WHOLE", ("en",))
    assert of_browser(locale) == "en"


@pytest.mark.parametrize(
    ("locale", "link", "chosen", "code"),
    [
        ("de-DE", {}, None, "de"),
        ("de-DE", {"lang": "en"}, None, "en"),
        ("en-GB", {"lang": "de"}, "en", "de"),
        ("de-DE", {}, "en", "en"),
        ("de-DE", {"lang": "xx"}, None, "de"),
    ],
    ids=["browser", "link before browser", "link before choice", "choice before browser", "unknown link"],
)
def test_the_link_comes_before_what_was_chosen_and_that_before_the_browser(
    locale, link, chosen, code, monkeypatch
):
    context, state = SimpleNamespace(locale=locale), {CHOSEN: chosen} if chosen else {}
    monkeypatch.setattr(
        page_language, "st", SimpleNamespace(context=context, query_params=link, session_state=state)
    )
    try:
        page_language.begin()
        assert spoken() == code
    finally:
        speak(ENGLISH)


def test_pages_take_modules_of_words_and_look_texts_up_when_they_show_them():
    """A name taken, or a text used, when a page is imported stays in the language of whoever came first."""
    early = {}
    for path in (path for path in PROJECT.glob("pages/**/*.py") if "de" not in path.parts):
        if words.__name__ not in (text := path.read_text("utf-8")):
            continue
        tree = ast.parse(text)
        modules = dict(imported_words(tree))
        taken = [name for name, module in modules.items() if module not in MODULES]
        used = [node.id for node in at_import(tree) if isinstance(node, ast.Name) and node.id in modules]
        if taken or used:
            early[path.relative_to(PROJECT).as_posix()] = taken + used
    assert not early


def imported_words(tree):
    """Names that a file gives to modules of words, or to what it takes from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(words.__name__):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def at_import(node):
    """What is evaluated when a module is imported: all but bodies of functions, and English names of tabs."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for early in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            yield from at_import(early)
    elif not isinstance(node, ast.Lambda) and not (isinstance(node, ast.Call) and is_names_of_tabs(node)):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from at_import(child)


def is_names_of_tabs(call):
    return ast.unparse(call.func).endswith("tabs.names")
