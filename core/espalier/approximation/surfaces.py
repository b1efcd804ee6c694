"""The difference of a tree and the model it approximates over a plane, as a picture beside theirs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display import ink
from espalier.display.theme import number, percent
from espalier.forests.error_curve import side_colour
from espalier.forests.surfaces import SIZE, Plane, framed
from espalier.language import say
from espalier.ties import NO_PRIOR, winners

WEAK = 0.7  # strength of the colour for the greatest difference if the class is the same


class Gap(NamedTuple):
    """The difference of two models in some places."""

    size: np.ndarray  # (n,) 0 to 1: L1 of the shares; for a number, relative to the target's range, at most 1
    is_other: np.ndarray  # (n,) bool: whether the class differs; False for numbers


def gap(model_says: np.ndarray, tree_says: np.ndarray, dataset: Dataset, prior: np.ndarray = NO_PRIOR) -> Gap:
    """Return the gap between predictions (n, n_outputs); `prior` is the one by which the model breaks ties."""
    apart = np.abs(model_says - tree_says).sum(axis=1)
    if dataset.is_classification:
        return Gap(apart / 2, winners(model_says, prior) != winners(tree_says))
    span = float(dataset.y.max() - dataset.y.min()) or 1.0
    return Gap(np.minimum(apart / span, 1.0), np.zeros(len(apart), dtype=bool))


def picture(gaps: Gap, plane: Plane, dataset: Dataset, dark: bool, size: int = SIZE) -> str:
    """Return the SVG of the gap in the plane's cells: stronger if further apart, full for another class.

    `size` is that of the axes' names, in pixels.
    """
    strength = np.where(gaps.is_other, 1.0, WEAK * gaps.size)[:, None]
    paper, colour = (np.array(ink.rgb(c)) for c in (ink.PAPER[ink.theme_of(dark)], side_colour(1, dark)))
    colours = np.round(strength * colour + (1 - strength) * paper).astype(np.uint8)
    return framed(colours, plane, dataset, dark, size)


def alt(gaps: Gap, dataset: Dataset) -> str:
    """Return the picture in a sentence."""
    if not dataset.is_classification:
        share = percent(float(gaps.size.mean()))
        return say("They are {share} of the target's range apart on average over this plane.", share=share)
    return say(
        "Over {share} of this plane, corners without rows included, they predict different classes; the average "
        "gap in the chances is {gap}."
        if gaps.is_other.any()
        else "Nowhere on this plane do they predict different classes; the average gap in the chances is {gap}.",
        share=percent(float(gaps.is_other.mean())),
        gap=number(float(gaps.size.mean())),
    )
