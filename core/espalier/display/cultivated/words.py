"""The basis of a cultivated tree's prediction in words: the path to a leaf, module by module.

`display.cultivated.modules` describes each decision. Here shares come first, since they matter most for reasons
of a prediction: "52 %: petal width ≲ 0.8; 48 %: petal length ≲ 2.45".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.cultivated.modules import decision_words, listed, of_node
from espalier.display.text.answers import class_words
from espalier.display.theme import SURE_DIGITS, number, percent
from espalier.language import say
from espalier.tree.modules import CultivatedAnswer
from espalier.trees import CultivatedTree, path_to


class ModuleStep(NamedTuple):
    """One module on the path to a node."""

    node: int  # the node that it splits
    child: int  # the next node on the path
    words: str


def way(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> list[ModuleStep]:
    """Return the modules from the root down to `node`, each as the condition of the path's side.

    Empty for the root.

    `missing` is (n_features,) bool: features for which the words give the part of a missing value that takes the
    path. Of more than `most` options in a module, those with the largest shares are named, and the number of the
    others.
    """
    steps = itertools.pairwise(path_to(tree, node))
    return [
        ModuleStep(up, down, module(tree, features, up, bool(tree.left[up] == down), missing, most))
        for up, down in steps
    ]


def module(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> str:
    """Return the module of `node` as the condition of its left (right) side.

    `missing` and `most` are as in `way`.
    """
    return "; ".join(options(tree, features, node, left, missing, most))


def options(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> list[str]:
    """Return the options of a module one by one, as in `module`: the best one first, then by their shares."""
    shares = tree.decisions.share
    order = listed(tree, node, len(of_node(tree, node)))
    named = order if most is None or len(order) <= most + 1 else order[:most]
    parts = [_option(tree, features, d, left, missing) for d in named]
    if len(order) == 1:
        return parts
    parts = [f"{about(float(shares[d]))}: {text}" for d, text in zip(named, parts, strict=True)]
    rest = float(shares[order[len(named) :]].sum())
    if len(named) < len(order):
        parts.append(say("{share}: {n} more", share=about(rest), n=len(order) - len(named)))
    return parts


def _option(
    tree: CultivatedTree, features: Sequence[Feature], d: int, left: bool, missing: np.ndarray | None
) -> str:
    text = decision_words(tree, features, d, left)
    if missing is None or not missing[tree.decisions.feature[d]]:
        return text
    part = float(tree.decisions.missing_left[d])
    return say("{test} (of what is missing, {share})", test=text, share=about(part if left else 1 - part))


def about(share: float) -> str:
    """Return a share in whole percent, with more digits if it would read as 0 % or 100 %."""
    return percent(round(share, 2) if 0.01 <= share < 0.995 else share)


def in_a_sentence(answer: CultivatedAnswer, target: Feature) -> str:
    """Return the answer and its spread: "versicolor: 0.62 ± 0.18, over 14 leaves", "151 ± 12, over 14 leaves"."""
    value, spread, name = shown(answer, target)
    n = len(answer.leaves)
    name = name and class_words(target, answer.mean, str)
    text = f"{name + ': ' if name else ''}{_plain(value, spread)} ± {_plain(spread, spread)}"
    return say("{answer}, over {n} leaf" if n == 1 else "{answer}, over {n} leaves", answer=text, n=n)


def shown(answer: CultivatedAnswer, target: Feature) -> tuple[float, float, str]:
    """Return the greatest share or the mean, its spread, and the class's name or "".

    With more than two classes, the spread is of that class's share alone; with two, it is the prediction's.
    """
    if not target.categories:
        return float(answer.mean[0]), answer.spread, ""
    best = int(np.argmax(answer.mean))
    return float(answer.mean[best]), share_spread(answer, best), target.categories[best]


def share_spread(answer: CultivatedAnswer, k: int) -> float:
    """Return the standard deviation of output k over the answer's leaves, by fractions."""
    return float(answer.spreads[k])


def _plain(x: float, spread: float) -> str:
    """Return x with as many decimal places as two digits of the spread need."""
    if spread <= 0:
        return number(x)
    places = max(1 - int(np.floor(np.log10(spread))), 0)
    return number(round(x, places), SURE_DIGITS)
