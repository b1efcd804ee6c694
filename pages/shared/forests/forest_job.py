"""Growing a forest as a job: the work, and the grown forest with its data."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut, held_out
from espalier.data.roles import class_sizes
from espalier.fitting import fit
from espalier.learners.catalogue import CommonTerms, Model
from espalier.progress import Progress
from espalier.trees import AnyTree, Forest, make_forest, make_sum, read_only
from pages.shared.jobs import compilation
from pages.shared.jobs.workers import THREADS, workers
from pages.shared.own_models import trained, uploads

BYTES_A_NODE = 110  # of a tree, and of the packed forest that rows are sent through
NODES_A_ROW = 1.3  # of a tree that grows until every leaf is pure, at most
USUAL_TREES = 100  # for a guess, where the data decide how many there are


class GrownForest(NamedTuple):
    """A forest with the data it was grown on."""

    key: str  # names data, model and the trees that grew: the key of everything that is derived from it
    forest: Forest
    dataset: Dataset
    held: np.ndarray  # (n_samples,) bool: rows held out
    in_bag: np.ndarray | None  # (n_trees, n_grown_on) uint8; None where no tree left out any row
    model: Model
    estimator: Any  # as it was fitted
    is_whole: bool  # whether it was not stopped
    may_have_seen: bool = False  # whether it is not known which rows it was trained on: all count as held out

    @property
    def is_own(self) -> bool:
        """Whether a person brought it, and nothing was grown here."""
        return self.model.name == uploads.NAME

    @property
    def is_sum(self) -> bool:
        """Whether its trees are steps of a sum, and have no votes."""
        return self.forest.combine == "sum"

    @property
    def has_rounds(self) -> bool:
        """Whether each of its trees corrects the sum of the earlier ones, as the mean of log odds does not."""
        return self.is_sum and not getattr(self.estimator, "averages", False)

    @property
    def trees_a_round(self) -> int:
        """Trees that a round of a sum grows; 1 for other forests."""
        return self.estimator.n_trees_per_iteration_ if self.is_sum else 1

    @property
    def n_rounds(self) -> int:
        """Number of rounds of a sum, or of trees of other forests."""
        return self.forest.n_trees // self.trees_a_round

    @property
    def rows(self) -> np.ndarray:
        """(n_grown_on,) the rows that it was grown on; none where it is not known."""
        return np.flatnonzero(~self.held)

    @property
    def surely_held(self) -> np.ndarray:
        """(n_samples,) bool: the rows held out; none where nobody knows which it was trained on."""
        return np.zeros(len(self.held), bool) if self.may_have_seen else self.held

    def saw(self, row: int) -> np.ndarray:
        """(n_trees,) bool: which trees grew on this row."""
        if self.held[row]:
            return np.zeros(self.forest.n_trees, bool)
        if self.in_bag is None:
            return np.ones(self.forest.n_trees, bool)
        return self.in_bag[:, np.searchsorted(self.rows, row)] > 0


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
        forest = self._forest(estimator.forest_)
        return GrownForest(key, forest, self.dataset, self.held, in_bag, self.model, estimator, is_whole)

    def _forest(self, grown: Forest) -> Forest:
        """The forest with all classes of the data, also those that no row grown on has."""
        y, n_classes = self.dataset.y[~self.held], len(self.dataset.classes)
        if not n_classes:
            return grown
        sizes = class_sizes(y, n_classes, self.dataset.weights_of(~self.held))
        prior = sizes / sizes.sum()
        if grown.combine == "sum":
            return _sum_of_all(grown, np.unique(y), prior)
        wide = [_with_all(tree, np.unique(y), n_classes) for tree in grown.trees]
        return make_forest(wide, grown.weight, grown.combine, prior)


def _with_all(tree: Any, present: np.ndarray, n_classes: int) -> AnyTree:
    if tree.value.shape[1] == n_classes:
        return tree
    value = np.zeros((tree.n_nodes, n_classes))
    value[:, present] = tree.value
    return tree._replace(value=read_only(value))


def _sum_of_all(grown: Forest, present: np.ndarray, prior: np.ndarray) -> Forest:
    """The sum with a score for each class; a class that no row grown on has keeps the share 0."""
    if grown.n_outputs == len(prior):
        return grown._replace(prior=read_only(prior))
    start = np.full(len(prior), -np.inf)
    start[present] = [0.0, *grown.start] if grown.link == "logistic" else grown.start
    scored = present[-1:] if grown.link == "logistic" else present
    trees: Any = [_with_all(tree, scored, len(prior)) for tree in grown.trees]
    return make_sum(trees, start, "softmax", prior)


def megabytes_ahead(job: ForestJob) -> float:
    """Memory that a forest may take, guessed before it is grown."""
    n_rows, n_classes = int((~job.held).sum()), len(job.dataset.classes)
    return _megabytes(job.model, n_rows) * (n_classes if job.model.kind.is_sum and n_classes > 2 else 1)


def fitting(model: Model, n_rows: int, megabytes: float) -> Model:
    """The model, with the greatest depth that keeps to the memory where its depth is open and it would not.

    `n_rows` are those that it grows on. A model that fits by no depth stays as it is.
    """
    if model.depth is not None or _megabytes(model, n_rows) <= megabytes:
        return model
    tried = (model.with_settings(depth=depth) for depth in range(40, 3, -1))
    return next((one for one in tried if _megabytes(one, n_rows) <= megabytes), model)


def _megabytes(model: Model, n_rows: int) -> float:
    n_nodes = min(NODES_A_ROW * n_rows, 2.0 ** ((model.depth or 60) + 1), 2.0 * (model.value("leaves") or n_rows))
    return (model.n_trees or USUAL_TREES) * (BYTES_A_NODE * n_nodes + n_rows) / 1e6
