"""The smallest change that alters a forest's answer beside the package treecf: processor time, and what is proved.

    python benchmarks/explanation/counterfactuals.py [--trees N] [--depth N] [--columns N] [--rows N] [--seconds N]

Both search the same random forest of scikit-learn (two classes of numbers, 3,000 rows to fit) for the change of
the fewest columns and, of those, the nearest, in parts of the columns' ranges; both may go anywhere between the
least and the greatest value that the table has. Espalier reads the forest once, treecf makes its explainer once;
the times are of one row each. Needs treecf; without it Espalier is measured alone.
"""

from __future__ import annotations

import argparse
import importlib
import math
import statistics
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import espalier
from espalier.data.dataset import Dataset, Feature, make_dataset
from espalier.predict import shares, winner
from espalier.reliability.changeable import ChangeAim, other_class
from espalier.reliability.counterfactuals import change_search, seek

FITTED = 3_000


class Found(NamedTuple):
    """What a search found of one row."""

    seconds: float  # of the processor
    is_proved: bool
    n_columns: int  # that change; 0 if no change does it
    cost: float  # sum of the changes, in ranges


def table(columns: int) -> Dataset:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(FITTED, columns)).astype(np.float32).astype(np.float64)
    score = (
        X[:, 0] * X[:, 1] + X[:, 2] + np.sin(2 * X[:, 3]) + 0.5 * X[:, 4] * X[:, 5] + rng.normal(size=FITTED) / 3
    )
    features = tuple(Feature(f"x{i}") for i in range(columns))
    return make_dataset("made up", X, features, score > 0, Feature("y", "category", ("no", "yes")))


def ours(model: Any, data: Dataset, x: np.ndarray, seconds: float) -> Found:
    forest = model.forest_
    start = time.process_time()
    now = shares(forest, x[np.newaxis])[0]
    answer = winner(now, forest.prior)
    search = change_search(data, forest, x, (lambda X: shares(forest, X), other_class(answer, forest.prior)))
    best = seek(search, forest, now, answer, aim=ChangeAim(steps=10**9, seconds=seconds))
    taken = time.process_time() - start
    values = best.values or ()
    spans = np.ptp(data.X, axis=0)
    return Found(taken, best.is_certain, len(values), math.fsum(abs(v - x[f]) / spans[f] for f, v in values))


def theirs(explainer: Any, package: Any, data: Dataset, x: np.ndarray, model: Any, seconds: float) -> Found:
    wanted = 1 - int(model.predict(x[np.newaxis])[0])
    ends = (0.5 + 1e-9, 1.0) if wanted else (0.0, 0.5 - 1e-9)
    start = time.process_time()
    found = explainer.explain(
        x, package.Target.raw(range=ends), backend="exact", time_budget_s=seconds,
        sparsity_weight=float(len(x)), node_budget=10**9, seed=0,
    )  # fmt: skip
    taken, spans = time.process_time() - start, np.ptp(data.X, axis=0)
    if not hasattr(found, "x_cf"):
        return Found(taken, found.proof == "certified", 0, 0.0)
    moved = np.abs(np.asarray(found.x_cf) - x) / spans
    return Found(taken, found.proof == "optimal", int((moved > 0).sum()), float(moved.sum()))


def rival(model: Any, data: Dataset) -> tuple[Any, Any] | None:
    try:
        package = importlib.import_module("treecf")
    except ImportError:
        return None
    names = [f"f{i}" for i in range(data.X.shape[1])]
    ranges = [package.Range(n, lo=float(c.min()), hi=float(c.max())) for n, c in zip(names, data.X.T, strict=True)]
    spans = np.ptp(data.X, axis=0)
    return package, package.Explainer(model, background=data.X, constraints=ranges, normalizers=spans)


def say(name: str, found: list[Found]) -> None:
    taken = sorted(one.seconds for one in found)
    print(
        f"{name:9} median {statistics.median(taken):7.4f} s, slowest {taken[-1]:7.3f} s, "
        f"proved {sum(one.is_proved for one in found)} of {len(found)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"trees": 100, "depth": 6, "columns": 8, "rows": 20}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=float, default=10.0, help="given to a search")
    options = parser.parse_args()
    data = table(options.columns)
    model = RandomForestClassifier(options.trees, max_depth=options.depth, random_state=0).fit(data.X, data.y)
    read, other = espalier.read_model(model), rival(model, data)
    rows = np.random.default_rng(0).choice(len(data.y), options.rows, replace=False)
    ours(read, data, data.X[0], 60.0)
    found, there = [], []
    for row in rows:
        found.append(ours(read, data, data.X[row], options.seconds))
        if other is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                there.append(theirs(other[1], other[0], data, data.X[row], model, options.seconds))
    say("espalier", found)
    if there:
        say("treecf", there)
        both = [(a, b) for a, b in zip(found, there, strict=True) if a.is_proved and b.is_proved]
        same = sum(a.n_columns == b.n_columns and abs(a.cost - b.cost) < 1e-5 for a, b in both)
        ratio = statistics.median(b.seconds / a.seconds for a, b in zip(found, there, strict=True))
        print(
            f"of {len(both)} rows that both prove {same} have the same change; treecf takes {ratio:.1f} times ours"
        )


if __name__ == "__main__":
    main()
