"""Softness that is learned inside the training rows, and other ways to get more out of cultivated trees.

`beyond` runs them on the paper's tables of two classes:

- `WidthByNode`: each node chooses the width of its neighbourhoods.
- `Shrunk`: leaves are shrunk to their parents.
- `ChosenBag`: rows out of the bag choose width and tolerance of a bag of trees.
- `Boosted`: boosting by cultivated trees.

Each was written down here, with its settings, before it was run.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from espalier.kernels.cultivated.fractions import DROPPED, reach
from espalier.learners import CultivatedClassifier, CultivatedForestClassifier, CultivatedRegressor
from espalier.trees import LEAF, CultivatedTree, read_only

INNER = 3  # folds of the training rows
WIDTHS = (1.0, 0.0, 0.25, 4.0)  # of a neighbourhood, in units of the paper's √W; of equally good ones the first
STRENGTHS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)  # of shrinkage, in rows
BAGS = tuple(itertools.product(("sqrt", "cbrt", "all"), (0.3, 0.1, 0.6)))  # k and eta; the paper's come first
STEEP = 1e-3  # least share times its complement in boosting


class OfTwoClasses(ClassifierMixin, BaseEstimator):
    """What the estimators here have in common."""

    classes_: np.ndarray

    def predict(self, X) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X) -> np.ndarray:
        """Return the shares of both classes, (n_rows, 2)."""
        second = self._second(np.asarray(X, dtype=np.float64))
        return np.column_stack([1 - second, second])

    def _second(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _coded(self, y) -> np.ndarray:
        self.classes_, codes = np.unique(y, return_inverse=True)
        return codes


class Part(NamedTuple):
    """The samples in a node."""

    rows: np.ndarray
    weight: np.ndarray  # fractions

    def sent(self, left: np.ndarray, child: int) -> Part:
        """Return those in a child (0 is the left one), by the fractions that go left."""
        weight = self.weight * (left if child == 0 else 1 - left)
        return Part(self.rows[weight > DROPPED], weight[weight > DROPPED])


class Branch(NamedTuple):
    """A node that is split, or a leaf, which has no module."""

    value: float  # share of the second class
    module: CultivatedTree | None = None
    children: tuple[Branch, ...] = ()


class WidthByNode(OfTwoClasses):
    """CRF-full, each node of which chooses the width of its neighbourhoods by what it gains on samples held out.

    A node's samples are dealt into two halves. The modules of all widths are found on one half, and judged on the
    other one by the squared errors of both children. Then the halves change roles, and the errors are added up.

    Parameters
    ----------
    widths : in units of √W, W the weight of the node
    random_state : seed of the halves
    """

    def __init__(self, widths=WIDTHS, random_state: int | None = None):
        self.widths = widths
        self.random_state = random_state

    def fit(self, X, y) -> Self:
        self.X_, self.y_ = np.asarray(X, dtype=np.float64), self._coded(y)
        self.random_ = np.random.default_rng(self.random_state)
        self.root_ = self._grown(Part(np.arange(len(self.y_)), np.ones(len(self.y_))), 1)
        return self

    def _second(self, X: np.ndarray) -> np.ndarray:
        found = np.zeros(len(X))
        _add(self.root_, X, Part(np.arange(len(X)), np.ones(len(X))), found)
        return found

    def _grown(self, part: Part, depth: int) -> Branch:
        share = float(np.average(self.y_[part.rows], weights=part.weight))
        if depth > 14 or part.weight.sum() < 6 or not 2 * share * (1 - share) > 1e-9:
            return Branch(share)
        module = self._module(part, self._width(part, depth), depth)
        if module.n_nodes == 1:
            return Branch(share)
        left = gone_left(module, self.X_[part.rows])
        children = (self._grown(part.sent(left, child), depth + 1) for child in (0, 1))
        return Branch(share, module, tuple(children))

    def _width(self, part: Part, depth: int) -> float:
        if len(self.widths) == 1:
            return self.widths[0]
        is_first = self.random_.permutation(len(part.rows)) < len(part.rows) / 2
        halves = [Part(part.rows[here], part.weight[here]) for here in (is_first, ~is_first)]
        losses = np.zeros(len(self.widths))
        for seen, unseen in (halves, halves[::-1]):
            if len(np.unique(self.y_[seen.rows])) == 2:
                losses += [self._loss(self._module(seen, width, depth), unseen) for width in self.widths]
        return self.widths[int(losses.round(12).argmin())]

    def _module(self, part: Part, width: float, depth: int) -> CultivatedTree:
        k, eta = width * float(np.sqrt(part.weight.sum())), 0.3 / depth**3
        model = CultivatedClassifier(max_depth=1, min_node_weight=0, k=k, eta=eta)
        return model.fit(self.X_[part.rows], self.y_[part.rows], sample_weight=part.weight).tree_

    def _loss(self, module: CultivatedTree, part: Part) -> float:
        """Return the squared errors of the leaves' shares for these samples, as far as these are in them."""
        y, share = self.y_[part.rows], module.value[:, 1]
        if module.n_nodes == 1:
            return float(part.weight @ (y - share[0]) ** 2)
        left = gone_left(module, self.X_[part.rows])
        errors = left * (y - share[module.left[0]]) ** 2 + (1 - left) * (y - share[module.right[0]]) ** 2
        return float(part.weight @ errors)


def gone_left(module: CultivatedTree, X: np.ndarray) -> np.ndarray:
    """Return the fraction of each row that the root of a tree sends left, (n_rows,)."""
    start, rows, fraction = reach(module, X)
    here, left = slice(start[module.left[0]], start[module.left[0] + 1]), np.zeros(len(X))
    left[rows[here]] = fraction[here]
    return left


def _add(branch: Branch, X: np.ndarray, part: Part, found: np.ndarray) -> None:
    """Add what the leaves below say of rows, by their fractions."""
    if branch.module is None:
        found[part.rows] += part.weight * branch.value
    elif len(part.rows):
        left = gone_left(branch.module, X[part.rows])
        for child in (0, 1):
            _add(branch.children[child], X, part.sent(left, child), found)


class Shrunk(OfTwoClasses):
    """CRF-full with leaves shrunk to their parents (Agarwal et al. 2022), as far as folds of training rows say.

    Parameters
    ----------
    strengths : those to choose from; the greatest mean area under the ROC curve wins, of equal ones the first
    random_state : seed of the folds
    """

    def __init__(self, strengths=STRENGTHS, random_state: int | None = None):
        self.strengths = strengths
        self.random_state = random_state

    def fit(self, X, y) -> Self:
        X, y = np.asarray(X, dtype=np.float64), self._coded(y)
        folds = StratifiedKFold(INNER, shuffle=True, random_state=self.random_state)
        areas = [self._areas(X, y, train, test) for train, test in folds.split(X, y)]
        self.strength_ = self.strengths[int(np.mean(areas, axis=0).round(12).argmax())]
        self.model_ = CultivatedClassifier().fit(np.asfortranarray(X), y)
        self.tree_ = self.model_.tree_ = shrunk(self.model_.tree_, self.strength_)
        return self

    def _second(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(X)[:, 1]

    def _areas(self, X, y, train, test) -> list[float]:
        model, areas = CultivatedClassifier().fit(np.asfortranarray(X[train]), y[train]), []
        tree = model.tree_
        for strength in self.strengths:
            model.tree_ = shrunk(tree, strength)
            areas.append(float(roc_auc_score(y[test], model.predict_proba(X[test])[:, 1])))
        return areas


def shrunk(tree: CultivatedTree, strength: float) -> CultivatedTree:
    """Return the tree with each step from a node to its child divided by 1 + strength / the node's weight."""
    value = np.array(tree.value)
    for node in np.flatnonzero(tree.left != LEAF):  # parents come first
        for child in (tree.left[node], tree.right[node]):
            step = (tree.value[child] - tree.value[node]) / (1 + strength / tree.weight[node])
            value[child] = value[node] + step
    return tree._replace(value=read_only(value))


class ChosenBag(OfTwoClasses):
    """Ten deep trees on bootstrap samples, with the k and the eta that suit rows out of the bag best.

    Parameters
    ----------
    random_state : seed
    """

    def __init__(self, random_state: int | None = None):
        self.random_state = random_state

    def fit(self, X, y) -> Self:
        y = self._coded(y)
        bags = [self._bag(k, eta).fit(X, y) for k, eta in BAGS]
        areas = [unseen_area(bag, y) for bag in bags]
        self.choice_ = BAGS[int(np.round(areas, 12).argmax())]
        self.bag_ = bags[BAGS.index(self.choice_)]
        self.forest_ = self.bag_.forest_
        return self

    def _second(self, X: np.ndarray) -> np.ndarray:
        return self.bag_.predict_proba(X)[:, 1]

    def _bag(self, k: str, eta: float) -> CultivatedForestClassifier:
        return CultivatedForestClassifier(
            bootstrap=True, oob_score=True, k=k, eta=eta, random_state=self.random_state
        )


def unseen_area(bag: Any, y: np.ndarray) -> float:
    """Return the area under the ROC curve over the rows that some tree of a bag did not see."""
    second = bag.oob_decision_function_[:, 1]
    known = np.isfinite(second)
    return float(roc_auc_score(y[known], second[known]))


class Boosted(OfTwoClasses):
    """Logistic boosting by Newton's steps (Friedman 2001), the trees of which are cultivated.

    Parameters
    ----------
    max_depth : of a tree
    rounds, rate : how many trees, and by how much each counts
    """

    def __init__(self, max_depth: int = 3, rounds: int = 100, rate: float = 0.1):
        self.max_depth = max_depth
        self.rounds = rounds
        self.rate = rate

    def fit(self, X, y) -> Self:
        X, y = np.asfortranarray(X, dtype=np.float64), self._coded(y)
        self.start_ = float(np.log(y.mean() / (1 - y.mean())))
        score, self.trees_ = np.full(len(y), self.start_), []
        for _ in range(self.rounds):
            share = expit(score)
            steep = np.maximum(share * (1 - share), STEEP)
            tree = CultivatedRegressor(max_depth=self.max_depth)
            tree.fit(X, (y - share) / steep, sample_weight=4 * steep)  # a row that is unsure weighs 1
            self.trees_.append(tree)
            score += self.rate * tree.predict(X)
        return self

    def _second(self, X: np.ndarray) -> np.ndarray:
        return expit(self.start_ + self.rate * sum(tree.predict(X) for tree in self.trees_))
