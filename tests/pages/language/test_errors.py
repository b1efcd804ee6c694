"""What ends long work is said in the language of the page that shows it."""

import ast
import pickle
from typing import Any

import numpy as np
import pytest

from espalier.data import RowWeights, make_dataset, samples
from espalier.data.rows.folds import Folds, folds_of
from espalier.data.rows.roles import RowRoles, row_groups, row_times
from espalier.executors import LostTask
from espalier.executors.worker import out_of_memory
from espalier.fitting import check_takes_weights
from espalier.language import ENGLISH, Phrase, PhraseError, Refusal, speak
from espalier.learners.base import check_targets, check_weights
from espalier.learners.black_boxes.models import BLACK_BOXES, Setup
from espalier.learners.cart import check_counts
from espalier.stability.resampling import Redraw, check_redraw
from pages.shared.jobs import note
from pages.shared.jobs.job import Work
from pages.shared.jobs.run import Runner
from tests.tools.phrases import PROJECT, narrow, pseudo_language

SOON = 20.0  # seconds
IRIS = samples.load("iris")
CORE = PROJECT / "core/espalier"
SHOWN = (  # where long work meets data, models of strangers, and processes
    "executors",
    "sandbox",
    "fitting.py",
    "data/rows/folds.py",
    "data/rows/parts.py",
    "learners/black_boxes/onnx.py",
    "learners/optimal/problem.py",
)
OF_CALLS = {  # mistakes of a caller, and what only the other end of a pipe reads
    "the number of workers is {n_workers}; it must be at least 1",
    "this is not a frame",
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


@pytest.fixture
def runner():
    return Runner()


def outcome(runner, call) -> Any:
    return runner.start(Work("a", 1, call)).ended.result(SOON)


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_work_ends_in_a_phrase(case, runner, monkeypatch):
    work, names = IMPOSSIBLE[case]
    found = outcome(runner, work)
    with pseudo_language(monkeypatch):
        assert not set(narrow(note.reason(found))) - names
    assert note.reason(found) == found.wrong  # in English again


def test_the_page_that_shows_an_outcome_says_it_in_its_language(runner):
    found = outcome(runner, IMPOSSIBLE["more folds than rows"][0])
    speak("de")
    try:
        said = note.reason(found)
    finally:
        speak(ENGLISH)
    assert said == r"200 Folds lassen sich aus 150 Zeilen nicht bilden\; es müssen 2 bis 150 sein."


def test_an_error_of_another_library_stands_behind_a_sentence_in_the_language_of_the_page(runner):
    found = outcome(runner, lambda _: int("x"))
    assert note.reason(found).replace("\\", "").startswith("Invalid literal for int")
    speak("de")
    try:
        assert note.reason(found).startswith("Das ging nicht")
        assert "invalid literal" in note.reason(found)
    finally:
        speak(ENGLISH)


def test_an_error_comes_out_of_another_process_with_its_phrase():
    for wrong in (Refusal("{n} folds", n=2000), LostTask("{n} folds", n=2000)):
        wrong.add_note("where it was raised")
        same = pickle.loads(pickle.dumps(wrong))
        assert (type(same), str(same), same.__notes__) == (type(wrong), "2,000 folds", wrong.__notes__)
    assert isinstance(Refusal("x"), ValueError)


def test_numbers_and_phrases_in_an_error_are_in_its_language():
    wrong = PhraseError("{a}, {b} and {c}", a=12345.5, b=2000, c=Phrase("no limit", {}))
    assert str(wrong) == "12345.5, 2,000 and no limit"
    speak("de")
    try:
        assert str(wrong) == "12345,5, 2\N{NARROW NO-BREAK SPACE}000 and ohne Grenze"
    finally:
        speak(ENGLISH)


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
