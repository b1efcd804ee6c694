"""Every English text has one in each other language; errors and notes are said in that of the page."""

import ast
import pickle
import re
import threading
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from espalier import language
from espalier.comparison.scores import LABELS
from espalier.comparison.words import SCORE_HELP
from espalier.data import RowWeights, make_dataset, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.contents import question, service
from espalier.data.errors import TableError, counted, listed, quoted
from espalier.data.filters import FilterError, filter_of
from espalier.data.folds import Folds, folds_of
from espalier.data.roles import RowRoles, row_groups, row_times
from espalier.data.samples.redrawn import USUAL_NAME, Redrawing, painted, redrawn
from espalier.data.subset import subset
from espalier.data.table import read_table
from espalier.display.components import COMPONENTS
from espalier.display.theme import count, number, percent, threshold
from espalier.executors import LostTask
from espalier.executors.worker import out_of_memory
from espalier.fitting import check_takes_weights
from espalier.language import (
    ENGLISH,
    LANGUAGES,
    Later,
    Phrase,
    PhraseError,
    Refusal,
    Texts,
    english,
    in_style,
    say,
    speak,
    speaking,
    spoken,
    uncapitalize,
)
from espalier.learners import catalogue
from espalier.learners.base import check_targets, check_weights
from espalier.learners.black_boxes.models import BLACK_BOXES, Setup
from espalier.learners.cart import check_counts
from espalier.stability.resampling import KINDS, Redraw, check_redraw
from espalier.stability.structures import EQUALITIES
from pages.shared.app import language as page_language
from pages.shared.app.language import CHOSEN, of_browser
from pages.shared.data import library
from pages.shared.jobs import note, run
from pages.shared.jobs.run import Outcome, Runner, Work
from tests.tools.on_page import open_page
from tests.tools.phrases import PROJECT, narrow, pseudo_language, said_in, texts_spoken

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


SOON = 20.0  # seconds
IRIS = samples.load("iris")
CORE = PROJECT / "core/espalier"
SHOWN = (  # where long work meets data, models of strangers, and processes
    "executors",
    "sandbox",
    "fitting.py",
    "data/folds.py",
    "learners/black_boxes/models.py",
    "learners/optimal/problem.py",
)
OF_CALLS = {  # mistakes of a caller, and what only the other end of a pipe reads
    "the number of workers is {n_workers}; it must be at least 1",
    "this is not a frame",
    "{holdout.percent} % of the rows cannot be held out; choose a percentage from 0 to 100",
    "{list(order)} is no order of {n}: each from 0 to {n - 1} must stand in it once",
    "_first_line(wrong)",
}


def with_roles(**roles):
    return make_dataset("t", IRIS.X, IRIS.features, IRIS.y, IRIS.target, roles=RowRoles(**roles))


def weighed():
    return make_dataset("t", IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights("w", np.ones(150)))


def neighbours():
    box = next(box for box in BLACK_BOXES if box.name == "neighbours")
    return box.make(Setup(True, np.zeros(4, dtype=bool)))


def lose(progress):
    raise out_of_memory(512)


IMPOSSIBLE = {  # work, and the words of its error that are data, names or formats
    "more folds than rows": (lambda _: folds_of(IRIS, Folds(200)), set()),
    "more folds than groups": (
        lambda _: folds_of(with_roles(groups=row_groups("plot", IRIS.y)), Folds(5)), {"plot"}),
    "more blocks than times": (
        lambda _: folds_of(with_roles(times=row_times("day", IRIS.y)), Folds(5)), set()),
    "a redraw of too many rows": (lambda _: check_redraw(Redraw("leave_out", 150), 150), set()),
    "a fold and a half": (lambda _: check_redraw(Redraw("folds", 2.5), 150), set()),
    "a model without weights": (
        lambda _: check_takes_weights(neighbours(), weighed()), {"w", "KNeighborsClassifier"}),
    "weights of nothing": (lambda _: check_weights(np.zeros(3)), set()),
    "targets that overflow": (lambda _: check_targets(np.array([1e200])), {"e"}),
    "counts below zero": (lambda _: check_counts(np.array([-1.0, 2.0])), {"criterion"}),
    "a worker without memory": (lose, set()),
}  # fmt: skip


def outcome(call) -> Any:
    job: Any = Runner().start(Work("a", 1, call))
    return job.ended.result(SOON)


def test_impossible_work_ends_in_a_phrase(monkeypatch):
    for case in IMPOSSIBLE:
        work, names = IMPOSSIBLE[case]
        found = outcome(work)
        with pseudo_language(monkeypatch):
            assert not set(narrow(note.reason(found))) - names
        assert note.reason(found) == found.wrong  # in English again


def test_the_page_that_shows_an_outcome_says_it_in_its_language_or_before_an_error_of_another_library():
    found = outcome(IMPOSSIBLE["more folds than rows"][0])
    with speaking("de"):
        assert (
            note.reason(found) == r"200 Folds lassen sich aus 150 Zeilen nicht bilden\; es müssen 2 bis 150 sein."
        )
    found = outcome(lambda _: int("x"))
    assert note.reason(found).replace("\\", "").startswith("Invalid literal for int")
    with speaking("de"):
        assert note.reason(found).startswith("Das ging nicht")
        assert "invalid literal" in note.reason(found)


def test_an_error_comes_out_of_another_process_with_its_phrase_whose_values_are_in_its_language():
    for wrong in (Refusal("{n} folds", n=2000), LostTask("{n} folds", n=2000)):
        wrong.add_note("where it was raised")
        same = pickle.loads(pickle.dumps(wrong))
        assert (type(same), str(same), same.__notes__) == (type(wrong), "2,000 folds", wrong.__notes__)
    assert isinstance(Refusal("x"), ValueError)
    wrong = PhraseError("{a}, {b} and {c}", a=12345.5, b=2000, c=Phrase("no limit", {}))
    assert str(wrong) == "12345.5, 2,000 and no limit"
    with speaking("de"):
        assert str(wrong) == "12345,5, 2\N{NARROW NO-BREAK SPACE}000 and ohne Grenze"


def test_no_error_that_a_page_shows_is_written_without_a_phrase():
    found = {path.relative_to(CORE).as_posix(): sentences_of(path) for part in SHOWN for path in files_of(part)}
    assert not {path: there for path, there in found.items() if set(there) - OF_CALLS}


def files_of(part):
    return sorted((CORE / part).rglob("*.py")) if (CORE / part).is_dir() else [CORE / part]


def sentences_of(path):
    """Texts of the errors that a file raises, but those of a `Refusal` and the like."""
    raised = [node.exc for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Raise)]
    return [
        ast.unparse(one.args[0]).strip("f'\"") for one in raised if isinstance(one, ast.Call) and is_plain(one)
    ]


def is_plain(error):
    return ast.unparse(error.func) in ("ValueError", "RuntimeError") and bool(error.args)


def test_the_text_of_a_refusal_is_a_phrase_and_not_put_together():
    """Translations look it up as it stands in the source; what varies are its values."""
    refusals = ("Refusal", "LostTask", "EditRefused")
    sources = [path.read_text("utf-8") for folder in (CORE, PROJECT / "pages") for path in folder.rglob("*.py")]
    calls = [
        node
        for source in sources
        if any(f"{name}(" in source for name in refusals)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in refusals
    ]
    assert not [ast.unparse(call) for call in calls for text in call.args[:2] if isinstance(text, ast.JoinedStr)]


WEIGHED = make_dataset("t", IRIS.X, IRIS.features, IRIS.y, IRIS.target, RowWeights("people", np.full(150, 2.0)))


def test_why_there_is_no_tree_is_said_in_the_language_of_the_page():
    for code, said in [
        ("de", "Die Zeilen zählen nach dem Gewicht „people“, und KNeighborsClassifier nimmt keine Gewichte an."),
        ("en", "Rows count by weight “people”, and KNeighborsClassifier takes no weights of rows."),
    ]:
        library.store().put(WEIGHED)
        with speaking(code):  # as the test, too, asks the widgets for their words
            page = open_page("approximate", box="neighbours", lang=code, data=WEIGHED.digest)
        assert said in page.error[0].value.replace("\\", "")


BAD_FILES = {  # content, and the words of the message that are data or formats
    "empty": (b"", set()),
    "unequal rows": (b"a,b,c\n1,2,3\n1,2\n", set()),
    "one column": (b"height\n1\n2\n", {"height"}),
    "a picture": (b"\x89PNG....", {"PNG", "CSV", "TSV", "Excel", "xlsx", "Parquet", "ARFF", "JSON", "gz", "zip"}),
    "no rows": (b"a,b\n", set()),
}
BAD_FILTERS = {
    "no such column": ("mass~gt~2", {"mass", "species", *(one.name for one in samples.load("iris").features)}),
    "no number": ("petal length~gt~long", {"petal", "length", "long"}),
    "no row": ("petal length~gt~99", set()),
    "no filter": ("petal", {"petal", "length", "gt"}),
}


def filtered(dataset, text):
    return subset(dataset, filter_of(text))


def refusal(action, error):
    with pytest.raises(error) as caught:
        action()
    return str(caught.value)


def test_errors_of_bad_files_and_filters_and_notes_on_a_table_consist_of_phrases(monkeypatch):
    for case in BAD_FILES:
        source, data = BAD_FILES[case]
        with pseudo_language(monkeypatch):
            text = refusal(partial(read_table, source, "x.csv"), TableError)
        assert not set(narrow(text)) - data
    for case in BAD_FILTERS:
        text, data = BAD_FILTERS[case]
        iris = samples.load("iris")
        with pseudo_language(monkeypatch):
            said = refusal(partial(filtered, iris, text), FilterError)
        assert not set(narrow(said)) - {word for name in data for word in name.split()}
    source = b"title\n\na,,c\n-999,NA,$3\n2,5,$4\n3,6,$5\n4,7,$6\n"
    with pseudo_language(monkeypatch):
        table = read_table(source, "x.csv")
        notes = " ".join([*table.notes, *(choice.question for choice in table.choices)])
    assert len(table.notes) > 2
    assert not set(narrow(notes)) - {"title", "a", "NA", "column", "c"}


def test_a_file_is_read_beside_the_page_in_its_language(german):
    asked = question(b"a,b,c\n1,2,3\n1,2\n", "x.csv", None)
    speak(ENGLISH)  # of the process that reads
    answer = service()(asked, lambda told: None)
    assert answer["wrong"][0] == "Die Zeilen haben verschieden viele Zellen."


def test_a_bad_target_is_refused_in_german_with_lists_and_numbers_as_there(german):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "a"]})
    text = refusal(lambda: to_dataset(frame, guess_kinds(frame), "y", "t"), TableError)
    assert text.startswith("Das Ziel „y“ hat nur einen Wert.")
    assert listed(["a", "b", "c"]) == "a, b und c"
    assert listed(list("abcdefg")) == "a, b, c, d, e und 2 weitere"
    assert (counted(1, "row"), counted(2000, "cell")) == ("1 Zeile", "2\N{NARROW NO-BREAK SPACE}000 Zellen")
    assert quoted("x") == "„x“"


def test_a_fault_that_an_english_page_found_is_told_in_german_on_a_german_one():
    for text in (run.SERVER_FAULT, run.TOO_LITTLE_MEMORY):
        fault = Outcome(wrong=text, phrase=Phrase(text, {}))
        with speaking("de"):
            assert note.reason(fault).replace("\\", "") == say(text) != text


MOONS = Redrawing("moons", rows=1000, noise=0.3, turn=45, seed=2)
POINTS = [(0.0, 0.0, 0), (10.0, 5.0, 1)]


def part():
    return subset(samples.load("iris"), filter_of("petal length~gt~2.5"))


def in_german(dataset):
    with speaking("de"):
        return samples.title_of(dataset)


def test_the_name_of_a_table_is_in_the_language_of_the_page_also_in_another_process():
    for table, source, translated in [
        (
            redrawn(MOONS),
            "Two moons, 1,000 rows, noise 0.3, turned by 45°, draw 2",
            "Zwei Monde, 1\N{NARROW NO-BREAK SPACE}000 Zeilen, Rauschen 0,3, um 45° gedreht, Ziehung 2",
        ),
        (
            part(),
            "Iris flowers, petal length > 2.5 (100 of 150 rows)",
            "Irisblüten, petal length > 2.5 (100 von 150 Zeilen)",
        ),
        (painted(USUAL_NAME, POINTS).dataset, "Drawn points", "Gezeichnete Punkte"),
        (painted("Wine", POINTS).dataset, "Wine", "Wine"),
    ]:
        assert (table.name, samples.title_of(table), in_german(table)) == (source, source, translated)
    assert in_german(pickle.loads(pickle.dumps(samples.load("wine")))) == "Wein"


def test_a_table_has_one_name_and_one_digest_whoever_makes_it_first(german):
    there = part()
    speak(ENGLISH)
    assert (there.name, there.digest) == (part().name, part().digest)
