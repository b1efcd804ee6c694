"""Oblique trees beside those of treeple and YDF, and CART: accuracy on unseen rows, and the time to fit.

    python benchmarks/oblique.py [--data DIR] [--folds N] [--seed SEED] [--only TABLE]

Needs treeple and ydf (`pip install treeple ydf`; treeple 0.10 needs scikit-learn below 1.8); without one, its
column stays empty. Ten tables of numbers: four of scikit-learn and six that `--data DIR` holds, DIR/crf/*.csv with
the class in the last column, DIR/continuous/*.txt.gz with the class in the first; of these, 2,000 rows drawn once.
All trees are grown to the end, without pruning. The last column is the paired difference to the better of the two
others in the mean, with its standard error over the folds. Times are means of processor time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import RepeatedStratifiedKFold

from espalier.learners import CartClassifier, ObliqueClassifier

MOST_ROWS = 2000
BUNDLED = ("iris", "wine", "breast_cancer", "digits")
FROM_FILES = (
    "crf/banknote",
    "crf/diabetes",
    "continuous/segment",
    "continuous/fault",
    "continuous/bean",
    "continuous/avila",
)
SEED = 20261122  # not that of any fold on which settings were chosen


class CodedTable(NamedTuple):
    """Numbers, and classes by their codes."""

    X: np.ndarray
    y: np.ndarray


class FoldScores(NamedTuple):
    """How a learner did in each fold."""

    accuracy: np.ndarray  # (n_folds,)
    seconds: float  # processor time of a fit, the mean


class Ydf:
    """YDF's tree of sparse oblique splits, grown to the end."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Ydf:
        import ydf

        ydf.verbose(0)
        learner = ydf.CartLearner(
            label="y",
            split_axis="SPARSE_OBLIQUE",
            min_examples=1,
            max_depth=-1,
            validation_ratio=0.0,
            num_threads=1,
        )
        self.model = learner.train(self._named(X) | {"y": y.astype(str)})
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        share = self.model.predict(self._named(X))
        best = share.argmax(axis=1) if share.ndim == 2 else (share > 0.5).astype(int)
        return np.array(self.model.label_classes())[best].astype(int)

    @staticmethod
    def _named(X: np.ndarray) -> dict[str, np.ndarray]:
        return {f"column {i}": column for i, column in enumerate(X.T)}


def treeple() -> Any:
    from treeple.tree import ObliqueDecisionTreeClassifier

    return ObliqueDecisionTreeClassifier(random_state=0)


MODELS: dict[str, Callable[[], Any]] = {
    "Espalier": ObliqueClassifier,
    "treeple": treeple,
    "YDF": Ydf,
    "CART": CartClassifier,
}


def read(name: str, folder: str | None) -> CodedTable:
    """Return a table, the classes as codes."""
    if name in BUNDLED:
        return CodedTable(*getattr(datasets, f"load_{name}")(return_X_y=True))
    assert folder is not None
    if name.startswith("crf/"):
        data = pd.read_csv(Path(folder) / f"{name}.csv")
        cells, labels = data.iloc[:, :-1].to_numpy(np.float64), data.iloc[:, -1].astype(str)
    else:
        data = np.loadtxt(Path(folder) / f"{name}.txt.gz")
        cells, labels = data[:, 1:], data[:, 0]
    drawn = np.random.default_rng(0).permutation(len(cells))[:MOST_ROWS]
    return CodedTable(cells[drawn], np.unique(labels, return_inverse=True)[1][drawn])


def known() -> dict[str, Callable[[], Any]]:
    """Return the learners that can be had here."""
    there = {}
    for name, make in MODELS.items():
        try:
            make().fit(np.arange(8.0).reshape(4, 2), np.array([0, 0, 1, 1]))
        except (ImportError, ValueError):  # ValueError: it was built for another version of scikit-learn
            continue
        there[name] = make
    return there


def scores(make: Callable[[], Any], table: CodedTable, folds: RepeatedStratifiedKFold) -> FoldScores:
    """Return the accuracy in every fold, and the time to fit."""
    right, seconds = [], []
    for train, test in folds.split(table.X, table.y):
        start = time.process_time()
        model = make().fit(table.X[train], table.y[train])
        seconds.append(time.process_time() - start)
        right.append(np.mean(model.predict(table.X[test]) == table.y[test]))
    return FoldScores(np.array(right), float(np.mean(seconds)))


def row_of(
    name: str, table: CodedTable, models: dict[str, Callable[[], Any]], folds: RepeatedStratifiedKFold
) -> str:
    """Return the line of a table."""
    found = {model: scores(make, table, folds) for model, make in models.items()}
    cells = [f"{one.accuracy.mean():8.3f} {one.seconds * 1e3:7.1f} ms" for one in found.values()]
    rivals = [found[model].accuracy for model in ("treeple", "YDF") if model in found]
    beside = ""
    if rivals:
        apart = found["Espalier"].accuracy - max(rivals, key=np.mean)
        beside = f"  {apart.mean():+.3f} ± {apart.std(ddof=1) / len(apart) ** 0.5:.3f}"
    return f"{name:22s}{''.join(cells)}{beside}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", choices=(*BUNDLED, *FROM_FILES))
    told = parser.parse_args()
    models = known()
    names = [told.only] if told.only else [*BUNDLED, *(FROM_FILES if told.data else ())]
    folds = RepeatedStratifiedKFold(n_splits=told.folds, n_repeats=2, random_state=told.seed)
    print(f"{'accuracy, time to fit':22s}" + "".join(f"{name:>19s}" for name in models) + "  Espalier - better")
    for name in names:
        print(row_of(name, read(name, told.data), models, folds), flush=True)


if __name__ == "__main__":
    main()
