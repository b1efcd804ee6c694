"""The tables of Nalenz & Augustin (2021), and the area under the ROC curve of any learner over their folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.cells import Cell, Cells, digest, model_text, version

VERSION = version(("cart", "cultivated", "forest"), ("espalier", "scikit-learn"))
Make = Callable[[int], Any]  # a seed -> a classifier that has not been fitted


class Table(NamedTuple):
    """A data set: two classes, numbers only."""

    name: str
    X: np.ndarray
    y: np.ndarray


class Scored(NamedTuple):
    """How a learner did in every fold of every repeat."""

    area: np.ndarray  # (n_repeats * n_folds,): area under the ROC curve
    modules: float  # mean over the folds: nodes that split
    decisions: float  # and the decisions in them


def tables(folder: str, only: str = "") -> list[Table]:
    """The tables DIR/*.csv and *.csv.gz, last column the target; big ones first, which suits a pool of threads."""
    paths = [p for p in sorted(Path(folder).glob("*.csv*")) if only in p.name]
    if not paths:
        raise SystemExit(f"no *.csv or *.csv.gz whose name contains {only!r} in {folder}")
    return sorted(map(_read, paths), key=lambda t: -len(t.y))


def areas(
    tables: Sequence[Table], makes: Mapping[str, Make], folds: tuple[int, int], jobs: int, done: Cells
) -> dict:
    """`Scored` by (table's name, learner's name): `folds` is (how many, how often repeated)."""
    with ThreadPoolExecutor(jobs) as pool:
        runs = {
            (table.name, name): [
                pool.submit(_numbers, make, f"{seed}of{folds[0]}", table, split, done)
                for seed, split in _splits(table, *folds)
            ]
            for table in tables
            for name, make in makes.items()
        }
        return {key: _scored([run.result() for run in found]) for key, found in runs.items()}


def _read(path: Path) -> Table:
    data = pd.read_csv(path)
    labels, y = np.unique(data.iloc[:, -1].to_numpy(), return_inverse=True)
    if len(labels) != 2:
        raise SystemExit(f"{path.name} has {len(labels)} classes in its last column; this needs two")
    return Table(path.name.split(".")[0], np.asfortranarray(data.iloc[:, :-1].to_numpy(np.float64)), y)


def _splits(table: Table, n_folds: int, n_repeats: int):
    for repeat in range(n_repeats):
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=repeat)
        for fold, split in enumerate(folds.split(table.X, table.y)):
            yield repeat * n_folds + fold, split


def _numbers(make: Make, fold: str, table: Table, split, done: Cells) -> list[float]:
    """What `_area` gives, or gave at an earlier run."""
    cell = Cell(f"{table.name}-{digest(table.X, table.y)}", model_text(make(0)), VERSION)
    seed = int(fold.partition("of")[0])
    return done.numbers(cell, fold, lambda: _area(make, seed, table, split))


def _area(make: Make, seed: int, table: Table, split) -> tuple[float, int, int]:
    train, test = split
    learner = make(seed)
    learner.fit(np.asfortranarray(table.X[train]), table.y[train])
    area = roc_auc_score(table.y[test], learner.predict_proba(table.X[test])[:, 1])
    return float(area), *_size(learner)


def _size(learner) -> tuple[int, int]:
    """Modules and decisions of all trees that the learner has grown, where it says."""
    forest, tree = getattr(learner, "forest_", None), getattr(learner, "tree_", None)
    trees = forest.trees if forest else [] if tree is None else [tree]
    modules = sum(t.n_nodes - t.n_leaves for t in trees)
    return modules, sum(len(t.decisions.feature) if hasattr(t, "decisions") else 0 for t in trees)


def _scored(runs: list) -> Scored:
    area, modules, decisions = (np.array(values, float) for values in zip(*runs, strict=True))
    return Scored(area, float(modules.mean()), float(decisions.mean()))
