"""Learners with the manners of scikit-learn estimators; each keeps what it grew as ``tree_``."""

from core.learners.cart import CartClassifier, CartRegressor
from core.learners.cultivated import CultivatedClassifier, CultivatedRegressor

__all__ = ["CartClassifier", "CartRegressor", "CultivatedClassifier", "CultivatedRegressor"]
