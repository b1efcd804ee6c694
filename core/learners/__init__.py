"""Learners with the manners of scikit-learn estimators; each keeps what it grew as ``tree_``."""

from core.learners.cart import CartClassifier, CartRegressor

__all__ = ["CartClassifier", "CartRegressor"]
