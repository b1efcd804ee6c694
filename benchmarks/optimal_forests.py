"""The tables of "Building Random Forests with Optimal Decision Trees" (Molhoek 2021), the paper's beside ours.

    python benchmarks/optimal_forests.py --data DIR [--quick] [--tables 3,5] [--depths 2,3] [--out errors.csv]

DIR holds the ten tables as text: a sample a line, its class first, all 0 or 1. A cell is the mean error over 50
repeats (5 with --quick) of two-fold cross-validation with the classes in proportion, of which outliers outside
[Q1 - IQR, Q3 + IQR] are left out (the paper's section 5.1). "–" is a cell for which the paper's 100 minutes were
not enough, "." one that has not been run here; a "!" marks ours where it is more than 0.02 away from the paper's.

Every finished cell is added to the CSV of --out, and is not run again, so that a long run can be broken off and
taken up; the quick ones come first. With --show nothing is run.

The column C4.5 is our CART with the gain ratio and at least two samples in a leaf, not pruned (the paper's is
Weka's J48, which prunes). The heuristic forests try log2(features) + 1 features at each node, as Breiman's and
Weka's do. All else is as in the paper's text. Table 9 comes from a program that draws features more softly than
the text says: it is run both ways, the second time as Table 12.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from optimal_forests_paper import SAME, TITLES, columns, errors
from sklearn.model_selection import StratifiedKFold

from espalier.learners import (
    BaggedForestClassifier,
    BoostedForestClassifier,
    CartClassifier,
    OptimalClassifier,
    RandomForestClassifier,
    RootForestClassifier,
    SubspaceForestClassifier,
)

FAR = 0.02  # from the paper's number
SLOWEST = (10, 11)  # tables: they list all optimal trees
HEADER = ("table", "data", "column", "repeats", "error", "spread", "kept", "seconds")
Cell: TypeAlias = tuple[int, str, str]  # table, data set, column


class Table(NamedTuple):
    name: str
    X: np.ndarray  # (n_samples, n_features) float64
    y: np.ndarray  # (n_samples,) int64


class Result(NamedTuple):
    error: float  # mean over the folds without outliers
    spread: float  # standard deviation over these
    kept: int  # how many they are
    seconds: float  # of fits and predictions, all folds


def read(path: Path) -> Table:
    rows = np.loadtxt(path, dtype=np.int64)
    return Table(path.stem, rows[:, 1:].astype(np.float64), rows[:, 0].copy())


def model(cell: Cell, seed: int, n_features: int, n_jobs: int) -> Any:
    """What a cell is about."""
    table, _, column = cell
    if column == "C4.5":
        return CartClassifier(criterion="gain_ratio", min_samples_leaf=2, random_state=seed)
    amount = int(column[2:])
    if column.startswith("t="):
        tried: Any = int(np.log2(n_features)) + 1
        return RandomForestClassifier(n_estimators=amount, max_features=tried, n_jobs=n_jobs, random_state=seed)
    tree = OptimalClassifier(max_depth=amount, max_thresholds=1, random_state=seed)
    return tree if table == 1 else FORESTS[table](tree, seed, n_jobs)


def forest(kind: type, **parameters: Any) -> Callable[[Any, int, int], Any]:
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


def run(cell: Cell, table: Table, repeats: int, n_jobs: int) -> Result:
    """Cross-validate what the cell is about."""
    found, start = [], time.perf_counter()
    for repeat in range(repeats):
        folds = StratifiedKFold(2, shuffle=True, random_state=repeat)
        for fold, (train, test) in enumerate(folds.split(table.X, table.y)):
            fitted = model(cell, 2 * repeat + fold, table.X.shape[1], n_jobs)
            fitted.fit(np.asfortranarray(table.X[train]), table.y[train])
            found.append(np.mean(fitted.predict(table.X[test]) != table.y[test]))
    kept = without_outliers(np.array(found))
    return Result(float(kept.mean()), float(kept.std()), len(kept), time.perf_counter() - start)


def without_outliers(errors: np.ndarray) -> np.ndarray:
    """Those inside [Q1 - IQR, Q3 + IQR]."""
    low, high = np.quantile(errors, [0.25, 0.75])
    return errors[(errors >= low - (high - low)) & (errors <= high + (high - low))]


def cells(options: argparse.Namespace, tables: Iterable[str]) -> list[Cell]:
    """The cells that are asked for, the quick ones first."""
    asked = [
        (table, name, column)
        for table in options.tables
        for name in tables
        for column in columns(table)
        if not column.startswith("d=") or int(column[2:]) in options.depths
    ]
    return sorted(asked, key=lambda cell: (effort(cell), cell[0]))


def effort(cell: Cell) -> int:
    """A rank of how long a cell takes: by its depth; those that list all optimal trees are one worse."""
    table, _, column = cell
    depth = int(column[2:]) if column.startswith("d=") else 0
    return max(depth, 3) + (table in SLOWEST)


# ---- what has been run


def known(path: Path | None, repeats: int) -> dict[Cell, Result]:
    """What stands in the CSV for so many repeats."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["repeats"]) == repeats]
    return {
        (int(row["table"]), row["data"], row["column"]): Result(
            float(row["error"]), float(row["spread"]), int(row["kept"]), float(row["seconds"])
        )
        for row in rows
    }


def note(path: Path | None, cell: Cell, repeats: int, result: Result) -> None:
    """Add a row to the CSV."""
    if path is None:
        return
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(HEADER)
        error, spread, kept, seconds = result
        writer.writerow([*cell, repeats, f"{error:.5f}", f"{spread:.5f}", kept, f"{seconds:.2f}"])


# ---- what is printed


def lines(table: int, names: Iterable[str], found: dict[Cell, Result]) -> Iterator[str]:
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


def is_far(paper: float | None, ours: Result) -> bool:
    """Whether the two differ by more than FAR; the paper's is rounded, so ours is too."""
    return paper is not None and abs(round(ours.error, 2) - paper) > FAR + 1e-9


def summary(found: dict[Cell, Result]) -> str:
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
    found = known(options.out, options.repeats)
    asked = cells(options, tables)
    for cell in [] if options.show else asked:
        if cell not in found:
            found[cell] = run(cell, tables[cell[1]], options.repeats, options.threads)
            note(options.out, cell, options.repeats, found[cell])
            print(*cell, f"{found[cell].error:.4f}", f"{found[cell].seconds:.1f} s", flush=True)
    for number in options.tables:
        print("\n" + "\n".join(lines(number, tables, found)))
    print("\n" + summary({cell: found[cell] for cell in asked if cell in found}))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of the text files")
    parser.add_argument("--out", type=Path, help="CSV of the cells that are done")
    parser.add_argument("--tables", type=_numbers, default=list(TITLES))
    parser.add_argument("--depths", type=_numbers, default=[1, 2, 3, 4, 5])
    parser.add_argument("--only", default="", help="data sets whose name contains this")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--quick", action="store_const", const=5, dest="repeats", help="5 repeats")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="only print what is done")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


if __name__ == "__main__":
    main()
