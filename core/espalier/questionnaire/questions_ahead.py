"""Least and greatest number of remaining questions, over all answers including "I do not know".

Not knowing fixes the side at every later split on the feature, also at splits that its known values never reach;
or surrogate splits are asked. So there may be more questions after "I do not know" than after any other answer.
"""

from __future__ import annotations

from typing import NamedTuple

from espalier.questionnaire.questionnaire import (
    Known,
    Questionnaire,
    answered,
    asks,
    child,
    turn,
    unknown,
    with_answer,
)
from espalier.tree.surrogates import n_surrogates
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
        self.numbers: dict[tuple, tuple[int, int]] = {}
        self.leaves: set[int] = set()

    def count(self, node: int, known: Known) -> tuple[int, int]:
        """Return the least and the most questions from `node` on."""
        if self.form.tree.feature[node] == LEAF:
            self.leaves.add(node)
            return 0, 0
        here = {feature: known[feature] for feature in sorted(self.asked[node].intersection(known))}
        key = (node, *here.items())
        if key not in self.numbers:
            self.numbers[key] = (
                self._counted(node, here) if len(self.numbers) < MOST_STATES else self._bounds(node)
            )
        return self.numbers[key]

    def _counted(self, node: int, known: Known) -> tuple[int, int]:
        left, _, stand_in = turn(self.form, node, known)
        if left is not None:
            return self.count(child(self.form.tree, node, left), known)
        counts = [self.count(to, further) for to, further in self._after(node, known, stand_in)]
        return 1 + min(least for least, _ in counts), 1 + max(most for _, most in counts)

    def _after(self, node: int, known: Known, stand_in: int) -> list[tuple[int, Known]]:
        """Return the next node after each answer, with the known answers there; the same one after not knowing."""
        form = self.form
        further = [with_answer(form, answered(form, node, left, stand_in), known) for left in (True, False)]
        ways = [(child(form.tree, node, left), more) for left, more in zip((True, False), further, strict=True)]
        not_known = unknown(asks(form, node, True, stand_in).feature)
        return [*ways, (node, with_answer(form, not_known, known))]

    def _bounds(self, node: int) -> tuple[int, int]:
        """No fewer questions than none, no more than there are levels below."""
        tree = self.form.tree
        if tree.feature[node] == LEAF:
            self.leaves.add(node)
            return 0, 0
        here = 1 + n_surrogates(tree, node)
        return 0, here + max(self._bounds(child(tree, node, left))[1] for left in (True, False))


def _asked_below(form: Questionnaire) -> list[set[int]]:
    """Return for every node the features used in it and below it."""
    tree = form.tree
    asked: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if tree.feature[node] != LEAF:
            first, stop = tree.surrogates.start[node : node + 2]
            here = {int(tree.feature[node]), *tree.surrogates.feature[first:stop].tolist()}
            asked[node] = here.union(asked[tree.left[node]], asked[tree.right[node]])
    return asked
