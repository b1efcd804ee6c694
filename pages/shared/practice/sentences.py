"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import Texts

KINDS = Texts(
    {
        "impurity": "Impurity of a node",
        "gain": "Gain of a split",
        "split": "The split that wins",
        "node": "What a leaf answers",
        "route": "Path of a row",
        "region": "Part of the plane",
        "surface": "Surface of a tree",
        "drawing": "Tree of a surface",
        "pruning": "Pruning",
        "errors": "Fewest errors",
        "surrogate": "Surrogate split",
        "votes": "Votes of a forest",
        "variance": "Variance of a mean",
    }
)
