"""Growing a forest as a job: the work, and the grown forest with its data."""

from __future__ import annotations

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.fitting import fit
from espalier.grown import USUAL_TREES, GrownForest, complete_forest, forest_megabytes
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress
from espalier.trees import Forest, read_only
from pages.shared.jobs import compilation
from pages.shared.jobs.workers import THREADS, workers
from pages.shared.own_models import trained, uploads


class OwnForest:
    """A person's own forest, to be read; calling it reads the file."""

    total = 1

    def __init__(self, key: str, dataset: Dataset, model: Model):
        self.key, self.dataset, self.model = key, dataset, model

    @property
    def why_not(self) -> str:
        """Why it cannot be read, or judged on these data, Markdown; "" where it can."""
        file, said = uploads.file_of(self.model), dict(self.model.settings)["trained"]
        return uploads.why_unreadable(file.digest) or trained.fault(self.dataset, said)

    def __call__(self, _progress: Progress) -> GrownForest:
        """The forest. Raises ValueError, saying why, where there is none."""
        compilation.wait(self.model.stage)
        ready = uploads.made(self.model, self.dataset, is_forest=True)
        seen = uploads.rows_of(self.model, self.dataset)
        held = read_only(np.ones(len(self.dataset.y), bool) if seen is None else ~seen)
        forest = _with_prior(ready.forest_, len(self.dataset.classes))
        return GrownForest(self.key, forest, self.dataset, held, None, self.model, ready, True, seen is None)


def _with_prior(forest: Forest, n_classes: int) -> Forest:
    """The forest, where its file says nothing of the classes' sizes, with equal ones: the first of ties wins."""
    if len(forest.prior) or not n_classes:
        return forest
    return forest._replace(prior=read_only(np.full(n_classes, 1 / n_classes)))


class ForestJob:
    """A forest to be grown, with its data; calling it grows the forest."""

    def __init__(self, dataset: Dataset, holdout: HeldOut, model: Model):
        """The forest of the model, to grow on the rows that are not held out."""
        self.dataset, self.holdout, self.model = dataset, holdout, model
        self.held = held_out(dataset, holdout)

    @property
    def total(self) -> int:
        """Number of steps of the job; an estimate where the data decide the number of trees."""
        return (self.model.n_trees or USUAL_TREES) * int((~self.held).sum())

    def __call__(self, progress: Progress) -> GrownForest:
        """The forest; `progress` is that of a job. Raises ValueError where it cannot be grown, saying why."""
        compilation.wait(self.model.stage)
        estimator = self.model.make(CommonTerms.of(self.dataset, n_jobs=THREADS))
        with workers(self.dataset.X.nbytes) as executor:
            fit(estimator, self.dataset, ~self.held, progress, executor)
        is_whole, in_bag = not progress.is_stopped, None
        if not self.model.kind.is_sum:  # a sum without some of its steps says nothing
            seen = estimator.in_bag()
            in_bag = seen if (seen == 0).any() else None
        grew = "all" if is_whole else tuple(estimator.trees_so_far())  # these differ from stop to stop
        key = repr((self.dataset.digest, self.holdout, self.model, grew))
        forest = complete_forest(estimator.forest_, self.dataset, ~self.held)
        return GrownForest(key, forest, self.dataset, self.held, in_bag, self.model, estimator, is_whole)


def megabytes_ahead(job: ForestJob) -> float:
    """Memory that a forest may take, guessed before it is grown."""
    n_rows, n_classes = int((~job.held).sum()), len(job.dataset.classes)
    return forest_megabytes(job.model, n_rows) * (n_classes if job.model.kind.is_sum and n_classes > 2 else 1)
