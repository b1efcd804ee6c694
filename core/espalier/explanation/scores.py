"""The scores of a tree or forest, which explanations take apart: sums of what each tree answers.

Of a boosted forest these are its scores before the link (log odds, logarithms), of other models its predictions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.predict import votes_at_nodes
from espalier.trees import Forest, Tree


class ScoreTrees(NamedTuple):
    """Trees whose answers add up to a model's scores."""

    trees: tuple[Tree, ...]
    values: tuple[np.ndarray, ...]  # of each tree, (n_nodes, n_outputs)
    start: np.ndarray  # (n_outputs,) float64: what is added to them
    link: str  # what makes predictions of the scores, of `espalier.trees.LINKS`


def can_explain(model: Any) -> bool:
    """Return whether in a tree, or each tree of a forest, a row is in one leaf, which has one answer.

    Others (cultivated and oblique trees, models in leaves) have no exact Shapley values here.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier, CultivatedClassifier
    >>> iris = samples.load("iris")
    >>> kinds = CartClassifier(max_depth=2), CultivatedClassifier(max_depth=2)
    >>> [can_explain(kind.fit(iris.X, iris.y).tree_) for kind in kinds]
    [True, False]
    """
    trees = model.trees if isinstance(model, Forest) else (model,)
    return all(isinstance(tree, Tree) for tree in trees)


def scores_of(model: Tree | Forest) -> ScoreTrees:
    """Return the trees of a model with the values that add up to its scores; ValueError for other records."""
    if not can_explain(model):
        raise ValueError(
            "this explanation needs trees in which a row is in one leaf, and each leaf has one answer: CART, "
            "optimal and approximation trees, and their forests. A cultivated, oblique or model tree is none"
        )
    if isinstance(model, Tree):
        return ScoreTrees((model,), (model.value,), np.zeros(model.value.shape[1]), "identity")
    trees: Any = model.trees
    weights = zip(trees, model.weight, strict=True)
    values = tuple(weight * votes_at_nodes(tree, model.combine) for tree, weight in weights)
    return ScoreTrees(trees, values, model.start, model.link)
