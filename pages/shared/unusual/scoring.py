"""Scoring all rows of a table by an isolation forest, as a job."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.learners import IsolationForest
from espalier.learners.forests.isolation import USUAL_SAMPLES, score_offset
from espalier.progress import Progress
from espalier.views.forests.isolation import Scores
from espalier.views.forests.isolation_code import Settings
from pages.shared.app import chosen_row
from pages.shared.app.table_results import of_table
from pages.shared.jobs import compilation, note, watch
from pages.shared.jobs.note import Far, Line
from pages.shared.jobs.run import Job, Work
from pages.shared.jobs.workers import THREADS, workers
from pages.shared.words import unusual as words

STAGE = "forest"
LARGE = 2_000_000_000  # rows times trees times columns: more is begun only when asked for
MOST_LISTED = 100  # rows with the highest scores


class ScoredRows(NamedTuple):
    """A table whose rows have scores."""

    key: str  # of data and forest
    dataset: Dataset
    model: Any  # the fitted estimator
    score: np.ndarray  # (n_samples,) from 0 to 1, greater for unusual rows

    @property
    def highest(self) -> np.ndarray:
        """Rows with the highest scores, descending."""
        return np.argsort(-self.score, kind="stable")[:MOST_LISTED]


class IsolationJob(NamedTuple):
    """A table and the settings of the forest; calling it is the work of a job."""

    dataset: Dataset
    n_trees: int
    seed: int

    @property
    def key(self) -> str:
        """Names the job."""
        causes = repr((self.dataset.digest, self.n_trees, self.seed))
        return "unusual " + hashlib.blake2b(causes.encode(), digest_size=8).hexdigest()

    @property
    def n_drawn(self) -> int:
        """Rows that each tree takes."""
        return min(USUAL_SAMPLES, len(self.dataset.y))

    def __call__(self, progress: Progress) -> ScoredRows | None:
        """The scores; None where it was stopped. `progress` as in `IsolationForest.fit`."""
        compilation.wait(STAGE)
        data = self.dataset
        model = IsolationForest(
            n_estimators=self.n_trees,
            n_jobs=THREADS,
            random_state=self.seed,
            categorical_features=data.categorical,
        )
        with workers(data.X.nbytes) as executor:
            model.fit(data.X, sample_weight=data.weights, progress=progress, executor=executor)
        if progress.is_stopped:
            return None
        return ScoredRows(self.key, data, model, -model.score_samples(data.X))


def scored(dataset: Dataset, settings: Settings) -> ScoredRows | None:
    """The table with its scores; None while it has none, with the reason on the page."""
    job = IsolationJob(dataset, settings.n_estimators, settings.random_state)
    if not watch.may_begin([job.key], dataset.X.size * job.n_trees, LARGE):
        watch.offer([job.key], words.amount(job.n_trees, len(dataset.y)), words.SCORE_ROWS)
        return None
    outcome = watch.outcome(Work(job.key, job.n_trees * job.n_drawn, job))
    if outcome.is_awaited:
        note.progress([Line(job.key, words.ISOLATING, lambda at_work: _how_far(job, at_work), STAGE)])
    note.ended(job.key, outcome, words.STOPPED, words.FAILED, goes_on=False)
    return outcome.value


def there(dataset: Dataset, settings: Settings) -> ScoredRows | None:
    """The table with its scores, if they are there; nothing is begun."""
    outcome = watch.found(IsolationJob(dataset, settings.n_estimators, settings.random_state).key)
    return None if outcome is None else outcome.value


def _how_far(job: IsolationJob, at_work: Job) -> Far:
    return Far(at_work.share, words.how_far(int(at_work.share * job.n_trees), job.n_trees), at_work.seconds_left)


def scores(rows: ScoredRows, contamination: float) -> Scores:
    """The scores with the limit of this share of unusual rows, and the chosen row."""
    row = chosen_row.chosen()
    name = "" if row is None else rows.dataset.roles.name_of(row)
    return Scores(rows.score, -score_offset(-rows.score, contamination), row, name)


@of_table(max_entries=16)
def _saved(key: str, _rows: ScoredRows) -> np.ndarray:
    return _rows.model.cuts_saved(_rows.dataset.X[_rows.highest])


def saved(rows: ScoredRows) -> np.ndarray:
    """(n_listed, n_features): the cuts that each column saves the rows with the highest scores."""
    return _saved(rows.key, rows)


def saved_of(rows: ScoredRows, row: int) -> np.ndarray:
    """(n_features,): the cuts that each column saves a row."""
    return rows.model.cuts_saved(rows.dataset.X[[row]])[0]


def with_score_as_target(rows: ScoredRows) -> Dataset:
    """The table with the score in place of its target, for a surface."""
    return rows.dataset._replace(y=rows.score, target=Feature(words.SCORE), digest=rows.key)
