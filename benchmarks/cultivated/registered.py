"""Two variants of cultivated forests, named before they were measured, beside forests and boosting.

    python -m benchmarks.cultivated.registered --data DIR --out FILE.sqlite [--partitions 10] [--only NAME]
        [--costly 1] [--choose N] [--told]

What is measured was written down, with this text, before the first of these folds was run:

- **Ten deep cultivated trees**, the defaults of `CultivatedForestClassifier`. On one partition into ten folds,
  dealt by seed 0, they had gained .0081 of mean area under the ROC curve over CRF-full. Here seeds 1 to 10 deal
  the folds, so that none is one on which they were chosen.
- **Softness by choice**: of ten deep cultivated trees, a random forest of 500, and the mean of both, the one with
  the largest mean area over three folds of the training rows. Reason: where softness helps (few rows, much noise)
  crisp trees lose, and where it does not (EEG, Magic) they win, and a table can say which it is.

Beside them stand CRF-full, Espalier's random forest of 500 trees, and gradient boosting of scikit-learn and of ydf
with their defaults. Hoped for: a gain of .01 over CRF-full, and more area than the forest on two thirds of the
tables. Every table is tested by itself with the corrected t-test (Nadeau & Bengio 2003) and Holm's correction over
tables; all together by the mean of the tables' differences, whose standard error comes from the tables' corrected
ones, and by Wilcoxon's signed ranks over the tables (Demšar 2006). DIR is that of `cultivated/table.py`.

`--costly N`: so many partitions of tables with over 10,000 rows or 1,000 columns. `--choose N`: so many partitions
for softness by choice, which takes longest. Every fold is kept in FILE; with `--told` nothing is run, and what is
there is told, of each table the partitions that are complete.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.cells import Cell, Cells, digest
from benchmarks.cultivated.folds import VERSION, Table, tables
from benchmarks.cultivated.told import Areas, told
from espalier.learners import CultivatedClassifier, CultivatedForestClassifier, RandomForestClassifier

FOLDS, INNER = 10, 3
MANY_ROWS, MANY_COLUMNS = 10_000, 1_000
PARTS_OF_CRISP = (0.0, 0.5, 1.0)
TEN, CHOSEN, FOREST = "ten deep", "by choice", "forest 500"
FULL, BOOSTING, YDF = "CRF-full", "boosting", "ydf boosting"
Split = tuple[np.ndarray, np.ndarray]


class Deal(NamedTuple):
    """A fold of a partition of a table."""

    table: Table
    seed: int  # of the learners; its tens are the partition
    split: Split

    @property
    def train(self) -> Table:
        """The rows to learn from."""
        rows = self.split[0]
        return Table(self.table.name, np.asfortranarray(self.table.X[rows]), self.table.y[rows])


class OfYdf:
    """ydf's gradient boosted trees with their defaults."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> OfYdf:
        import ydf

        ydf.verbose(0)
        learner = ydf.GradientBoostedTreesLearner(label="y", num_threads=1, random_seed=0)
        self.model = learner.train(self._named(X) | {"y": y})
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the shares of both classes, (n_rows, 2)."""
        second = self.model.predict(self._named(X), num_threads=1)
        return np.column_stack([1 - second, second])

    @staticmethod
    def _named(X: np.ndarray) -> dict[str, np.ndarray]:
        return {f"x{i}": column for i, column in enumerate(X.T)}


def soft(seed: int) -> Any:
    """Ten deep cultivated trees."""
    return CultivatedForestClassifier(random_state=seed)


def crisp(seed: int) -> Any:
    """A random forest of 500."""
    return RandomForestClassifier(n_estimators=500, random_state=seed)


SINGLE: dict[str, Callable[[int], Any]] = {
    FULL: lambda seed: CultivatedClassifier(),
    BOOSTING: lambda seed: HistGradientBoostingClassifier(random_state=seed),
    YDF: lambda seed: OfYdf(),
}
PAIR, CHOICE = "soft, half, crisp", "part of crisp"
WORK: dict[str, Callable[[Deal], Sequence[float]]] = {
    PAIR: lambda deal: both(deal)[0],
    **{name: (lambda deal, make=make: single(deal, make)) for name, make in SINGLE.items()},
    CHOICE: lambda deal: [chosen_part(deal.train, deal.seed)],
}


def single(deal: Deal, make: Callable[[int], Any]) -> list[float]:
    """Return the area of a learner, and its nodes that split, and the decisions in them."""
    train, test = deal.train, deal.split[1]
    model = make(deal.seed).fit(train.X, train.y)
    return [area(deal.table.y[test], second(model, deal.table.X[test])), *size(model)]


def both(deal: Deal) -> tuple[list[float], list[Any]]:
    """Return areas for each of `PARTS_OF_CRISP` with both sizes, and the two models."""
    train, (_, test) = deal.train, deal.split
    models = [make(deal.seed).fit(train.X, train.y) for make in (soft, crisp)]
    shares = [second(model, deal.table.X[test]) for model in models]
    found = [area(deal.table.y[test], mixed(shares, part)) for part in PARTS_OF_CRISP]
    return [*found, *size(models[0]), *size(models[1])], models


def chosen_part(train: Table, seed: int) -> float:
    """Return the part of crisp with the largest mean area over folds of these rows; of equal ones the least."""
    folds = StratifiedKFold(INNER, shuffle=True, random_state=seed)
    areas = [both(Deal(train, seed, split))[0][: len(PARTS_OF_CRISP)] for split in folds.split(train.X, train.y)]
    return PARTS_OF_CRISP[int(np.mean(areas, axis=0).round(12).argmax())]


def mixed(shares: Sequence[np.ndarray], part: float) -> np.ndarray:
    """Return the mean of what the soft and the crisp trees say, so much of it from the crisp ones.

    >>> mixed([np.array([0.0, 1.0]), np.array([1.0, 1.0])], 0.5)
    array([0.5, 1. ])
    """
    return (1 - part) * shares[0] + part * shares[1]


def second(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the share of the second class, (n_rows,)."""
    return model.predict_proba(X)[:, 1]


def area(y: np.ndarray, share: np.ndarray) -> float:
    """Return the area under the ROC curve."""
    return float(roc_auc_score(y, share))


def size(model: Any) -> tuple[int, int]:
    """Return how many nodes split, and how many decisions they have, where the model says it."""
    forest, tree = getattr(model, "forest_", None), getattr(model, "tree_", None)
    grown = forest.trees if forest else [] if tree is None else [tree]
    nodes = [int(one.n_nodes - one.n_leaves) for one in grown]
    each = zip(grown, nodes, strict=True)
    return sum(nodes), sum(len(t.decisions.feature) if hasattr(t, "decisions") else n for t, n in each)


def deals(table: Table, partition: int) -> Iterator[Deal]:
    """Yield the ten folds that a partition deals, from 1 on."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=partition)
    for fold, split in enumerate(folds.split(table.X, table.y)):
        yield Deal(table, partition * FOLDS + fold, split)


def is_costly(table: Table) -> bool:
    """Return whether a fold of it takes many times as long as one of the others."""
    return len(table.y) > MANY_ROWS or table.X.shape[1] > MANY_COLUMNS


def measure(found: Sequence[Table], options: argparse.Namespace, done: Cells) -> None:
    """Run the folds that are missing: partition after partition, and what takes longest last."""
    for partition in range(1, options.partitions + 1):
        for table in sorted(found, key=is_costly):
            if not is_costly(table) or partition <= options.costly:
                start = time.process_time()
                _run(table, partition, partition <= options.choose, done)
                print(f"{partition} {table.name} {time.process_time() - start:.1f} s", flush=True)


def _run(table: Table, partition: int, is_choosing: bool, done: Cells) -> None:
    for deal in deals(table, partition):
        for name, work in WORK.items():
            if name != CHOICE or is_choosing:
                done.numbers(cell_of(table, name), str(deal.seed), lambda w=work, d=deal: w(d))


def cell_of(table: Table, name: str) -> Cell:
    """Return the cell that holds the numbers of a learner on a table."""
    return Cell(f"{table.name}-{digest(table.X, table.y)}", f"registered: {name}", VERSION)


def gathered(table: Table, done: Cells) -> dict[str, Areas]:
    """Return by learner what is done of the partitions that are complete; of `CHOICE` those complete for it."""
    kept = {name: done.folds(cell_of(table, name)) for name in WORK}
    first = complete([kept[name] for name in WORK if name != CHOICE])
    if not first:
        return {}
    pair = np.array([kept[PAIR][fold] for fold in first])
    found = {TEN: Areas(first, pair[:, 0], pair[:, 3], pair[:, 4])}
    found[FOREST] = Areas(first, pair[:, 2], pair[:, 5], pair[:, 6])
    for name in SINGLE:
        numbers = np.array([kept[name][fold] for fold in first])
        found[name] = Areas(first, *numbers.T)
    if also := complete([kept[PAIR], kept[CHOICE]]):
        found[CHOSEN] = chosen([(kept[PAIR][fold], kept[CHOICE][fold][0]) for fold in also], also)
    return found


def chosen(pairs: Sequence[tuple[list[float], float]], folds: Sequence[str]) -> Areas:
    """Return the areas and sizes of the parts that were chosen, from the numbers of `both`."""
    areas = np.array([numbers[PARTS_OF_CRISP.index(part)] for numbers, part in pairs])
    sizes = np.array([(part < 1) * np.array(n[3:5]) + (part > 0) * np.array(n[5:7]) for n, part in pairs])
    return Areas(folds, areas, *sizes.T, part=float(np.mean([part for _, part in pairs])))


def complete(kept: Sequence[dict[str, list[float]]]) -> list[str]:
    """Return the folds of partitions that are complete for all, in order."""
    there = set.intersection(*(set(map(int, folds)) for folds in kept))
    whole = [p for p in sorted({fold // FOLDS for fold in there}) if {*range(p * FOLDS, (p + 1) * FOLDS)} <= there]
    return [str(p * FOLDS + fold) for p in whole for fold in range(FOLDS)]


def main() -> None:
    """Run what is missing, and tell what there is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, help="SQLite file of what is done")
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--partitions", type=int, default=10)
    parser.add_argument("--costly", type=int, default=1, help="partitions of large tables")
    parser.add_argument("--choose", type=int, default=1, help="partitions for softness by choice")
    parser.add_argument("--told", action="store_true", help="run nothing")
    options = parser.parse_args()
    found, done = tables(options.data, options.only)[::-1], Cells(options.out)
    if not options.told:
        measure(found, options, done)
    print(told({table.name: gathered(table, done) for table in found}, 1 / (FOLDS - 1), (TEN, CHOSEN)))


if __name__ == "__main__":
    main()
