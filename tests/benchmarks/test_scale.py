"""How time grows with the size of a table: what is drawn, and what is left out once it takes too long."""

import json
import os
import platform
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from benchmarks.scale import table
from benchmarks.scale.picture import growth, picture, short
from benchmarks.scale.processor import print_table, without_avx512
from benchmarks.scale.table import PROGRAMS, RESULTS, Size, grown, made


def test_a_table_has_equally_frequent_classes_and_may_be_written_into_a_file(tmp_path):
    X, y = made(Size(rows=1_000, features=7, classes=4))
    assert X.shape == (1_000, 7)
    assert X.flags.f_contiguous
    assert np.bincount(y).tolist() == [250] * 4
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float64, (1_000, 7), fortran_order=True)
    also, classes = made(Size(rows=1_000, features=7, classes=4), mapped)
    assert also is mapped
    assert np.array_equal(also, X)
    assert np.array_equal(classes, y)


def test_codes_are_whole_numbers_that_fit_a_byte():
    X, _ = made(Size(rows=1_000), codes=True)
    assert np.array_equal(X, np.floor(X))
    assert X.min() >= 0
    assert X.max() < table.LEVELS


def test_a_program_that_took_too_long_is_not_run_on_larger_tables(monkeypatch):
    class Model:
        def __init__(self, name):
            self.name = name

        def fit(self, X, y):
            return self.name, len(y)

    seconds = {"CART": 1.0, "scikit-learn, CART": 9.0}
    monkeypatch.setattr(table, "PROGRAMS", {name: lambda size, name=name: Model(name) for name in seconds})
    monkeypatch.setattr(table, "AXES", {"rows": (10, 20, 30)})
    monkeypatch.setattr(table, "seconds", lambda work: seconds[work()[0]])
    run = [(name, value) for name, value, _ in grown("rows", 20, limit=4.0)]
    assert run == [("CART", 10), ("scikit-learn, CART", 10), ("CART", 20)]


def test_a_single_tree_is_not_measured_by_the_number_of_trees(monkeypatch):
    monkeypatch.setattr(table, "seconds", lambda work: 0.0)
    assert {name for name, _, _ in grown("trees", 10**6, 1.0)} == set(PROGRAMS) - {"CART", "scikit-learn, CART"}


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_a_line_for_each_program_and_a_point_for_each_fit(dark):
    measured = json.loads(RESULTS.read_text("utf-8"))
    lines = [line for kept in measured.values() for line in kept["seconds"].values()]
    root = ET.fromstring(picture(measured, dark))
    circles = [part for part in root.iter() if part.tag.endswith("circle")]
    assert len(circles) == sum(map(len, lines))
    assert {"rows", "features", "classes", "trees"} <= {part.text for part in root.iter()}


def test_growth_is_the_power_of_the_last_half():
    assert growth([(1, 5.0), (10, 1.0), (100, 100.0)]) == pytest.approx(2.0)
    assert [short(n) for n in (300, 30_000, 1_000_000)] == ["300", "30k", "1M"]


def test_a_table_has_ours_and_the_rivals_with_and_without(capsys):
    print_table(
        {
            ("CART", "Espalier"): {"with": 2.0, "without": 4.0},
            ("CART", "ydf"): {"with": 6.0, "without": 6.0},
            ("optimal", "Espalier"): {"with": 1.0, "without": 1.0},
        }
    )
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "| case | ms | ms without | × scikit-learn | × without | × ydf | × without |"
    assert rows[2:] == ["| CART | 2 | 4 | – | – | 3.0 | 1.5 |", "| optimal | 1 | 1 | – | – | – | – |"]


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="another kind of processor")
@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
def test_nothing_of_avx512_is_in_a_kernel_compiled_without_it(tmp_path):
    count = "from benchmarks.scale.processor import wide_registers; print(wide_registers())"
    variables = os.environ | without_avx512() | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", count], env=variables, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0"]
