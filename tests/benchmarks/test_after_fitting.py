"""Promised sets beside MAPIE's: what the page's benchmark counts is what the long one does."""

import numpy as np
import pytest

from benchmarks.as_good import table as as_good
from benchmarks.as_good.rivals import Question
from benchmarks.page.after_fitting import _as_good, answers
from benchmarks.page.disciplines import DISCIPLINES
from benchmarks.page.scope import Scope
from benchmarks.promises import Asked, coverage, halved, keep, our_sets
from espalier.data import samples


def test_coverage_counts_the_sets_that_hold_the_truth():
    sets = np.array([[True, True, False], [False, True, False], [True, True, True], [True, False, False]])
    assert coverage(sets, np.array([0, 0, 2, 0])) == (0.75, 1.75)


@pytest.mark.parametrize("name", ["wine", "xor"])
def test_the_sets_of_the_short_benchmark_are_those_of_the_long_one(name):
    halves = halved(samples.load(name), np.random.default_rng(3))
    assert coverage(our_sets(halves, 0.9), halves.y)[0] == keep(halves, Asked(0.9, 0.1)).coverage


def test_a_program_that_took_too_long_is_not_asked_again(monkeypatch):
    asked = []
    monkeypatch.setattr(as_good, "asked", lambda program, *rest: asked.append(program) or "too long")
    question = Question(np.eye(4, dtype=int), np.array([0, 1, 0, 1]), 2, 1, 9)
    assert answers("espalier", question, 3, 5) == []
    assert asked == ["espalier"]
    assert answers("no such program", question, 3, 5) == []


def test_functions_are_told_of_programs_whose_trees_were_compared():
    few, many = as_good.Answer(0.5, 2, frozenset({1, 2}), 0), as_good.Answer(0.25, 10**6, None, 0)
    told = list(_as_good("vote", {"Espalier": [few], "rival": [many, many], "absent": []}))
    assert [(one.program, one.values) for one in told if one.quantity == "different functions"] == [
        ("Espalier", (2.0,))
    ]
    assert [one.values for one in told if one.quantity == "ms to find all"] == [(500.0,), (250.0, 250.0), ()]
    assert not [one for one in _as_good("vote", {"Espalier": [many], "rival": [few]}) if one.quantity[0] == "d"]


def test_a_discipline_whose_tables_are_not_here_says_which_folder_it_needs(tmp_path):
    with pytest.raises(FileNotFoundError, match="DIR/crf"):
        list(DISCIPLINES["Cultivated trees"](Scope(True, tmp_path)))
    with pytest.raises(FileNotFoundError, match="DIR/binary"):
        list(DISCIPLINES["All trees as good"](Scope(True, None)))
