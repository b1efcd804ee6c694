"""How time to fit grows with rows, features, classes and trees: CART and random forests, ours and scikit-learn's.

    python -m benchmarks.scale.table [--only rows] [--most 1000000] [--limit 4]
    python -m benchmarks.scale.table --memory 10000000 [--codes] [--trees 0]

Numbers are drawn from a normal distribution; classes are ranges of the sum of five columns with noise, equally
frequent. Away from the axis that is measured there are 10,000 rows, 20 features, 2 classes, and forests have 10
trees. Trees are grown to the end. Times are processor seconds of one fit, on one thread, after one that compiles,
and the median of five where it takes less than half a second; a program whose fit took longer than `--limit` is
not run on larger tables. What is measured stands in measured.json beside this file, and `benchmarks.scale.picture`
draws it.

With `--memory N`, nothing else is done: our CART (or a forest of `--trees`) is fitted to N rows of 20 features,
which a file on disk holds as float64, column after column, mapped into memory; seconds, and the most memory of its
own and of the file that the process had. With `--codes` columns are whole numbers below 50, which are kept as
codes of 8 bits.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.tree import DecisionTreeClassifier

from espalier.learners import CartClassifier, RandomForestClassifier

RESULTS = Path(__file__).with_name("measured.json")
INFORMATIVE, LEVELS = 5, 50
SHORT, MORE_TURNS = 0.5, 4  # seconds of a fit that is made so often again


class Size(NamedTuple):
    """The size of a table, and of a forest."""

    rows: int = 10_000
    features: int = 20
    classes: int = 2
    trees: int = 10


AXES: dict[str, tuple[int, ...]] = {
    "rows": (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    "features": (5, 10, 20, 50, 100, 200),
    "classes": (2, 5, 10, 20, 50),
    "trees": (1, 3, 10, 30, 100),
}
PROGRAMS: dict[str, Callable[[Size], Any]] = {
    "CART": lambda size: CartClassifier(),
    "random forest": lambda size: RandomForestClassifier(n_estimators=size.trees, random_state=0, n_jobs=1),
    "scikit-learn, CART": lambda size: DecisionTreeClassifier(random_state=0),
    "scikit-learn, random forest": lambda size: TheirForest(size.trees, random_state=0, n_jobs=1),
}
ONE_TREE = ("CART", "scikit-learn, CART")


def made(size: Size, X: np.ndarray | None = None, codes: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of this size, in Fortran order, written into X where it is given, and classes."""
    rng = np.random.default_rng(0)
    X = np.empty((size.rows, size.features), order="F") if X is None else X
    total = rng.normal(size=size.rows, scale=2)
    for feature in range(size.features):
        column = rng.normal(size=size.rows)
        if codes:
            column = np.clip(np.floor(8 * column) + LEVELS // 2, 0, LEVELS - 1)
        X[:, feature] = column
        if feature < INFORMATIVE:
            total += column / column.std()
    ends = np.quantile(total, np.arange(1, size.classes) / size.classes)
    return X, np.searchsorted(ends, total)


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor seconds that work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def usual_seconds(work: Callable[[], Any]) -> float:
    """Return the seconds that work usually takes: a single short turn may have to load something first."""
    first = seconds(work)
    return first if first > SHORT else statistics.median([first, *(seconds(work) for _ in range(MORE_TURNS))])


def grown(axis: str, most: int, limit: float) -> Iterator[tuple[str, int, float]]:
    """Yield program, value on the axis, and seconds to fit."""
    too_long: set[str] = set()
    for value in AXES[axis]:
        size = Size()._replace(**{axis: value})
        if size.rows > most:
            return
        X, y = made(size)
        layouts = {False: X, True: np.ascontiguousarray(X, dtype=np.float32)}
        for name, make in PROGRAMS.items():
            if name in too_long or (axis == "trees" and name in ONE_TREE):
                continue
            table = layouts[name.startswith("scikit-learn")]
            taken = usual_seconds(lambda make=make, size=size, table=table, y=y: make(size).fit(table, y))
            too_long |= {name} if taken > limit else set()
            yield name, value, taken


def measure(only: str, most: int, limit: float) -> None:
    """Measure each axis, and keep it as soon as it is done."""
    X, y = made(Size(rows=300))
    for make in PROGRAMS.values():
        make(Size()).fit(X, y)
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for axis in AXES:
        if only in axis:
            lines: dict[str, list[list[float]]] = {}
            for name, value, taken in grown(axis, most, limit):
                lines.setdefault(name, []).append([value, float(f"{taken:.3g}")])
                print(f"{axis:<10}{value:>10,}  {name:<30}{taken:>10.3f} s", flush=True)
            kept[axis] = {"python": platform.python_version(), "seconds": lines}
            RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def memory(rows: int, codes: bool, trees: int) -> None:
    """Fit to a file that is mapped into memory, and print the time and the most memory."""
    size = Size(rows=rows, trees=trees)
    small = made(Size(rows=300), codes=codes)
    model = PROGRAMS["random forest" if trees else "CART"](size)
    model.fit(*small)
    with tempfile.TemporaryDirectory() as folder:
        path, shape = Path(folder) / "table.npy", (rows, size.features)
        mapped = np.lib.format.open_memmap(path, "w+", np.float64, shape, fortran_order=True)
        _, y = made(size, mapped, codes)
        mapped.flush()
        del mapped
        X = np.lib.format.open_memmap(path, "r")
        before = peak()
        taken = seconds(lambda: model.fit(X, y))
        leaves = sum(t.n_leaves for t in (model.forest_.trees if trees else [model.tree_]))
        print(f"{rows:,} x {size.features}: {taken:.1f} s, {leaves:,} leaves")
        print(f"most memory: {before['VmHWM']:,.0f} MB before, {peak()['VmHWM']:,.0f} MB after")


def peak() -> dict[str, float]:
    """Return the megabytes that this process has, and had at most."""
    found = {}
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        name, _, value = line.partition(":")
        if value.strip().endswith("kB"):
            found[name] = int(value.split()[0]) / 1024
    return found


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="axes whose name contains this")
    parser.add_argument("--most", type=int, default=1_000_000, help="most rows")
    parser.add_argument("--limit", type=float, default=4.0, help="seconds of a fit after which a program ends")
    parser.add_argument("--memory", type=int, default=0, metavar="ROWS")
    parser.add_argument("--codes", action="store_true")
    parser.add_argument("--trees", type=int, default=0, help="with --memory: of a forest; 0 for CART")
    options = parser.parse_args()
    if options.memory:
        memory(options.memory, options.codes, options.trees)
    else:
        measure(options.only, options.most, options.limit)


if __name__ == "__main__":
    main()
