"""Comparisons of a black box and its tree, worked out once: their fidelity, and their differences."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from espalier.approximation import fidelity
from espalier.approximation.fidelity import Fidelity, FidelityLevel
from espalier.approximation.stand_in import (
    FRESH,
    AnsweredRows,
    Approximated,
    ModelAnswers,
    affordable,
    ask_in_steps,
)
from espalier.approximation.words import SplitFacts
from espalier.comparison.scores import Rates, rates
from espalier.data.dataset import Dataset
from espalier.data.roles import class_sizes, weighted_mean
from espalier.display.boundaries import plane
from espalier.display.theme import number
from espalier.forests import surfaces
from espalier.grown import FittedTree, GrownTree, TreeSource, join_data
from espalier.language import say
from espalier.predict import shares
from espalier.progress import Progress
from espalier.ties import winners
from pages.shared.app.table_results import of_table
from pages.shared.approximation import controls
from pages.shared.jobs import note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.tree import results


class Truth(NamedTuple):
    """Scores of both on held-out rows: the accuracy, or R²."""

    model: float
    tree: float
    baseline: float  # always the most frequent class of the rows grown on, or their mean, on the same rows


def split_facts(one: Approximated) -> SplitFacts:
    """Facts on the splits for views."""
    missing, is_exact = results.missing(as_grown(one)), one.model.value("method") == "exact"
    return SplitFacts(one.tree, one.considered, one.dataset.features, missing, one.model.value("level"), is_exact)


def as_grown(one: Approximated) -> GrownTree:
    """The tree as the tree page has its own: the same canvas, words and exports serve it."""
    source = TreeSource(one.holdout, one.model)
    return join_data(one.key, FittedTree(one.tree, None), one.dataset, source, one.estimator)


@of_table(max_entries=32)
def fresh(one: Approximated) -> AnsweredRows:
    """Fresh pseudo-samples, none of which the tree was grown on."""
    both = _compared(one)
    return AnsweredRows(both.fresh, both.of_fresh, shares(one.tree, both.fresh))


@of_table(max_entries=32)
def held(one: Approximated) -> AnsweredRows | None:
    """The held-out rows; None where there are none."""
    both, data = _compared(one), one.dataset
    if not len(both.rows):
        return None
    X = data.X[both.rows]
    return AnsweredRows(X, both.of_rows, shares(one.tree, X), data.y[both.rows], data.weights_of(both.rows))


def _compared(one: Approximated) -> ModelAnswers:
    assert one.compared is not None  # a job that has ended has compared both
    return one.compared


@of_table(max_entries=64)
def levels(one: Approximated, is_held: bool = False) -> list[FidelityLevel]:
    """Fidelity by depth, on fresh pseudo-samples, or on held-out rows, as far as there are any."""
    rows, is_share = held(one) if is_held else fresh(one), one.dataset.is_classification
    if rows is None:
        return []
    return fidelity.fidelity_levels(one.tree, rows.X, rows.model, is_share, one.prior, rows.weight)


def overall(one: Approximated) -> Fidelity:
    """Fidelity of the whole tree on fresh pseudo-samples."""
    return levels(one)[-1].fidelity


def truth(one: Approximated) -> Truth | None:
    """Scores of both on held-out rows; None where there are none."""
    rows, data = held(one), one.dataset
    if rows is None or rows.y is None:
        return None
    if both := rates_of(one):
        (_, model), (_, tree) = both
        return Truth(model.accuracy, tree.accuracy, model.baseline)
    mean = np.full(len(rows.y), weighted_mean(data.y[~one.held], data.weights_of(~one.held)))
    answers = (rows.model[:, 0], rows.tree[:, 0], mean)
    return Truth(*(fidelity.r2(rows.y, answer, rows.weight) for answer in answers))


def rates_of(one: Approximated) -> list[tuple[str, Rates]] | None:
    """Rates of both by class on held-out rows; None for numbers, or where there are none."""
    rows, data, trained = held(one), one.dataset, ~one.held
    if rows is None or rows.y is None or not data.is_classification:
        return None
    usual = int(class_sizes(data.y[trained], 1, data.weights_of(trained)).argmax())
    both = {say("the model"): winners(rows.model, one.prior), say("the tree"): winners(rows.tree)}
    return [(who, rates(rows.y, each, len(data.classes), usual, rows.weight)) for who, each in both.items()]


def depth_curves(one: Approximated) -> tuple[list[float], ...]:
    """The distance to the model by depth, where the tree ends before the greatest allowed; else none."""
    ends_before = one.is_whole and 0 < one.tree.depth < one.model.value("depth")
    return ([level.fidelity.distance for level in levels(one)],) if ends_before else ()


def slowness(one: Approximated) -> str:
    """Note on a model that is too slow for all rows that might be asked about; empty for others."""
    most = one.estimator.max_samples * (2**one.estimator.max_depth - 1)  # if all splits need all they may
    if one.estimator.budget_ >= most and affordable(_compared(one).pace, FRESH) >= FRESH:
        return ""
    pace = max(_compared(one).pace, one.estimator.seconds_a_row_)
    return say("The model takes {ms} ms a row, so fewer made-up cases are asked about.", ms=number(1000 * pace))


def over_plane(one: Approximated, axes: tuple[int, ...]) -> AnsweredRows | None:
    """Answers of both in the middles of the plane's cells, other features typical; None while it is asked."""
    X, pace = plane_of(one.dataset, axes).samples(plane.typical(one.dataset)), _compared(one).pace
    work = Work(f"{one.key} over {axes}", len(X), partial(_answers, one, X, pace))
    text = say("Asking {who}", who=controls.in_sentence(one.model))
    line = Line(work.key, text, lambda job: Far(job.share, text, job.seconds_left))
    outputs = note.result(work, line, say("Asking {who} was stopped.", who=controls.in_sentence(one.model)))
    return None if outputs is None else AnsweredRows(X, outputs, shares(one.tree, X))


def _answers(one: Approximated, X: np.ndarray, pace: float, progress: Progress) -> np.ndarray | None:
    """(n, n_outputs): what the black box says of all rows; None where it was stopped."""
    outputs = ask_in_steps(one.ask_model, X, pace, progress)
    return outputs if len(outputs) == len(X) else None


def plane_of(dataset: Dataset, axes: tuple[int, ...]) -> surfaces.Plane:
    """The plane over these features."""
    return surfaces.plane_of(dataset, axes)
