"""Accumulated changes along a column (ALE) beside the mean curve (PDP), and which of the two is to be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from espalier.data.dataset import Feature
from espalier.display import ink
from espalier.display.plotly import blank, edge, safe
from espalier.display.theme import number, rounded_to
from espalier.explanation.columns import CURVES, ColumnCurves
from espalier.explanation.companions import Companion
from espalier.explanation.dependence import AccumulatedEffects, accumulated_effects
from espalier.language import say

CLOSE, APART = 0.7, 0.3  # rank correlations: from here on a column is close to another; below, it is free of it


class BothCurves(NamedTuple):
    """Both curves at the values where the accumulated one is known, each with mean 0 over the rows."""

    at: np.ndarray  # (n,) ascending
    accumulated: np.ndarray  # (n,) percentage points of a share, else in the unit of the target
    mean: np.ndarray  # (n,)

    @property
    def apart(self) -> float:
        """How far the curves are apart where they are farthest."""
        return float(np.abs(self.accumulated - self.mean).max(initial=0.0))


def has_order(feature: Feature) -> bool:
    """Return whether changes can add up along a column: its values have an order."""
    return feature.kind != "category"


def both_curves(look: ColumnCurves) -> BothCurves:
    """Return the accumulated changes, and the mean curve at the same values, both around 0."""
    found: AccumulatedEffects = accumulated_effects(look.curves, look.values)
    scale, mean = 100.0 if look.is_share else 1.0, look.curves.mean[:, look.output]
    own = look.curves.places_of(look.values[np.isfinite(look.values)])
    centre = float(mean[own].mean()) if len(own) else 0.0
    at = mean[look.curves.places_of(found.at)] - centre
    return BothCurves(found.at, scale * found.effect[:, look.output], scale * at)


def accumulated_figure(look: ColumnCurves, dark: bool) -> go.Figure:
    """Return the accumulated changes as a thick line with a dot at each value, and the mean curve dashed."""
    theme, both = ink.theme_of(dark), both_curves(look)
    names = look.feature.categories
    x = [safe(names[int(code)]) for code in both.at] if names else both.at
    figure = blank(dark, CURVES, hovermode="closest")
    shown = "%{x}: %{y:+.3g}<extra></extra>"
    figure.add_scatter(
        x=x, y=both.mean, mode="lines", line=edge(ink.LINE[theme], 2) | {"dash": "dash"}, hovertemplate=shown
    )
    figure.add_scatter(
        x=x, y=both.accumulated, mode="lines+markers", marker={"size": 5}, hovertemplate=shown,
        line=edge(ink.answer_colour(look.target, look.output, dark), 3),
    )  # fmt: skip
    figure.update_xaxes(title_text=safe(look.feature.name))
    figure.update_yaxes(title_text=safe(axis_words(look)), zeroline=True, zerolinecolor=ink.LINE[theme])
    return figure


def axis_words(look: ColumnCurves) -> str:
    """Return what the axis of the accumulated changes counts."""
    if look.is_share:
        return say("percentage points above or below the mean")
    return say("{answer} above or below the mean", answer=look.answer)


def accumulated_table(look: ColumnCurves) -> pd.DataFrame:
    """Return both curves as a table, a row for each value where the accumulated changes are known."""
    both, names = both_curves(look), look.feature.categories
    at = [names[int(code)] for code in both.at] if names else both.at
    return pd.DataFrame({
        say("value"): at,
        say("accumulated change"): both.accumulated,
        say("mean curve around its mean"): both.mean,
    })  # fmt: skip


def accumulated_alt(look: ColumnCurves) -> str:
    """Return the accumulated changes in words: from where to where they lead."""
    both = both_curves(look)
    if not len(both.at):
        return say("No row has a value of {name}.", name=look.feature.name)
    written = rounded_to((both.accumulated.min(), both.accumulated.max()))
    return say(
        "Along {name} the accumulated changes lie between {low} and {high}, around 0; the mean curve differs from "
        "them by {gap} at most.",
        name=look.feature.name, low=written(float(both.accumulated.min())),
        high=written(float(both.accumulated.max())), gap=number(both.apart),
    )  # fmt: skip


def advice(
    look: ColumnCurves, companion: Companion | None, features: Sequence[Feature], mark: Callable[[str], str] = str
) -> str:
    """Return which of the two curves to read, and why, Markdown; `mark` treats names from the data.

    >>> from espalier.explanation.dependence import FeatureCurves
    >>> two = Feature("age"), Feature("pulse")
    >>> flat = FeatureCurves(0, np.empty(0), np.zeros((2, 1, 1)))
    >>> advice(ColumnCurves(flat, 0, two[0], np.array([1.0, 2.0]), Feature("dose")), None, two)
    'No other column can go together with age. Both curves may be read.'
    """
    name = mark(look.feature.name)
    if not has_order(look.feature):
        return say(
            "The values of {name} have no order along which changes could add up, so only the mean curve is "
            "drawn.", name=name,
        )  # fmt: skip
    if companion is None:
        return say("No other column can go together with {name}. Both curves may be read.", name=name)
    known = {
        "name": name, "other": mark(features[companion.feature].name),
        "r": number(round(companion.correlation, 3)), "gap": _gap(look),
    }  # fmt: skip
    size = abs(companion.correlation)
    if size >= CLOSE:
        return say(
            "{name} goes closely together with {other} (rank correlation {r}): hardly any rows differ in only one "
            "of the two. **Read the accumulated changes**; the mean curve asks the trees about such rows, "
            "too, and differs from them by {gap} at most.", **known,
        )  # fmt: skip
    if size >= APART:
        return say(
            "{name} goes together with {other} to some degree (rank correlation {r}). Where the curves differ "
            "(here by {gap} at most), **read the accumulated changes**.", **known,
        )  # fmt: skip
    return say(
        "No other column goes closely together with {name}: its closest is {other} (rank correlation {r}). Both "
        "curves may be read.", **known,
    )  # fmt: skip


def _gap(look: ColumnCurves) -> str:
    gap = number(both_curves(look).apart)
    return say("{n} pts", n=gap) if look.is_share else gap
