"""Root forests: every tree has a different question at its root.

Kwok & Carter 1990; Molhoek 2021, section 4.1.
"""

from __future__ import annotations

import copy
from itertools import product
from typing import Any

import numpy as np

from espalier.data.binarise import Questions, answers, make_questions, quantile_questions
from espalier.learners.base import check_jobs, check_whole
from espalier.learners.forests.of_any.compose import RootQuestion, graft
from espalier.learners.forests.of_any.ensemble import ForestOfAnyClasses
from espalier.learners.forests.of_any.fit_part import FittedPart, PartLearner, fit_part
from espalier.learners.optimal import OptimalClassifier
from espalier.learners.optimal.problem import distinct_columns
from espalier.progress import Progress
from espalier.trees import AnyTree, prune_to, read_only

MOST_THRESHOLDS = 10  # thresholds per column, for estimators that do not define their own questions


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
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _most_trees(self, stock: PartLearner) -> int:
        self.questions_ = _questions(stock)
        n = len(self.questions_.feature)
        return max(n if self.n_estimators is None else min(n, self.n_estimators), 1)

    def _begin(self, stock: PartLearner, seeds: np.ndarray) -> None:
        order = np.random.default_rng(seeds[0]).permutation(len(self.questions_.feature))[: len(seeds)]
        self.questions_ = make_questions(*(field[order] for field in self.questions_))
        self._stump = fit_part(stock._replace(learner=_changed(stock.learner, max_depth=1)), FittedPart(), 0).tree_

    def _end(self) -> None:
        asked = [number for number in self._grown if number < len(self.questions_.feature)]
        self.questions_ = make_questions(*(field[sorted(asked)] for field in self.questions_))
        if self._columns is not None:
            numbers = self._columns[self.questions_.feature] if len(self._columns) else self.questions_.feature
            self.questions_ = self.questions_._replace(feature=read_only(numbers))

    def tree_of(self, stock: PartLearner, number: int, seed: int, own: Progress) -> AnyTree:
        """Return the tree of this number; as `ForestOfAny.tree_of`."""
        if number >= len(self.questions_.feature):  # no questions at all
            return prune_to(self._stump, np.zeros(self._stump.n_nodes, dtype=bool))
        question = RootQuestion(*(field[number].item() for field in self.questions_))
        asked = make_questions(*([value] for value in question))
        yes = answers(asked, stock.training.X)[:, 0]
        left, right = _sides(stock, (np.flatnonzero(yes), np.flatnonzero(~yes)), seed, own)
        return graft(question, self._stump, left, right)

    def _check_forest(self) -> None:
        check_whole("n_estimators", self.n_estimators, least=1, optional=True)
        check_jobs(self.n_jobs)


def _questions(stock: PartLearner) -> Questions:
    """Return the questions that separate the samples differently."""
    X, y, weight = stock.training
    if isinstance(stock.learner, OptimalClassifier):
        questions = stock.learner.questions(stock.training)
    else:
        label = y if (weight == weight[0]).all() else None
        questions = quantile_questions(X, weight, stock.is_category, MOST_THRESHOLDS, label)
    chosen = distinct_columns(answers(questions, X)).question
    return make_questions(*(field[chosen] for field in questions))


def _sides(stock: PartLearner, rows: tuple[np.ndarray, np.ndarray], seed: int, own: Progress) -> list[Any]:
    """Grow the trees of the two sides of a root, from the rows there."""
    learner = stock.learner
    if isinstance(learner, OptimalClassifier) and learner.split_limit < 2**learner.max_depth - 1:
        return _within(stock, rows, seed, own)
    return [_side(stock, part, seed, own)[0] for part in rows]


def _within(stock: PartLearner, rows: tuple[np.ndarray, np.ndarray], seed: int, own: Progress) -> list[Any]:
    """Return the two best optimal trees that together keep to the limit of splits below a root."""
    learner = stock.learner
    most = 2 ** (learner.max_depth - 1) - 1
    splits = max(learner.split_limit - 1, 0)
    found = [
        [_side(_of_splits(stock, few), part, seed, own) for few in range(min(most, splits) + 1)] for part in rows
    ]
    fitting = [
        (left[1] + right[1], left[0].n_leaves + right[0].n_leaves, i, j)
        for (i, left), (j, right) in product(*map(enumerate, found))
        if i + j <= splits
    ]
    _, _, i, j = min(fitting)
    return [found[0][i][0], found[1][j][0]]


def _of_splits(stock: PartLearner, splits: int) -> PartLearner:
    return stock._replace(learner=_changed(stock.learner, max_splits=splits))


def _side(stock: PartLearner, rows: np.ndarray, seed: int, own: Progress) -> tuple[Any, float]:
    """Return the tree of these rows with one split less on a path; and, for an optimal one, its objective."""
    deepest = stock.learner.max_depth
    less = deepest if deepest in (None, 1) else deepest - 1
    grown = fit_part(stock._replace(learner=_changed(stock.learner, max_depth=less)), FittedPart(rows), seed, own)
    if deepest == 1:
        return prune_to(grown.tree_, np.zeros(grown.tree_.n_nodes, dtype=bool)), 0.0
    return grown.tree_, grown.proof_.objective if isinstance(grown, OptimalClassifier) else 0.0


def _changed(learner: Any, **parameters: Any) -> Any:
    """Return a copy with other parameters."""
    changed = copy.copy(learner)
    for name, value in parameters.items():
        setattr(changed, name, value)
    return changed
