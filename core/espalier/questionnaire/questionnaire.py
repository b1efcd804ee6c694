"""A tree as a questionnaire: the answers so far, the next question, and the remaining possibilities.

An answer is about a feature, not a node, so that it holds for any tree: a shorter one, or another. Two answers on
one feature are combined, and a question that they settle is not asked. Where the answer to a split is not known,
its surrogate splits are asked, the best one first, until one decides; else the tree's way of missing values does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.tree.nodes import has_missing
from espalier.tree.rules import (
    ALL,
    Bound,
    admits,
    both,
    n_surrogates,
    narrow,
    question_at,
    step,
    surrogate_step,
)
from espalier.trees import LEAF, Tree, depths


class Answer(NamedTuple):
    """A person's answer about one feature."""

    bound: Bound  # known range or set of its value
    unknown: bool = False  # whether the person knows no more about it


Knowledge: TypeAlias = "dict[int, Answer]"  # by feature: all answers on it, combined


class Questionnaire(NamedTuple):
    """A tree whose splits become questions, one by one."""

    tree: Tree
    features: tuple[Feature, ...]
    # (n_features,) bool: had missing values in training, so that the tree learned a side for them
    missing: np.ndarray


MOST_PLACES = 6  # decimals of values, of which more are of no measurement


def make_questionnaire(tree: Tree, features: Sequence[Feature], X: np.ndarray) -> Questionnaire:
    """Return the questionnaire of a tree that grew on X (n_samples, n_features).

    Its questions have as many decimals as the values next to a column's cuts, where that tells these apart.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> form = make_questionnaire(CartClassifier(max_depth=1).fit(iris.X, iris.y).tree_, iris.features, iris.X)
    >>> form.features[2].places
    1
    """
    columns = [
        feature._replace(places=_places(X[:, f], tree.threshold[tree.feature == f]))
        if f in tree.feature and not feature.categories and feature.moment is None
        else feature
        for f, feature in enumerate(features)
    ]
    return Questionnaire(tree, tuple(columns), has_missing(X))


def _places(values: np.ndarray, cuts: np.ndarray) -> int | None:
    """Return how many decimals the values next to the cuts have: so many tell on which side of a cut each lies."""
    values, cuts = np.unique(values[np.isfinite(values)]), np.unique(cuts)
    above = np.searchsorted(values, cuts, side="right")
    near = values[np.clip(np.concatenate((above - 1, above)), 0, len(values) - 1)] if len(values) else values
    for places in range(MOST_PLACES + 1):
        are_written = np.allclose(np.round(near, places), near, rtol=1e-12, atol=1e-12)
        if are_written and len(np.unique(np.floor(np.round(cuts * 10**places, 6)))) == len(cuts):
            return places
    return None


class QuestionStep(NamedTuple):
    """A split on the path down."""

    node: int
    left: bool
    known: bool  # whether the answers settle it; else the person does not know
    learned: bool  # whether the tree learned what to do without the value; else the larger side is taken
    stand_in: int = 0  # number of the surrogate split that decided, from 1; 0: none did


class Walk(NamedTuple):
    """The path that the answers determine."""

    steps: tuple[QuestionStep, ...]
    node: int  # the next question, or the leaf
    known: Knowledge
    stand_in: int = 0  # number of the node's surrogate split that is asked, from 1; 0: its own split


class Reason(NamedTuple):
    """The condition of a path on one feature, and the person's answer about it."""

    bound: Bound
    answer: Answer | None  # None without an answer
    guessed: bool  # whether the side was assumed without knowledge
    learned: bool = False  # whether the tree had learned a side for missing values at every assumed split
    stand_ins: tuple[Bound, ...] = ()  # the conditions on other features that decided in place of it


def value_answer(feature: int, value: float, feature_of: Feature) -> Answer:
    """Return the answer that a feature has this value: a number, or the code of a category."""
    codes = 1 << int(value) if feature_of.categories else ALL
    value = float(value)
    return Answer(Bound(feature, math.nextafter(value, -math.inf), value, codes, missing=False))


def unknown(feature: int) -> Answer:
    """Return the answer that no more is known about a feature."""
    return Answer(Bound(feature), unknown=True)


def asks(form: Questionnaire, node: int, left: bool, stand_in: int = 0) -> Bound:
    """Return the values that go left (right) by the split of a node, or by its surrogate of a number from 1."""
    return surrogate_step(form.tree, node, stand_in, left) if stand_in else step(form.tree, node, left)


def is_beyond(form: Questionnaire, node: int, known: Knowledge, stand_in: int) -> bool:
    """Return whether a feature's value is known to be a category that the question of `asks` never saw.

    It counts as missing, as the tree has it, if surrogates can be asked.
    """
    bound = question_at(form.tree, node, stand_in).known
    if bound.feature not in known or not n_surrogates(form.tree, node):
        return False
    return not has_value(both(known[bound.feature].bound, bound), form.features[bound.feature])


def _may_be_beyond(form: Questionnaire, node: int, bound: Bound, stand_in: int) -> bool:
    """Return whether a value within the bound may be a category that the question of `asks` never saw."""
    n = len(form.features[bound.feature].categories)
    if not n or not n_surrogates(form.tree, node):
        return False
    codes = np.arange(n, dtype=np.float64)
    is_seen = admits(question_at(form.tree, node, stand_in).known, codes)
    return bool((admits(bound, codes) & ~is_seen).any())


def side_answer(form: Questionnaire, node: int, left: bool, stand_in: int = 0) -> Answer:
    """Return the answer that leads from `node` to its left (right) child, to the question of `asks`.

    If the split separates known from missing values, this may be the answer of not knowing.
    """
    bound = asks(form, node, left, stand_in)._replace(missing=False)
    if not has_value(bound, form.features[bound.feature]):
        return unknown(bound.feature)
    n = len(form.features[bound.feature].categories)
    codes = bound.categories & ((1 << n) - 1) if n and bound.categories != ALL else bound.categories
    return Answer(bound._replace(categories=codes))


def value_of(answer: Answer) -> float:
    """Return the given value; nan if only a range or a set is known."""
    low, high = answer.bound.low, answer.bound.high
    return high if math.isfinite(high) and low == math.nextafter(high, -math.inf) else math.nan


def combine_answers(answers: Sequence[Answer], features: Sequence[Feature]) -> Knowledge:
    """Combine all answers by feature; of two contradictory ones keep the later."""
    knowledge: Knowledge = {}
    for answer in answers:
        knowledge = add_answer(features, answer, knowledge)
    return knowledge


def add_answer(features: Sequence[Feature], answer: Answer, known: Knowledge) -> Knowledge:
    """Return the known answers with this one added."""
    feature = answer.bound.feature
    if feature in known:
        bound = both(known[feature].bound, answer.bound)
        if has_value(bound, features[feature]):
            answer = Answer(bound, known[feature].unknown or answer.unknown)
    return known | {feature: answer}


def has_value(bound: Bound, feature: Feature) -> bool:
    """Return whether the bound admits any known value of the feature."""
    if not feature.categories:
        return not bound.is_empty
    return bool(admits(bound, np.arange(len(feature.categories), dtype=np.float64)).any())


def walk(form: Questionnaire, answers: Sequence[Answer]) -> Walk:
    """Follow the answers from the root, past every split that they settle."""
    knowledge = combine_answers(answers, form.features)
    steps, node, stand_in = [], 0, 0
    while form.tree.feature[node] != LEAF:
        left, is_known, stand_in = turn(form, node, knowledge)
        if left is None:
            break
        has_side = stand_in > 0 or has_learned(form, node)
        steps.append(QuestionStep(node, left, is_known, has_side, stand_in))
        node, stand_in = child(form.tree, node, left), 0
    return Walk(tuple(steps), node, knowledge, stand_in)


def settled_side(form: Questionnaire, node: int, known: Knowledge, stand_in: int = 0) -> bool | None:
    """Return whether the known answers lead left by the question of `asks`; None if they do not settle it."""
    left, right = (asks(form, node, side, stand_in) for side in (True, False))
    feature = left.feature
    if feature not in known:
        return None
    bound, whose = known[feature].bound, form.features[feature]
    if known[feature].unknown and bound == Bound(feature):
        return None
    if _may_be_beyond(form, node, bound, stand_in):
        return None
    if not has_value(both(bound, right), whose):
        return True
    return None if has_value(both(bound, left), whose) else False


def turn(form: Questionnaire, node: int, known: Knowledge) -> tuple[bool | None, bool, int]:
    """Return whether the way on from `node` is left; None: there is a question to ask first.

    Then whether the answers settle the node's own split, and the number of the surrogate split that decides, or is
    asked, from 1; 0: none.
    """
    for stand_in in range(n_surrogates(form.tree, node) + 1):
        if is_beyond(form, node, known, stand_in):
            continue
        left = settled_side(form, node, known, stand_in)
        feature = asks(form, node, True, stand_in).feature
        if left is not None or not (feature in known and known[feature].unknown):
            return left, left is not None and not stand_in, stand_in
    return without_knowing(form, node), False, 0


def has_learned(form: Questionnaire, node: int) -> bool:
    """Return whether the tree learned a side for missing values at `node`; with surrogates it takes the larger."""
    return bool(form.missing[form.tree.feature[node]]) and not form.tree.has_surrogates


def without_knowing(form: Questionnaire, node: int) -> bool:
    """Return whether not knowing leads left where no surrogate decides: the tree's side, else the larger one."""
    tree = form.tree
    if tree.has_surrogates or form.missing[tree.feature[node]]:
        return bool(tree.missing_left[node])
    return bool(tree.weight[tree.left[node]] >= tree.weight[tree.right[node]])


def child(tree: Tree, node: int, left: bool) -> int:
    """Return the child on this side."""
    return int(tree.left[node] if left else tree.right[node])


def could_end(form: Questionnaire, known: Knowledge) -> np.ndarray:
    """Return the probability of ending in each leaf, given the answers, (n_nodes,) float64.

    Unknown features may have any value: their splits divide people as they did the samples. Sums to 1.
    """
    tree, part = form.tree, np.zeros(form.tree.n_nodes)
    part[0] = 1.0
    for node, children in _open(form, 0, known):
        weight = np.array([tree.weight[c] for c in children])
        for c, share in zip(children, weight / weight.sum() if len(children) > 1 else [1.0], strict=False):
            part[c] = part[node] * share
    return np.where(tree.feature == LEAF, part, 0.0)


def _open(form: Questionnaire, node: int, known: Knowledge) -> Iterator[tuple[int, list[int]]]:
    """Yield the nodes that can still be reached, parents first, each with its reachable children."""
    todo = [(node, known)]
    while todo:
        at, here = todo.pop()
        ways = [] if form.tree.feature[at] == LEAF else _ways(form, at, here)
        yield at, [child(form.tree, at, left) for left in ways]
        for left in ways:
            further = add_answer(form.features, side_answer(form, at, left), here) if len(ways) > 1 else here
            todo.append((child(form.tree, at, left), further))


def _ways(form: Questionnaire, node: int, known: Knowledge) -> list[bool]:
    left = None if is_beyond(form, node, known, 0) else settled_side(form, node, known)
    return [True, False] if left is None else [left]


def reasons(form: Questionnaire, walked: Walk) -> list[Reason]:
    """Return the conditions of the path, combined by feature in the order of first use."""
    demands: list[Bound] = []
    guesses: set[int] = set()
    assumptions: set[int] = set()
    stand_ins: dict[int, list[Bound]] = {}
    for at in walked.steps:
        bound = step(form.tree, at.node, at.left)
        demands = narrow(demands, bound)
        if at.stand_in:
            bounds = stand_ins.setdefault(bound.feature, [])
            stand_ins[bound.feature] = narrow(bounds, asks(form, at.node, at.left, at.stand_in))
            continue
        guesses |= set() if at.known else {bound.feature}
        assumptions |= set() if at.known or at.learned else {bound.feature}
    return [
        Reason(
            b,
            walked.known.get(b.feature),
            b.feature in guesses,
            b.feature in guesses - assumptions,
            tuple(stand_ins.get(b.feature, ())),
        )
        for b in demands
    ]


def is_unsure(value: np.ndarray, limit: float) -> bool:
    """Return whether no class of shares (n_classes,) reaches `limit`: then no answer should be given."""
    return float(value.max()) < limit


def outside(known: Knowledge, X: np.ndarray) -> list[int]:
    """Return the features whose given value is outside the range of the rows X (n_samples, n_features)."""
    features = []
    for feature, answer in known.items():
        value, column = value_of(answer), X[~np.isnan(X[:, feature]), feature]
        if len(column) and not np.isnan(value) and not column.min() <= value <= column.max():
            features.append(feature)
    return features


def mean_asked(tree: Tree, leaves: np.ndarray) -> np.ndarray:
    """Return the mean number of questions if at most 0, 1, … are asked, (depth + 1,) float64.

    `leaves` (n,) are the leaves of the rows in the whole tree.
    """
    depth = depths(tree)[leaves]
    return np.array([np.minimum(depth, most).mean() for most in range(tree.depth + 1)])


# ---- least and greatest number of remaining questions, over all answers including "I do not know"
#
# Not knowing fixes the side at every later split on the feature, also at splits that its known values never reach;
# or surrogate splits are asked. So there may be more questions after "I do not know" than after any other answer.

MOST_STATES = 5_000  # places and what is known there; past them the levels below stand for the questions


def ahead(form: Questionnaire, node: int, known: Knowledge) -> tuple[int, int, tuple[int, ...]]:
    """Return the least and most questions from `node` to an answer, for any mix of answers.

    With them come the leaves that can still be reached.
    """
    search = _WaysOn(form)
    least, most = search.count(node, known)
    return least, most, tuple(sorted(search.leaves))


class _WaysOn:
    """Every way on from a node; what is known of features that are not asked again does not tell them apart."""

    def __init__(self, form: Questionnaire) -> None:
        self.form = form
        self.asked = _asked_below(form)
        self.numbers: dict[tuple, tuple[int, int]] = {}
        self.leaves: set[int] = set()

    def count(self, node: int, known: Knowledge) -> tuple[int, int]:
        """Return the least and the most questions from `node` on."""
        if self.form.tree.feature[node] == LEAF:
            self.leaves.add(node)
            return 0, 0
        here = {feature: known[feature] for feature in sorted(self.asked[node].intersection(known))}
        key = (node, *here.items())
        if key not in self.numbers:
            self.numbers[key] = (
                self._count_at_split(node, here) if len(self.numbers) < MOST_STATES else self._bounds(node)
            )
        return self.numbers[key]

    def _count_at_split(self, node: int, known: Knowledge) -> tuple[int, int]:
        left, _, stand_in = turn(self.form, node, known)
        if left is not None:
            return self.count(child(self.form.tree, node, left), known)
        counts = [self.count(to, further) for to, further in self._after(node, known, stand_in)]
        return 1 + min(least for least, _ in counts), 1 + max(most for _, most in counts)

    def _after(self, node: int, known: Knowledge, stand_in: int) -> list[tuple[int, Knowledge]]:
        """Return the next node after each answer, with the known answers there; the same one after not knowing."""
        form = self.form
        ways = [
            (
                child(form.tree, node, left),
                add_answer(form.features, side_answer(form, node, left, stand_in), known),
            )
            for left in (True, False)
        ]
        not_known = unknown(asks(form, node, True, stand_in).feature)
        return [*ways, (node, add_answer(form.features, not_known, known))]

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
    features: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if tree.feature[node] != LEAF:
            first, stop = tree.surrogates.start[node : node + 2]
            here = {int(tree.feature[node]), *tree.surrogates.feature[first:stop].tolist()}
            features[node] = here.union(features[tree.left[node]], features[tree.right[node]])
    return features
