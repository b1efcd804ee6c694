"""What a machine may do to the app: no Graphviz, no memory, a clock that is set anew. It goes on, or says why."""

import re
from pathlib import Path

import numpy as np

from espalier import export
from espalier.data import samples
from espalier.learners import CartClassifier
from pages.shared.jobs.run import Runner, Work

PROJECT = Path(__file__).resolve().parents[2]
OURS = [PROJECT / "app.py", *PROJECT.glob("core/**/*.py"), *PROJECT.glob("pages/**/*.py")]
BY_THE_CALENDAR = re.compile(r"\b(time\.time(_ns)?|time\.localtime|datetime\.now)\(")
AGES_OF_FILES = "core/espalier/kernels/caches.py"  # the calendar is what the file system goes by
RUNS_DOT = re.compile(r"\.(pipe|render|unflatten|view)\(")  # of the package graphviz


def found(pattern, paths=OURS):
    return {path.relative_to(PROJECT).as_posix() for path in paths if pattern.search(path.read_text("utf-8"))}


def test_no_time_is_measured_by_a_clock_that_can_be_set():
    """Jobs, sessions and drafts go by a clock that only runs on: summer time ends none of them."""
    assert found(BY_THE_CALENDAR) <= {AGES_OF_FILES}
    assert len(found(re.compile(r"\btime\.monotonic\("))) > 5  # as they do


def test_nothing_asks_for_the_program_dot():
    users = [path for path in OURS if "import graphviz" in path.read_text("utf-8")]
    assert users
    assert not found(RUNS_DOT, users)


def test_a_tree_is_drawn_and_exported_where_no_program_is_found(monkeypatch):
    monkeypatch.setenv("PATH", "")
    iris = samples.load("iris")
    tree = CartClassifier(max_depth=2).fit(iris.X, iris.y).tree_
    assert export.to_dot(tree, iris.features, iris.target).startswith(("digraph", "//"))
    assert "petal" in export.drawing(tree, iris.features, iris.target).source


def want_too_much(progress):
    np.empty(2**50)  # more than any machine has


def test_a_job_that_wants_too_much_memory_fails_with_a_sentence_and_the_next_one_is_done(caplog):
    runner = Runner()
    job = runner.start(Work("too much", 1, want_too_much))
    assert job is not None
    outcome = job.ended.result(60)
    assert (
        outcome.wrong == "This needs more memory than the server has. It needs less with fewer rows, a "
        "smaller depth or fewer trees."
    )
    assert "MemoryError" in caplog.text  # for whoever runs the server
    after = runner.start(Work("after", 1, lambda progress: "done"))
    assert after is not None
    assert after.ended.result(60).value == "done"
