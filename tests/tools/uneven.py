"""A table of loans, 90 of 100 of them repaid: no question tells who will not pay, but one tells something."""

import numpy as np

from espalier.data.dataset import Dataset, Feature, make_dataset


def loans(n: int = 400, seed: int = 0) -> Dataset:
    """`n` rows, one in ten of class "default", whose debts are greater on average."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 10 == 0).astype(np.int64)
    X = np.column_stack([rng.normal(size=n) + 0.8 * y, rng.normal(size=n)])
    features = (Feature("debts", "number"), Feature("age", "number"))
    return make_dataset("loans", X, features, y, Feature("loan", "category", ("repaid", "default")))
