"""Explanation of one prediction: its path, its runner-up, the changes that would alter it, and where these lie."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor

from espalier import predict
from espalier.comparison.cross_validation import answers_of, prediction_of
from espalier.data import folds
from espalier.data.dataset import Dataset
from espalier.fitting import fit
from espalier.kernels.cultivated.fractions import fractions_of
from espalier.kernels.route import path_of
from espalier.leaf_models import ModelTree
from espalier.oblique import ObliqueTree
from espalier.predict import prior_among, samples_over
from espalier.reliability.changeable import (
    ANY,
    FREE,
    Allowed,
    ChangeAim,
    Differs,
    Interval,
    Says,
    Smallest,
    ValueRange,
    changed_to,
    spans_of,
    value_range,
)
from espalier.reliability.counterfactuals import (
    ChangeSearch,
    Counterfactual,
    as_counterfactual,
    change_search,
    nearest_leaf,
    seek,
    single_changes,
    step_by_step,
)
from espalier.reliability.reliability import uncertain_answers
from espalier.reliability.uncertainty import Conflict, Uncertainty, conflicts, model_of
from espalier.stability.resampling import drawn_with_replacement, seed_of
from espalier.tree.modules import leading_leaves
from espalier.tree.rules import boxed, may_ask_surrogates
from espalier.trees import AnyTree, CultivatedTree, Forest, Tree, path_to

LEAST_MOVE = 0.5  # standard deviations of the target by which a number must move to count as different
BASELINES = (DummyClassifier, DummyRegressor)
NEAR = 0.05  # spans from a threshold within which a sample is near it


class PathStep(NamedTuple):
    """One node on the path of a sample."""

    node: int
    left: bool  # the side of the path
    part: float  # fraction of the node's content that goes there; 1 in a `Tree`
    gap: float  # spans between the sample's value and the threshold; nan for categories and missing values
    otherwise: np.ndarray  # (n_outputs,) prediction if the sample went to the other side here
    beyond: int  # the node that this is the value of


class Story(NamedTuple):
    """A fitted model's prediction for one sample, with its explanation."""

    x: np.ndarray  # (n_features,)
    answers: np.ndarray  # (n_outputs,) a share for every class of the data, or the number
    answer: float  # the predicted class, or number
    doubts: Uncertainty  # of this one row
    model: AnyTree | Forest | ObliqueTree | None
    classes: np.ndarray  # (n,) int64: the data's class of each column of the model's values; [0] for regression
    steps: tuple[PathStep, ...]  # of a tree of boxes: the path to its leaf, or to that with most of the sample
    conflicts: tuple[Conflict, ...]  # of a cultivated tree
    flip: Counterfactual | None  # the smallest change found that alters the prediction
    ruled_out: float  # no change of so many features or fewer alters it; inf: certainly no change at all
    singles: tuple[Counterfactual, ...]  # the smallest change of each feature that suffices alone
    least_move: float  # regression: how far the prediction must move to count as different; else 0
    is_cut: bool  # whether changes remain untried for want of time
    why_open: str  # why the search for changes proves nothing, of `smallest_change.OPEN`; empty: it does
    allowed: Allowed  # allowed changes
    toward: int | None = None  # what a change is to lead to, as `ChangeAim.toward`
    is_baseline: bool = False  # whether the model says the same of every row

    @property
    def runner_up(self) -> int:
        """The other class with the greatest share; -1 for regression."""
        if len(self.answers) < 2:
            return -1
        shares = self.answers.copy()
        shares[int(self.answer)] = -1
        return int(shares.argmax())

    @property
    def lead(self) -> float:
        """Difference between the share of the answer and that of the runner-up; nan for regression."""
        return float(self.answers.max() - self.answers[self.runner_up]) if len(self.answers) > 1 else math.nan


def story(estimator: Any, dataset: Dataset, x: np.ndarray, allowed: Allowed = FREE, aim: ChangeAim = ANY) -> Story:
    """Explain a fitted estimator's prediction for x (n_features,); the data give names and spans.

    `allowed` restricts the changes that are considered; `aim` says what they are to lead to. Where the prediction
    is the class of the aim already, any other one is looked for.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> model = CartClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> change = story(model, iris, iris.X[60]).flip.changes[0]
    >>> iris.features[change.feature].name, float(change.before), float(change.after)
    ('petal length', 3.5, 2.45)
    """
    row = np.asfortranarray(np.asarray(x, dtype=np.float64)[None, :])
    answers, prediction, doubts = uncertain_answers(estimator, dataset, row)
    model = model_of(estimator)
    classes = (
        np.asarray(estimator.classes_, dtype=np.int64) if dataset.is_classification else np.zeros(1, np.int64)
    )
    if dataset.is_classification and aim.toward == int(prediction[0]):
        aim = aim._replace(toward=None)
    flips = counterfactuals_of(estimator, dataset, row[0], answers[0], allowed, aim)
    return Story(
        row[0], answers[0], float(prediction[0]), doubts, model, classes,
        steps_of(model, dataset, row[0]) if isinstance(model, (Tree, CultivatedTree)) else (),
        tuple(conflicts(model, row[0])) if isinstance(model, CultivatedTree) else (),
        *flips, allowed, aim.toward, isinstance(estimator, BASELINES),
    )  # fmt: skip


# ---- the way


def steps_of(tree: AnyTree, dataset: Dataset, x: np.ndarray) -> tuple[PathStep, ...]:
    """Return the nodes on the sample's path; in a cultivated tree the path to the leaf with most of it."""
    tree = boxed(tree, "this explanation")
    spans, steps = spans_of(dataset), []
    is_soft = isinstance(tree, CultivatedTree)
    fraction = fractions_of(tree, x) if is_soft else np.ones(tree.n_nodes)
    way = path_to(tree, leading_leaves(tree, x, 1)[0][0]) if is_soft else path_of(tree, x)
    for up, down in itertools.pairwise(way):
        left = bool(tree.left[up] == down)
        beyond = int(tree.right[up] if left else tree.left[up])
        if isinstance(tree, CultivatedTree):  # its best decision
            at = int(tree.decisions.start[up])
            f, threshold = int(tree.decisions.feature[at]), tree.decisions.threshold[at]
        else:
            f, threshold, beyond = int(tree.feature[up]), tree.threshold[up], path_of(tree, x, beyond)[-1]
        gap = abs(float(x[f] - threshold)) / float(spans[f])
        part = min(float(fraction[down] / max(float(fraction[up]), 1e-300)), 1.0)
        gap = gap if math.isfinite(gap) else math.nan
        steps.append(PathStep(up, left, part, gap, tree.value[beyond], beyond))
    return tuple(steps)


# ---- changes of the prediction


class Counterfactuals(NamedTuple):
    """Changes that alter a prediction; the fields are those of `Story`."""

    flip: Counterfactual | None
    ruled_out: float
    singles: tuple[Counterfactual, ...]
    least_move: float
    is_cut: bool = False
    why_open: str = ""


def differs_of(estimator: Any, dataset: Dataset, answer: float, least: float, toward: int | None) -> Differs:
    """Return the test whether a prediction is one that a change is to lead to, from the prediction `answer`."""
    prior = prior_among(estimator, len(dataset.classes)) if dataset.is_classification else None
    return ChangeAim(toward).test(answer, least, prior)


def counterfactuals_of(
    estimator: Any,
    dataset: Dataset,
    x: np.ndarray,
    answers: np.ndarray,
    allowed: Allowed = FREE,
    aim: ChangeAim = ANY,
) -> Counterfactuals:
    """Return the smallest change, the smallest of each single feature, and how far a number must move to count.

    For a tree, a forest and cultivated trees the result states whether the change is certainly the smallest. Where
    surrogate splits of a tree decide about missing values of x, and where splits may weigh several features, the
    tree is asked as a model whose inside tells nothing, and it is not certain.
    """
    model = predict.record_of(estimator)
    if isinstance(model, (ObliqueTree, ModelTree)) or (isinstance(model, Tree) and may_ask_surrogates(model, x)):
        model = None  # boxes of leaves do not tell what changes lead to
    least = LEAST_MOVE * float(np.std(dataset.y)) if not dataset.is_classification else 0.0
    if isinstance(estimator, BASELINES):  # they use no feature, so no change alters them
        return Counterfactuals(None, math.inf, (), least)
    prediction = float(prediction_of(estimator, dataset, answers[None, :])[0])
    differs = differs_of(estimator, dataset, prediction, least, aim.toward)
    if dataset.is_classification and aim.toward not in (None, *np.asarray(estimator.classes_).tolist()):
        return Counterfactuals(None, math.inf, (), least)  # it has never met this class
    tell = (lambda X: answers_of(estimator, dataset, np.asfortranarray(X)), differs)
    search = change_search(dataset, model, x, tell, allowed)
    singles = tuple(single_changes(search))
    is_cut, towards = search.is_late, _towards(answers, int(prediction), aim.toward)
    if model is None:
        flip = singles[0] if singles else step_by_step(search, towards)
        return Counterfactuals(flip, 0.0, singles, least, search.is_late)
    if isinstance(model, Tree):
        flip = nearest_leaf(model, dataset, x, _adapt_to_columns(estimator, dataset, differs), allowed)
        ruled_out = math.inf if flip is None else len(flip.changes) - 1
        return Counterfactuals(flip, ruled_out, singles, least, is_cut)
    best = _search_by_bounds(search, model, estimator, (prediction, least), aim)
    if best.values is not None:
        flip = as_counterfactual(search, best.values, best.is_certain)
        return Counterfactuals(flip, best.ruled_out, singles, least, is_cut, best.why)
    if best.is_certain:
        return Counterfactuals(None, math.inf, (), least)
    search = search.again()
    flip = singles[0] if singles else step_by_step(search, towards)
    return Counterfactuals(flip, best.ruled_out, singles, least, is_cut or search.is_late, best.why)


def _search_by_bounds(
    search: ChangeSearch, model: CultivatedTree | Forest, estimator: Any, now: Interval, aim: ChangeAim
) -> Smallest:
    """Return the result of the search by branch and bound, which knows classes by the model's own columns.

    `now` is the prediction, and how far a number must move.
    """
    answers = search.says(search.x[np.newaxis])[0]
    if len(answers) < 2:
        return seek(search, model, answers, *now, aim)
    classes = np.asarray(estimator.classes_)
    if aim.toward is not None:
        aim = aim._replace(toward=int(np.searchsorted(classes, aim.toward)))
    return seek(search, model, answers[classes], int(np.searchsorted(classes, now[0])), aim=aim)


def _adapt_to_columns(estimator: Any, dataset: Dataset, differs: Differs) -> Differs:
    """Adapt `differs` to a tree's own values: it may not have been fitted to every class."""
    if not dataset.is_classification:
        return differs

    def among_all(values: np.ndarray) -> np.ndarray:
        shares = np.zeros((len(values), len(dataset.classes)))
        shares[:, estimator.classes_] = values
        return differs(shares)

    return among_all


def _towards(answers: np.ndarray, k: int, toward: int | None) -> Says:
    """Return how near other predictions (n, n_outputs) are to leaving class k, or how far from the number.

    With `toward` how near they are to that class, or how far on its side of the number.
    """
    if len(answers) < 2:
        return lambda others: np.abs(others[:, 0] - answers[0]) if toward is None else toward * others[:, 0]
    if toward is not None:
        return lambda others: others[:, toward] - np.delete(others, toward, axis=1).max(axis=1)
    return lambda others: np.delete(others, k, axis=1).max(axis=1) - others[:, k]


def answers_of_refit(estimator: Any, dataset: Dataset, rows: np.ndarray, number: int, seed: int = 0) -> np.ndarray:
    """Return the predictions for these rows, (n_rows, n_outputs), of a model on a bootstrap sample of the others.

    For classification 1 for the predicted class and 0 for the others; for regression the predicted number.

    The bootstrap draws from the other rows (Efron 1979; of data with groups or times as `redrawn` does), so that
    no model has seen the rows it predicts; the learner's own seed is new for each number, which always gives the
    same model.

    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> answers_of_refit(CartClassifier(max_depth=2), samples.load("iris"), np.arange(2), number=0)
    array([[1., 0., 0.],
           [1., 0., 0.]])
    """
    outside = np.flatnonzero(folds.rows_to_fit(dataset.roles, rows, len(dataset.y), is_forecast=False))
    own = seed_of(seed, number)
    sample = np.repeat(outside, drawn_with_replacement(dataset.roles.of(outside), len(outside), own))
    learner: Any = clone(estimator)
    if "random_state" in learner.get_params(deep=False):
        learner.set_params(random_state=own)
    fit(learner, dataset, sample)
    answers = answers_of(learner, dataset, dataset.X[rows])
    if dataset.is_classification:
        answers = np.eye(len(dataset.classes))[prediction_of(learner, dataset, answers)]
    return answers


# ---- where another prediction lies, over two features that may change: the region of recourse

CELLS = 40  # along a number


class RecoursePlane(NamedTuple):
    """Predictions over two features, with the sample's other values, or those of the change where it has more."""

    features: tuple[int, int]  # along x, and y
    edges: tuple[np.ndarray, np.ndarray]  # ascending; cell i reaches from edge i to edge i + 1
    answers: np.ndarray  # (n_y, n_x, n_outputs)
    is_other: np.ndarray  # (n_y, n_x) bool: another prediction than the sample's, or that of the aim
    is_allowed: np.ndarray  # (n_y, n_x) bool: whether the two features may change to this cell
    now: tuple[float, float]
    then: tuple[float, float]  # after the smallest change


def recourse_plane(
    estimator: Any, dataset: Dataset, story: Story, axes: Sequence[int] = ()
) -> RecoursePlane | None:
    """Return the plane of the two features that the smallest change moves most.

    Where it moves one, the second is the feature that would do it alone with the least change, or the first of the
    others in `axes`. If all that the change moves is among two `axes`, these are the plane's. None without a
    change, without a second feature, or where a value is missing.

    >>> from espalier.reliability.explanation import story
    >>> from espalier.data import samples
    >>> from espalier.learners import CartClassifier
    >>> iris = samples.load("iris")
    >>> model = CartClassifier(max_depth=3).fit(iris.X, iris.y)
    >>> plane = recourse_plane(model, iris, story(model, iris, iris.X[70]))
    >>> [iris.features[f].name for f in plane.features], bool(plane.is_other.any())
    (['petal width', 'petal length'], True)
    """
    features = _features(story, [int(f) for f in axes])
    if features is None or np.isnan(story.x[list(features)]).any():
        return None
    assert story.flip is not None
    rooms = [value_range(dataset, f, float(story.x[f]), story.allowed) for f in features]
    changes = [(change.feature, change.after) for change in story.flip.changes]
    then = changed_to(story.x, changes)
    edges = [_edges(dataset, f, room, float(then[f])) for f, room in zip(features, rooms, strict=True)]
    middles = [(each[1:] + each[:-1]) / 2 for each in edges]
    base = changed_to(story.x, [change for change in changes if change[0] not in features])
    X = samples_over(features, middles, base)
    answers = answers_of(estimator, dataset, np.asfortranarray(X))
    shape = (len(middles[1]), len(middles[0]))
    is_other = differs_of(estimator, dataset, story.answer, story.least_move, story.toward)(answers).reshape(shape)
    across, up = (_allowed_cells(room, each) for room, each in zip(rooms, edges, strict=True))
    return RecoursePlane(
        features, (edges[0], edges[1]), answers.reshape(*shape, -1), is_other, up[:, None] & across[None, :],
        _at(story.x, features), _at(then, features),
    )  # fmt: skip


def _features(story: Story, axes: list[int]) -> tuple[int, int] | None:
    """Return the features that the smallest change moves most, or the one and another that would do it alone."""
    if story.flip is None:
        return None
    first = [change.feature for change in sorted(story.flip.changes, key=lambda change: -change.spans)]
    if len(axes) == 2 and set(first) <= set(axes):
        return (axes[0], axes[1])
    alone = [single.changes[0].feature for single in story.singles]
    pair = list(dict.fromkeys([*first, *alone, *axes]))[:2]
    return (pair[0], pair[1]) if len(pair) == 2 else None


def _edges(dataset: Dataset, f: int, room: ValueRange, then: float) -> np.ndarray:
    """Return where the cells of a feature end; for a number one of them where the change begins to do it."""
    feature = dataset.features[f]
    if feature.categories:
        return np.arange(len(feature.categories) + 1) - 0.5
    column = dataset.X[np.isfinite(dataset.X[:, f]), f]
    low, high = min(float(column.min()), room.before), max(float(column.max()), room.before)
    if room.is_whole and high - low <= CELLS:
        return np.arange(low, high + 2) - 0.5
    end = then - 0.5 * float(np.sign(then - room.before)) if room.is_whole else then
    even = np.linspace(low, high, CELLS + 1)
    apart = np.abs(even - end) > (high - low) / (4 * CELLS)  # no cell is too narrow to be seen
    return np.unique([*even[apart], low, high, end])


def _allowed_cells(room: ValueRange, edges: np.ndarray) -> np.ndarray:
    """Return which cells hold a value that the feature may have, its own included, (n_cells,) bool."""
    low, high = edges[:-1], edges[1:]
    has_own = (low <= room.before) & (room.before <= high)
    if not room.is_free:
        return has_own
    if len(room.codes):
        return has_own | np.isin((low + high) / 2, room.codes)
    return has_own | ((high > room.low) & (low < room.high))


def _at(x: np.ndarray, features: tuple[int, int]) -> tuple[float, float]:
    return float(x[features[0]]), float(x[features[1]])
