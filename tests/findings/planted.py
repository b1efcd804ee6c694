"""Tables with something that misleads, planted in columns of noise; and the same table without it."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from espalier.data import Dataset, Feature, HeldOut, held_out, make_dataset
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import ColumnPlan
from espalier.data.dataset import are_whole
from espalier.data.roles import NO_ROLES

CELLS = {  # of a column of each kind: what stands in the row of this number
    "number": lambda i: float(i * 37 % 101),
    "category": lambda i: ["red", "blue", "green"][i % 3],
    "ordered": lambda i: ["low", "mid", "high"][i % 3],
    "yes/no": lambda i: ["no", "yes"][i % 2],
    "date": lambda i: str(np.datetime64("2021-03-01") + np.timedelta64(i * 37 % 1000, "D")),
    "time of day": lambda i: f"{i % 24}:{i * 7 % 60:02d}",
    "duration": lambda i: f"{1 + i % 50} min",
}
PLANTED = 4  # index of the column that the tables with a planted column have beside `noise`


class Noise(NamedTuple):
    """Measurements of which the first two say something of the class."""

    rng: np.random.Generator
    X: np.ndarray  # (n, 4)
    y: np.ndarray  # (n,) 0 or 1


def noise(seed=0, n=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, PLANTED)).round(4)
    return Noise(rng, X, (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0).astype(int))


def table(X, y, classes=("well", "ill"), roles=NO_ROLES, names=None, weights=None) -> Dataset:
    names = names or [f"x{i}" for i in range(X.shape[1])]
    features = [Feature(name, is_whole=are_whole(X[:, i])) for i, name in enumerate(names)]
    target = Feature("illness", "category", classes) if classes else Feature("days")
    return make_dataset("Patients", X, features, y, target, weights, roles)


def with_column(noise, column, **options) -> Dataset:
    return table(np.column_stack([noise.X, column]), noise.y, **options)


def with_more_rows(noise, X, rows) -> Dataset:
    """The table with other rows (X) below, of the classes of these rows."""
    return table(np.vstack([noise.X, X]), np.r_[noise.y, noise.y[rows]])


def some_held(n=300, percent=30):
    return held_out(table(np.zeros((n, 1)), np.arange(n) % 2), HeldOut(percent))


def known_after(kind, n=200):
    """A table whose column "ended" is known of the rows of one class only."""
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=n)
    cells = [CELLS[kind](i) if y[i] else None for i in range(n)]
    frame = pd.DataFrame({"age": rng.normal(50, 9, n).round(3), "pulse": rng.normal(70, 9, n).round(3)})
    frame["ended"] = pd.Series(cells, dtype="float64" if kind == "number" else "str")
    return frame.assign(class_=pd.Series([f"c{k}" for k in y], dtype="str"))


def planned(frame, kind, name="ended"):
    plans: Any = {"class_": "category", name: kind}
    return to_dataset(frame, [ColumnPlan(one, plans.get(one, "number")) for one in frame], "class_", "T")[0]
