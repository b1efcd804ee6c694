"""Answers of a black box that a tab needs: at once where it is quick, else beside the page, with Cancel."""

from __future__ import annotations

from functools import partial

import numpy as np

from espalier.display.theme import count
from espalier.language import say
from espalier.progress import Progress
from pages.shared.approximation.answers import Asked
from pages.shared.approximation.fits import Approximated
from pages.shared.jobs import note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import RUNNER, Job, Outcome, Work

QUICK_SECONDS = 0.5  # that the page may stand still for


class AnswerJob:
    """A fitted black box to be asked about rows."""

    def __init__(self, one: Approximated, X: np.ndarray):
        self.one, self.X = one, X
        self.heard = np.array([0, len(X)])  # rows that were answered, of how many

    def __call__(self, progress: Progress) -> np.ndarray | None:
        """(n, n_outputs) of all rows; None where it was stopped. `progress` is that of a job."""
        if progress.is_stopped:
            return None
        outputs = Asked(self.one.model_says, pace(self.one), progress, self.heard).of(self.X)
        return outputs if len(outputs) == len(self.X) else None


def pace(one: Approximated) -> float:
    """Seconds that the black box takes for a row."""
    return 0.0 if one.compared is None else one.compared.pace


def answered(one: Approximated, name: str, X: np.ndarray) -> np.ndarray | None:
    """(n, n_outputs): answers of the black box to rows X; None while it is asked, which the page then shows.

    `name` is that of the rows.
    """
    key = f"{one.key} {name}"
    outcome = watch.found(key)
    if outcome is None:
        if pace(one) * len(X) <= QUICK_SECONDS:
            outcome = Outcome(one.model_says(X))
            RUNNER.keep(key, outcome)
        else:
            outcome = watch.outcome(Work(key, len(X), AnswerJob(one, X)), beside=True)
    if outcome.is_awaited:
        note.progress([Line(key, say("Asking {who}", who=one.in_sentence), partial(_how_far, one.title))])
    note.ended(
        key,
        outcome,
        say("Asking {who} was stopped.", who=one.in_sentence),
        say("The model could not be asked."),
        False,
    )
    return outcome.value


def _how_far(title: str, job: Job) -> Far:
    done, n = job.work.call.heard.tolist()
    return Far(done / n, say("{title} is asked about {n} of {of} rows", title=title, n=count(done), of=count(n)))
