"""Every English text has one in each other language, which says the same in the same place."""

import ast
import re
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from espalier import language
from espalier.comparison.scores import LABELS
from espalier.comparison.words import SCORE_HELP
from espalier.display.components import COMPONENTS
from espalier.display.theme import count, number, percent, threshold
from espalier.language import ENGLISH, LANGUAGES, Later, Texts, english, in_style, say, speak, spoken, uncapitalize
from espalier.learners import catalogue
from espalier.learners.black_boxes.models import BLACK_BOXES
from espalier.stability.resampling import KINDS
from espalier.stability.structures import EQUALITIES
from pages.shared.app import language as page_language
from pages.shared.app.language import CHOSEN, of_browser
from tests.tools.phrases import said_in, texts_spoken

PROJECT = Path(__file__).resolve().parents[3]
OTHERS = [code for code in LANGUAGES if code != ENGLISH]


@pytest.fixture
def german():
    speak("de")
    yield
    speak(ENGLISH)


@pytest.mark.parametrize("code", OTHERS)
def test_every_text_has_one_in_each_language_and_few_are_the_same(code):
    ours, theirs = set(phrases_shown()), language.texts(code)
    lacking, idle = ours - theirs.keys(), theirs.keys() - ours
    assert not lacking, f"core/espalier/texts/{code}.po lacks these texts: write them there"
    assert not idle, f"nothing says these texts of core/espalier/texts/{code}.po any more"
    assert not [text for text, there in theirs.items() if text.count("`") != there.count("`")]
    pairs = [(text.rpartition(language.CONTEXT)[2], german) for text, german in language.texts("de").items()]
    same = [text for text, german_text in pairs if text == german_text]
    assert len(same) <= SAME_IN_GERMAN * len(pairs), same
    assert not [text for text in same if len(re.findall("[a-z]{2}", text)) > 12]


def phrases_shown():
    """Phrases that pages show through `say`, and components through `spoken`."""
    yield from (*said_in("core/espalier"), *said_in("pages"), *said_in("app.py"))
    for kind in (*catalogue.KINDS, catalogue.OWN_MODEL):
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
    for path in COMPONENTS.rglob("*.js"):
        yield from texts_spoken(path.read_text("utf-8"))


SAME_IN_GERMAN = 0.06  # of the texts: names, signs, and words such as "CART", "AUC", "Film", "Start"


def test_nobody_speaks_anything_but_english_by_default_nor_a_language_that_there_is_not():
    assert (spoken(), say("Gini impurity"), say("Undo")) == (ENGLISH, "Gini impurity", "Undo")
    with pytest.raises(KeyError, match="no language 'xx'; there are en, de"):
        speak("xx")


def test_what_is_said_is_in_the_language_of_the_page_where_it_has_the_text_also_later_and_not_beside_the_page(
    german,
):
    assert (say("Undo"), say("right"), say("right", context="correct")) == ("Zurück", "rechts", "richtig")
    with english():
        assert (say("Undo"), say("right", context="correct")) == ("Undo", "right")
    text = Later(lambda: say("Undo"))
    with english():
        assert str(text) == "Undo"
    assert str(text) == "Zurück"
    assert say("nobody has said this yet, {n}", n=1) == "nobody has said this yet, 1"
    said = []
    thread = threading.Thread(target=lambda: said.append(say("Undo")))
    thread.start()
    thread.join()
    assert said == ["Undo"]


def test_a_table_of_texts_is_read_in_the_language_of_the_page(german):
    table = Texts({"undo": "Undo", "both": ("Undo", "Cancel"), "deep": {"a": "Undo"}, "empty": ""})
    assert [table["undo"], table.get("both"), table["deep"], table["empty"]] == [
        "Zurück", ("Zurück", "Abbrechen"), {"a": "Zurück"}, "",
    ]  # fmt: skip
    assert table.get("redo", "-") == "-"
    assert next(iter(table.values())) == dict(table.items())["undo"] == ({} | table)["undo"] == "Zurück"
    with english():
        assert (table | {"undo": "x"}) == {
            "undo": "x",
            "both": ("Undo", "Cancel"),
            "deep": {"a": "Undo"},
            "empty": "",
        }


def test_numbers_have_the_marks_of_the_language_and_names_in_sentences_its_capitals(german):
    written = [number(12345.678, 8), number(1e-7), count(30_000), percent(0.125), threshold(1 / 3)]
    assert written == ["12\u202f345,678", "1·10⁻⁷", "30\u202f000", "12,5\u00a0%", "0,333333…"]
    with english():
        assert number(12345.678, 8) == "12,345.678"
    assert in_style("1,000.5") == "1\u202f000,5"
    assert uncapitalize("Baum") == "Baum"
    with english():
        assert (uncapitalize("Tree"), uncapitalize("CART"), uncapitalize("")) == ("tree", "CART", "")


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


def test_nothing_is_said_while_a_page_is_imported():
    """It would stay in the language of whoever came first."""
    early = {}
    for path in [*PROJECT.glob("pages/**/*.py"), *PROJECT.glob("core/espalier/**/*.py")]:
        if "say(" in (text := path.read_text("utf-8")):
            calls = [node for node in at_import(ast.parse(text)) if isinstance(node, ast.Call)]
            said = [call.lineno for call in calls if ast.unparse(call.func) == "say"]
            if said:
                early[path.relative_to(PROJECT).as_posix()] = said
    assert not early


def at_import(node):
    """What is evaluated when a module is imported: all but bodies of functions."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for early in [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]:
            yield from at_import(early)
    elif not isinstance(node, ast.Lambda):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from at_import(child)
