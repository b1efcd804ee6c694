"""What an answer of a cultivated tree is based on, in words: the way to a leaf, module by module.

`views.cultivated.modules` says what each decision asks. Here their shares stand in front, since a share is what
counts when one asks why: "52 %: petal width ≲ 0.8; 48 %: petal length ≲ 2.45".
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.cultivated.modules import CultivatedAnswer
from espalier.data.dataset import Feature
from espalier.trees import CultivatedTree, path_to
from espalier.views.cultivated.modules import decision_words, listed, of_node
from espalier.views.theme import number, percent


class ModuleStep(NamedTuple):
    """One module on the way to a node."""

    node: int  # that it splits
    child: int  # where the way goes on
    words: str


def way(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    missing: np.ndarray | None = None,
    most: int | None = None,
) -> list[ModuleStep]:
    """The modules from the root down to `node`, each as it reads on the side of the way; empty for the root.

    `missing` is (n_features,) bool: features for which the words say what part of a missing value comes along.
    Of more than `most` options in a module those with the largest shares are named, and how many there are more.
    """
    steps = itertools.pairwise(path_to(tree, node))
    return [
        ModuleStep(up, down, module(tree, features, up, bool(tree.left[up] == down), (missing, most)))
        for up, down in steps
    ]


def module(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    how: tuple[np.ndarray | None, int | None] = (None, None),
) -> str:
    """The module of `node` as it reads on its left (right) side; `how` is (missing, most), as in `way`."""
    return "; ".join(options(tree, features, node, left, how))


def options(
    tree: CultivatedTree,
    features: Sequence[Feature],
    node: int,
    left: bool = True,
    how: tuple[np.ndarray | None, int | None] = (None, None),
) -> list[str]:
    """The options of a module, the best one first and then by their shares: what `module` says, one by one."""
    missing, most = how
    shares = tree.decisions.share
    order = listed(tree, node, len(of_node(tree, node)))
    told = order if most is None or len(order) <= most + 1 else order[:most]
    parts = [_option(tree, features, d, left, missing) for d in told]
    if len(order) == 1:
        return parts
    parts = [f"{about(float(shares[d]))}: {text}" for d, text in zip(told, parts, strict=True)]
    rest = float(shares[order[len(told) :]].sum())
    if len(told) < len(order):
        parts.append(f"{about(rest)}: {len(order) - len(told)} more")
    return parts


def _option(
    tree: CultivatedTree, features: Sequence[Feature], d: int, left: bool, missing: np.ndarray | None
) -> str:
    text = decision_words(tree, features, d, left)
    if missing is None or not missing[tree.decisions.feature[d]]:
        return text
    part = float(tree.decisions.missing_left[d])
    return f"{text} (of what is missing, {about(part if left else 1 - part)})"


def about(share: float) -> str:
    """A share in whole percent, where these tell it from nothing and from all."""
    return percent(round(share, 2) if 0.01 <= share < 0.995 else share)


def in_a_sentence(answer: CultivatedAnswer, target: Feature) -> str:
    """The answer and its spread: "versicolor: 0.62 ± 0.18, over 14 leaves", "151 ± 12, over 14 leaves"."""
    value, spread, name = shown(answer, target)
    n = len(answer.leaves)
    text = f"{name + ': ' if name else ''}{_plain(value, spread)} ± {_plain(spread, spread)}"
    return f"{text}, over {n} {'leaf' if n == 1 else 'leaves'}"


def shown(answer: CultivatedAnswer, target: Feature) -> tuple[float, float, str]:
    """What is said of an answer: the greatest share or the mean, its spread, and the class's name or "".

    The spread of more than two classes is of that class's share alone; of two it is the answer's.
    """
    if not target.categories:
        return float(answer.mean[0]), answer.spread, ""
    best = int(np.argmax(answer.mean))
    return float(answer.mean[best]), share_spread(answer, best), target.categories[best]


def share_spread(answer: CultivatedAnswer, k: int) -> float:
    """Standard deviation of output k over the answer's leaves, by fractions."""
    return float(answer.spreads[k])


def _plain(x: float, spread: float) -> str:
    """x with as many places as two digits of the spread have."""
    if spread <= 0:
        return number(x)
    places = max(1 - int(np.floor(np.log10(spread))), 0)
    return number(round(x, places), 6)
