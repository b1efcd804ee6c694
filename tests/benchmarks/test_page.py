"""All benchmarks make one page, which also says where others are ahead and what is not installed."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.__main__ import machine, told
from benchmarks.as_good import table as as_good
from benchmarks.as_good.rivals import Question
from benchmarks.page import measured, tables
from benchmarks.page.after_fitting import _as_good, answers
from benchmarks.page.disciplines import DISCIPLINES
from benchmarks.page.measured import Measured, in_turn
from benchmarks.page.scope import Scope
from benchmarks.page.tables import BEGIN, END, SCRIPTS, cell, is_ahead, with_tables
from benchmarks.promises import Asked, coverage, halved, keep, our_sets
from espalier.data import samples

OURS = Measured("iris", "ms to fit", "Espalier", "1.0", (2.0, 1.0, 3.0))
SLOWER = Measured("iris", "ms to fit", "rival", "3.1", (8.0, 6.0, 7.0))
ABSENT = Measured("iris", "ms to fit", "absent", "", ())


def page_of(*measured):
    results = {"CART": {"about": "a machine", "measured": [list(row) for row in measured]}}
    return with_tables(f"before\n{BEGIN}\nformer\n{END}\nafter", results)


def test_a_table_has_medians_quartiles_versions_and_who_is_not_here():
    page = page_of(OURS, SLOWER, ABSENT)
    assert page.startswith("before\n")
    assert page.endswith("\nafter")
    assert "former" not in page
    assert "| case | Espalier 1.0 | rival 3.1 | absent |" in page
    assert "| iris | 2 (1.5–2.5) | 7 (6.5–7.5), ×3.5 | not installed here |" in page
    assert "**CART**, ms to fit (`cart.py`)" in page
    assert "nowhere in this run" in page
    assert "**7" not in page


def test_a_rival_that_is_ahead_is_counted_first_and_stands_in_bold():
    baseline = OURS._replace(program="Espalier, in short", values=(0.1,))  # no other program
    page = page_of(OURS, SLOWER._replace(values=(0.5,)), ABSENT, baseline)
    assert "CART (1 of 1 figures)" in page
    assert page.index("CART (1 of 1") < page.index("| case |")
    assert "| iris | 2 (1.5–2.5) | **0.5, ×0.25** | not installed here | 0.1, ×0.05 |" in page


def test_a_line_has_all_that_was_measured_of_a_case():
    right = Measured("iris", "accuracy", "Espalier", "1.0", (0.9,), True)
    page = page_of(OURS, SLOWER, right, right._replace(program="rival", version="3.1", values=(0.8,)))
    assert (
        "| case | ms to fit: Espalier 1.0 | ms to fit: rival 3.1 | accuracy: Espalier 1.0 | accuracy: rival 3.1 |"
        in page
    )
    assert "| iris | 2 (1.5–2.5) | 7 (6.5–7.5), ×3.5 | 0.9 | 0.8 |" in page


def test_depths_stand_beside_each_other_where_all_cases_have_one_and_rivals_of_one_case_share_a_column():
    deep = [row._replace(case=f"iris, depth {depth}") for depth in (2, 3) for row in (OURS, SLOWER)]
    titles = [f"ms to fit, depth {n}: {program}" for n in (2, 3) for program in ("Espalier 1.0", "rival 3.1")]
    assert f"| case | {' | '.join(titles)} |" in page_of(*deep)
    assert "| iris, depth 2 | 2 (1.5–2.5) |" in page_of(*deep, OURS)
    wine = OURS._replace(case="wine"), SLOWER._replace(case="wine", program="other", version="2.0")
    page = page_of(OURS, SLOWER, *wine)
    assert "| case | Espalier 1.0 | the other program |" in page
    assert "| wine | 2 (1.5–2.5) | other 2.0: 7 (6.5–7.5), ×3.5 |" in page


def test_the_machine_is_named_once_and_another_one_where_it_measured():
    abouts = ("fast, load 1.5, memory 150 ns", "fast, load 2.5, memory 160 ns", "slow, load 9.0, memory 170 ns")
    results = {n: {"about": about, "measured": [list(OURS)]} for n, about in zip("abc", abouts, strict=True)}
    page = with_tables(f"{BEGIN}{END}", results)
    assert page.count("fast") == 1
    assert "fast, load 1.5 to 2.5, a read from memory 150 to 160 ns." in page
    assert "**c**, ms to fit (no script of its own; slow, load 9.0, memory 170 ns)" in page


def test_every_discipline_names_a_script_that_is_there():
    assert SCRIPTS.keys() == DISCIPLINES.keys()
    folder = Path(tables.__file__).parents[1]
    assert not [script for script in SCRIPTS.values() if not (folder / script.split()[0]).is_file()]


def test_less_time_is_better_and_more_accuracy_and_nobody_is_ahead_where_neither_is():
    right = Measured("iris", "accuracy", "Espalier", "", (0.9,), True)
    assert is_ahead(right._replace(program="rival", values=(0.95,)), right)
    assert not is_ahead(SLOWER, OURS)
    assert cell(right, right) == "0.9"
    held = Measured("iris", "truth held", "Espalier", "", (0.9,), None)
    assert not is_ahead(held._replace(program="rival", values=(0.8,)), held)
    assert not is_ahead(held._replace(program="rival", values=(1.0,)), held)


def test_what_is_said_of_the_machine_has_how_long_a_read_waits():
    waits = re.search(r", memory (\d+) ns, Python", machine())
    assert waits
    assert int(waits[1]) > 0


def test_programs_take_turns_the_first_does_not_count_and_something_may_be_done_before_each():
    calls = []
    found = in_turn("x", "ms", {"a": lambda: calls.append("a"), "b": lambda: calls.append("b"), "c": None}, 2)
    assert calls == ["a", "b"] * 3
    assert [len(one.values) for one in found] == [2, 2, 0]
    calls = []
    programs = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    in_turn("x", "ms", programs, 1, lambda: calls.append("before"))
    assert calls == ["before", "a", "before", "b"] * 2


def test_a_program_that_takes_long_has_one_turn_and_that_counts(monkeypatch):
    monkeypatch.setattr(measured, "ENOUGH", 0.5)
    calls = []
    slow = {"slow": lambda: [calls.append("slow"), sum(range(1_000_000))], "quick": lambda: calls.append("quick")}
    found = in_turn("x", "ms", slow, 2)
    assert calls == ["slow", "quick", "quick", "quick"]
    assert [len(one.values) for one in found] == [1, 2]
    assert found[0].values[0] > 0.5


def test_a_page_without_markers_is_refused():
    with pytest.raises(ValueError, match="has no"):
        with_tables("nothing", {})


def test_each_case_is_told_as_soon_as_it_is_done(capsys):
    more = SLOWER._replace(case="wine")
    assert list(told("CART", [OURS, SLOWER, more])) == [OURS, SLOWER, more]
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("  CART, iris, ms to fit: ")
    assert second.startswith("  CART, wine, ms to fit: ")


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
