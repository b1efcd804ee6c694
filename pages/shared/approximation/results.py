"""Comparisons of a black box and its tree, worked out once: their fidelity, and their differences."""

from __future__ import annotations

from functools import partial

import numpy as np

from espalier.approximation import fidelity
from espalier.approximation.fidelity import Fidelity, FidelityLevel
from espalier.approximation.stand_in import (
    FRESH,
    AnsweredRows,
    Approximated,
    Truth,
    affordable,
    ask_in_steps,
    fresh_rows,
    held_rows,
    rate_both,
    score_both,
)
from espalier.approximation.words import SplitFacts
from espalier.comparison.class_rates import Rates
from espalier.data.dataset import Dataset
from espalier.display.boundaries import plane
from espalier.display.theme import number
from espalier.forests import surfaces
from espalier.grown import FittedTree, GrownTree, TreeSource, join_data
from espalier.language import say
from espalier.predict import shares
from espalier.progress import Progress
from pages.shared.app.store import of_table
from pages.shared.approximation import controls
from pages.shared.jobs import note
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Work
from pages.shared.tree import results


def split_facts(one: Approximated) -> SplitFacts:
    """Facts on the splits for views."""
    missing, is_exact = results.missing(as_grown(one).dataset), one.model.value("method") == "exact"
    return SplitFacts(one.tree, one.considered, one.dataset.features, missing, one.model.value("level"), is_exact)


def as_grown(one: Approximated) -> GrownTree:
    """The tree as the tree page has its own: the same canvas, words and exports serve it."""
    source = TreeSource(one.holdout, one.model)
    return join_data(one.key, FittedTree(one.tree, None), one.dataset, source, one.estimator)


@of_table(max_entries=32)
def fresh(one: Approximated) -> AnsweredRows:
    """Fresh pseudo-samples, none of which the tree was grown on."""
    return fresh_rows(one)


@of_table(max_entries=32)
def held(one: Approximated) -> AnsweredRows | None:
    """The held-out rows; None where there are none."""
    return held_rows(one)


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
    rows = held(one)
    return None if rows is None else score_both(one, rows)


def rates_of(one: Approximated) -> list[tuple[str, Rates]] | None:
    """Rates of both by class on held-out rows; None for numbers, or where there are none."""
    rows = held(one)
    both = None if rows is None else rate_both(one, rows)
    return None if both is None else list(zip((say("the model"), say("the tree")), both, strict=True))


def depth_curves(one: Approximated) -> tuple[list[float], ...]:
    """The distance to the model by depth, where the tree ends before the greatest allowed; else none."""
    ends_before = one.is_whole and 0 < one.tree.depth < one.model.value("depth")
    return ([level.fidelity.distance for level in levels(one)],) if ends_before else ()


def slowness(one: Approximated) -> str:
    """Note on a model that is too slow for all rows that might be asked about; empty for others."""
    most = one.estimator.max_samples * (2**one.estimator.max_depth - 1)  # if all splits need all they may
    if one.estimator.budget_ >= most and affordable(one.answers.pace, FRESH) >= FRESH:
        return ""
    pace = max(one.answers.pace, one.estimator.seconds_a_row_)
    return say("The model takes {ms} ms a row, so fewer made-up cases are asked about.", ms=number(1000 * pace))


def over_plane(one: Approximated, axes: tuple[int, ...]) -> AnsweredRows | None:
    """Answers of both in the middles of the plane's cells, other features typical; None while it is asked."""
    X, pace = plane_of(one.dataset, axes).samples(plane.typical(one.dataset)), one.answers.pace
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
