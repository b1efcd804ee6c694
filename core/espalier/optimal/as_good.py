"""Words on trees as good as the optimal one: their number, the questions of a card, the choices of a node."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.text.trees import condition, rule
from espalier.display.theme import count, threshold
from espalier.language import say
from espalier.learners.optimal import Proof
from espalier.learners.optimal.rashomon.graph import SizeCount
from espalier.learners.optimal.rashomon.summaries import ThresholdRange
from espalier.optimal.words import SearchGoal, amount, kind_of_tree
from espalier.trees import LEAF, Tree


def trees_words(n: int) -> str:
    """Return a number of trees: "1 tree", "231,542 trees"."""
    return say("{n} tree" if n == 1 else "{n} trees", n=count(n))


def scope_words(proof: Proof, asked: SearchGoal) -> str:
    """Return of which trees those within the slack were counted."""
    return say("Counted exactly; each is a {kind}.", kind=kind_of_tree(proof, asked))


def front_words(sizes: Sequence[SizeCount], counted: bool) -> str:
    """Return what fewer splits cost: "The smallest: 2 splits (3 errors), 1 split (6 errors).".

    `sizes` come in order of objective.
    """
    parts, least = [], math.inf
    for size in sizes:
        if size.n_splits < least:
            least = size.n_splits
            splits = say("{n} split" if least == 1 else "{n} splits", n=count(least))
            parts.append(f"{splits} ({amount(size.objective, counted)})")
    return say("The smallest: {parts}.", parts=", ".join(parts))


def questions_words(tree: Tree, features: Sequence[Feature], ranges: Sequence[ThresholdRange]) -> list[str]:
    """Return the questions of a card in preorder, with the range of each threshold where there are several."""
    splits = np.flatnonzero(tree.feature != LEAF).tolist()
    return [
        _with_range(condition(tree, features, node), features[tree.feature[node]], of_node)
        for node, of_node in zip(splits, ranges, strict=True)
    ]


def _with_range(question: str, feature: Feature, thresholds: ThresholdRange) -> str:
    has_range = thresholds.low < thresholds.high and math.isfinite(thresholds.high)
    if not has_range or feature.moment is not None:
        return question
    ends = threshold(thresholds.low), threshold(thresholds.high)
    return say("{question} (from {low} to {high})", question=question, low=ends[0], high=ends[1])


def way_words(tree: Tree, features: Sequence[Feature], node: int, root: str) -> str:
    """Return the way to a node: the conditions on it, or the name of the root."""
    return ", ".join(rule(tree, features, node)) or root
