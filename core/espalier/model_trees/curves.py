"""A model tree over one feature, with a tree of plain leaves beside it: a curve, and steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.boosting.pictures import CurvePlot, PlotLine, curve
from espalier.data.dataset import Dataset
from espalier.display.boundaries.plane import ends_of
from espalier.display.theme import number, percent
from espalier.language import say
from espalier.leaf_models import ModelTree
from espalier.predict import samples_over, shares
from espalier.trees import Tree

FINE = 400  # places along a feature of numbers
MOST_DOTS = 500  # rows drawn, evenly chosen


class TwoTrees(NamedTuple):
    """A model tree, and a tree to compare it with."""

    model: ModelTree
    plain: Tree
    names: tuple[str, str]  # of both lines


def plot(trees: TwoTrees, dataset: Dataset, feature: int, held: np.ndarray) -> CurvePlot:
    """Return what both trees say over a feature, other features as in `held` (n_features,), and the rows.

    Of classes it is the share of the one that the model tree's answers to differ most in; there are no rows then.
    """
    at = _places(dataset, feature)
    X = samples_over((feature,), [at], held)
    both = [shares(tree, X) for tree in (trees.model, trees.plain)]
    k = int(np.ptp(both[0], axis=0).argmax())
    lines = tuple(
        PlotLine(name, said[:, k], is_main=main)
        for name, said, main in zip(trees.names, both, (True, False), strict=True)
    )
    name = dataset.features[feature].name
    if dataset.is_classification:
        return CurvePlot(
            at, lines, at[:0], at[:0], (name, say("share of {name}", name=dataset.classes[k])), dataset.target, k
        )
    rows = np.arange(0, len(dataset.y), len(dataset.y) // MOST_DOTS + 1)
    x, y = dataset.X[rows, feature], np.asarray(dataset.y[rows], np.float64)
    return CurvePlot(at, lines, x, y, (name, dataset.target.name), dataset.target)


def _places(dataset: Dataset, feature: int) -> np.ndarray:
    names = dataset.features[feature].categories
    if names:
        return np.arange(float(len(names)))
    return np.linspace(*ends_of(dataset.features[feature], dataset.X[:, feature]), FINE)


def picture(drawn: CurvePlot, dark: bool) -> str:
    """Return the SVG of a plot of two trees."""
    return curve(drawn, dark)


def alt(drawn: CurvePlot) -> str:
    """Return a sentence on the picture for those who do not see it."""
    written = number if len(drawn.x) else percent  # rows are drawn of numbers alone
    ends = [
        say(
            "{name} from {first} to {last}",
            name=one.name,
            first=written(float(one.values[0])),
            last=written(float(one.values[-1])),
        )
        for one in drawn.lines
    ]
    feature, what = drawn.titles
    return say("{what} over {name}: {ends}.", what=what, name=feature, ends=", ".join(ends))
