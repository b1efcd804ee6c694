"""The slide "choosing the threshold", live: a node's impurity after each possible split on one feature.

`card` is what the browser draws, as small and byte-stable JSON:

    {"id": str,                            digest of all that follows
     "name": str, "names": [str, …],       the feature; its categories as they stand along the axis
     "whole": bool,                        all values of the feature are whole numbers
     "moment": [str, int, int],            how dates and times on the axis are written (only of these)
     "stepped": bool,                      categories go left one by one: cut k stands between k - 1 and k
     "x": [float, …], "y": [float, …],     cuts, ascending, and the impurity after each
     "said": [str, …],                     text of each cut of a number ([]: codes)
     "left": [float, …], "total": float,   weight on the left of each, and of all samples
     "missing": [0 | 1, …],                whether missing values go left ([]: there are none)
     "known": [impurity, left] | None,     the cut that separates known from missing values
     "before": float, "criterion": str,    impurity of the node itself
     "best": int,                          position of the least impurity that is on the axis, or -1
     "own": float | None,                  where the tree splits, in x
     "low": float, "high": float, "width": float, "centre": [float, …], "bars": [[weight, …], …] per class
     "classes": [{"name", "light", "dark"}, …], "weighted": bool, "part": int}   samples, if not all
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.scales import all_rounded
from espalier.display.text.criteria import criterion_words
from espalier.display.text.moments import names_words, on_axis, range_words, subject
from espalier.display.text.trees import is_words, join, one_of
from espalier.display.text.whole_numbers import side_words
from espalier.display.theme import number, rounded_to
from espalier.display.tree.cards import coloured, rounded
from espalier.language import say
from espalier.tree.nodes import ClassStrip, ImpurityCurve, strip


class CurveInputs(NamedTuple):
    """The inputs of the picture of one feature's impurity curve."""

    curve: ImpurityCurve
    feature: Feature
    target: Feature
    strip: ClassStrip
    threshold: float | None  # of the tree's own split, as in ``ImpurityCurve.threshold``; None: on another feature
    is_weighted: bool
    n_rows: int  # in the node
    total: float  # weight of the curve's samples


def look(
    dataset: Dataset,
    rows: np.ndarray,
    weight: np.ndarray | None,
    curve: ImpurityCurve,
    threshold: float | None = None,
    cut: float | None = None,
) -> CurveInputs:
    """Return the inputs of `card` for a node's rows (bool or numbers).

    `threshold` is the tree's own split, if it is on this feature; one of the bins of the rows ends there, else at
    the `cut`, or at the best one.
    """
    beneath = strip(dataset, rows, weight, curve, cut if threshold is None else threshold)
    feature = dataset.features[curve.feature]
    n_rows = _count(rows)
    parted = rows if not curve.is_of_known else _with_value(dataset, rows, curve.feature)
    everyone = _count(parted) if weight is None else float(weight[parted].sum())
    total = everyone * curve.n_samples / max(n_rows, 1)  # scaled down if the curve is of a random part of the rows
    return CurveInputs(curve, feature, dataset.target, beneath, threshold, weight is not None, n_rows, total)


def _count(rows: np.ndarray) -> int:
    return int(rows.sum() if rows.dtype == np.bool_ else len(rows))


def _with_value(dataset: Dataset, rows: np.ndarray, feature: int) -> np.ndarray:
    """Return the numbers of the rows whose value of the feature is known."""
    rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    return rows[~np.isnan(dataset.X[rows, feature])]


def card(look: CurveInputs, criterion: str) -> dict[str, Any]:
    """Return the JSON that the browser draws, as the module describes it."""
    made = {
        "name": look.feature.name,
        "names": _names(look),
        "stepped": bool(len(look.curve.order)),
        "whole": look.feature.is_whole,
        **on_axis(look.feature),
        **_cuts(look),
        "before": rounded(look.curve.node_impurity, abs(look.curve.gain)),
        "criterion": criterion_words(criterion),
        "own": _own(look),
        **_bars(look),
        "classes": coloured(look.target),
        "weighted": look.is_weighted,
        "part": look.curve.n_samples if look.curve.n_samples < look.n_rows else 0,
    }
    digest = hashlib.blake2b(json.dumps(made).encode(), digest_size=8).hexdigest()
    return {"id": digest, **made}


def _names(look: CurveInputs) -> list[str]:
    names = look.feature.categories
    return [names[int(code)] for code in look.strip.centre] if names else []


def _shift(look: CurveInputs) -> float:
    """Return the shift of cuts: category k in order is drawn at k, so the cut after the first k is at k - 0.5."""
    return 0.5 if len(look.curve.order) else 0.0


def _cuts(look: CurveInputs) -> dict[str, Any]:
    curve, on_axis = look.curve, np.isfinite(look.curve.threshold)
    y = curve.impurity[on_axis]
    known = [[rounded(curve.impurity[i]), rounded(curve.left_weight[i])] for i in np.flatnonzero(~on_axis)]
    return {
        "x": all_rounded(curve.threshold[on_axis] - _shift(look)),
        "said": _texts(look, curve.threshold[on_axis]),
        "y": all_rounded(y),
        "left": all_rounded(curve.left_weight[on_axis]),
        "total": rounded(look.total),
        "missing": curve.missing_left[on_axis].astype(int).tolist() if known else [],
        "known": known[0] if known else None,
        "best": int(np.argmin(y)) if len(y) else -1,
    }


def _texts(look: CurveInputs, cuts: np.ndarray) -> list[str]:
    """Return the text of every cut of a number; for whole numbers, of the value below the cut."""
    if look.feature.categories:
        return []
    ends = itertools.pairwise([math.nan, *cuts.tolist(), math.nan])
    sides = zip(cuts.tolist(), itertools.pairwise(ends), strict=True)
    return [side_words(look.feature, cut, True, (low, high)) for cut, ((low, _), (_, high)) in sides]


def _own(look: CurveInputs) -> float | None:
    if look.threshold is None or not math.isfinite(look.threshold):
        return None
    return rounded(look.threshold - _shift(look), look.strip.width)


def _bars(look: CurveInputs) -> dict[str, Any]:
    centre, width = look.strip.centre, look.strip.width
    places = np.arange(len(centre)) if look.feature.categories else centre
    low, high = all_rounded(np.array([places[0] - width / 2, places[-1] + width / 2]))
    bars = [all_rounded(weight) for weight in look.strip.weight]
    return {"low": low, "high": high, "width": rounded(width), "centre": all_rounded(places), "bars": bars}


def alt(look: CurveInputs) -> str:
    """Return the impurity curve in a sentence."""
    curve, name = look.curve, look.feature.name
    if curve.best < 0:
        return say("Nothing on {name} parts the rows of this node.", name=name)
    written = rounded_to((curve.node_impurity, float(curve.impurity[curve.best])))
    text = say(
        "Impurity after splitting on {name}: {before} before, at best {after} at {cut}, a gain of {gain}.",
        name=name,
        before=written(curve.node_impurity),
        after=written(float(curve.impurity[curve.best])),
        cut=cut_text(look, float(curve.threshold[curve.best])),
        gain=number(curve.gain),
    )
    if look.threshold is None:
        return text
    return f"{text} {say('The tree splits at {cut}.', cut=cut_text(look, look.threshold))}"


def cut_text(look: CurveInputs, threshold: float) -> str:
    """Return a cut in words, for the left side: "x ≤ 0.8", "colour is red or blue"."""
    return cut_words(look.curve, look.feature, threshold)


def cut_words(curve: ImpurityCurve, feature: Feature, threshold: float) -> str:
    """Return the text of a cut as `cut_text` does, for a curve on this feature without a picture."""
    if len(curve.order):
        codes = [int(code) for code in curve.order[: int(threshold)]]
        if feature.moment is not None:
            return f"{subject(feature)} {names_words(feature, sorted(codes))}"
        return is_words(feature, _some([feature.categories[code] for code in codes]))
    if threshold == math.inf:
        return say("{name} is known", name=subject(feature))
    if feature.categories:
        first = list(feature.categories[: math.floor(threshold) + 1])
        return is_words(feature, say("at most {high}", high=first[-1]) if len(first) > 1 else first[0])
    words = range_words(feature, -math.inf, threshold) or f"≤ {side_words(feature, threshold, True)}"
    return f"{subject(feature)} {words}"


def _some(names: Sequence[str], most: int = 4) -> str:
    return join(names, "or") if len(names) <= most else one_of(names, most + 1)
