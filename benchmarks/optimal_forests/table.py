"""The tables of "Building Random Forests with Optimal Decision Trees" (Molhoek 2021), the paper's beside ours.

    python -m benchmarks.optimal_forests.table --data DIR [--quick] [--tables 3,5] [--depths 2,3] [--out FILE]

DIR holds the ten tables as text: a sample a line, its class first, all 0 or 1. A cell is the mean error over 50
repeats (5 with --quick) of two-fold cross-validation with the classes in proportion, of which outliers outside
[Q1 - IQR, Q3 + IQR] are left out (the paper's section 5.1). "–" is a cell for which the paper's 100 minutes were
not enough, "." one that has not been run here; a "!" marks ours where it is more than 0.02 away from the paper's.

Every fold that is done is kept in the SQLite file of --out, and is not run again while data, model and program are
the same: a long run can be broken off and taken up. The quick cells come first. With --show nothing is run.
Folds are tasks of --executor: threads, processes, or a Dask cluster whose workers find this folder, too.
`cells.csv` beside this file has what was done for the tables in `docs`; `benchmarks/cells.py` makes a FILE of it.

The column C4.5 is our CART with the gain ratio and at least two samples in a leaf, not pruned (the paper's is
Weka's J48, which prunes). The heuristic forests try log2(features) + 1 features at each node, as Breiman's and
Weka's do. All else is as in the paper's text. Table 9 comes from a program that draws features more softly than
the text says: it is run both ways, the second time as Table 12.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.cells import Cell, Cells, digest, model_text, version
from benchmarks.optimal_forests.paper import SAME, TITLES, columns, errors
from espalier.executors import executor
from espalier.learners import (
    BaggedForestClassifier,
    BoostedForestClassifier,
    CartClassifier,
    OptimalClassifier,
    RandomForestClassifier,
    RootForestClassifier,
    SubspaceForestClassifier,
)
from espalier.tasks import Call, in_order

FAR = 0.02  # from the paper's number
SLOWEST = (10, 11)  # tables: they list all optimal trees
N_FOLDS = 2
STAGES = ("cart", "forest", "optimal")  # of the kernels that all this calls
VERSION = version(STAGES)
Place: TypeAlias = tuple[int, str, str]  # table, data set, column


class Table(NamedTuple):
    name: str
    X: np.ndarray  # (n_samples, n_features) float64
    y: np.ndarray  # (n_samples,) int64


class Run(NamedTuple):
    """How places are filled."""

    repeats: int
    done: Cells
    workers: Executor
    n_jobs: int = 1  # threads of a forest


class Result(NamedTuple):
    error: float  # mean over the folds without outliers
    spread: float  # standard deviation over these
    kept: int  # how many they are
    seconds: float  # of fits and predictions, all folds


def read(path: Path) -> Table:
    rows = np.loadtxt(path, dtype=np.int64)
    return Table(path.stem, rows[:, 1:].astype(np.float64), rows[:, 0].copy())


def model(place: Place, seed: int | None, n_features: int, n_jobs: int) -> Any:
    """What stands in a place of the tables."""
    table, _, column = place
    if column == "C4.5":
        return CartClassifier(criterion="gain_ratio", min_samples_leaf=2, random_state=seed)
    amount = int(column[2:])
    if column.startswith("t="):
        tried: Any = int(np.log2(n_features)) + 1
        return RandomForestClassifier(n_estimators=amount, max_features=tried, n_jobs=n_jobs, random_state=seed)
    tree = OptimalClassifier(max_depth=amount, max_thresholds=1, random_state=seed)
    return tree if table == 1 else FORESTS[table](tree, seed, n_jobs)


def forest(kind: type, **parameters: Any) -> Callable[[Any, int | None, int], Any]:
    """How a forest of the trees is made, given their estimator, a seed and the number of threads."""
    return lambda tree, seed, n_jobs: kind(tree, n_jobs=n_jobs, random_state=seed, **parameters)


FORESTS = {
    2: forest(RootForestClassifier),
    3: forest(BaggedForestClassifier),
    4: forest(BaggedForestClassifier, voting="validation"),
    5: forest(BaggedForestClassifier, voting="oob"),
    6: forest(SubspaceForestClassifier),
    7: forest(SubspaceForestClassifier, voting="validation"),
    8: lambda tree, seed, n_jobs: BoostedForestClassifier(tree, random_state=seed),
    9: forest(SubspaceForestClassifier, draw="softer"),
    10: forest(BaggedForestClassifier, n_estimators=31, decorrelated=True),
    11: forest(SubspaceForestClassifier, n_estimators=31, decorrelated=True),
    12: forest(SubspaceForestClassifier, draw="soft"),
}


def result(place: Place, table: Table, run: Run) -> Result:
    """Cross-validate what stands in a place, as far as that is not done yet."""
    cell, folds = cell_of(place, table), range(N_FOLDS * run.repeats)
    there = run.done.folds(cell)
    missing = [fold for fold in folds if f"{fold}" not in there]
    tasks = [Call(measured, (place, table, fold, run.n_jobs)) for fold in missing]
    for number, numbers in in_order(tasks, run.workers):
        there[f"{missing[number]}"] = run.done.keep(cell, f"{missing[number]}", numbers)
    return summary_of([there[f"{fold}"] for fold in folds])


def cell_of(place: Place, table: Table) -> Cell:
    """All that the place's numbers depend on but the fold, which is the seed, too."""
    data = f"{table.name}-{digest(table.X, table.y)}"
    return Cell(data, model_text(model(place, None, table.X.shape[1], 1)), VERSION)


def measured(place: Place, table: Table, fold: int, n_jobs: int) -> tuple[float, float]:
    """The error in a fold, and seconds of processor for it; folds count through all repeats."""
    begun, repeat = time.process_time(), fold // N_FOLDS
    splits = StratifiedKFold(N_FOLDS, shuffle=True, random_state=repeat).split(table.X, table.y)
    train, test = list(splits)[fold % N_FOLDS]
    fitted = model(place, fold, table.X.shape[1], n_jobs)
    fitted.fit(np.asfortranarray(table.X[train]), table.y[train])
    error = float(np.mean(fitted.predict(table.X[test]) != table.y[test]))
    return error, time.process_time() - begun


def summary_of(folds: list[list[float]]) -> Result:
    errors, seconds = np.array(folds).T
    kept = without_outliers(errors)
    return Result(float(kept.mean()), float(kept.std()), len(kept), float(seconds.sum()))


def finished(places: Iterable[Place], tables: dict[str, Table], repeats: int, done: Cells) -> dict[Place, Result]:
    """The results of the places of which all folds are done."""
    wanted = [f"{fold}" for fold in range(N_FOLDS * repeats)]
    there = {place: done.folds(cell_of(place, tables[place[1]])) for place in places}
    return {
        place: summary_of([folds[fold] for fold in wanted])
        for place, folds in there.items()
        if folds.keys() >= set(wanted)
    }


def without_outliers(errors: np.ndarray) -> np.ndarray:
    """Those inside [Q1 - IQR, Q3 + IQR]."""
    low, high = np.quantile(errors, [0.25, 0.75])
    return errors[(errors >= low - (high - low)) & (errors <= high + (high - low))]


def places(options: argparse.Namespace, tables: dict[str, Table]) -> list[Place]:
    """The places that are asked for, the quick ones first."""
    paper = errors()
    asked = [
        (number, name, column)
        for number in options.tables
        for name in tables
        for column in columns(number)
        if not column.startswith("d=") or int(column[2:]) in options.depths
        if not (options.open and paper.get((number, name, column), 1) is not None)
    ]
    return sorted(asked, key=lambda place: (effort(place), len(tables[place[1]].y), place[0]))


def effort(place: Place) -> int:
    """A rank of how long a place takes: by its depth; those that list all optimal trees are one worse."""
    table, _, column = place
    depth = int(column[2:]) if column.startswith("d=") else 0
    return max(depth, 3) + (table in SLOWEST)


# ---- what is printed


def lines(table: int, names: Iterable[str], found: dict[Place, Result]) -> Iterator[str]:
    """A table of the paper: of every cell the paper's number and ours."""
    paper = errors()
    yield f"Table {table}: {TITLES[table]}"
    yield f"{'paper, ours':<14}" + "".join(f"{column:>15}" for column in columns(table))
    for name in names:
        theirs = [paper.get((SAME.get(table, table), name, column)) for column in columns(table)]
        ours = [found.get((table, name, column)) for column in columns(table)]
        yield f"{name:<14}" + "".join(map(pair, theirs, ours))


def pair(paper: float | None, ours: Result | None) -> str:
    theirs = "–" if paper is None else f"{paper:.2f}"
    if ours is None:
        return f"{theirs:>8}{'.':>6} "
    return f"{theirs:>8}{ours.error:>6.3f}{'!' if is_far(paper, ours) else ' '}"


def markdown(table: int, names: Iterable[str], found: dict[Place, Result]) -> Iterator[str]:
    """The same table for the documentation."""
    paper = errors()
    yield f"## Table {table}: {TITLES[table]}\n"
    yield f"| paper / ours | {' | '.join(columns(table))} |"
    yield "|---" * (len(columns(table)) + 1) + "|"
    for name in names:
        theirs = [paper.get((SAME.get(table, table), name, column)) for column in columns(table)]
        ours = [found.get((table, name, column)) for column in columns(table)]
        yield f"| {name} | {' | '.join(map(entry, theirs, ours))} |"


def entry(paper: float | None, ours: Result | None) -> str:
    """Both numbers, ours in bold where the paper has none.

    >>> entry(None, Result(0.1304, 0.01, 10, 2.0)), entry(0.12, None)
    ('– / **.130**', '.12 / ')
    """
    theirs = "–" if paper is None else f"{paper:.2f}".lstrip("0")
    if ours is None:
        return f"{theirs} / "
    text = f"{ours.error:.3f}".removeprefix("0")
    return f"{theirs} / {f'**{text}**' if paper is None else text}{' !' if is_far(paper, ours) else ''}"


def is_far(paper: float | None, ours: Result) -> bool:
    """Whether the two differ by more than FAR; the paper's is rounded, so ours is too."""
    return paper is not None and abs(round(ours.error, 2) - paper) > FAR + 1e-9


def summary(found: dict[Place, Result]) -> str:
    paper = errors()
    both = [cell for cell in found if paper.get(cell) is not None]
    near = sum(not is_far(paper[cell], found[cell]) for cell in both)
    filled, dashes = len([c for c in found if c in paper and paper[c] is None]), list(paper.values()).count(None)
    return (
        f"{near} of {len(both)} cells that the paper reports are within {FAR} of it; {filled} of the {dashes} "
        f"that it leaves open are filled; {sum(result.seconds for result in found.values()):,.0f} s in all"
    )


def main() -> None:
    options = arguments()
    tables = {path.stem: read(path) for path in sorted(options.data.glob("*.txt")) if options.only in path.stem}
    if not tables:
        raise SystemExit(f'no table "*{options.only}*.txt" in {options.data}; see this file\'s first lines')
    done, asked = Cells(options.out, options.any_version), places(options, tables)
    with executor(options.executor, options.workers) as workers:
        run = Run(options.repeats, done, workers, options.threads)
        for place in [] if options.show else asked:
            error, _, _, seconds = result(place, tables[place[1]], run)
            print(*place, f"{error:.4f}", f"{seconds:.1f} s", flush=True)
    found = finished(asked, tables, options.repeats, done)
    table_lines = markdown if options.markdown else lines
    for number in options.tables:
        print("\n" + "\n".join(table_lines(number, tables, found)))
    print("\n" + summary(found))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the text files")
    parser.add_argument("--out", type=Path, help="SQLite file of what is done")
    parser.add_argument("--tables", type=_numbers, default=list(TITLES))
    parser.add_argument("--depths", type=_numbers, default=[1, 2, 3, 4, 5])
    parser.add_argument("--only", default="", help="data sets whose name contains this")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--quick", action="store_const", const=5, dest="repeats", help="5 repeats")
    parser.add_argument("--threads", type=int, default=1, help="of a forest")
    parser.add_argument(
        "--executor", default="threads", help="threads, processes, or the address of a Dask scheduler"
    )
    parser.add_argument("--workers", type=int, default=1, help="threads or processes that work on folds")
    parser.add_argument("--open", action="store_true", help="only what the paper leaves open")
    parser.add_argument("--any-version", action="store_true", help="take what other versions of us have done, too")
    parser.add_argument("--markdown", action="store_true", help="print tables for the documentation")
    parser.add_argument("--show", action="store_true", help="only print what is done")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    from benchmarks.optimal_forests import table  # other processes find its functions by that name

    table.main()
