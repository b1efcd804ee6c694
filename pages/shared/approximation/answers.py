"""Answers of a black box to the rows on which it is compared with its tree: fewer where it is slow."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from espalier.learners.approximation.asking import FIRST, LONG, SHORT
from espalier.learners.approximation.sampling import rounded_down
from espalier.progress import Progress

FRESH = 10_000  # pseudo-samples that fidelity is measured on
FRESH_SEED = 2**40  # unlike any seed that a tree is grown with
MOST_ASKED = 10_000  # rows that the black box is asked about for the page, at most
PATIENCE = 10.0  # seconds that the model may take for each of them
FEWEST = 100  # however slow it is

Says = Callable[[np.ndarray], np.ndarray]  # (n, n_outputs) of rows (n, n_features)


class ModelAnswers(NamedTuple):
    """Answers of the model to rows that its tree was not grown on."""

    pace: float  # seconds that it takes for a row
    fresh: np.ndarray  # (n, n_features) pseudo-samples
    of_fresh: np.ndarray  # (n, n_outputs): the answers to them
    rows: np.ndarray  # (n_held,) int64: numbers of held-out rows, all or some
    of_rows: np.ndarray  # (n_held, n_outputs)


class Asked:
    """Asks the model in parts, and counts the rows; once it is stopped, only the part that was begun is there."""

    def __init__(self, says: Says, pace: float, progress: Progress, heard: np.ndarray):
        """`progress` is that of a job; `heard` is int64 (2,): rows that were answered, and of how many."""
        self.says, self.pace, self.progress, self.heard = says, pace, progress, heard

    def of(self, X: np.ndarray) -> np.ndarray:
        """(n, n_outputs) of rows X (n_rows, n_features): of the first n, all unless it is stopped."""
        step = len(X) if self.pace * len(X) <= LONG else max(int(SHORT / self.pace), FIRST)
        parts = [self._part(X[:step])]
        for first in range(step, len(X), max(step, 1)):
            if self.progress.is_stopped:
                break
            parts.append(self._part(X[first : first + step]))
        return np.concatenate(parts)

    def _part(self, X: np.ndarray) -> np.ndarray:
        outputs = self.says(X)
        self.heard[0] += len(X)
        return outputs


def affordable(pace: float, most: int) -> int:
    """Number of rows for a model that takes `pace` seconds for each: `most`, unless that takes too long."""
    return most if pace * most <= PATIENCE else min(max(int(rounded_down(PATIENCE / pace)), FEWEST), most)


def some_of(rows: np.ndarray, most: int) -> np.ndarray:
    """Row numbers: all, or evenly some, by chance in order, so that the first of them stand for all."""
    return np.random.default_rng(0).permutation(rows[:: len(rows) // most + 1])


def compared(asked: Asked, fresh: np.ndarray, rows: np.ndarray, X: np.ndarray) -> ModelAnswers:
    """Answers of the model to `fresh` pseudo-samples, and to held-out rows, by number, of the table X."""
    asked.heard[1] = len(fresh) + len(rows)
    of_fresh = asked.of(fresh)
    of_rows = asked.of(X[rows]) if len(rows) else np.empty((0, of_fresh.shape[1]))
    order = np.argsort(rows[: len(of_rows)])
    return ModelAnswers(asked.pace, fresh[: len(of_fresh)], of_fresh, rows[order], of_rows[order])
