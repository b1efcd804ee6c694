"""Draw the samples and features that each tree of a forest sees."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from espalier.data.rows.parts import by_group
from espalier.kernels.forest.bootstrap import draw
from espalier.learners.forests.of_any.fit_part import asked_by
from espalier.trees import AnyTree


def bootstrap(seed: int, rows: np.ndarray, unit: np.ndarray | None, n: int) -> np.ndarray:
    """Return how often each of n samples is drawn, (n,) uint8, in as many draws as there are `rows`, from these.

    Where samples are drawn together, `unit` (n,) says with which: then as many units are drawn as the rows have.
    """
    counts = np.zeros(n, np.uint8)
    if unit is None:
        counts[rows] = draw(seed, len(rows))[0]
    else:
        counts[rows] = draw_units(seed, unit[rows])
    return counts


def draw_units(seed: int, unit: np.ndarray, share: float = 1.0) -> np.ndarray:
    """Return how often each sample is drawn with all of its `unit` (n,), in so many draws per unit, (n,) uint8."""
    units, place = np.unique(unit, return_inverse=True)
    return draw(seed, len(units), max(round(share * len(units)), 1))[0][place]


def half_of(seed: int, y: np.ndarray, unit: np.ndarray | None = None) -> np.ndarray:
    """Draw the half of the samples that a tree grows on, (n_samples,) bool, as evenly as possible in each class.

    y are class numbers; of an odd number the larger part is grown on. Samples of one `unit` (n_samples,) stay
    together; the half is then only about one.
    """
    rng = np.random.default_rng(seed)
    if unit is not None:
        return by_group(np.unique(unit, return_inverse=True)[1], y, (0.5, 0.5), rng) == 0
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    grows = np.zeros(len(y), dtype=bool)
    grows[order[::2]] = True
    return grows


def uses(trees: Iterable[AnyTree], n_features: int) -> np.ndarray:
    """Return how many of the trees use each feature, (n_features,) int64."""
    asked = [asked_by(tree) for tree in trees]
    return np.bincount(np.concatenate([np.empty(0, np.int32), *asked]), minlength=n_features)


def soft_chances(used: np.ndarray) -> np.ndarray:
    """Return probabilities of the first draw, (n_features,): inverse to 1 + number of trees with the feature.

    Molhoek (2021), section 4.2.1, makes them inverse to the number of trees; the added one admits features that no
    tree uses yet, and makes all equal before the first tree.
    """
    chances = 1.0 / (1.0 + used)
    return chances / chances.sum()


def softer_chances(used: np.ndarray) -> np.ndarray:
    """Return probabilities of the first draw, (n_features,), in proportion to the use of all other features.

    For each feature, sum one plus the number of trees that use another feature over the others: this is the rule
    of the program behind Molhoek's Table 9, github.com/jmolhoek/forests_of_optimal_trees. No feature becomes rare.
    """
    others = (1.0 + used).sum() - (1.0 + used)
    return others / others.sum() if len(used) > 1 else np.ones(len(used))


def subspace(seed: int, chances: np.ndarray, size: int) -> np.ndarray:
    """Return features drawn without replacement by their probabilities (n_features,); (size,), sorted."""
    return np.sort(np.random.default_rng(seed).choice(len(chances), size, replace=False, p=chances))
