"""How time grows with the size of a table, and visitors of a real server: what is drawn, left out and noticed."""

import asyncio
import json
import os
import platform
import random
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from contextlib import asynccontextmanager

import numpy as np
import pytest

from benchmarks import load
from benchmarks.scale import table
from benchmarks.scale.picture import growth, picture, short
from benchmarks.scale.processor import print_table, without_avx512
from benchmarks.scale.table import PROGRAMS, RESULTS, Size, grown, made
from benchmarks.visitor import Visitor
from espalier.kernels import compile_all


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


SOON = 60  # seconds: far more than a page needs


@pytest.fixture(scope="module", autouse=True)
def engine():
    """The compiled kernels; without them the page would wait for them."""
    if not compile_all.is_warm():
        compile_all.main()


@asynccontextmanager
async def at_the_tree(address):
    """A visitor of the Tree page."""
    visitor = await Visitor.at(address)
    try:
        await visitor.open("", "data=iris&depth=3")
        until = time.monotonic() + SOON
        while visitor.find("Depth", "bidi_component") is None:
            assert time.monotonic() < until, "the tree has no slider that is called so"
            await visitor.rest(0.5)
            await visitor.open("Tree")
        yield visitor
    finally:
        await visitor.close()


def shown(visitor):
    """The tree that the page shows."""
    return visitor.find("graph", "bidi_component").data["cards"]["id"]


async def acted(address):
    """A visitor's acts by their names, and whether each of them changed the tree."""
    chance, changes = random.Random(0), {}
    async with at_the_tree(address) as visitor:
        for act in (load.move, load.leaf, load.click, load.other_table):
            before = shown(visitor)
            done = await act(visitor, chance)
            changes[done.name] = shown(visitor) != before
    return changes


def test_a_visitor_moves_the_sliders_clicks_a_node_and_chooses_a_table(server):
    assert asyncio.run(acted(server)) == {"depth": True, "leaf": True, "node": False, "table": True}


async def sent_twice(address):
    """Bytes that come for the page, and for the same page again."""
    async with at_the_tree(address) as visitor:
        return [(await visitor.open("Tree", "data=wine")).n_bytes for _ in range(2)]


def test_what_a_visitor_has_is_not_sent_again(server):
    first, again = asyncio.run(sent_twice(server))
    assert again < first / 2
