"""Tables that are hard: few rows of a class, or values that are missing."""

import numpy as np

from espalier.data.dataset import Dataset, Feature, make_dataset


def loans(n: int = 400, seed: int = 0) -> Dataset:
    """`n` rows, one in ten of class "default": no question tells who will not pay, but their debts are greater."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 10 == 0).astype(np.int64)
    X = np.column_stack([rng.normal(size=n) + 0.8 * y, rng.normal(size=n)])
    features = (Feature("debts", "number"), Feature("age", "number"))
    return make_dataset("loans", X, features, y, Feature("loan", "category", ("repaid", "default")))


def removed(X: np.ndarray, share: float, seed: int) -> np.ndarray:
    """X (n_samples, n_features) without about this share of its values; a greater share removes these and more."""
    drawn = np.random.default_rng((seed, 1)).random(X.shape)
    return np.where(drawn < share, np.nan, X)
