"""Comparisons of a black box and its tree, worked out once: their fidelity, and their differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.approximation import fidelity
from espalier.approximation import pictures as approximation_surfaces
from espalier.approximation.fidelity import Fidelity, FidelityLevel
from espalier.approximation.words import SplitFacts, SplitTerms
from espalier.comparison.scores import Rates, rates
from espalier.data.dataset import Dataset
from espalier.data.roles import class_sizes, weighted_mean
from espalier.display.boundaries import plane
from espalier.display.theme import count, number
from espalier.forests import surfaces
from espalier.language import say
from espalier.predict import shares
from espalier.ties import winners
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.approximation import later_answers
from pages.shared.approximation.answers import FRESH, MOST_ASKED, ModelAnswers, affordable
from pages.shared.approximation.fits import Approximated
from pages.shared.canvas import axis_choice
from pages.shared.tree import explorer, results
from pages.shared.tree.fits import FittedTree
from pages.shared.tree.results import GrownTree, TreeSource


class AnsweredRows(NamedTuple):
    """Rows, and the answers of both to them."""

    X: np.ndarray  # (n, n_features)
    model: np.ndarray  # (n, n_outputs)
    tree: np.ndarray  # (n, n_outputs)


class Truth(NamedTuple):
    """Scores of both on held-out rows: the accuracy, or R²."""

    model: float
    tree: float
    baseline: float  # always the most frequent class of the rows grown on, or their mean, on the same rows


def split_facts(one: Approximated) -> SplitFacts:
    """Facts on the splits for views."""
    level, is_exact = one.model.value("level"), one.model.value("method") == "exact"
    terms = SplitTerms(level, is_exact, one.model.value("undecided"), one.is_whole)
    return SplitFacts(one.tree, one.considered, one.dataset.features, results.missing(as_grown(one)), terms)


def as_grown(one: Approximated) -> GrownTree:
    """The tree as the tree page has its own: the same canvas, words and exports serve it."""
    source = TreeSource(one.holdout, one.model)
    return results.with_data(one.key, FittedTree(one.tree, None), one.dataset, source, one.estimator)


@of_table(max_entries=32)
def fresh(one: Approximated) -> AnsweredRows:
    """Fresh pseudo-samples, none of which the tree was grown on."""
    both = _compared(one)
    return AnsweredRows(both.fresh, both.of_fresh, shares(one.tree, both.fresh))


def held_rows(one: Approximated) -> np.ndarray:
    """Numbers of the held-out rows that were asked about: all, or some."""
    return _compared(one).rows


@of_table(max_entries=32)
def held(one: Approximated) -> AnsweredRows | None:
    """The held-out rows; None where there are none."""
    both = _compared(one)
    X = one.dataset.X[both.rows]
    return AnsweredRows(X, both.of_rows, shares(one.tree, X)) if len(X) else None


def _compared(one: Approximated) -> ModelAnswers:
    assert one.compared is not None  # a job that has ended has compared both
    return one.compared


def _asked(one: Approximated, name: str, X: np.ndarray) -> AnsweredRows | None:
    outputs = later_answers.answered(one, name, X)
    return None if outputs is None else AnsweredRows(X, outputs, shares(one.tree, X))


@of_table(max_entries=64)
def _levels(one: Approximated, is_fresh: bool, _rows: AnsweredRows) -> list[FidelityLevel]:
    weight = None if is_fresh else one.dataset.weights_of(held_rows(one))
    is_classification = one.dataset.is_classification
    return fidelity.fidelity_levels(one.tree, _rows.X, _rows.model, is_classification, one.prior, weight)


def levels(one: Approximated) -> list[FidelityLevel]:
    """Fidelity by depth, on fresh pseudo-samples."""
    return _levels(one, True, fresh(one))


def held_levels(one: Approximated) -> list[FidelityLevel] | None:
    """Fidelity by depth, on held-out rows."""
    rows = held(one)
    return None if rows is None else _levels(one, False, rows)


def overall(one: Approximated) -> Fidelity:
    """Fidelity of the whole tree on fresh pseudo-samples."""
    return levels(one)[-1].fidelity


def truth(one: Approximated) -> Truth | None:
    """Scores of both on held-out rows; None where there are none."""
    rows = held(one)
    if rows is None:
        return None
    data = one.dataset
    y, weight = data.y[held_rows(one)], data.weights_of(held_rows(one))
    if data.is_classification:
        always = weighted_mean(y == usual_of(one), weight)
        both = winners(rows.model, one.prior), winners(rows.tree)
        model, tree = (weighted_mean(classes == y, weight) for classes in both)
        return Truth(model, tree, always)
    mean = np.full(len(y), weighted_mean(data.y[~one.held], data.weights_of(~one.held)))
    model, tree, always = (fidelity.r2(y, said, weight) for said in (rows.model[:, 0], rows.tree[:, 0], mean))
    return Truth(model, tree, always)


def depth_curves(one: Approximated) -> tuple[list[float], ...]:
    """The distance to the model by depth, where the tree ends before the greatest allowed; else none."""
    ends_before = one.is_whole and 0 < one.tree.depth < one.model.value("depth")
    return ([level.fidelity.distance for level in levels(one)],) if ends_before else ()


def usual_of(one: Approximated) -> int:
    """The most frequent class of the rows that are not held out, by weight."""
    data, trained = one.dataset, ~one.held
    return int(class_sizes(data.y[trained], 1, data.weights_of(trained)).argmax())


def rates_of(one: Approximated) -> list[tuple[str, Rates]] | None:
    """Rates of both by class on held-out rows; None for numbers, or where there are none."""
    rows = held(one)
    if rows is None or not one.dataset.is_classification:
        return None
    y, n, usual = one.dataset.y[held_rows(one)], len(one.dataset.classes), usual_of(one)
    both = winners(rows.model, one.prior), winners(rows.tree)
    weight = one.dataset.weights_of(held_rows(one))
    return [
        (who, rates(y, classes, n, usual, weight))
        for who, classes in zip((say("the model"), say("the tree")), both, strict=True)
    ]


def n_pseudo_samples(one: Approximated) -> int:
    """Pseudo-samples that were drawn to grow the tree."""
    return int(one.considered.n_samples.sum())


def slowness(one: Approximated) -> str:
    """Note on a model that is too slow for all rows that might be asked about; empty for others."""
    most = one.estimator.max_samples * (2**one.estimator.max_depth - 1)  # if all splits need all they may
    budget = one.estimator.budget_
    both = _compared(one)
    parts = (
        [say("{n} made-up cases at most are asked about instead of {of}", n=count(round(budget)), of=count(most))]
        if budget < most
        else []
    )
    if affordable(both.pace, FRESH) < FRESH:
        parts.append(
            say("both are compared on {n} fresh ones instead of {of}", n=count(len(both.fresh)), of=count(FRESH))
        )
    pace = one.estimator.seconds_a_row_ if budget < most else both.pace
    return (
        say(
            "The model takes {milliseconds} ms a row, so {parts}.",
            milliseconds=number(1000 * pace),
            parts=say(" and ").join(parts),
        )
        if parts
        else ""
    )


# Over a plane ----------------------------------------------------------------------------------------


def over_plane(one: Approximated, axes: tuple[int, ...]) -> AnsweredRows | None:
    """Answers of both in the middles of the plane's cells, other features typical; None while it is asked."""
    data = one.dataset
    return _asked(one, f"over {axes}", plane_of(data, axes).samples(plane.typical(data)))


def plane_of(dataset: Dataset, axes: tuple[int, ...]) -> surfaces.Plane:
    """The plane over these features."""
    return surfaces.plane_of(dataset, axes)


# Rows of the data ------------------------------------------------------------------------------------


def all_rows(one: Approximated) -> tuple[np.ndarray, AnsweredRows] | None:
    """Rows of the data, held-out ones too, with their numbers: all, or evenly some; None while it is asked."""
    n, most = len(one.dataset.y), affordable(_compared(one).pace, MOST_ASKED)
    rows = np.arange(0, n, n // most + 1)
    answered = _asked(one, "all-rows", one.dataset.X[rows])
    return None if answered is None else (rows, answered)


# ---- the black box, the tree, and where they differ, over a plane of two features


def drop_invalid(one: Approximated, linked: bool) -> list[str]:
    """Let go of axes that these data do not have; notes on them where a link asked for them."""
    notes = axis_choice.drop_invalid(one.dataset.features)
    return notes if linked else []


def draw(one: Approximated) -> None:
    """The three pictures side by side."""
    grown, data = as_grown(one), one.dataset
    with st.container(horizontal=True, vertical_alignment="center", key="surface bar"):
        st.markdown(say("Both over the same plane, and how far apart they are"), width="stretch")
        explorer.pick_axes(grown)
    axes = explorer.plane_of(grown)
    outputs = over_plane(one, axes)
    if outputs is None:
        return
    pictures.legend(data, _colours(one))
    plane = plane_of(data, axes)
    gap = approximation_surfaces.gap(outputs.model, outputs.tree, data, one.prior)
    differ = approximation_surfaces.gap_picture(gap, plane, data)
    size = surfaces.SIZE
    panels = {
        "black-box": surfaces.surface_picture(outputs.model, plane, data, one.title, one.prior, size),
        "tree": surfaces.surface_picture(outputs.tree, plane, data, say("The tree"), size=size),
        "difference": differ,
    }
    for column, (name, picture) in zip(st.columns(3), panels.items(), strict=True):
        with column:
            st.markdown(f"**{plain(picture.caption)}**")
            svg = picture.draw(is_dark())
            pictures.show(svg, f"{picture.caption}: {picture.alt}", 2 * surfaces.WIDTH)
            pictures.save(svg, f"{name}.svg")
    dots = _note_of_dots(surfaces.MOST_DOTS, len(axes) == 2)
    st.caption(f"{differ.alt} {_key(one)} {dots}")


def _colours(one: Approximated) -> str:
    if one.dataset.is_classification:
        return say("A colour for each class: {classes}.", classes=", ".join(one.dataset.classes))
    return say("The deeper the colour, the greater the number.")


def _key(one: Approximated) -> str:
    return (
        say("In the third picture: the stronger the colour, the further apart; full where the class is another.")
        if one.dataset.is_classification
        else say("In the third picture: the stronger the colour, the further apart.")
    )


def _note_of_dots(most: int, is_plane: bool) -> str:
    """Note on the dots."""
    by_chance = "" if is_plane else say("; up and down they stand by chance")
    return say(
        "Dots are rows of the data, {most} at most{by_chance}. Columns on no axis have their median or most "
        "frequent value.",
        most=most,
        by_chance=by_chance,
    )
