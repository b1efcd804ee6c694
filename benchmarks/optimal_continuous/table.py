"""Optimal trees over every threshold beside pycontree (ConTree, C++): processor seconds of a fit, in one run.

    python -m benchmarks.optimal_continuous.table --data DIR [--depths 2,3] [--repeats 3] [--only-ours]

DIR holds tables as text, or gzipped text: a sample a line, its class first, then its numbers; ConTree's authors
ship such splits of public tables. Both get the same columns and take turns, so that a machine whose speed
drifts treats them alike; each is the median over the rounds, and only one round where it is slow. A ratio says
how many times as long pycontree takes. Errors are those of the tree's own predictions on the samples it was
grown on, with a "!" where they are not the fewest that its authors tell. "fewest" is ours as it is by default:
of the best trees one with the fewest splits; "espalier" and pycontree look for any of the best.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.learners import OptimalClassifier

try:
    from pycontree import ConTree
except ImportError:  # python -m pip install pycontree
    ConTree: Any = None

FEWEST = {  # errors that ConTree's authors list, by depth
    3: {
        "avila": 4329, "bank": 19, "bean": 1406, "bidding": 37, "eeg": 3495, "fault": 494, "magic": 2567,
        "occupancy": 47, "raisin": 76, "segment": 208, "wilt": 18,
    },
    4: {"bank": 0, "bidding": 16, "occupancy": 26, "segment": 76, "wilt": 2},
}  # fmt: skip
SLOW = 5.0  # seconds of a round after which there is no other


class Table(NamedTuple):
    name: str
    X: np.ndarray  # (n_samples, n_features) float64
    y: np.ndarray  # (n_samples,) int64


class Fit(NamedTuple):
    errors: int
    seconds: float


Solver = Callable[[Table, int], Fit]


def read(path: Path) -> Table:
    rows = np.loadtxt(path)  # which reads gzipped text, too
    return Table(path.name.split(".")[0], rows[:, 1:], rows[:, 0].astype(np.int64))


def ours(fewest: bool, seconds: float) -> Solver:
    def fit(table: Table, depth: int) -> Fit:
        model = OptimalClassifier(max_depth=depth, max_thresholds=None, fewest_splits=fewest, time_limit=seconds)
        return timed(lambda: model.fit(table.X, table.y), lambda: model.predict(table.X), table)

    return fit


def of_pycontree(seconds: float) -> Solver:
    def fit(table: Table, depth: int) -> Fit:
        model, X, y = ConTree(max_depth=depth, time_limit=seconds), pd.DataFrame(table.X), pd.Series(table.y)
        return timed(lambda: model.fit(X, y), lambda: model.predict(X), table)

    return fit


def timed(fit: Callable[[], Any], predict: Callable[[], Any], table: Table) -> Fit:
    """Return the errors of a fit and its processor seconds, those of all its threads."""
    start = time.process_time()
    fit()
    seconds = time.process_time() - start
    return Fit(int(np.count_nonzero(np.asarray(predict()) != table.y)), seconds)


def compare(solvers: dict[str, Solver], table: Table, depth: int, repeats: int) -> list[Fit]:
    """Return the last fit of each, with its median time."""
    fits: dict[str, list[Fit]] = {name: [] for name in solvers}
    for turn in range(repeats):
        for name, solver in solvers.items():
            if turn == 0 or fits[name][-1].seconds < SLOW:
                fits[name].append(solver(table, depth))
    return [found[-1]._replace(seconds=statistics.median(f.seconds for f in found)) for found in fits.values()]


def line(name: str, depth: int, fits: list[Fit], known: int | None) -> str:
    errors = "".join(f"{fit.errors:>9}{'!' if known not in (None, fit.errors) else ' '}" for fit in fits)
    seconds = "".join(f"{fit.seconds:>12.3f}" for fit in fits)
    return f"{name:<14}{depth:>6}{errors}{seconds}" + "".join(
        f"{fits[-1].seconds / fit.seconds:>10.1f}" for fit in fits[:-1]
    )


def run(solvers: dict[str, Solver], tables: list[Table], options: argparse.Namespace) -> None:
    few = tables[0]._replace(X=tables[0].X[::5], y=tables[0].y[::5])
    for solver in solvers.values():  # compiles, and starts what starts only once
        solver(few, 3)
    print("errors, processor seconds, ratios of the last to the others:", *solvers)
    for depth in options.depths:
        found = []
        for table in tables:
            found.append(compare(solvers, table, depth, options.repeats))
            print(line(table.name, depth, found[-1], FEWEST.get(depth, {}).get(table.name)), flush=True)
        sums = [Fit(sum(f.errors for f in of), sum(f.seconds for f in of)) for of in zip(*found, strict=True)]
        print(line("sum", depth, sums, None), "\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the text files")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], help="names of tables")
    parser.add_argument("--depths", type=lambda text: [int(d) for d in text.split(",")], default=[2, 3])
    parser.add_argument("--repeats", type=int, default=3, help="rounds where a fit is quick")
    parser.add_argument("--time-limit", type=float, default=3600, help="seconds of one fit")
    parser.add_argument("--only-ours", action="store_true", help="without pycontree")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    solvers = {"espalier": ours(False, options.time_limit), "fewest": ours(True, options.time_limit)}
    if ConTree is not None and not options.only_ours:
        solvers["pycontree"] = of_pycontree(options.time_limit)
    tables = [read(path) for path in sorted(options.data.glob("*.txt*"))]
    tables = [table for table in tables if table.name in options.only or not options.only]
    if not tables:
        raise SystemExit(f"no such tables in {options.data}; see this file's first lines")
    run(solvers, tables, options)


if __name__ == "__main__":
    main()
