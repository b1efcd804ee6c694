"""Results of the replicates, from `espalier.analysis`, each kept until its data change."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Dataset
from espalier.display.boundaries import plane
from espalier.forests.surfaces import plane_of
from espalier.language import say
from espalier.stability import splits as answers
from espalier.stability.bars import Bar, Chart, differs, n_shown_bars
from espalier.stability.replicates import Replicates
from espalier.stability.splits import (
    Neighbourhood,
    SplitChoices,
    Window,
    away,
    difference,
    neighbourhoods,
    reach,
    split_choices,
    windows,
)
from espalier.stability.structures import (
    Equality,
    Repeats,
    StructureLevel,
    Structures,
    levels,
    repeats,
    structures_of,
)
from espalier.trees import AnyTree
from pages.shared.app.table_results import of_table
from pages.shared.canvas import axis_choice
from pages.shared.stability import controls
from pages.shared.stability.runs import StabilityJob, is_awaited

MOST_MAPPED = 100  # trees of a map
COVERED = 0.9  # share of the thresholds that the last window is to cover


class LearnerReplicates(NamedTuple):
    """A learner with its replicates."""

    title: str
    trials: tuple[StabilityJob, ...]
    runs: tuple[Replicates, ...]  # of the first draws, and of every repetition

    @property
    def place(self) -> int:
        """Number of its place among those side by side."""
        return self.trials[0].slot

    @property
    def dataset(self) -> Dataset:
        """The data that are drawn again."""
        return self.trials[0].dataset

    @property
    def trees(self) -> tuple[AnyTree, ...]:
        """All trees, those of the first draws first."""
        return tuple(tree for run in self.runs for tree in run.trees)

    @property
    def key(self) -> str:
        """Key of the trees: those of one family with the same numbers are the same."""
        return " ".join(f"{t.family} {_numbers(run)}" for t, run in zip(self.trials, self.runs, strict=True))

    def is_settled(self) -> bool:
        """Whether no tree is to come: all are there, or the job was stopped."""
        return not any(is_awaited(trial) for trial in self.trials)


def _numbers(run: Replicates) -> str:
    """The count of the replicates, with a digest of their numbers if some are missing."""
    numbers = run.numbers
    whole = len(numbers) and int(numbers[-1]) == len(numbers) - 1
    digest = "" if whole else hashlib.blake2b(numbers.tobytes(), digest_size=8).hexdigest()
    return f"{len(numbers)} {digest}".rstrip()


class StructureCounts(NamedTuple):
    """A learner's structures, of each run: the histogram, and the counts at each depth."""

    charts: tuple[Chart, ...]
    levels: tuple[tuple[StructureLevel, ...], ...]
    labels: tuple[np.ndarray, ...]  # (n_depths, n_trees): bar of each tree in its column
    repeats: Repeats


def structure_counts(learner: LearnerReplicates) -> StructureCounts:
    """The structures, under the equality and down to the depth that are set; there must be a tree of every run."""
    ask = (controls.depth(), *controls.equality_key())
    if not learner.is_settled():  # other trees come at any time: nothing to remember
        return _structure_counts(learner, ask[0])
    return _remembered(f"{learner.place} {learner.key}", ask, learner)


@of_table(max_entries=64)
def _remembered(key: str, ask: tuple[Any, ...], _learner: LearnerReplicates) -> StructureCounts:
    return _structure_counts(_learner, ask[0])


def _structure_counts(learner: LearnerReplicates, depth: int) -> StructureCounts:
    data, equality = learner.dataset, controls.equality(learner.dataset)
    deepest = max(tree.depth for tree in learner.trees)
    depth = min(depth, max(deepest, 1))  # no levels that no tree has
    same = structures_of(learner.trees, depth, equality, data.X[plane.drawn_rows(len(data.y))])
    batch = np.repeat(np.arange(len(learner.runs)), [len(run.trees) for run in learner.runs])
    label = [same.label[:, batch == run] for run in range(len(learner.runs))]
    ranked = [_by_frequency(of_run) for of_run in label]
    own = [levels(of_run) for of_run in ranked]
    charts = [_chart(learner, run, (label, own), equality) for run in range(len(own))]
    return StructureCounts(
        tuple(charts), tuple(own), tuple(of_run.label for of_run in ranked), repeats(same, batch)
    )


def _by_frequency(label: np.ndarray) -> Structures:
    """The structures of some of the trees, numbered by their own frequency."""
    ranks = np.empty_like(label)
    for depth, of_depth in enumerate(label):
        _, place, counts = np.unique(of_depth, return_inverse=True, return_counts=True)
        rank = np.empty(len(counts), np.int64)
        rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        ranks[depth] = rank[place]
    return Structures(ranks)


def _chart(
    learner: LearnerReplicates,
    run: int,
    of: tuple[list[np.ndarray], list[tuple[StructureLevel, ...]]],
    equality: Equality,
) -> Chart:
    (label, own), replicates = of, learner.runs[run]
    columns = []
    for level, of_first in zip(own[run], own[0], strict=True):
        deep, model = level.depth - 1, int(of_first.first[0])
        is_top = label[run][deep] == label[0][deep][model]  # the structure to look for
        some = n_shown_bars(level.n_structures, len(own[run]))
        say = partial(_differs, learner, model=learner.runs[0].trees[model], depth=level.depth, equality=equality)
        bars = []
        for i, (count, first) in enumerate(zip(level.counts.tolist(), level.first.tolist(), strict=True)):
            text = "" if is_top[first] or i >= some else say(replicates.trees[first])
            bars.append(Bar(count, int(replicates.numbers[first]), bool(is_top[first]), text))
        columns.append(tuple(bars))
    return Chart(len(replicates.trees), tuple(columns))


def _differs(learner: LearnerReplicates, tree: AnyTree, model: AnyTree, depth: int, equality: Equality) -> str:
    if not learner.is_settled():
        return ""
    return differs(tree, model, difference(tree, model, depth, equality), learner.dataset.features)


def difference_words(learner: LearnerReplicates, tree: AnyTree, model: AnyTree, depth: int) -> str:
    """The first difference of a tree from the most frequent one down to this depth, in a sentence."""
    first = difference(tree, model, depth, controls.equality(learner.dataset))
    return differs(tree, model, first, learner.dataset.features)


# Features and thresholds ------------------------------------------------------------------------------


@of_table(max_entries=32)
def splits(learner: LearnerReplicates) -> SplitChoices:
    """Every split of every tree."""
    return split_choices(learner.trees)


def by_depth(learner: LearnerReplicates, n_depths: int) -> np.ndarray:
    """(n_depths, n_features): share of the trees that ask each feature at each depth, from the root on."""
    n_features = len(learner.dataset.features)
    counts = splits(learner).trees(n_features)[:n_depths]
    share = np.zeros((n_depths, n_features))
    share[: len(counts)] = counts / len(learner.trees)
    return share


def root_features(learners: Sequence[LearnerReplicates]) -> list[int]:
    """Number features at the roots, the most frequent first; without any, all that have a neighbourhood."""
    data = learners[0].dataset
    share = sum(by_depth(one, 1)[0] for one in learners) + np.zeros(len(data.features))
    known = around(data)
    return sorted(known, key=lambda f: (-share[f], f))


@of_table(max_entries=32)
def around(dataset: Dataset) -> dict[int, Neighbourhood]:
    """By feature the neighbourhood that a cultivated tree's root has on the whole data."""
    return neighbourhoods(dataset)


def root_thresholds(learner: LearnerReplicates, feature: int) -> np.ndarray:
    """(m,): thresholds on the feature, of the trees that ask it at their root."""
    choices = splits(learner)
    thresholds = choices.threshold[choices.at(feature, 0)]
    return thresholds[np.isfinite(thresholds)]


def root_windows(learner: LearnerReplicates, feature: int) -> list[Window]:
    """The neighbourhood, N^(1/3) and √N samples around the best cut, with their coverage of the thresholds."""
    data = learner.dataset
    return windows(data.X[:, feature], around(data)[feature], root_thresholds(learner, feature))


def needed(learner: LearnerReplicates, feature: int) -> int | None:
    """Samples on either side of the best cut that cover `COVERED` of the thresholds; None without any."""
    data, thresholds = learner.dataset, root_thresholds(learner, feature)
    if not len(thresholds):
        return None
    return reach(away(data.X[:, feature], around(data)[feature].cut, thresholds), COVERED)


# Answers ----------------------------------------------------------------------------------------------


@of_table(max_entries=32)
def agreement(learner: LearnerReplicates) -> answers.Agreement:
    """Agreement of the trees on the rows of the table, or on 2,000 of them; at least two trees."""
    data = learner.dataset
    votes = answers.votes_of(learner.trees, data.X[plane.drawn_rows(len(data.y))], _threads())
    return answers.pairwise_agreement(votes) if data.is_classification else answers.pairwise_difference(votes)


def best_axes(learners: Sequence[LearnerReplicates]) -> list[int]:
    """Features by how often they are asked near the root, those of most trees first, the first two in order."""
    n = len(learners[0].dataset.features)
    weight = np.zeros(n)
    for one in learners:
        for depth, share in enumerate(by_depth(one, 3)):
            weight += share / 2**depth
    order = np.argsort(-weight, kind="stable").tolist()
    best = axis_choice.legible(learners[0].dataset.features, order, np.flatnonzero(weight > 0).tolist())
    return sorted(best[:2]) + best[2:]


@of_table(max_entries=32)
def spread(learner: LearnerReplicates, axes: tuple[int, ...]) -> answers.ReplicateSpread:
    """Mean and variance of the trees' answers in the cells of the plane of these axes."""
    data = learner.dataset
    trees = learner.trees
    some = trees[:: -(-len(trees) // MOST_MAPPED)]
    return answers.spread(some, plane_of(data, axes).samples(plane.typical(data)), _threads())


def _threads() -> int:
    return max((os.cpu_count() or 2) - 1, 1)


def seed_line(value: int) -> str:
    """The seed of the draws of one histogram."""
    return say("Draws of seed {value}", value=value)


def picture_title(title: str, n_trees: int) -> str:
    """Title of a saved histogram."""
    return say("{title}, {n_trees} trees", title=title, n_trees=n_trees)
