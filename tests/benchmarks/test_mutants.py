"""Faults that are put into sources, to see whether tests see them."""

import ast
from pathlib import Path

import pytest

from benchmarks import mutants
from benchmarks.mutants import KILLED, LAYERS, SURVIVES, draw, mutants_of, naming_tests, nearest_tests, outcome
from espalier.paths import CHECKOUT

SOURCE = '''
def total(tree, weights, limit: float = 1 + 2) -> float:
    """Return 1 + 2 if 3 < 4."""
    kept = 0.0
    for i in range(1, len(weights)):
        if weights[i] <= limit + CLOSE and not tree.left[i] == "ä":
            kept += 2.0 * weights[i] - 1e-12
    if kept > 5 - 1:
        raise ValueError(f"{kept + 1} > 5")
    return max(kept, 0)
'''
FAULTS = {
    ("range(1, len(weights))", "range(1, len(weights) - 1)"),
    ("weights[i] <= limit + CLOSE", "weights[i] > limit + CLOSE"),
    ("weights[i] <= limit + CLOSE", "weights[i] < limit + CLOSE"),
    ("limit + CLOSE", "limit"),
    ('not tree.left[i] == "ä"', "tree.left[i] == 'ä'"),
    ('tree.left[i] == "ä"', "tree.left[i] != 'ä'"),
    ("tree.left", "tree.right"),
    (
        'weights[i] <= limit + CLOSE and not tree.left[i] == "ä"',
        "((weights[i] <= limit + CLOSE) or (not tree.left[i] == 'ä'))",
    ),
    ("2.0 * weights[i] - 1e-12", "2.0 * weights[i]"),
    ("2.0 * weights[i]", "2.0"),
    ("kept > 5 - 1", "kept <= 5 - 1"),
    ("kept > 5 - 1", "kept >= 5 - 1"),
    ("5 - 1", "5 + (1)"),
    ("max(kept, 0)", "min(kept, 0)"),
}


def test_faults_are_in_what_runs_and_neither_in_texts_nor_in_types():
    found = mutants_of("f.py", SOURCE)
    assert {(SOURCE[m.start : m.end], m.new) for m in found} == FAULTS
    for mutant in found:
        ast.parse(mutant.apply(SOURCE))
        assert mutant.apply(SOURCE) != SOURCE


@pytest.mark.slow
def test_the_same_faults_are_drawn_each_time_of_every_layer_and_kind(tmp_path):
    root, kinds = Path(CHECKOUT or ""), set()
    for layer in LAYERS:
        files = sorted((root / "core" / "espalier" / layer).rglob("*.py"))
        for path in files[:: max(len(files) // 12, 1)]:
            copy = tmp_path / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            kinds |= {m.kind for m in mutants_of(path.name, path.read_text("utf-8"))}
    drawn = draw(tmp_path)
    assert drawn == draw(tmp_path)
    assert len(set(drawn)) == len(drawn) == sum(LAYERS.values())
    for layer, n in LAYERS.items():
        assert sum(m.file.startswith(f"core/espalier/{layer}/") for m in drawn) == n
    assert {m.kind for m in drawn} == kinds
    assert draw(tmp_path, seed=1) != drawn


def test_the_tests_of_a_file_are_those_beside_its_mirror_and_those_that_name_it():
    root = Path(CHECKOUT or "")
    near = nearest_tests("core/espalier/kernels/caches.py", root)
    assert near[0] == "tests/kernels/test_caches.py"
    assert "tests/learners/imports/test_damaged.py" in nearest_tests(
        "core/espalier/learners/imports/read.py", root
    )
    naming = naming_tests("core/espalier/trees.py", root)
    assert "tests/test_trees.py" in naming
    assert not [path for path in naming if "browser" in path]


@pytest.mark.parametrize(("check", "seen"), [("assert twice(2) == 4", KILLED), ("assert twice(0) == 0", SURVIVES)])
def test_a_fault_is_seen_where_a_test_fails_and_the_file_is_put_back(tmp_path, check, seen):
    source = tmp_path / "core" / "espalier" / "data" / "doubling.py"
    source.parent.mkdir(parents=True)
    (tmp_path / "core" / "espalier" / "__init__.py").touch()
    text = "def twice(x):\n    return x + x\n"
    source.write_text(text, "utf-8")
    tests = tmp_path / "tests" / "data"
    tests.mkdir(parents=True)
    code = f"from espalier.data.doubling import twice\n\n\ndef test_twice():\n    {check}\n"
    (tests / "test_doubling.py").write_text(code, "utf-8")
    (mutant,) = mutants_of("core/espalier/data/doubling.py", text)
    assert mutants.outcome is outcome
    assert outcome(mutant, tmp_path) == seen
    assert source.read_text("utf-8") == text
