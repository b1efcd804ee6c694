"""Counts over very many replicates: as counted one by one, in a file that goes on where it stopped."""

import sqlite3
from collections import Counter
from contextlib import closing
from typing import Any

import numpy as np
import pytest

from espalier import replicate as command
from espalier.analysis import Plan, Redraw, StructureRule, replicate, tally_structures
from espalier.analysis.stability import many
from espalier.analysis.stability.structures import structures
from espalier.analysis.stability.tally import Tally, empty_tally, structure_digest
from espalier.analysis.stability.tally_file import TallyFile
from espalier.data import samples
from espalier.executors import executor
from espalier.learners import CartClassifier, CultivatedClassifier
from espalier.progress import Progress
from tests.tools.cases import case

IRIS = samples.load("iris")
SMALL = CartClassifier(max_depth=3)
PLAN = Plan(n_replicates=120, seed=2)


def contents(path):
    with closing(sqlite3.connect(path)) as file:
        return [sorted(file.execute(f"SELECT * FROM {name}")) for name in ("structure", "leaves", "root")]


def test_digests_part_trees_into_the_structures_that_stability_counts():
    for learner in [SMALL, CultivatedClassifier(max_depth=3)]:
        for depth, tolerance in [(1, None), (2, 0.0), (9, 0.0), (9, None)]:
            with case((learner, depth, tolerance)):
                trees = replicate(learner, IRIS, Plan(n_replicates=30)).trees
                rule = StructureRule(depth, tolerance is not None)
                digests = Counter(structure_digest(tree, rule) for tree in trees)
                assert (
                    sorted(digests.values(), reverse=True)
                    == structures(trees, depth, tolerance).counts[-1].tolist()
                )


def test_counts_in_the_file_are_those_of_the_trees(tmp_path):
    found = tally_structures(SMALL, IRIS, PLAN, tmp_path / "counts")
    trees = replicate(SMALL, IRIS, PLAN).trees
    digests = [structure_digest(tree, StructureRule()) for tree in trees]
    times, first = max((n, -digests.index(digest)) for digest, n in Counter(digests).items())
    assert (found.n_trees, found.n_structures) == (120, len(set(digests)))
    assert found.frequent[0] == (times, -first)
    assert found.leaves == Counter(tree.n_leaves for tree in trees)
    assert found.roots == Counter(int(tree.feature[0]) for tree in trees)


def test_a_run_that_was_stopped_goes_on_and_ends_in_the_same_counts_on_other_workers(tmp_path):
    progress = Progress()
    with executor("threads", 2) as workers:
        part = tally_structures(
            SMALL,
            IRIS,
            PLAN,
            tmp_path / "parts",
            executor=workers,
            tell=lambda n: progress.stop(),
            progress=progress,
        )
    assert 0 < part.n_trees < 120
    tally_structures(SMALL, IRIS, PLAN._replace(n_replicates=90), tmp_path / "parts")
    tally_structures(SMALL, IRIS, PLAN, tmp_path / "parts")
    tally_structures(SMALL, IRIS, PLAN, tmp_path / "once")
    assert contents(tmp_path / "parts") == contents(tmp_path / "once")


def test_a_file_of_other_replicates_is_refused_by_what_differs(tmp_path):
    tally_structures(SMALL, IRIS, Plan(n_replicates=3), tmp_path / "counts")
    with pytest.raises(
        ValueError, match=r"max_depth is 3 there, 2 here; seed is 0 there, 1 here\. Choose another"
    ):
        tally_structures(CartClassifier(max_depth=2), IRIS, Plan(n_replicates=3, seed=1), tmp_path / "counts")


def test_a_file_that_is_none_of_counts_is_refused(tmp_path):
    (tmp_path / "text").write_text("no counts at all, but a text of some length" * 20)
    with pytest.raises(ValueError, match="cannot be written as a file of counts"):
        tally_structures(SMALL, IRIS, Plan(n_replicates=3), tmp_path / "text")


def test_runs_that_are_missing_lie_between_the_parts_that_are_there(tmp_path):
    file = TallyFile(tmp_path / "counts", {})
    for numbers in (range(5, 8), range(10, 12)):
        file.add(numbers, empty_tally())
    assert file.missing(range(20)) == [range(5), range(8, 10), range(12, 20)]
    assert file.missing(range(5, 8)) == []
    file.close()


def test_a_part_that_cannot_be_added_leaves_nothing_behind(tmp_path):
    file = TallyFile(tmp_path / "counts", {})
    counts = Tally({}, Counter({3: 2}), Counter({0: 2}))
    file.add(range(2), counts)
    with pytest.raises(ValueError, match="cannot be written"):
        file.add(range(2), counts)  # there already
    file.close()
    with closing(TallyFile(tmp_path / "counts", {})) as again:
        assert again.summary().leaves == Counter({3: 2})


def test_a_minus_before_zero_makes_no_other_structure():
    tree = SMALL.fit(IRIS.X, IRIS.y).tree_
    zeros = np.where(tree.feature >= 0, 0.0, np.nan)
    plus, minus = (tree._replace(threshold=sign * zeros) for sign in (1, -1))
    assert structure_digest(plus, StructureRule()) == structure_digest(minus, StructureRule())


def test_the_command_counts_says_how_far_it_is_and_goes_on(tmp_path, capsys):
    out = ["--depth", "2", "--executor", "threads", "--workers", "1", "--out", str(tmp_path / "counts")]
    assert command.main(["iris", "--n", "30", *out]) == 0
    assert command.main(["iris", "--n", "50", *out]) == 0
    said = capsys.readouterr()
    assert "30 of 30 trees" in said.err
    assert "50 of 50 trees" in said.err
    assert "50 trees have" in said.out
    assert "The root asks petal length" in said.out


def test_the_command_reads_a_table_and_takes_its_target(tmp_path, capsys):
    (tmp_path / "plants.csv").write_text("height,width,kind\n" + "1.5,2,a\n2.5,3,b\n1.4,5,a\n3,2,b\n" * 5)
    given = [str(tmp_path / "plants.csv"), "--target", "kind", "--n", "5", "--executor", "threads"]
    assert command.main([*given, "--features-only", "--out", str(tmp_path / "counts")]) == 0
    assert "The root asks height" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.csv"], "there is no file nowhere.csv"),
        (["iris", "--n", "0"], "it must be at least 1"),
        (["iris", "--executor", "somewhere"], "choose threads, processes"),
        (["iris", "--redraw", "subsample", "--size", "7"], "it must be between"),
    ],
)
def test_the_command_refuses_in_a_sentence(arguments, words, tmp_path, capsys):
    assert command.main([*arguments, "--out", str(tmp_path / "counts")]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_redraws_of_other_kinds_are_counted_too(tmp_path):
    found = tally_structures(SMALL, IRIS, Plan(Redraw("subsample", 0.8), 10), tmp_path / "counts")
    assert found.n_trees == 10


def test_a_task_takes_half_a_second_whatever_the_kernels_take_to_load(monkeypatch):
    """Replicates of a millisecond, after a first one of three seconds."""
    clock, loaded = [0.0], []

    def slow_at_first(growth, numbers, rule, progress):
        clock[0] += 0.001 * len(numbers) if loaded else 3.0
        loaded.append(True)

    monkeypatch.setattr(many, "tally", slow_at_first)
    monkeypatch.setattr(many.time, "thread_time", lambda: clock[0])
    growth: Any = None
    assert many._many(growth, [range(1_000_000)], StructureRule(), workers=2) in (499, 500)
    assert many._many(growth, [range(160)], StructureRule(), workers=2) == 10  # some for each worker, and no more
