"""Least and greatest number of remaining questions, over all answers including "I do not know".

Not knowing fixes the side at every later split on the feature, also at splits that its known values never reach;
so there may be more questions after "I do not know" than after any other answer.
"""

from __future__ import annotations

from typing import NamedTuple

from espalier.analysis.questionnaire.questionnaire import (
    Known,
    Questionnaire,
    answered,
    child,
    unknown,
    way_on,
    with_answer,
)
from espalier.trees import LEAF

MOST_STATES = 5_000  # places and what is known there; past them the levels below stand for the questions


class Ahead(NamedTuple):
    """Numbers of remaining questions, and the leaves that can still be reached."""

    least: int
    most: int
    leaves: tuple[int, ...]


def ahead(form: Questionnaire, node: int, known: Known) -> Ahead:
    """Return the least and most questions from `node` to an answer, for any mix of answers."""
    search = _WaysOn(form)
    least, most = search.count(node, known)
    return Ahead(least, most, tuple(sorted(search.leaves)))


class _WaysOn:
    """Every way on from a node; what is known of features that are not asked again does not tell them apart."""

    def __init__(self, form: Questionnaire) -> None:
        self.form = form
        self.asked = _asked_below(form)
        self.found: dict[tuple, tuple[int, int]] = {}
        self.leaves: set[int] = set()

    def count(self, node: int, known: Known) -> tuple[int, int]:
        """Return the least and the most questions from `node` on."""
        if self.form.tree.feature[node] == LEAF:
            self.leaves.add(node)
            return 0, 0
        here = {feature: known[feature] for feature in sorted(self.asked[node].intersection(known))}
        key = (node, *here.items())
        if key not in self.found:
            self.found[key] = self._counted(node, here) if len(self.found) < MOST_STATES else self._bounds(node)
        return self.found[key]

    def _counted(self, node: int, known: Known) -> tuple[int, int]:
        way = way_on(self.form, node, known)
        if way is not None:
            return self.count(child(self.form.tree, node, way), known)
        counts = [self.count(to, further) for to, further in self._after(node, known)]
        return 1 + min(least for least, _ in counts), 1 + max(most for _, most in counts)

    def _after(self, node: int, known: Known) -> list[tuple[int, Known]]:
        """Return the next node after each answer, with the known answers there."""
        form = self.form
        further = [with_answer(form, answered(form, node, left), known) for left in (True, False)]
        ways = [(child(form.tree, node, left), more) for left, more in zip((True, False), further, strict=True)]
        not_known = with_answer(form, unknown(int(form.tree.feature[node])), known)
        way = way_on(form, node, not_known)
        return [*ways, (child(form.tree, node, bool(way)), not_known)]

    def _bounds(self, node: int) -> tuple[int, int]:
        """No fewer questions than none, no more than there are levels below."""
        tree = self.form.tree
        if tree.feature[node] == LEAF:
            self.leaves.add(node)
            return 0, 0
        return 0, 1 + max(self._bounds(child(tree, node, left))[1] for left in (True, False))


def _asked_below(form: Questionnaire) -> list[set[int]]:
    """Return for every node the features used in it and below it."""
    tree = form.tree
    asked: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if tree.feature[node] != LEAF:
            asked[node] = {int(tree.feature[node])}.union(asked[tree.left[node]], asked[tree.right[node]])
    return asked
