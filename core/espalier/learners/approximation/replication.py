"""Grow an approximation tree again with other pseudo-samples; everything else is shared."""

from __future__ import annotations

import copy
from concurrent.futures import Executor
from functools import partial
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from espalier.learners.approximation.classifier import Approximation
from espalier.learners.approximation.grow import ApproximationParameters, SmoothedSamples, grow
from espalier.learners.approximation.oracle import Oracle
from espalier.learners.approximation.sampling import SampleSource
from espalier.learners.approximation.split_record import Considered
from espalier.learners.approximation.split_test import Rule, by_test
from espalier.learners.base import Classifier
from espalier.progress import Progress
from espalier.trees import Tree


class ReplicationData(NamedTuple):
    """Inputs that all trees of one model and table share."""

    sample_data: SmoothedSamples
    rule: Rule
    oracle: Oracle
    model: Any
    max_depth: int
    min_split: float

    @property
    def n_samples(self) -> int:
        """Number of rows of the table, repeated ones counted one by one; the final count of progress."""
        return int(self.sample_data.table.n_equal.sum())


class Inline(Executor):
    """An executor that runs tasks at once, in the calling thread: for work that is itself one of many threads'."""

    def map(self, fn, *iterables, **_limits):
        """Map as the built-in does."""
        return map(fn, *iterables)


def inputs_of(fitted: Approximation) -> ReplicationData:
    """Return the inputs of a fitted approximation. Raises NotFittedError for an unfitted one."""
    check_is_fitted(fitted, "tree_")
    table, oracle = fitted.table_, fitted.oracle_
    sample_data = SmoothedSamples(
        table,
        oracle.labels(table.X),
        fitted.is_categorical_,
        fitted.smoothing_,
        oracle.coding,
        isinstance(fitted, Classifier),
        fitted.allowed_features(),
    )
    return ReplicationData(
        sample_data, fitted.rule(), oracle, fitted.model_, fitted.max_depth, fitted.min_samples_split
    )


def regrow(inputs: ReplicationData, seed: int, progress: Progress) -> tuple[Tree, Considered]:
    """Grow the tree of another seed by sampling on this thread; `progress` as in `ApproximationClassifier.fit`."""
    source: Any = SampleSource(copy.copy(inputs.oracle), inputs.sample_data.smoothing, Inline(), progress)  # type: ignore[arg-type]
    decide = partial(by_test, source, inputs.rule)
    return grow(
        inputs.sample_data,
        ApproximationParameters(inputs.max_depth, inputs.min_split, decide, True),
        seed,
        progress,
    )
