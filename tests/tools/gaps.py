"""Values that are removed at random, for tests of tables with gaps."""

import numpy as np


def removed(X: np.ndarray, share: float, seed: int) -> np.ndarray:
    """X (n_samples, n_features) without about this share of its values; a greater share removes these and more."""
    drawn = np.random.default_rng((seed, 1)).random(X.shape)
    return np.where(drawn < share, np.nan, X)
