"""Curves of one fit and of the mean of many, over the rows that they fit, for the browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from espalier.data.samples.outliers import HIGH, LOW
from espalier.display import ink
from espalier.display.theme import DARK, LIGHT
from espalier.forests.bagging import BaggedFit

SHOWN_BAGS = 20  # faint curves of single bags
DIGITS = 3
THIN, WIDE, BOLD = 1, 2, 3.5  # pixels
TRUTH, MEAN = 2, 5  # places of their colours in the palette


def styles() -> dict[str, dict[str, dict[str, str | float]]]:
    """Return the strokes of the curves by their role, in light and dark."""
    return {
        "truth": _stroke(LIGHT[TRUTH], DARK[TRUTH], {"stroke-width": WIDE, "stroke-dasharray": "7 5"}),
        "bag": _stroke(LIGHT[MEAN], DARK[MEAN], {"stroke-width": THIN, "stroke-opacity": 0.25}),
        "one": _stroke(ink.TEXT["light"], ink.TEXT["dark"], {"stroke-width": WIDE}),
        "mean": _stroke(LIGHT[MEAN], DARK[MEAN], {"stroke-width": BOLD}),
    }


def _stroke(light: str, dark: str, width: dict[str, str | float]) -> dict[str, dict[str, str | float]]:
    return {"light": {"stroke": light} | width, "dark": {"stroke": dark} | width}


def curves(fit: BaggedFit, truth: np.ndarray, names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the curves from back to front, each with its role, its name (empty: none) and its heights."""
    bags = [("bag", "", bag) for bag in fit.bags[:SHOWN_BAGS]] if len(fit.bags) > 1 else []
    rest = (("truth", truth), ("one", fit.one), ("mean", fit.mean))
    every = [*bags, *((role, names[role], heights) for role, heights in rest)]
    return [{"role": role, "name": name, "y": _rounded(heights)} for role, name, heights in every]


def plane(at: np.ndarray) -> dict[str, Any]:
    """Return the plane of the curves, whose heights are those at (n_at,) places."""
    return {"low": LOW, "high": HIGH, "at": _rounded(at), "styles": styles()}


def _rounded(values: np.ndarray) -> list[float]:
    return values.round(DIGITS).tolist()
