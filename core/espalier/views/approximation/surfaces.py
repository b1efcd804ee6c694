"""Where over a plane a tree and the model that it stands in for differ, as a picture beside theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.learners.ties import NO_PRIOR, winners
from espalier.views import ink
from espalier.views.forests.error_curve import side_colour
from espalier.views.forests.surfaces import Plane, framed
from espalier.views.theme import number, percent

WEAK = 0.7  # strength of the colour for the greatest difference where the class is the same


class Gap(NamedTuple):
    """How far two models are apart in some places."""

    size: np.ndarray  # (n,) 0 to 1: L1 of the shares; of a number in parts of the target's range, at most 1
    is_other: np.ndarray  # (n,) bool: another class; nowhere, of numbers


def gap(model_says: np.ndarray, tree_says: np.ndarray, dataset: Dataset, prior: np.ndarray = NO_PRIOR) -> Gap:
    """The gap between answers (n, n_outputs); the prior is that by which the model breaks ties."""
    apart = np.abs(model_says - tree_says).sum(axis=1)
    if dataset.is_classification:
        return Gap(apart / 2, winners(model_says, prior) != winners(tree_says))
    span = float(dataset.y.max() - dataset.y.min()) or 1.0
    return Gap(np.minimum(apart / span, 1.0), np.zeros(len(apart), dtype=bool))


def picture(found: Gap, plane: Plane, dataset: Dataset, dark: bool) -> str:
    """SVG of the gap in the middles of the plane's cells: the stronger, the further apart; full: another class."""
    strength = np.where(found.is_other, 1.0, WEAK * found.size)[:, None]
    paper, colour = (np.array(ink.rgb(c)) for c in (ink.PAPER[ink.theme_of(dark)], side_colour(1, dark)))
    return framed(np.round(strength * colour + (1 - strength) * paper).astype(np.uint8), plane, dataset, dark)


def alt(found: Gap, dataset: Dataset) -> str:
    """The picture in a sentence."""
    if not dataset.is_classification:
        return (
            f"They are {percent(float(found.size.mean()))} of the target's range apart on average over this plane."
        )
    other, apart = percent(float(found.is_other.mean())), number(float(found.size.mean()))
    where = f"Over {other} of this plane, corners without rows included,"
    where = where if found.is_other.any() else "Nowhere on this plane do"
    return f"{where} they say another class; the average gap in the chances is {apart}."
