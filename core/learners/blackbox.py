"""Models that nobody can read, to hold trees against."""

from __future__ import annotations

from sklearn.ensemble import RandomForestClassifier

N_TREES = 500


def random_forest(seed: int, n_trees: int = N_TREES) -> RandomForestClassifier:
    """scikit-learn's random forest with its own defaults but for the number of trees; not yet grown."""
    return RandomForestClassifier(n_trees, random_state=seed)
