"""Small tables, drawn from a seed with the options that they are to have."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.brute_force.options import CLASSES
from espalier.learners import OptimalClassifier, OptimalRegressor

MOST_CELLS = 64  # of the grid of all columns, where functions are told apart
LARGE = 1e9  # what targets far from zero are near


class Case(NamedTuple):
    """A table and what a learner is to do with it."""

    learner: str
    options: frozenset[str]
    seed: int
    X: np.ndarray  # (n, p) float64: categories as codes, nan where missing
    y: np.ndarray  # (n,) class numbers, or numbers
    weight: np.ndarray | None  # (n,)
    ordered: list[int]  # columns of ordered categories: X is given as a DataFrame
    parameters: dict[str, Any]
    slack: float = 0.0  # of trees as good as the best

    @property
    def depth(self) -> int:
        """Most splits on a path."""
        return int(self.parameters["max_depth"])

    def model(self) -> OptimalClassifier | OptimalRegressor:
        """Return the estimator, not fitted."""
        return (OptimalClassifier if self.learner == CLASSES else OptimalRegressor)(**self.parameters)

    def table(self) -> np.ndarray | pd.DataFrame:
        """Return X as the learner gets it."""
        if not self.ordered:
            return self.X
        frame = pd.DataFrame(self.X, columns=[f"x{j}" for j in range(self.X.shape[1])])
        for j in self.ordered:
            levels = [f"level {code}" for code in range(int(np.nanmax(self.X[:, j])) + 1)]
            codes = np.where(np.isnan(self.X[:, j]), -1, self.X[:, j]).astype(int)
            frame[f"x{j}"] = pd.Categorical.from_codes(codes.tolist(), levels, ordered=True)
        return frame

    def as_code(self) -> str:
        """Return statements that fit the model to the table."""
        nan = {"nan": "np.nan"}
        X = str(self.X.tolist()).replace("nan", nan["nan"])
        lines = [
            f"# {self.learner}, seed {self.seed}: {', '.join(sorted(self.options))}",
            f"X = np.array({X})",
            f"y = np.array({self.y.tolist()})",
            f"model = {self.learner}(**{self.parameters!r})",
        ]
        if self.ordered:
            lines[1] += f"  # as a DataFrame, with ordered categories in the columns {self.ordered}"
        given = "" if self.weight is None else f", sample_weight={self.weight.tolist()}"
        return "\n".join([*lines, f"model.fit(X, y{given})  # slack {self.slack}"])


def draw(learner: str, options: frozenset[str], seed: int) -> Case:
    """Return the table of a seed that has these options."""
    rng = np.random.default_rng([seed, zlib.crc32(",".join(sorted(options)).encode())])
    depth = next(d for d in (1, 2, 3, 4) if f"depth {d}" in options)
    is_heavy = bool(options & {"directions", "list of functions", "count of trees"})
    most = ({1: 20, 2: 20, 3: 13, 4: 11} if is_heavy else {1: 20, 2: 20, 3: 18, 4: 13})[depth]
    n = int(rng.integers(8, most + 1))
    X, kinds = _columns(rng, n, depth, options, is_heavy)
    y = _classes(rng, X, options) if learner == CLASSES else _numbers(rng, X, options)
    if "rows that repeat" in options:
        again = rng.integers(0, (n + 1) // 2, n)
        again[: n // 2] = np.arange(n // 2)
        X = X[again]
    if "missing values" in options:
        holes = rng.random(X.shape) < rng.choice([0.1, 0.25])
        holes[:, rng.random(X.shape[1]) < 0.3] = False
        holes[rng.integers(n), rng.integers(X.shape[1])] = True
        holes[:2] = False
        X[holes] = np.nan
    weight = _weight(rng, n, options)
    parameters = _parameters(rng, learner, options, X, kinds, depth)
    slack = float(rng.choice([0, 0, 1, 2, 0.5])) if "count of trees" in options or is_heavy else 0.0
    ordered = [j for j, kind in enumerate(kinds) if kind == "ordered"]
    return Case(learner, options, seed, X, y, weight, ordered, parameters, slack)


def _columns(rng, n, depth, options, is_heavy) -> tuple[np.ndarray, list[str]]:
    """Return columns of numbers, after one of categories where these are wanted."""
    names = {"ordered categories": "ordered", "one category": "single", "sets of categories": "set"}
    kinds = [kind for name, kind in names.items() if name in options]
    kinds += ["number"] * int(rng.integers(1, 4 if depth < 3 and not is_heavy else 3))
    if "forbidden columns" in options:
        kinds.append("number")
    columns, cells = [], 1
    for at, kind in enumerate(kinds):
        levels = _n_levels(rng, n, kind, options, is_heavy, is_first=at == 0)
        more = 1 + (kind in ("single", "set"))  # a missing value, and a category that no row has
        room = MOST_CELLS // cells - more
        if is_heavy and levels > room:
            if at and room < 2:
                break
            levels = max(room, 2)
        cells *= levels + more
        if kind == "number" and levels >= n:
            column = rng.permutation(n).astype(float)
        else:
            column = rng.integers(0, levels, n).astype(float)
        column[:2] = 0, levels - 1  # no column is constant
        columns.append(column + 0.5 * (kind == "number" and rng.random() < 0.2))
    order = rng.permutation(len(columns))
    return np.column_stack([columns[j] for j in order]), [kinds[j] for j in order]


def _n_levels(rng, n, kind, options, is_heavy, is_first) -> int:
    if kind == "set":
        return int(rng.integers(4, 6 if is_heavy else 7))
    if kind != "number":
        return int(rng.integers(2, 6))
    if "few levels" in options:
        return int(rng.integers(2, 4))
    if "many levels" in options and (is_first or not is_heavy):
        return n
    return int(rng.integers(2, 5 if is_heavy else 7))


def _classes(rng, X, options) -> np.ndarray:
    k = 3 if "three classes" in options else 2
    if rng.random() < 0.2:
        y = rng.integers(0, k, len(X))
    else:
        y = np.where(rng.random(len(X)) < 0.2, rng.integers(0, k, len(X)), _steps(rng, X) % k)
    y[rng.permutation(len(X))[:k]] = np.arange(k)
    return y.astype(np.int64)


def _numbers(rng, X, options) -> np.ndarray:
    y = _steps(rng, X) * rng.integers(1, 5) + rng.integers(0, 3, len(X))
    y = y.astype(float) if rng.random() < 0.7 else (y + rng.normal(size=len(X))).round(int(rng.integers(1, 4)))
    if "target far from zero" in options:
        y = rng.choice([-1, 1]) * LARGE + y * rng.choice([1.0, 0.001])
    return y


def _steps(rng, X) -> np.ndarray:
    """Return whole numbers by the places of two columns."""
    places = [
        np.digitize(column, np.sort(rng.choice(column, 2))) for column in X.T[rng.integers(0, X.shape[1], 2)]
    ]
    return rng.integers(0, 6, (3, 3))[places[0], places[1]]


def _weight(rng, n, options) -> np.ndarray | None:
    weight = None
    if "whole weights" in options:
        weight = rng.integers(1, 5, n).astype(float)
    elif "weights with a measure" in options:
        weight = rng.integers(1, 7, n) * float(rng.choice([0.25, 0.1, 1 / 3]))
    elif "odd weights" in options:
        weight = rng.uniform(0.2, 3.0, n)
    if "rows of no weight" in options:
        weight = np.ones(n) if weight is None else weight
        weight[rng.permutation(n)[: max(n // 6, 1)]] = 0.0
    return weight


def _parameters(rng, learner, options, X, kinds, depth) -> dict[str, Any]:
    every = {"every threshold": None, "a few thresholds": int(rng.integers(1, 4)), "thresholds by size": "auto"}
    chosen: dict[str, Any] = {"max_depth": depth}
    chosen["max_thresholds"] = next(value for name, value in every.items() if name in options)
    categories = [j for j, kind in enumerate(kinds) if kind in ("single", "set")]
    if categories:
        chosen["categorical_features"] = categories
    if "little memory" in options:
        chosen["max_memory"] = 0.0005
    if "two threads" in options:
        chosen["n_jobs"] = 2
    if "few splits" in options:
        least = int(depth > 1 or "forced splits" in options)
        chosen["max_splits"] = int(rng.integers(least, max(2**depth - 1, 2)))
    if "any number of splits" in options:
        chosen["fewest_splits"] = False
    if "forbidden columns" in options:
        n = int(rng.integers(1, max(len(kinds), 2)))
        chosen["forbidden_features"] = sorted(rng.permutation(len(kinds))[:n].tolist())
    if learner == CLASSES:
        return chosen | _of_classes(rng, options, X, kinds, chosen)
    if "least rows of leaves" in options:
        chosen["min_samples_leaf"] = int(rng.integers(2, 5))
    elif "least share of leaves" in options:
        chosen["min_samples_leaf"] = float(rng.choice([0.12, 0.2, 0.3]))
    return chosen


def _of_classes(rng, options, X, kinds, chosen) -> dict[str, Any]:
    found: dict[str, Any] = {}
    k = 3 if "three classes" in options else 2
    if any(kind in ("single", "set") for kind in kinds):
        found["categories"] = "subset" if "set" in kinds else "one-vs-rest"
    if "least weight of leaves" in options:
        found["min_weight_fraction_leaf"] = float(rng.choice([0.1, 0.15, 0.2, 0.25, 0.3]))
    if "costs" in options:
        cost = rng.integers(int(rng.random() > 0.1), 5, (k, k)) * float(rng.choice([1, 1, 0.5]))
        cost = cost * rng.uniform(0.5, 2, (k, k)) if rng.random() < 0.15 else cost
        found["misclassification_cost"] = np.where(np.eye(k), 0.0, np.maximum(cost, cost.max() == 0)).tolist()
    if "class weights" in options:
        found["class_weight"] = dict(enumerate(rng.choice([0.5, 1.0, 2.0, 3.0], k).tolist()))
    elif "balanced classes" in options:
        found["class_weight"] = "balanced"
    if "directions" in options:
        may = [kind in ("number", "ordered") for kind in kinds]
        directions = np.where(may, rng.integers(-1, 2, len(kinds)), 0)
        at = int(rng.choice(np.flatnonzero(may)))
        directions[at] = directions[at] or rng.choice([-1, 1])
        found["monotonic_cst"] = directions.tolist()
    if "forced splits" in options:
        room = min(chosen.get("max_splits", 7), chosen["max_depth"], 1 + int(rng.integers(0, 3)))
        paths = ["", str(rng.choice(["L", "R"])), ""]
        paths[2] = {"L": "R", "R": "L"}[paths[1]] if rng.random() < 0.5 else paths[1] + str(rng.choice(["L", "R"]))
        paths = [path for path in paths[: max(room, 1)] if len(path) < chosen["max_depth"]]
        found["forced_splits"] = {path: _forced(rng, X, kinds) for path in paths}
    return found


def _forced(rng, X, kinds) -> tuple[int, Any]:
    j = int(rng.integers(len(kinds)))
    known = np.unique(X[~np.isnan(X[:, j]), j])
    if kinds[j] in ("single", "set"):
        return j, sorted(rng.permutation(known)[: max(len(known) // 2, 1)].astype(int).tolist())
    at = int(rng.integers(max(len(known) - 1, 1)))
    return j, float(known[at] + rng.choice([0.0, 0.25, 0.5]))
