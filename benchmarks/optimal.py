"""Optimal trees beside pystreed (STreeD, C++): time to find and prove one tree, fit only, in one run.

    python benchmarks/optimal.py --data DIR [--depths 3,4,5,6] [--repeats 3] [--threads 2] [--only-ours]

DIR holds the ten tables of Table 1 of "Building Random Forests with Optimal Decision Trees" as text: a sample a
line, its class first, all 0 or 1. Both get the same columns and take turns, so that a machine whose speed drifts
treats them alike. On one thread times are processor seconds, on more they are seconds on the clock (pystreed has
one thread); each is the median over the rounds, and only one round where it is slow. A ratio says how many times
as long pystreed takes. Errors are those of the tree's own predictions on the samples it was grown on, with a "!"
where they are not the fewest known. "espalier" and pystreed look for any tree of the fewest errors; "sparse" is
ours as it is by default: of these trees one with the fewest splits.
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

from espalier.learners.optimal import OptimalClassifier

try:
    from pystreed import STreeDClassifier
except ImportError:  # python -m pip install -e ".[bench]"
    STreeDClassifier: Any = None

NAMES = (
    "anneal", "hepatitis", "hypothyroid", "kr-vs-kp", "lymph", "primary-tumor", "soybean", "tic-tac-toe", "vote",
    "yeast",
)  # fmt: skip
FEWEST = {  # errors that several solvers proved to be the fewest, by depth, in the order of NAMES
    2: (137, 16, 70, 418, 22, 58, 55, 282, 17, 437),
    3: (112, 10, 61, 198, 12, 46, 29, 216, 12, 403),
    4: (91, 3, 53, 144, 3, 34, 14, 137, 5, 366),
    5: (70, 0, 44, 81, 0, 26, 8, 63, 1, 313),
    6: (51, 0, 32, 45, 0, 18, 3, 12, 0, 245),
}
Clock = Callable[[], float]
SLOW = 5.0  # seconds of a round after which there is no other


class Table(NamedTuple):
    name: str
    X: np.ndarray  # (n_samples, n_features) float64, Fortran order
    y: np.ndarray  # (n_samples,) int64


class Fit(NamedTuple):
    errors: int
    seconds: float
    proof: str  # "yes", or what is known instead


class Solver(NamedTuple):
    """How one of the two is made for a depth, and what it says of its tree once it is fitted."""

    make: Callable[[int], Any]
    proof: Callable[[Any], str]


def read(path: Path) -> Table:
    rows = np.loadtxt(path, dtype=np.int64)
    return Table(path.stem, np.asfortranarray(rows[:, 1:], dtype=np.float64), rows[:, 0].copy())


def ours(options: argparse.Namespace, sparse: bool) -> Solver:
    limits = {"time_limit": options.time_limit, "max_memory": options.memory, "n_jobs": options.threads}

    def make(depth: int) -> OptimalClassifier:
        return OptimalClassifier(max_depth=depth, max_thresholds=1, fewest_splits=sparse, **limits)

    return Solver(make, lambda fitted: "yes" if fitted.proof_.proved else f">={fitted.proof_.lower_bound:g}")


def of_pystreed(limit: float) -> Solver:
    def make(depth: int) -> Any:
        return STreeDClassifier("accuracy", max_depth=depth, max_num_nodes=None, time_limit=limit)

    return Solver(make, lambda fitted: "yes" if fitted.fit_result.is_optimal() else "no")


def fitted(solver: Solver, table: Table, depth: int, clock: Clock) -> Fit:
    """One fit, timed; what is asked of the tree afterwards is not."""
    model = solver.make(depth)
    start = clock()
    model.fit(table.X, table.y)
    seconds = clock() - start
    errors = int(np.count_nonzero(np.asarray(model.predict(table.X)) != table.y))
    return Fit(errors, seconds, solver.proof(model))


def compare(solvers: list[Solver], table: Table, depth: int, repeats: int, clock: Clock) -> list[Fit]:
    """The last fit of each, with its median time."""
    fits: list[list[Fit]] = [[] for _ in solvers]
    for turn in range(repeats):
        for solver, found in zip(solvers, fits, strict=True):
            if turn == 0 or found[-1].seconds < SLOW:
                found.append(fitted(solver, table, depth, clock))
    return [found[-1]._replace(seconds=statistics.median(f.seconds for f in found)) for found in fits]


def fewest(name: str, depth: int) -> int | None:
    """The known fewest errors; None where nobody has told."""
    return FEWEST[depth][NAMES.index(name)] if depth in FEWEST and name in NAMES else None


def line(name: str, depth: int, fits: list[Fit], known: int | None) -> str:
    marked = [f"{fit.errors}{'!' if known not in (None, fit.errors) else ' '}" for fit in fits]
    errors = "".join(f"{text:>10}" for text in ["-" if known is None else str(known), *marked])
    seconds = "".join(f"{fit.seconds:>12.4f}" for fit in fits)
    proofs = "".join(f"{fit.proof:>10}" for fit in fits)
    return f"{name:<16}{depth:>6}{errors}{seconds}{ratio(fits)}{proofs}"


def ratio(fits: list[Fit]) -> str:
    """How many times as long as ours, the first, pystreed takes, which is the third."""
    return f"{fits[2].seconds / fits[0].seconds:>8.1f}" if len(fits) > 2 else ""


def total(fits: list[list[Fit]]) -> list[Fit]:
    """Sums over the tables (n_tables, n_solvers); proved if all are."""
    return [
        Fit(
            sum(fit.errors for fit in column),
            sum(fit.seconds for fit in column),
            f"{sum(fit.proof == 'yes' for fit in column)}/{len(column)}",
        )
        for column in zip(*fits, strict=True)
    ]


def heading(names: list[str]) -> str:
    errors = "".join(f"{text:>10}" for text in ["fewest", *names])
    seconds = "".join(f"{name + ', s':>12}" for name in names)
    compared = f"{'ratio':>8}" if len(names) > 2 else ""
    return f"{'errors, seconds':<16}{'depth':>6}{errors}{seconds}{compared}" + f"{'proved':>10}" * len(names)


def run(solvers: dict[str, Solver], tables: list[Table], options: argparse.Namespace) -> None:
    clock = time.process_time if options.threads == 1 else time.perf_counter
    used = list(solvers.values())
    some = Table("some rows", np.asfortranarray(tables[0].X[::5]), tables[0].y[::5])
    for solver in used:  # compiles, and starts what starts only once
        fitted(solver, some, 4, clock)
    print(heading(list(solvers)))
    for depth in options.depths:
        found = []
        for table in tables:
            found.append(compare(used, table, depth, options.repeats, clock))
            print(line(table.name, depth, found[-1], fewest(table.name, depth)), flush=True)
        known = [fewest(table.name, depth) for table in tables]
        print(line("sum", depth, total(found), None if None in known else sum(n or 0 for n in known)) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the text files")
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--depths", type=lambda text: [int(d) for d in text.split(",")], default=[3, 4, 5, 6])
    parser.add_argument("--repeats", type=int, default=3, help="rounds where a fit is quick")
    parser.add_argument("--threads", type=int, default=1, help="of ours")
    parser.add_argument("--time-limit", type=float, default=3600, help="seconds of one fit")
    parser.add_argument("--memory", type=int, default=256, help="megabytes of ours")
    parser.add_argument("--only-ours", action="store_true", help="without pystreed")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    solvers = {"espalier": ours(options, False), "sparse": ours(options, True)}
    if STreeDClassifier is not None and not options.only_ours:
        solvers["pystreed"] = of_pystreed(options.time_limit)
    tables = [read(path) for path in sorted(options.data.glob("*.txt")) if options.only in path.stem]
    if not tables:
        raise SystemExit(f'no table "*{options.only}*.txt" in {options.data}; see this file\'s first lines')
    run(solvers, tables, options)


if __name__ == "__main__":
    main()
