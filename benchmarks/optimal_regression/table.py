"""Optimal regression trees: processor seconds of a fit, by the shape of the table, and beside pystreed (C++).

    python -m benchmarks.optimal_regression.table [--depths 2,3] [--seconds 60] [--questions 10] [--repeats 3]

The first table asks about every threshold. The shapes are those of the tables for which the authors of Quant-BnB
(Mazumder, Meng & Wang 2022) tell times at depth 3, on a machine of theirs; the numbers are made here, so that only
the sizes can be compared. "proved" says whether the search came to its end within the seconds.

The second one asks the same yes/no questions of both, so many a column: of Espalier by `max_thresholds`, of
pystreed as columns of zeros and ones. Both take turns, so that a machine whose speed drifts treats them alike;
each is the median over the rounds. A ratio says how many times as long pystreed takes, and "!" that its tree is
not as good.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes

from espalier.data.binarise import answers, quantile_questions
from espalier.learners import OptimalRegressor

try:
    from pystreed import STreeDRegressor
except ImportError:  # python -m pip install pystreed
    STreeDRegressor: Any = None

# Rows and columns, and the seconds that Quant-BnB takes at depth 3, by its authors.
SHAPES = {"concrete": (1030, 8, "51–76"), "gas": (7384, 9, "222–292"), "casp": (36584, 9, "> 600")}
SLOW = 5.0  # seconds of a round after which there is no other


class Table(NamedTuple):
    name: str
    X: np.ndarray  # (n_samples, n_features) float64
    y: np.ndarray  # (n_samples,) float64
    theirs: str = ""  # seconds of Quant-BnB at depth 3 on a table of this shape


def made(name: str, n: int, m: int, theirs: str) -> Table:
    """Return numbers that depend on each other, and a target that depends on four of them and on chance."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, m))
    X = (X + X @ rng.normal(size=(m, m)) / 2).round(3)
    y = np.sin(X[:, 0]) + X[:, 1] * (X[:, 2] > 0) / 2 + 0.3 * X[:, 3] ** 2 + rng.normal(size=n)
    return Table(name, X, y, theirs)


def tables() -> list[Table]:
    bunch: Any = load_diabetes(scaled=False)
    return [Table("diabetes", bunch.data, bunch.target), *(made(name, *shape) for name, shape in SHAPES.items())]


def seconds_of(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def every_threshold(depths: list[int], seconds: float) -> None:
    print("table       rows  columns  depth    seconds  proved  Quant-BnB")
    for table in tables():
        for depth in depths:
            model = OptimalRegressor(max_depth=depth, max_thresholds=None, time_limit=seconds)
            took = seconds_of(lambda model=model, table=table: model.fit(table.X, table.y))
            theirs = table.theirs if depth == 3 else ""
            shape = f"{table.name:9} {len(table.y):6} {table.X.shape[1]:8}"
            print(f"{shape} {depth:6}  {took:9.3f}  {model.proof_.proved!s:6}  {theirs}", flush=True)


def beside_streed(depths: list[int], n_questions: int, repeats: int) -> None:
    print("table      questions  depth  espalier  pystreed  ratio")
    for table in tables()[:3]:
        asked = quantile_questions(table.X, None, np.zeros(table.X.shape[1], bool), n_questions)
        bits = answers(asked, table.X).astype(np.int32)
        for depth in depths:
            took: tuple[list[float], list[float]] = ([], [])
            ours = OptimalRegressor(max_depth=depth, max_thresholds=n_questions)
            theirs = STreeDRegressor(max_depth=depth, cost_complexity=0.0)
            for _ in range(repeats):
                took[0].append(seconds_of(lambda ours=ours, table=table: ours.fit(table.X, table.y)))
                took[1].append(seconds_of(lambda theirs=theirs, bits=bits, y=table.y: theirs.fit(bits, y)))
                if max(took[0][-1], took[1][-1]) > SLOW:
                    break
            own, other = map(statistics.median, took)
            error = float(((theirs.predict(bits) - table.y) ** 2).sum())
            mark = "!" if error > ours.proof_.objective * (1 + 1e-6) else ""
            shown = f"{table.name:10} {bits.shape[1]:9} {depth:6} {own:9.3f} {other:9.3f} {other / own:6.1f}{mark}"
            print(shown, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depths", default="2,3", help="depths, by commas")
    parser.add_argument("--seconds", type=float, default=60, help="limit of each search over every threshold")
    parser.add_argument("--questions", type=int, default=10, help="a column, beside pystreed")
    parser.add_argument("--repeats", type=int, default=3, help="rounds")
    options = parser.parse_args()
    depths = [int(depth) for depth in options.depths.split(",")]
    OptimalRegressor(max_depth=3).fit(np.arange(20.0)[:, None] % 7, np.arange(20.0))  # compiles, or loads
    every_threshold(depths, options.seconds)
    if STreeDRegressor is None:
        print("pystreed is not installed: python -m pip install pystreed")
    else:
        beside_streed(depths, options.questions, options.repeats)


if __name__ == "__main__":
    main()
