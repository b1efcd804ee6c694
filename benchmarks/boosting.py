"""Gradient boosting beside scikit-learn's histogram gradient boosting: time to fit, and the loss on unseen rows.

    python benchmarks/boosting.py [--only TABLE] [--rounds N] [--threads N]

Both grow 100 rounds of trees of 31 leaves with the same parameters, and take turns. Times are medians of wall
time; the ratio is above 1 where Espalier is faster. The loss is the log loss or the squared error on as many rows
that neither has seen. With one or two scores Espalier grows in one thread, whatever number it may use.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss, mean_squared_error
from threadpoolctl import threadpool_limits

from espalier.learners import GradientBoostingClassifier, GradientBoostingRegressor

ROUNDS = 100  # of boosting


class BoostingTable(NamedTuple):
    """A table; the second half is held out."""

    X: np.ndarray
    y: np.ndarray
    is_classification: bool

    @property
    def half(self) -> int:
        return len(self.y) // 2


def numbers(n: int) -> BoostingTable:
    made: Any = make_regression(2 * n, 20, n_informative=10, noise=10, random_state=0)
    X, y = made
    return BoostingTable(np.asfortranarray(X), y, False)


def classes(n: int, n_classes: int) -> BoostingTable:
    made: Any = make_classification(2 * n, 20, n_informative=8, n_classes=n_classes, flip_y=0.05, random_state=0)
    X, y = made
    return BoostingTable(np.asfortranarray(X), y, True)


TABLES: dict[str, Callable[[], BoostingTable]] = {
    **{f"two classes, {n:,} rows": lambda n=n: classes(n, 2) for n in (1000, 10_000, 100_000)},
    **{f"numbers, {n:,} rows": lambda n=n: numbers(n) for n in (1000, 10_000, 100_000)},
    "five classes, 10,000 rows": lambda: classes(10_000, 5),
}


def ours(table: BoostingTable, threads: int) -> Any:
    learner = GradientBoostingClassifier if table.is_classification else GradientBoostingRegressor
    return learner(n_estimators=ROUNDS, n_jobs=threads)


def theirs(table: BoostingTable) -> Any:
    learner: Any = HistGradientBoostingClassifier if table.is_classification else HistGradientBoostingRegressor
    return learner(max_iter=ROUNDS, early_stopping=False)


def seconds(model: Any, table: BoostingTable) -> float:
    start = time.perf_counter()
    model.fit(table.X[: table.half], table.y[: table.half])
    return time.perf_counter() - start


def loss(model: Any, table: BoostingTable) -> float:
    X, y = table.X[table.half :], table.y[table.half :]
    if table.is_classification:
        return float(log_loss(y, model.predict_proba(X)))
    return float(mean_squared_error(y, model.predict(X)))


def compare(name: str, rounds: int, threads: int) -> None:
    table = TABLES[name]()
    rivals = [ours(table, threads), theirs(table)]
    seconds(rivals[0], BoostingTable(table.X[:400], table.y[:400], table.is_classification))  # compiles
    taken = [[seconds(rival, table) for rival in rivals] for _ in range(rounds)]
    medians = [statistics.median(turn[i] for turn in taken) for i in range(2)]
    losses = [loss(rival, table) for rival in rivals]
    print(
        f"{name:<28}{1000 * medians[0]:>10.0f}{1000 * medians[1]:>14.0f}{medians[1] / medians[0]:>8.2f}"
        f"{losses[0]:>14.5g}{losses[1]:>14.5g}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tables whose name contains this")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(
        f"{'milliseconds':<28}{'espalier':>10}{'scikit-learn':>14}{'ratio':>8}{'our loss':>14}{'their loss':>14}"
    )
    with threadpool_limits(options.threads):
        for name in TABLES:
            if options.only in name:
                compare(name, options.rounds, options.threads)


if __name__ == "__main__":
    main()
