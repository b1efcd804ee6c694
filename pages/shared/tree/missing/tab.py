"""The tab "Missing values": error against the share of values removed, for each way of treating them."""

from __future__ import annotations

import streamlit as st

from espalier.views.spreadsheet import to_csv
from espalier.views.tree import missing_curve
from espalier.views.tree.missing_curve import MissingCurve
from pages.shared.app import pictures
from pages.shared.app.frame import is_dark
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Outcome
from pages.shared.models import cart
from pages.shared.tree import results
from pages.shared.tree.missing import removing
from pages.shared.tree.missing.removing import RemovalJob
from pages.shared.tree.results import GrownTree
from pages.shared.words.tree import missing as words


def body(whole: GrownTree) -> None:
    """The tab itself."""
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.markdown(words.INTRODUCTION)
        st.segmented_control(
            words.REPEATS, removing.CHOICES, key=removing.REPEATS, help=words.REPEATS_HELP, required=True
        )
    trial = removing.job(whole)
    found = removing.outcome(trial)
    with right:
        _how_far(trial, found)
    if found.value is not None:
        curve = MissingCurve(found.value, whole.dataset.is_classification)
        with left:
            _told(whole, trial, curve)
        with right:
            _picture(whole, trial, curve)


def _told(whole: GrownTree, trial: RemovalJob, curve: MissingCurve) -> None:
    st.markdown(missing_curve.best_words(curve))
    for text in _notes(whole, trial, curve):
        st.caption(text)


def _notes(whole: GrownTree, trial: RemovalJob, curve: MissingCurve) -> list[str]:
    done, of = curve.found.n_repeats, trial.removals.n_repeats
    notes = {
        words.in_part(done, of): done < of,
        words.NO_SURROGATES: "surrogate" not in trial.ways,
        words.ONE_COLUMN: len(whole.dataset.features) == 1,
        words.AT_RANDOM: True,
    }
    return [text for text, holds in notes.items() if holds]


def _picture(whole: GrownTree, trial: RemovalJob, curve: MissingCurve) -> None:
    pictures.show(missing_curve.missing_curve(curve, is_dark()), missing_curve.missing_alt(curve), 820)
    has_gaps = bool(results.missing(whole).any())
    st.caption(words.below_the_picture(curve.is_share, trial.removals.held.percent, has_gaps))
    with st.container(horizontal=True):
        pictures.save(missing_curve.missing_curve(curve, False), "error-by-values-removed.svg")
        pictures.save(lambda: to_csv(missing_curve.missing_table(curve)), "error-by-values-removed.csv")


def _how_far(trial: RemovalJob, found: Outcome) -> None:
    """How far the trees are, how the job ended where it was stopped, or the button that begins it."""
    if found.is_awaited and trial.is_large:
        watch.offer([trial.key], words.much_to_do(trial.n_tasks, len(trial.dataset.y)), words.BEGIN)
    elif found.is_awaited:
        far = lambda job: Far(job.share, words.AT_WORK, job.seconds_left)  # noqa: E731
        note.progress([Line(trial.key, words.AT_WORK, far, cart.KIND.stage)])
    else:
        note.ended(trial.key, found, words.STOPPED, words.FAILED)
