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
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.cultivated import decision_words
from espalier.display.parts import Picture
from espalier.display.svg import DASHES, Frame, Markup, round_numbers
from espalier.display.text.trees import criterion_words, curve_condition
from espalier.display.text.values import all_written, on_axis, side_words
from espalier.display.theme import all_rounded, number, percent, round_digits, rounded_to
from espalier.display.tree.cards import class_colours_card
from espalier.language import say
from espalier.tree.modules import Module, Offer, stump
from espalier.tree.nodes import MAX_POINTS, ClassStrip, ImpurityCurve, strip, thin


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


def curve_inputs(
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
    rows_with_value = rows if not curve.is_of_known else _rows_with_value(dataset, rows, curve.feature)
    everyone = _count(rows_with_value) if weight is None else float(weight[rows_with_value].sum())
    total = everyone * curve.n_samples / max(n_rows, 1)  # scaled down if the curve is of a random part of the rows
    return CurveInputs(curve, feature, dataset.target, beneath, threshold, weight is not None, n_rows, total)


def _count(rows: np.ndarray) -> int:
    return int(rows.sum() if rows.dtype == np.bool_ else len(rows))


def _rows_with_value(dataset: Dataset, rows: np.ndarray, feature: int) -> np.ndarray:
    """Return the numbers of the rows whose value of the feature is known."""
    rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    return rows[~np.isnan(dataset.X[rows, feature])]


def card(look: CurveInputs, criterion: str) -> dict[str, Any]:
    """Return the JSON that the browser draws, as the module describes it."""
    entries = {
        "name": look.feature.name,
        "names": _names(look),
        "stepped": bool(len(look.curve.order)),
        "whole": look.feature.is_whole,
        **on_axis(look.feature),
        **_cuts(look),
        "before": round_digits(look.curve.node_impurity, abs(look.curve.gain)),
        "criterion": criterion_words(criterion),
        "own": _own(look),
        **_bars(look),
        "classes": class_colours_card(look.target),
        "weighted": look.is_weighted,
        "part": look.curve.n_samples if look.curve.n_samples < look.n_rows else 0,
    }
    digest = hashlib.blake2b(json.dumps(entries).encode(), digest_size=8).hexdigest()
    return {"id": digest, **entries}


def _names(look: CurveInputs) -> list[str]:
    names = look.feature.categories
    return [names[int(code)] for code in look.strip.centre] if names else []


def _shift(look: CurveInputs) -> float:
    """Return the shift of cuts: category k in order is drawn at k, so the cut after the first k is at k - 0.5."""
    return 0.5 if len(look.curve.order) else 0.0


def _cuts(look: CurveInputs) -> dict[str, Any]:
    curve, on_axis = look.curve, np.isfinite(look.curve.threshold)
    y = curve.impurity[on_axis]
    off_axis = [
        [round_digits(curve.impurity[i]), round_digits(curve.left_weight[i])] for i in np.flatnonzero(~on_axis)
    ]
    return {
        "x": all_rounded(curve.threshold[on_axis] - _shift(look)),
        "said": _texts(look, curve.threshold[on_axis]),
        "y": all_rounded(y),
        "left": all_rounded(curve.left_weight[on_axis]),
        "total": round_digits(look.total),
        "missing": curve.missing_left[on_axis].astype(int).tolist() if off_axis else [],
        "known": off_axis[0] if off_axis else None,
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
    return round_digits(look.threshold - _shift(look), look.strip.width)


def _bars(look: CurveInputs) -> dict[str, Any]:
    centre, width = look.strip.centre, look.strip.width
    places = np.arange(len(centre)) if look.feature.categories else centre
    low, high = all_rounded(np.array([places[0] - width / 2, places[-1] + width / 2]))
    bars = [all_rounded(weight) for weight in look.strip.weight]
    return {"low": low, "high": high, "width": round_digits(width), "centre": all_rounded(places), "bars": bars}


def alt(look: CurveInputs) -> str:
    """Return the impurity curve in a sentence."""
    curve, name = look.curve, look.feature.name
    if curve.best < 0:
        return say("Nothing on {name} parts the rows of this node.", name=name)
    format_impurity = rounded_to((curve.node_impurity, float(curve.impurity[curve.best])))
    text = say(
        "Impurity after splitting on {name}: {before} before, at best {after} at {cut}, a gain of {gain}.",
        name=name,
        before=format_impurity(curve.node_impurity),
        after=format_impurity(float(curve.impurity[curve.best])),
        cut=curve_condition(curve, look.feature, float(curve.threshold[curve.best])),
        gain=number(curve.gain),
    )
    if look.threshold is None:
        return text
    cut = curve_condition(curve, look.feature, look.threshold)
    return f"{text} {say('The tree splits at {cut}.', cut=cut)}"


# On paper --------------------------------------------------------------------------------------------

WIDTH, HEIGHT, FONT_SIZE = 560, 320, 12
LEFT, RIGHT, TOP, FOOT = 64, 14, 26, 40
STRIP, GAP = 62, 12  # pixels of the rows below the curve, and between the two
FLOOR = HEIGHT - FOOT
MOST_TICKS, MOST_LETTERS = 6, 48
NEAR_EDGE = 70  # pixels from an end of the axis: words there do not stand in the middle of their line


def curve_picture(card: dict[str, Any], feature: Feature, words: str) -> Picture:
    """Return the curve over its rows, which these words tell, for paper.

    Examples
    --------
    >>> from espalier.data import samples
    >>> from espalier.tree.nodes import impurity_curves
    >>> from espalier.display.tree import impurity_curve
    >>> iris = samples.load("iris")
    >>> curve = impurity_curves(iris, iris.y < 3, None, "gini")[0]
    >>> card = impurity_curve.card(impurity_curve.curve_inputs(iris, iris.y < 3, None, curve), "gini")
    >>> curve_picture(card, iris.features[curve.feature], "A curve.").draw(False)[1:4]
    'svg'
    """
    return Picture(partial(_draw_curve, card, feature), words)


def _draw_curve(card: dict[str, Any], feature: Feature, dark: bool) -> str:
    frame = _frame(card, dark)
    near = card.get("near")
    parts = [
        *(_band(near, frame) if near else ()), *_axes(card, feature, frame), *_rows(card, frame),
        *_curve(card, frame), *(_mean(card, frame) if near else ()),
    ]  # fmt: skip
    if card["own"] is not None:
        parts += _mark(frame, card["own"], say("the tree's split"))
    return svg.picture(parts, frame.size, FONT_SIZE)


def _frame(card: dict[str, Any], dark: bool) -> Frame:
    """Return the axes: up from 0.9 of the node's impurity at most, so that small gains look small."""
    high = max(card["before"], *card["y"], 1e-12)
    low = min(0.9 * card["before"], *card["y"])
    ends = max(low - 0.08 * (high - low), 0.0), high + 0.04 * (high - low)
    margins = (LEFT, RIGHT, TOP, FOOT + STRIP + GAP)
    return Frame((WIDTH, HEIGHT), margins, (card["low"], card["high"]), ends, dark)


def _axes(card: dict[str, Any], feature: Feature, frame: Frame) -> Iterator[Markup]:
    yield from frame.grid(round_numbers(frame.up[0], frame.up[1], 5))
    for at, words in _ticks(card, feature):
        yield frame.words(frame.x(at), FLOOR + 15, words, text_anchor="middle")
    yield frame.title_below(svg.shortened(card["name"], MOST_LETTERS), 6, font_weight="bold")
    yield frame.title_beside(say("{criterion} after the split", criterion=card["criterion"]), 12)
    below = frame._replace(margins=(LEFT, RIGHT, FLOOR - STRIP, FOOT))
    yield below.title_beside(say("weight") if card["weighted"] else say("rows"), 12)


def _ticks(card: dict[str, Any], feature: Feature) -> list[tuple[float, str]]:
    """Return places along the axis with their words: of categories as many names as there is room for."""
    names = card["names"]
    if names:
        every = -(-len(names) // MOST_TICKS)
        most = MOST_LETTERS // min(len(names), MOST_TICKS)
        return [(k, svg.shortened(names[k], most)) for k in range(0, len(names), every)]
    values = round_numbers(card["low"], card["high"], MOST_TICKS)
    return list(zip(values, all_written(feature, values), strict=True))


def _rows(card: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the rows below the curve, stacked by class."""
    theme, heights = ink.theme_of(frame.dark), [0.0] * len(card["centre"])
    most = max(max(map(sum, zip(*card["bars"], strict=True)), default=0.0), 1e-12)
    half = card["width"] / 2 * (0.8 if card["names"] else 0.94)
    for k, bars in enumerate(card["bars"]):
        colour = card["classes"][k][theme] if card["classes"] else ink.LINE[theme]
        for i, weight in enumerate(bars):
            if weight:
                heights[i] += weight
                left, right = frame.x(card["centre"][i] - half), frame.x(card["centre"][i] + half)
                box = (left, FLOOR - heights[i] / most * STRIP, right - left, weight / most * STRIP)
                yield svg.rectangle(box, colour)
    yield svg.line([(frame.left, FLOOR), (frame.right, FLOOR)], ink.LINE[theme])
    yield frame.words(frame.left - 6, FLOOR - STRIP + 9, number(most), text_anchor="end")
    yield frame.words(frame.left - 6, FLOOR + 1, "0", text_anchor="end")


def _curve(card: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the impurity before and after each cut, with a mark at the least."""
    colour, level = ink.accent(frame.dark), frame.y(card["before"])
    ends = [(frame.left, level), (frame.right, level)]
    yield svg.line(ends, ink.TEXT[ink.theme_of(frame.dark)], stroke_dasharray="2 4")
    before = rounded_to([card["before"], *card["y"]])(card["before"])
    yield frame.words(frame.right, level - 5, say("before: {value}", value=before), text_anchor="end")
    places = [(frame.x(x), frame.y(y)) for x, y in zip(card["x"], card["y"], strict=True)]
    if len(places) > 1:
        yield svg.line(places, colour, stroke_width=2, stroke_linejoin="round")
    if card["best"] >= 0:
        x, y = places[card["best"]]
        yield svg.circle(x, y, 5, colour, stroke=ink.PAPER[ink.theme_of(frame.dark)])


def _band(near: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the neighbourhood as a band, stronger where the module takes the column."""
    left, right = (_within(frame, near["x"][end]) for end in (0, -1))
    style = {"opacity": 0.13 if near["share"] else 0.06, "stroke": ink.accent(frame.dark)}
    yield svg.rectangle(
        (left, frame.top - 6, right - left, FLOOR - frame.top + 6), ink.accent(frame.dark), **style
    )


def _mean(card: dict[str, Any], frame: Frame) -> Iterator[Markup]:
    """Yield the mean impurity over the neighbourhood, and the limit up to which columns join."""
    near, text = card["near"], ink.TEXT[ink.theme_of(frame.dark)]
    halo = svg.halo(ink.PAPER[ink.theme_of(frame.dark)], 4)
    if frame.up[0] < near["limit"] < card["before"]:
        y = frame.y(near["limit"])
        yield svg.line([(frame.left, y), (frame.right, y)], text, stroke_dasharray=DASHES, stroke_opacity=0.6)
        yield svg.text(frame.left + 4, y - 5, say("joins up to here"), text, **halo)
    y = frame.y(near["mean"])
    left, right = (_within(frame, near["x"][end]) for end in (0, -1))
    yield svg.line([(min(left, right - 14), y), (max(right, left + 14), y)], text, stroke_width=3)
    is_right = right + NEAR_EDGE < frame.right
    anchor = {"text_anchor": "start" if is_right else "end"} | halo
    yield svg.text(right + 8 if is_right else left - 8, y + 4, f"h = {number(near['mean'])}", text, **anchor)
    yield from _mark(frame, near["t0"], "t₀" if near["share"] else say("t₀, not in the module"))


def _mark(frame: Frame, at: float, words: str) -> Iterator[Markup]:
    """Yield an upright line with words above it."""
    x, text = _within(frame, at), ink.TEXT[ink.theme_of(frame.dark)]
    yield svg.line([(x, frame.top - 6), (x, FLOOR)], text, stroke_width=2)
    yield svg.text(x, frame.top - 11, words, text, text_anchor=frame.anchor(x, NEAR_EDGE), font_weight="bold")


def _within(frame: Frame, at: float) -> float:
    """Return the pixel of a number on the lower axis, that of an end where it is beyond."""
    return min(max(frame.x(at), frame.left), frame.right)


# Modules ---------------------------------------------------------------------------------------------

MAX_CUTS = 160  # of a neighbourhood that are drawn


class Band(NamedTuple):
    """The inputs of the picture of one feature of a module."""

    look: CurveInputs
    offer: Offer
    share: float
    is_reversed: bool
    limit: float
    k: float


def band(dataset: Dataset, weight: np.ndarray, module: Module, position: int) -> Band:
    """Return the inputs for the offer at this position of a node's module; `weight` (n_samples,) made `module`."""
    offer, rows = module.offers[position], np.flatnonzero(weight)
    curve = _curve_curve(dataset, offer, module.node_impurity, len(rows))
    at = None if offer.at < 0 or offer.is_category else float(offer.value[offer.at])
    look = curve_inputs(dataset, rows, weight, curve, cut=at)
    share, is_reversed = float(module.shares[position]), bool(module.reversed[position])
    return Band(look, offer, share, is_reversed, module.limit, module.k)


def _curve_curve(dataset: Dataset, offer: Offer, before: float, n_samples: int) -> ImpurityCurve:
    order = offer.value.astype(np.int64) if offer.is_category else np.empty(0, np.int64)
    cuts = _places(dataset, offer) + (0.5 if offer.is_category else 0.0)  # for categories, the number that go left
    curve = ImpurityCurve(
        offer.feature, cuts, offer.impurity, offer.left_weight, offer.missing_left, order, before, n_samples
    )  # fmt: skip
    return thin(curve, MAX_POINTS)


def _places(dataset: Dataset, offer: Offer) -> np.ndarray:
    """Return the place of each cut on the axis, (m,): a cut after a category is behind it."""
    if offer.is_category:
        return np.arange(len(offer.value)) + 0.5
    has_codes = bool(dataset.features[offer.feature].categories)
    return offer.value + np.where(has_codes & ~offer.between & np.isfinite(offer.value), 0.5, 0.0)


def band_card(band: Band, dataset: Dataset, criterion: str) -> dict[str, Any]:
    """Return the JSON that the browser draws, as the module describes it.

    It is that of `card` with one entry more:

        "near": {"x": [float, …],        cuts of T(t0), ascending; of many, each represents a few
                 "phi": [float, …],      weight of each
                 "psi": [float, …],      fraction that goes left of a sample between the cut before and this one
                 "ends": [float, float], the same for samples below and above all cuts
                 "t0": float, "mean": float,     the best cut, and h_j: the mean impurity over T(t0)
                 "says": str,            the best cut in words, as on the card
                 "limit": float,         mean impurity up to which features join: h_min + eta_l
                 "share": float,         of the feature in the module, 0: it is not in it
                 "cuts": int, "k": float}        how many cuts there are, and the weight taken on either side of t0
    """
    entries = card(band.look, criterion)
    entries.pop("id")
    if band.offer.at >= 0 and np.isfinite(band.offer.value[band.offer.at]):
        entries["near"] = _near(band, _places(dataset, band.offer))
        entries["near"]["says"] = best_cut(band.offer, band.is_reversed, dataset.features)
    digest = hashlib.blake2b(json.dumps(entries).encode(), digest_size=8).hexdigest()
    return {"id": digest, **entries}


def _near(band: Band, places: np.ndarray) -> dict[str, Any]:
    offer = band.offer
    x, phi, psi = _group_cuts(places[offer.near], offer.phi[offer.near], offer.part[offer.near])
    ends = [0.0, 1.0] if band.is_reversed else [1.0, 0.0]
    return {
        "x": all_rounded(x),
        "phi": all_rounded(phi),
        "psi": all_rounded(1 - psi if band.is_reversed else psi),
        "ends": ends,
        "t0": round_digits(float(places[offer.at]), float(np.ptp(x))),
        "mean": round_digits(offer.mean_impurity),
        "limit": round_digits(band.limit),
        "share": round_digits(band.share),
        "cuts": int(np.count_nonzero(offer.phi)),
        "k": round_digits(band.k),
    }


def _group_cuts(x: np.ndarray, phi: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return at most `MAX_CUTS` cuts: cuts close together are joined into one, at the last of them."""
    if len(x) <= MAX_CUTS:
        return x, phi, part
    at = ((x - x[0]) / (x[-1] - x[0]) * (MAX_CUTS - 1)).astype(np.int64)
    first = np.flatnonzero(np.diff(at, prepend=-1))
    last = np.append(first[1:], len(x)) - 1
    return x[last], np.add.reduceat(phi, first), part[first]


def band_alt(band: Band, features: Sequence[Feature]) -> str:
    """Return the picture in a few sentences."""
    offer, look = band.offer, band.look
    if offer.at < 0:
        return say("No cut on {name} gains anything among the rows of this node.", name=look.feature.name)
    n = int(np.count_nonzero(offer.phi))
    text = say(
        "Impurity after splitting on {name}: {before} before, {best} at the best cut, {cut}, and on average "
        "{mean} over a neighbourhood of {cuts}.",
        name=look.feature.name,
        before=number(look.curve.node_impurity),
        best=number(float(offer.impurity[offer.at])),
        cut=best_cut(offer, band.is_reversed, features),
        mean=number(offer.mean_impurity),
        cuts=say("{n} cut" if n == 1 else "{n} cuts", n=n),
    )
    if band.share <= 0:
        return f"{text} {say('The module does not take it: its limit is {limit}.', limit=number(band.limit))}"
    return f"{text} {say('The module takes it, with a share of {share}.', share=percent(band.share))}"


def best_cut(offer: Offer, is_reversed: bool, features: Sequence[Feature]) -> str:
    """Return the best cut in words, for the left side: "petal width ≲ 0.8"."""
    return "–" if offer.at < 0 else decision_words(stump(offer, is_reversed), features, 0)
