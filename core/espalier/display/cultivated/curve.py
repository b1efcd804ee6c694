"""One feature of an ensemble module: its impurity curve with the neighbourhood T(t0) over it.

`card` is a curve's card (`espalier.display.tree.impurity_curve`) with one entry more:

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

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display.cultivated.modules import decision_words
from espalier.display.scales import all_rounded
from espalier.display.theme import number, percent
from espalier.display.tree import impurity_curve as curve_views
from espalier.display.tree.cards import rounded
from espalier.display.tree.impurity_curve import CurveInputs
from espalier.language import say
from espalier.tree.modules import Module, Offer, stump
from espalier.tree.nodes import MAX_POINTS, ImpurityCurve, thinned

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
    curve = _curve(dataset, offer, module.node_impurity, len(rows))
    at = None if offer.at < 0 or offer.is_category else float(offer.value[offer.at])
    look = curve_views.look(dataset, rows, weight, curve, cut=at)
    share, is_reversed = float(module.shares[position]), bool(module.reversed[position])
    return Band(look, offer, share, is_reversed, module.limit, module.k)


def _curve(dataset: Dataset, offer: Offer, before: float, n_samples: int) -> ImpurityCurve:
    order = offer.value.astype(np.int64) if offer.is_category else np.empty(0, np.int64)
    cuts = _places(dataset, offer) + (0.5 if offer.is_category else 0.0)  # for categories, the number that go left
    curve = ImpurityCurve(
        offer.feature, cuts, offer.impurity, offer.left_weight, offer.missing_left, order, before, n_samples
    )  # fmt: skip
    return thinned(curve, MAX_POINTS)


def _places(dataset: Dataset, offer: Offer) -> np.ndarray:
    """Return the place of each cut on the axis, (m,): a cut after a category is behind it."""
    if offer.is_category:
        return np.arange(len(offer.value)) + 0.5
    coded = bool(dataset.features[offer.feature].categories)
    return offer.value + np.where(coded & ~offer.between & np.isfinite(offer.value), 0.5, 0.0)


def card(band: Band, dataset: Dataset, criterion: str) -> dict[str, Any]:
    """Return the JSON that the browser draws, as the module describes it."""
    made = curve_views.card(band.look, criterion)
    made.pop("id")
    if band.offer.at >= 0 and np.isfinite(band.offer.value[band.offer.at]):
        made["near"] = _near(band, _places(dataset, band.offer))
        made["near"]["says"] = best(band.offer, band.is_reversed, dataset.features)
    digest = hashlib.blake2b(json.dumps(made).encode(), digest_size=8).hexdigest()
    return {"id": digest, **made}


def _near(band: Band, places: np.ndarray) -> dict[str, Any]:
    offer = band.offer
    x, phi, psi = _grouped(places[offer.near], offer.phi[offer.near], offer.part[offer.near])
    ends = [0.0, 1.0] if band.is_reversed else [1.0, 0.0]
    return {
        "x": all_rounded(x),
        "phi": all_rounded(phi),
        "psi": all_rounded(1 - psi if band.is_reversed else psi),
        "ends": ends,
        "t0": rounded(float(places[offer.at]), float(np.ptp(x))),
        "mean": rounded(offer.mean_impurity),
        "limit": rounded(band.limit),
        "share": rounded(band.share),
        "cuts": int(np.count_nonzero(offer.phi)),
        "k": rounded(band.k),
    }


def _grouped(x: np.ndarray, phi: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return at most `MAX_CUTS` cuts: cuts close together are joined into one, at the last of them."""
    if len(x) <= MAX_CUTS:
        return x, phi, part
    at = ((x - x[0]) / (x[-1] - x[0]) * (MAX_CUTS - 1)).astype(np.int64)
    first = np.flatnonzero(np.diff(at, prepend=-1))
    last = np.append(first[1:], len(x)) - 1
    return x[last], np.add.reduceat(phi, first), part[first]


def alt(band: Band, features: Sequence[Feature]) -> str:
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
        cut=best(offer, band.is_reversed, features),
        mean=number(offer.mean_impurity),
        cuts=say("{n} cut" if n == 1 else "{n} cuts", n=n),
    )
    if band.share <= 0:
        return f"{text} {say('The module does not take it: its limit is {limit}.', limit=number(band.limit))}"
    return f"{text} {say('The module takes it, with a share of {share}.', share=percent(band.share))}"


def best(offer: Offer, is_reversed: bool, features: Sequence[Feature]) -> str:
    """Return the best cut in words, for the left side: "petal width ≲ 0.8"."""
    return "–" if offer.at < 0 else decision_words(stump(offer, is_reversed), features, 0)
