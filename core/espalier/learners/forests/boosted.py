"""Boosted forests (Freund & Schapire 1997), and forests in which every tree has another question at its root."""

from __future__ import annotations

import copy
from itertools import product
from typing import Any

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions, quantile_questions
from espalier.learners.base import TrainingData, check_jobs, check_whole
from espalier.learners.cart import CartClassifier
from espalier.learners.forced_splits import TreeSplit, split_node
from espalier.learners.forests.ensemble import ForestOfAnyClasses, fit_part
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.problem import distinct_columns
from espalier.predict import classes
from espalier.progress import Progress
from espalier.trees import (
    LEAF,
    AnyTree,
    CultivatedTree,
    Cuts,
    Decisions,
    Tree,
    make_cultivated,
    make_tree,
    prune_to,
    read_only,
    softened,
)


def graft(question: TreeSplit, stump: Any, left: Any, right: Any) -> Any:
    """Return the tree with this question at its root, `left` below the answer yes and `right` below no.

    `stump` is any tree of all samples; its root gives the new root's value, weight and impurity.
    """
    if not isinstance(left, CultivatedTree):
        return split_node(stump, question, left, right)
    trees = (softened(_split(question, stump)), left, right)
    decisions = _join_pools([tree.decisions for tree in trees], [1, left.n_nodes, right.n_nodes])
    cuts = _join_pools([tree.cuts for tree in trees], [len(tree.decisions.feature) for tree in trees])
    return make_cultivated(**_nodes(*trees), decisions=decisions, cuts=cuts)


def _split(question: TreeSplit, stump: CultivatedTree) -> Tree:
    """Return the question as a tree of three nodes; its leaves are placeholders."""
    own = (stump.n_samples[0], stump.weight[0], stump.value[0], stump.impurity[0])
    return make_tree(
        [question.feature, LEAF, LEAF], [question.threshold, np.nan, np.nan], [1, LEAF, LEAF], [2, LEAF, LEAF],
        [question.categories, 0, 0], [question.missing_left, False, False], *([value] * 3 for value in own),
    )  # fmt: skip


def _nodes(split: Any, left: Any, right: Any) -> dict[str, np.ndarray]:
    """Return the arrays of nodes: those of the first tree's root, then all of the others."""
    sides, first = (left, right), (1, 1 + left.n_nodes)
    names = ("n_samples", "weight", "value", "impurity")
    nodes = {name: [getattr(split, name)[:1], *(getattr(side, name) for side in sides)] for name in names}
    for name, child in zip(("left", "right"), first, strict=True):
        below = [getattr(side, name) for side in sides]
        children = [np.where(at == LEAF, LEAF, at + by) for at, by in zip(below, first, strict=True)]
        nodes[name] = [np.array([child]), *children]
    return {name: np.concatenate(arrays) for name, arrays in nodes.items()}


def _join_pools(pools: list[Decisions] | list[Cuts], n_owners: list[int]) -> list[np.ndarray]:
    """Concatenate ragged pools, of each only its first owners (as many as given)."""
    sizes = [np.diff(pool.start)[:n] for pool, n in zip(pools, n_owners, strict=True)]
    arrays = zip(*(pool[1:] for pool in pools), strict=True)
    return [np.append(0, np.cumsum(np.concatenate(sizes))), *(np.concatenate(each) for each in arrays)]


# ---- boosted forests (Freund & Schapire 1997): later trees weight misclassified samples more

PERFECT = 1e-12  # a share of wrong weight up to this is rounding
UNIT = 2.0**-32  # step of the factors of weights, whose mean is 1


def boost(
    weight: np.ndarray, factor: np.ndarray, is_wrong: np.ndarray, n_classes: int
) -> tuple[float, np.ndarray]:
    """Return the vote weight of a tree with these errors (n_samples,) bool, and the next factors (n_samples,).

    The vote weight is 0 or less if the tree is no better than chance, and inf if it is perfect. A factor is the
    weight of a sample in the next round, relative to its first weight.

    The tree grew with ``weight * factor``. ``say = log((1 - error) / error) + log(n_classes - 1)``, and wrong
    samples grow by exp(say) before all are scaled to the same sum: for two classes AdaBoost (Freund & Schapire
    1997, figure 2: beta = exp(-say)), for more SAMME (Zhu, Zou, Rosset & Hastie 2009, algorithm 2).
    """
    mass = weight * factor
    error = float(mass[is_wrong].sum() / mass.sum())
    if error <= PERFECT:
        return np.inf, factor
    if 1.0 - error <= PERFECT:
        return -np.inf, factor
    say = float(np.log((1.0 - error) / error) + np.log(max(n_classes - 1, 1)))
    weight_ = factor * np.where(is_wrong, np.exp(say), 1.0)
    return say, _on_grid(weight_ * (weight.sum() / (weight * weight_).sum()))


def _on_grid(factor: np.ndarray) -> np.ndarray:
    """Round to whole multiples of a small unit, at least one, so that sums are exact.

    Boosting makes ties, because wrong and right samples weigh the same after each round; rounding errors in sums
    would break them arbitrarily.
    """
    return np.maximum(np.rint(factor / UNIT), 1.0) * UNIT


class BoostedForestClassifier(ForestOfAnyClasses):
    """Classification by the weighted votes of trees grown one after the other, by AdaBoost.

    Parameters
    ----------
    estimator : learner of the trees: a CartClassifier, CultivatedClassifier or OptimalClassifier; None for CART
        of depth 1. Its class weights are the forest's, and its seed is replaced for every tree
    n_estimators : number of trees, at most
    random_state : seed; relevant only if the estimator is randomised

    Every tree votes for the class with the greatest share in the sample's leaf; of classes with equal votes the
    most frequent in training wins. For more than two classes the votes are those of SAMME.

    A tree without any error on the samples would have infinite weight: boosting ends, and that tree alone decides;
    the earlier ones are kept with vote weight 0. A tree that is no better than chance (an error of at least ``1 -
    1 / n_classes``, by the weights of its round) also ends boosting, and is discarded unless it is the first.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares by the weights that they grew with
    classes_ : (n_classes,) the labels, in order

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = BoostedForestClassifier(n_estimators=10).fit(iris.X, iris.y)
    >>> round(model.score(iris.X, iris.y), 2)
    0.97
    """

    n_jobs = None

    def __init__(self, estimator=None, n_estimators=101, *, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _base(self) -> Any:
        return CartClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _begin(self, learner: Any, training: TrainingData, seeds: np.ndarray) -> None:
        self._factor: np.ndarray | None = np.ones(len(training.y))
        self._say: dict[int, float] = {}
        self._is_over = False

    def _end(self) -> None:
        self._factor = None

    def tree_of(
        self, learner: Any, training: TrainingData, number: int, seed: int, own: Progress
    ) -> AnyTree | None:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        if self._is_over or self._factor is None:
            return None
        X, y, weight = training
        tree = fit_part(learner, training, seed, own, weight=weight * self._factor).tree_
        say, self._factor = boost(weight, self._factor, classes(tree, X) != y, len(self.classes_))
        self._is_over = say == np.inf or say <= 0
        if say <= 0 and number > 0:
            return None
        self._say[number] = say
        return tree

    @property
    def grows_in_order(self) -> bool:
        """Whether a tree depends on the earlier ones."""
        return True

    def _votes(self, trees: list[AnyTree], training: TrainingData) -> np.ndarray:
        say = np.array([self._say[number] for number in self._numbers])
        if np.isinf(say).any():
            return (say == np.inf).astype(float) if say.max() == np.inf else np.ones(len(say))
        return say if say[0] > 0 else np.ones(1)


# ---- root forests: every tree has a different question at its root

MOST_THRESHOLDS = 10  # thresholds per column, for estimators that do not define their own questions


# Root forests: Kwok & Carter 1990; Molhoek 2021, section 4.1.
class RootForestClassifier(ForestOfAnyClasses):
    """Classification by the votes of trees with different questions at the root.

    Parameters
    ----------
    estimator : learner of the trees: a CartClassifier, CultivatedClassifier or OptimalClassifier; None for CART
        with its defaults. Its class weights are those of the forest, and its seed is replaced for every tree
    n_estimators : number of trees at most; None for one per question
    n_jobs : threads; None for one, -1 for as many as there are processors; the result does not depend on it
    random_state : seed of the order in which the questions come

    The questions are those of an OptimalClassifier; with the other estimators all midpoints of a column if they
    are at most 10, else 10 of them by quantiles, and every single category. Of questions that separate the samples
    alike, also with yes and no exchanged, only the first is used.

    Below the root both sides grow independently, with one split less on a path: those of an OptimalClassifier are
    proved to be optimal, and so is the tree among all that begin with its question. ``max_splits`` holds for the
    whole tree; other limits of size (such as ``max_leaf_nodes`` of CART) hold for each side, and an option module
    of a cultivated tree has the tolerance of a root on either side.

    Attributes
    ----------
    forest_ : Forest, whose trees' values are class shares
    classes_ : (n_classes,) the labels, in order
    questions_ : Questions at the roots of the trees, in their order

    Examples
    --------
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> model = RootForestClassifier(n_estimators=5, random_state=0).fit(iris.X, iris.y)
    >>> model.forest_.n_trees, len(model.questions_.feature)
    (5, 5)
    """

    def __init__(self, estimator=None, n_estimators=None, *, n_jobs=None, random_state=None):
        super().__init__(estimator, n_estimators, n_jobs=n_jobs, random_state=random_state)

    def _most_trees(self, learner: Any, training: TrainingData) -> int:
        self.questions_ = _questions(learner, training)
        n = len(self.questions_.feature)
        return max(n if self.n_estimators is None else min(n, self.n_estimators), 1)

    def _begin(self, learner: Any, training: TrainingData, seeds: np.ndarray) -> None:
        order = np.random.default_rng(seeds[0]).permutation(len(self.questions_.feature))[: len(seeds)]
        self.questions_ = make_questions(*(field[order] for field in self.questions_))
        self._stump = fit_part(_change(learner, max_depth=1), training, 0).tree_

    def _end(self) -> None:
        asked = [number for number in self._grown if number < len(self.questions_.feature)]
        self.questions_ = make_questions(*(field[sorted(asked)] for field in self.questions_))
        if self._columns is not None:
            numbers = self._columns[self.questions_.feature] if len(self._columns) else self.questions_.feature
            self.questions_ = self.questions_._replace(feature=read_only(numbers))

    def tree_of(self, learner: Any, training: TrainingData, number: int, seed: int, own: Progress) -> AnyTree:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        if number >= len(self.questions_.feature):  # no questions at all
            return prune_to(self._stump, np.zeros(self._stump.n_nodes, dtype=bool))
        question = TreeSplit(*(field[number].item() for field in self.questions_))
        questions = make_questions(*([value] for value in question))
        yes = answers(questions, training.X)[:, 0]
        left, right = _sides(learner, training, (np.flatnonzero(yes), np.flatnonzero(~yes)), seed, own)
        return graft(question, self._stump, left, right)

    def _check_forest(self) -> None:
        check_whole("n_estimators", self.n_estimators, least=1, optional=True)
        check_jobs(self.n_jobs)


def _questions(learner: Any, training: TrainingData) -> Questions:
    """Return the questions that separate the samples differently."""
    X, y, weight = training
    if isinstance(learner, OptimalClassifier):
        questions = learner.questions(training)
    else:
        label = y if (weight == weight[0]).all() else None
        questions = quantile_questions(X, weight, learner.is_categorical_, MOST_THRESHOLDS, label)
    numbers = distinct_columns(answers(questions, X)).question
    return make_questions(*(field[numbers] for field in questions))


def _sides(
    learner: Any, training: TrainingData, rows: tuple[np.ndarray, np.ndarray], seed: int, own: Progress
) -> list[Any]:
    """Grow the trees of the two sides of a root, from the rows there."""
    if isinstance(learner, OptimalClassifier) and learner.split_limit < 2**learner.max_depth - 1:
        return _within(learner, training, rows, seed, own)
    return [_side(learner, training, part, seed, own)[0] for part in rows]


def _within(
    learner: Any, training: TrainingData, rows: tuple[np.ndarray, np.ndarray], seed: int, own: Progress
) -> list[Any]:
    """Return the two best optimal trees that together keep to the limit of splits below a root."""
    most = 2 ** (learner.max_depth - 1) - 1
    splits = max(learner.split_limit - 1, 0)
    pieces = [
        [
            _side(_change(learner, max_splits=few), training, part, seed, own)
            for few in range(min(most, splits) + 1)
        ]
        for part in rows
    ]
    fitting = [
        (left[1] + right[1], left[0].n_leaves + right[0].n_leaves, i, j)
        for (i, left), (j, right) in product(*map(enumerate, pieces))
        if i + j <= splits
    ]
    _, _, i, j = min(fitting)
    return [pieces[0][i][0], pieces[1][j][0]]


def _side(learner: Any, training: TrainingData, rows: np.ndarray, seed: int, own: Progress) -> tuple[Any, float]:
    """Return the tree of these rows with one split less on a path; and, for an optimal one, its objective."""
    deepest = learner.max_depth
    less = deepest if deepest in (None, 1) else deepest - 1
    part = fit_part(_change(learner, max_depth=less), training, seed, own, rows=rows)
    if deepest == 1:
        return prune_to(part.tree_, np.zeros(part.tree_.n_nodes, dtype=bool)), 0.0
    return part.tree_, part.proof_.objective if isinstance(part, OptimalClassifier) else 0.0


def _change(learner: Any, **parameters: Any) -> Any:
    """Return a copy with other parameters."""
    copy_ = copy.copy(learner)
    for name, value in parameters.items():
        setattr(copy_, name, value)
    return copy_
