"""A search for settings of CART beside scikit-learn's: what it costs, what it chooses, and how good that is.

    python -m benchmarks.tuning.halving [--data DIR] [--folds N] [--only TABLE]

The ten tables of `oblique.py`, those of DIR among them. On the rows outside of each outer fold all search the same
45 combinations of depth, rows in a leaf and price of a leaf, by accuracy on five inner folds: `GridSearchCV` tries
each on all rows, `HalvingGridSearchCV` and Espalier by successive halving over rows with the factor 3. What each
chose is fitted to all these rows and scored on the outer fold. Leaves are those of the fitted tree; seconds are
processor time of a search without the outer scores. “1 SE” is Espalier's simplest within one standard error.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  # scikit-learn asks for it
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.oblique import BUNDLED, FROM_FILES, CodedTable, read
from espalier.analysis import TuningPlan, TuningRun, tune
from espalier.data import make_dataset
from espalier.data.dataset import Dataset, Feature
from espalier.learners.catalogue import CommonTerms, Model

GRID = {"depth": (2, 3, 4, 6, 10), "leaf": (20, 5, 1), "alpha": (0.01, 0.001, 0.0)}
NAMES = {"depth": "max_depth", "leaf": "min_samples_leaf", "alpha": "ccp_alpha"}  # in scikit-learn
SEED = 20261123


class Found(NamedTuple):
    """What a search gave on one outer fold."""

    seconds: float  # processor time
    inner: float  # its own score of what it chose
    outer: float  # accuracy on the outer fold
    leaves: int


Searches = Callable[[CodedTable, np.ndarray, np.ndarray], dict[str, Found]]


def of_sklearn(name: str, make: Callable[..., Any]) -> Searches:
    """Return a search of scikit-learn."""

    def search(table: CodedTable, train: np.ndarray, test: np.ndarray) -> dict[str, Found]:
        grid = {NAMES[key]: values for key, values in GRID.items()}
        folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
        begun = time.process_time()
        found = make(DecisionTreeClassifier(random_state=0), grid, cv=folds).fit(table.X[train], table.y[train])
        seconds = time.process_time() - begun
        outer, tree = found.score(table.X[test], table.y[test]), found.best_estimator_
        return {name: Found(seconds, float(found.best_score_), float(outer), tree.get_n_leaves())}

    return search


def of_espalier(table: CodedTable, train: np.ndarray, test: np.ndarray) -> dict[str, Found]:
    """Return what one search gives by both of its rules."""
    data = dataset_of(table)
    run = TuningRun(Model("cart"), data, TuningPlan(n_outer=0), train, GRID)
    begun = time.process_time()
    found = tune(run)
    seconds = time.process_time() - begun
    assert found is not None
    trials = {"Espalier": found.best(), "Espalier, 1 SE": found.simplest()}
    scored = {}
    for name, trial in trials.items():
        model = trial.model.make(CommonTerms.of(data)).fit(table.X[train], table.y[train])
        outer = float(model.score(table.X[test], table.y[test]))
        scored[name] = Found(seconds, trial.mean, outer, model.tree_.n_leaves)
    return scored


def dataset_of(table: CodedTable) -> Dataset:
    """Return the table as a data set."""
    features = tuple(Feature(f"x{i}") for i in range(table.X.shape[1]))
    target = Feature("class", "category", tuple(str(k) for k in np.unique(table.y)))
    return make_dataset("table", table.X.astype(np.float64), features, table.y.astype(np.int64), target)


SEARCHES: tuple[Searches, ...] = (
    of_sklearn("grid", GridSearchCV),
    of_sklearn("halving", lambda *args, **terms: HalvingGridSearchCV(*args, random_state=SEED, **terms)),
    of_espalier,
)


def results(table: CodedTable, n_folds: int) -> dict[str, list[Found]]:
    """Return what each search gave on every outer fold."""
    folds, found = StratifiedKFold(n_folds, shuffle=True, random_state=SEED), dict[str, list[Found]]()
    for train, test in folds.split(table.X, table.y):
        for search in SEARCHES:
            for name, one in search(table, train, test).items():
                found.setdefault(name, []).append(one)
    return found


def line(name: str, found: dict[str, list[Found]]) -> str:
    """Return the row of a table as Markdown: for each search seconds, own and outer accuracy, and leaves."""
    means = {rival: np.mean([tuple(one) for one in each], axis=0) for rival, each in found.items()}
    cells = [f"{s:.2f} s, {inner:.3f} → {outer:.3f}, {leaves:.0f}" for s, inner, outer, leaves in means.values()]
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", choices=(*BUNDLED, *FROM_FILES))
    told = parser.parse_args()
    names = [told.only] if told.only else [*BUNDLED, *(FROM_FILES if told.data else ())]
    every: dict[str, list[Found]] = {}
    for name in names:
        found = results(read(name, told.data), told.folds)
        print(line(name, found), flush=True)
        for rival, each in found.items():
            every.setdefault(rival, []).extend(each)
    print(line("mean", every))
    print("columns:", ", ".join(every))


if __name__ == "__main__":
    main()
