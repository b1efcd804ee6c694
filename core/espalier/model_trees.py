"""Model trees: the formulas of their leaves in words and on cards, and their surface."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from espalier.data.dataset import Dataset, Feature
from espalier.display.boundaries.plane import held_or_rows, packed, points, raster, rulers_of
from espalier.display.text.values import in_words
from espalier.display.theme import MOST_OFF, digits_within, number
from espalier.kinds import asked_by
from espalier.language import say, to_say
from espalier.leaf_models import FormulaTerm, ModelTree, terms_at
from espalier.oblique import ObliqueTree
from espalier.predict import fractions_in, leaves_and_shares, samples_over, shares

SHORT = 2  # terms on a card
EXACT_DIGITS = 6  # in a list of rules
NAMES = {
    "column": to_say("Column"),
    "low": to_say("from"),
    "high": to_say("to"),
    "missing": to_say("Missing counts as"),
    "reach": to_say("Reach"),
}


def formula_lines(
    model: ModelTree, features: Sequence[Feature], target: Feature, leaf: int, digits: int = 3
) -> list[str]:
    """Return the formula of a leaf, a line for each score: "price = 3.2 + 0.51 × rooms − 0.2 × age".

    Of two classes the score is the log odds of the second one; of more, each class has a score, and the class with
    the greatest is predicted. Terms stand in the order of their reach, the greatest first.

    >>> from espalier.data import samples
    >>> from espalier.learners import ModelTreeRegressor
    >>> sine = samples.load("sine")
    >>> model = ModelTreeRegressor(max_depth=1).fit(sine.X, sine.y).model_tree_
    >>> formula_lines(model, sine.features, sine.target, 1, digits=1)
    ['y = 0.46 + 0.071 × x']
    """
    names = score_names(model, target)
    return [f"{name} = {_sum(model, features, leaf, k, digits)}" for k, name in enumerate(names)]


def score_names(model: ModelTree, target: Feature) -> list[str]:
    """Return the names of the scores: the target, the log odds of the second class, or a score for each class."""
    if not target.categories:
        return [target.name]
    if model.models.link == "logistic":
        return [say("log odds of {name}", name=target.categories[1])]
    return [say("score of {name}", name=name) for name in target.categories]


def short_formula(model: ModelTree, features: Sequence[Feature], leaf: int) -> str:
    """Return the formula of a leaf in a few words: its terms of the greatest reach, and how many more there are.

    Where there is more than one score, the features alone are named: "by petal width, petal length".
    """
    terms = terms_by_reach(model, leaf)
    if model.models.n_scores > 1:
        names = [features[term.feature].name for term in terms[:SHORT]]
        by = say("by {names}", names=", ".join(names))
        return _add_rest(by, len(terms)) if names else say("always the same")
    return _add_rest(_sum(model, features, leaf, 0, 3, SHORT), len(terms))


def _add_rest(formula: str, n_terms: int) -> str:
    return say("{formula}, {n} more", formula=formula, n=n_terms - SHORT) if n_terms > SHORT else formula


def terms_by_reach(model: ModelTree, leaf: int) -> list[FormulaTerm]:
    """Return the terms of a leaf's formula, the one that changes a score the most first."""
    return sorted(terms_at(model.models, leaf), key=lambda term: -term.reach)


def _sum(
    model: ModelTree, features: Sequence[Feature], leaf: int, score: int, digits: int, most: int | None = None
) -> str:
    terms, first = terms_by_reach(model, leaf), float(model.models.intercept[leaf, score])
    off = 0.0  # how much a rounded number may change what the formula says: little of how its numbers differ
    if model.models.link == "identity":
        off = MOST_OFF * max([float(np.ptp(model.tree.value[:, 0])), *(term.reach for term in terms)])
    text = number(first, digits_within(first, off, digits))
    for term in terms[:most]:
        coefficient, greatest = abs(term.coefficient[score]), max(abs(term.low), abs(term.high))
        if coefficient:
            sign = "−" if term.coefficient[score] < 0 else "+"
            enough = digits_within(coefficient, off / greatest if greatest else 0.0, digits)
            text += f" {sign} {number(coefficient, enough)} × {features[term.feature].name}"
    return text


def term_table(model: ModelTree, features: Sequence[Feature], target: Feature, leaf: int) -> pd.DataFrame:
    """Return a row for each term of a leaf's formula, that of the greatest reach first.

    Columns are the feature, its coefficient (for each score), the least and the greatest value that the formula
    takes, the value in place of a missing one, and the most by which the term can change a score.
    """
    names, heads = score_names(model, target), {key: say(name) for key, name in NAMES.items()}
    rows = []
    for term in terms_by_reach(model, leaf):
        feature = features[term.feature]
        numbers = {name: number(c) for name, c in zip(names, term.coefficient, strict=True)}
        values = {"low": term.low, "high": term.high, "missing": term.fill}
        row = {heads["column"]: feature.name}
        row |= {heads[key]: value_words(feature, value) for key, value in values.items()}
        rows.append(row | numbers | {heads["reach"]: number(term.reach)})
    order = [heads["column"], *names, *(heads[key] for key in ("low", "high", "missing", "reach"))]
    return pd.DataFrame(rows, columns=order)


def limit_words(term: FormulaTerm, features: Sequence[Feature]) -> str:
    """Return from where to where a formula takes a feature's values, and what a missing one counts as.

    >>> term = FormulaTerm(0, (2.0,), 1.5, 4.0, 2.25)
    >>> limit_words(term, [Feature("width")])
    'width from 1.5 to 4, missing 2.25'
    """
    feature = features[term.feature]
    low, high, fill = (number(value, EXACT_DIGITS) for value in (term.low, term.high, term.fill))
    return say("{name} from {low} to {high}, missing {fill}", name=feature.name, low=low, high=high, fill=fill)


def value_words(feature: Feature, value: float) -> str:
    """Return a value that a formula takes as a person writes it; between two categories it is a number."""
    return in_words(feature, value) if value == round(value) else number(value)


def code_words(features: Sequence[Feature], used: Sequence[int]) -> list[str]:
    """Return, for each of these features that has categories, what numbers its formulas take for them.

    >>> code_words([Feature("pain", "ordered", ("none", "mild", "bad"))], [0])
    ['pain counts as 0 for none, 1 for mild, 2 for bad']
    """
    return [
        say(
            "{name} counts as {codes}",
            name=features[f].name,
            codes=", ".join(
                say("{code} for {name}", code=code, name=name) for code, name in enumerate(features[f].categories)
            ),
        )
        for f in used
        if features[f].categories
    ]


# ---- the JSON of a model tree's graph: that of its tree, and on each leaf's card its formula in short

MOST_LINES = 4  # of a formula under the pointer: one for each class


def add_formulas(cards: dict[str, Any], model: ModelTree, dataset: Dataset) -> dict[str, Any]:
    """Return the cards (`espalier.display.tree.cards.cards`) with the formulas of the leaves.

    A leaf's card gets "formula", in a few words, and "formulas", the lines that stand under the pointer.
    """
    features, target = dataset.features, dataset.target
    nodes = [
        node
        if "f" in node
        else node
        | {
            "formula": short_formula(model, features, node["id"]),
            "formulas": formula_lines(model, features, target, node["id"])[:MOST_LINES],
        }
        for node in cards["nodes"]
    ]
    arrays = b"".join(array.tobytes() for array in model.models[:-1])
    digest = hashlib.blake2b(cards["id"].encode() + arrays, digest_size=8)
    return cards | {"id": digest.hexdigest(), "nodes": nodes}


# ---- the decision surface of a model tree, or of an oblique one: its answers in the cells of a grid


def surface(
    model: ModelTree | ObliqueTree,
    dataset: Dataset,
    axes: Sequence[int],
    held: np.ndarray,
    out: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the surface's data, in the form of `espalier.display.boundaries.plane.raster`.

    Arguments are those of `espalier.display.boundaries.surface.surface`. The values of other features are named
    where the tree splits on them or a formula takes them.
    """
    card = raster(lambda X: (shares(model, X), None), dataset, axes, held, out)
    held_features = [feature for feature in used_features(model) if feature not in axes]
    card |= held_or_rows(dataset, held_features, held)
    return card | points(dataset, axes, lambda X: leaves_and_shares(model, X), out)


def node_cells(
    model: ModelTree | ObliqueTree, dataset: Dataset, axes: Sequence[int], held: np.ndarray, node: int
) -> dict[str, Any]:
    """Return which cells of the surface lie in a node, as `espalier.display.boundaries.plane.node_raster` does.

    "whole" says that no row is in it by a part.
    """
    at = [ruler.at for ruler in rulers_of(dataset, axes)]
    rows = np.atleast_2d(held)
    inside = np.mean([fractions_in(model, samples_over(axes, at, row), node) for row in rows], axis=0)
    return {"node": int(node), "cells": packed(inside, 0.0, float(inside.max())), "whole": held.ndim == 1}


def used_features(model: ModelTree | ObliqueTree) -> list[int]:
    """Return the features that the tree splits on or a formula takes, ascending, each once."""
    return sorted(set(asked_by(model).tolist()))
