"""A mixture of forests from crisp to soft, weighted by rows that their trees did not see.

It was written down before it was run on the paper's tables, and was run on them once. Its four parts are the two
switches of Nalenz & Augustin (2021, section 4): whether a threshold has a neighbourhood, and whether a node has
several options. Whoever does not know which of them a table needs grows all four.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls
from sklearn.base import BaseEstimator, ClassifierMixin

from espalier.learners import CultivatedForestClassifier

# A node with one option sees as few features as one of a random forest, or all nodes would choose alike; a tree
# whose nodes have several is an ensemble by itself, so that fewer are enough.
PARTS = {
    "neither": {"robust_splits": False, "options": False, "max_features": "sqrt", "n_estimators": 100},
    "neighbourhoods": {"options": False, "max_features": "sqrt", "n_estimators": 100},
    "options": {"robust_splits": False, "n_estimators": 25},
    "both": {"n_estimators": 25},
}


class Mixture(ClassifierMixin, BaseEstimator):
    """The weighted mean of four forests of cultivated trees, for two classes.

    The weights are halfway between equal ones and those that give the least squared error of the predictions for
    rows out of the bag (Breiman 1996, Stacked regressions): a table of 50 rows says little about the best ones.

    Parameters
    ----------
    random_state : seed
    """

    def __init__(self, random_state: int | None = None):
        self.random_state = random_state

    def fit(self, X, y):
        self.forests_ = [self._part(habit).fit(X, y) for habit in PARTS.values()]
        self.classes_ = self.forests_[0].classes_
        unseen = np.column_stack([forest.oob_decision_function_[:, 1] for forest in self.forests_])
        self.weights_ = (stacked(unseen, y == self.classes_[1]) + 1 / len(PARTS)) / 2
        return self

    def predict_proba(self, X) -> np.ndarray:
        return np.tensordot(self.weights_, [forest.predict_proba(X) for forest in self.forests_], axes=1)

    def predict(self, X) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _part(self, habit: dict) -> CultivatedForestClassifier:
        forest = CultivatedForestClassifier(bootstrap=True, oob_score=True)
        return forest.set_params(random_state=self.random_state, **habit)


def stacked(shares: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return weights (n_parts,) with sum 1 of the mean of `shares` (n_rows, n_parts) nearest to `truth`.

    Rows that some part did not predict (nan) are left out.

    >>> stacked(np.array([[1.0, 0.5], [0.0, 0.5], [1.0, 0.5]]), np.array([True, False, True])).round(3)
    array([1., 0.])
    """
    known = np.isfinite(shares).all(axis=1)
    sum_to_one = np.full((1, shares.shape[1]), 1e3 * len(shares))  # so heavy that it holds to rounding
    found, _ = nnls(np.vstack([shares[known], sum_to_one]), np.append(truth[known], sum_to_one[0, 0]))
    return found / found.sum()
