"""The settings of each kind that a search tries, each with its values from the simplest model to the most complex.

They are the same for every table: the settings that decide most on the size of a model, with values that are about
evenly spread by what they do. All other settings stay as a person has them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from espalier.learners.catalogue.kinds import Model
from espalier.learners.catalogue.settings import ALPHA, OWN

Space = Mapping[str, Sequence[Any]]  # values by the key of the setting

DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 14)
ROWS_IN_A_LEAF = (50, 20, 10, 5, 2, 1)
PRICES = (0.03, 0.01, 0.003, 0.001, 0.0)  # of a leaf; where the target is a number, in parts of its variance
COLUMNS = ("log2", OWN, "half", "all")
LEAVES_OF_STEPS = (4, 8, 16, 31, 63)
SPACES: Mapping[str, Space] = {
    "baseline": {},
    "cart": {"depth": DEPTHS, "leaf": ROWS_IN_A_LEAF, "alpha": PRICES},
    "cultivated": {
        "depth": DEPTHS,
        "hesitates": ("never", "threshold", "feature", "both"),
        "weight": (50.0, 20.0, 6.0),
        "alpha": PRICES,
    },
    "optimal": {"depth": (1, 2, 3, 4), "cuts": (3, 5, 10, 20)},
    "approximation": {"depth": (1, 2, 3, 4, 5, 6)},
    "model-tree": {"depth": (1, 2, 3, 4, 5, 6), "leaf": (50, 20, 10, 5), "shrinkage": (100.0, 10.0, 1.0, 0.1)},
    "oblique": {"depth": DEPTHS, "terms": (1, 2, 3, 5), "leaf": ROWS_IN_A_LEAF, "alpha": PRICES},
    "random": {"leaf": ROWS_IN_A_LEAF, "features": COLUMNS},
    "extra": {"leaf": ROWS_IN_A_LEAF, "features": COLUMNS},
    "cultivated-forest": {"depth": (2, 4, 8, None), "hesitates": ("never", "threshold", "feature", "both")},
    "bagged": {"depth": (1, 2, 3, 4, 5)},
    "root": {"depth": (1, 2, 3, 4, 5)},
    "boosted": {"depth": (1, 2, 3, 4, 5)},
    "gradient": {"leaves": LEAVES_OF_STEPS, "leaf": (50, 20, 5), "rate": (0.03, 0.1, 0.3)},
}  # by the name of the kind


def space_of(model: Model, variance: float | None = None) -> Space:
    """Return the space of settings to search for a model.

    `variance` is that of a target that is a number; None for classes. A price of leaves is in the unit of what
    splits reduce, so that it is tried only where that is the variance.

    >>> space_of(Model("optimal"))
    {'depth': (1, 2, 3, 4), 'cuts': (3, 5, 10, 20)}
    >>> space_of(Model("oblique"), variance=200.0)["alpha"]
    (6.0, 2.0, 0.6, 0.2, 0.0)
    """
    space = dict(SPACES[model.name])
    if variance is None or ALPHA.key not in space:
        return space
    if model.loss != "squared":
        del space[ALPHA.key]
        return space
    return space | {ALPHA.key: tuple(float(f"{price * variance:.2g}") for price in space[ALPHA.key])}


def combinations(model: Model, space: Space) -> list[Model]:
    """Return the model with each combination of the values in a space, the simplest first.

    >>> [one.settings for one in combinations(Model("cart", (("leaf", 7),)), {"depth": (1, 2)})]
    [(('leaf', 7), ('depth', 1)), (('leaf', 7), ('depth', 2))]
    """
    return [
        model.with_settings(**dict(zip(space, values, strict=True)))
        for values in itertools.product(*space.values())
    ]
