"""A tree of each group, as a job: grown by the learner of the page on the group's rows, and judged there."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from espalier import predict
from espalier.analysis.comparison.subgroups import (
    GroupScores,
    Subgroup,
    Subgroups,
    judged,
    subgroups,
    why_no_model,
)
from espalier.data.dataset import Dataset
from espalier.progress import Onward, Progress
from pages.shared.jobs import compilation, watch
from pages.shared.jobs.run import Outcome, Work
from pages.shared.models import learners, targets
from pages.shared.tree import fits, results
from pages.shared.tree.growing import too_wide
from pages.shared.tree.results import GrownTree


class GroupTree(NamedTuple):
    """The tree of a group, beside that of all rows."""

    group: Subgroup
    why_not: str  # as in `SubgroupModels`
    tree: GrownTree | None
    judged: GroupScores | None


class GroupTrees(NamedTuple):
    """The trees of all groups of a column."""

    dataset: Dataset
    groups: tuple[GroupTree, ...]
    n_others: int  # groups that are left out, being many
    n_rows_of_others: int


class AskedGroups(NamedTuple):
    """The tree of all rows, and the column whose groups are to have trees of their own."""

    whole: GrownTree
    column: str
    n_ranges: int

    @property
    def key(self) -> str:
        """Name of the job."""
        return f"{self.whole.key} groups {self.n_ranges} {self.column}"


def outcome(asked: AskedGroups) -> Outcome:
    """The trees as far as they have come; their job is begun."""
    found = subgroups(asked.whole.table, asked.column, asked.n_ranges)
    total = sum(int((group.taken & ~asked.whole.held).sum()) for group in found.groups)
    return watch.outcome(Work(asked.key, total, partial(_grown, asked, found)), beside=True)


def _grown(asked: AskedGroups, found: Subgroups, progress: Progress) -> GroupTrees | None:
    """The trees; None where it was stopped."""
    compilation.wait(learners.named(asked.whole.source.model.name).stage)
    trees = [
        _tree(asked, group, f"{asked.key} {i}", len(found.groups), progress)
        for i, group in enumerate(found.groups)
        if not progress.is_stopped
    ]
    whole = GroupTrees(asked.whole.table, tuple(trees), found.n_others, found.n_rows_of_others)
    return None if progress.is_stopped else whole


def _tree(asked: AskedGroups, group: Subgroup, key: str, n_groups: int, progress: Progress) -> GroupTree:
    data, source, held = asked.whole.table, asked.whole.source, asked.whole.held
    why_not = why_no_model(data, group.taken & ~held)
    if not why_not and targets.why_not(source.model, data, lambda: group.taken & ~held):
        why_not = "one"  # all zero, of which there is no Poisson deviance
    if why_not:
        return GroupTree(group, why_not, None, None)
    fitted = fits.Fit(data, *source, group.taken)(Onward(progress))
    if too_wide(fitted.tree, data):
        return GroupTree(group, "wide", None, None)
    tree = results.with_data(key, fitted, data, source)
    rows = np.flatnonzero(group.taken & held)
    if not len(rows):
        return GroupTree(group, "", tree, None)
    answers = [predict.shares(one.record, data.X[rows]) for one in (tree, asked.whole)]
    return GroupTree(group, "", tree, judged(data, rows, answers[0], answers[1], n_groups))
