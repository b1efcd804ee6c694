"""How closely a tree follows the model that it approximates, at every depth.

Zhou & Hooker (2016, section 4) use both measures: by class probabilities and by class.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import linear_sum_assignment

from espalier.data.dataset import Dataset
from espalier.data.roles import class_sizes, weighted_mean
from espalier.kernels.forest.out_of_bag import NO_PRIOR
from espalier.kernels.randomness import child_seed
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.approximation.classifier import ReplicationData, inputs_of, regrow
from espalier.learners.approximation.split_test import Considered
from espalier.learners.base import n_threads_of
from espalier.learners.black_boxes.ready import OnnxModel
from espalier.learners.imports.in_table import TableForest
from espalier.predict import shares, winners
from espalier.progress import Progress, Relay, ScaledProgress
from espalier.tasks import PARTS, Call, in_order
from espalier.trees import Tree, depths, prune_to

ADDS = 0.02  # of the distance of a tree without splits: levels that reduce it by less are not worth reading


class Fidelity(NamedTuple):
    """Fidelity of a tree to a model on some rows."""

    n_samples: int
    # L1: half of the sum over the classes of the differences of class shares (for two classes the difference of
    # either share); of numbers the mean absolute difference. Lower is better, 0 the same.
    distance: float
    # share of rows of the same class; for regression R², nan if the model's predictions do not vary
    agreement: float


class FidelityLevel(NamedTuple):
    """The tree cut off at a depth."""

    depth: int
    n_leaves: int
    fidelity: Fidelity


def fidelity(
    model_says: np.ndarray,
    tree_says: np.ndarray,
    is_classification: bool,
    prior: np.ndarray = NO_PRIOR,
    weight: np.ndarray | None = None,
) -> Fidelity:
    """Return the fidelity for class shares (n, n_classes), or numbers (n, 1); nan without rows.

    The prior breaks the model's ties (`espalier.predict.prior_of`). Rows count by `weight` (n,), or all the same.

    >>> import numpy as np
    >>> model, tree = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.8, 0.2], [0.6, 0.4]])
    >>> fidelity(model, tree, is_classification=True).agreement
    0.5
    """
    n = len(model_says)
    if not n:
        return Fidelity(0, math.nan, math.nan)
    apart = np.abs(model_says - tree_says).sum(axis=1)
    if is_classification:
        same = winners(model_says, prior) == winners(tree_says)
        return Fidelity(n, weighted_mean(apart, weight) / 2, weighted_mean(same, weight))
    return Fidelity(n, weighted_mean(apart, weight), r2(model_says[:, 0], tree_says[:, 0], weight))


def r2(answers: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the share of the variance of answers (n,) that predictions (n,) explain; nan if they do not vary."""
    weight = np.ones(len(answers)) if weight is None else weight
    spread = float((weight * (answers - weighted_mean(answers, weight)) ** 2).sum())
    return 1 - float((weight * (answers - predicted) ** 2).sum()) / spread if spread > 0 else math.nan


def cut(tree: Tree, depth: int) -> Tree:
    """Cut the tree off at `depth`; nodes there predict as within the whole tree."""
    return prune_to(tree, depths(tree) < depth)


def fidelity_levels(
    tree: Tree,
    X: np.ndarray,
    model_says: np.ndarray,
    is_classification: bool,
    prior: np.ndarray = NO_PRIOR,
    weight: np.ndarray | None = None,
) -> list[FidelityLevel]:
    """`fidelity` on rows X (n, n_features) of the tree cut off at every depth from 0, a lone root, to its own."""
    levels = []
    for depth in range(tree.depth + 1):
        part = cut(tree, depth)
        closeness = fidelity(model_says, shares(part, X), is_classification, prior, weight)
        levels.append(FidelityLevel(depth, part.n_leaves, closeness))
    return levels


def enough(levels: Sequence[FidelityLevel], adds: float = ADDS) -> int:
    """Return the least depth below which all levels together reduce the distance by less than `adds`.

    Measured in parts of the distance at depth 0. The deepest level if none qualifies.
    """
    distance = [level.fidelity.distance for level in levels]
    for depth, here in enumerate(distance):
        if here - min(distance[depth:]) <= adds * distance[0]:
            return depth
    return len(levels) - 1


def class_agreement(
    model_says: np.ndarray, tree_says: np.ndarray, prior: np.ndarray = NO_PRIOR, weight: np.ndarray | None = None
) -> list[tuple[int, float]]:
    """Return for every class of the shares (n, n_classes) how many rows the model assigns to it, and how often the
    tree agrees on these, by weight; nan without rows.
    """
    model, tree = winners(model_says, prior), winners(tree_says)
    classes = []
    for k in range(model_says.shape[1]):
        same = tree[model == k] == k
        classes.append((len(same), weighted_mean(same, None if weight is None else weight[model == k])))
    return classes


# ---- find the order of an uploaded model's classes and columns, if its file does not name them

MOST_ROWS = 2_000  # that judge an order
MARGIN = 0.02  # an order of the columns is taken if it is better than the table's own by this much
Order: TypeAlias = "tuple[int, ...]"
OwnModel: TypeAlias = "OnnxModel | TableForest"


class Arranged(NamedTuple):
    """The chosen orders (entry j: the table's number of the model's j-th) and their accuracy."""

    classes: Order
    columns: Order
    may_classes: bool  # whether there is a choice: the file names none, and there are two or more
    may_columns: bool
    n_rows: int  # rows that judged the order
    right: float  # share of correct predictions; R² for regression
    as_table: float  # the same with classes and columns in the table's own order
    baseline: float  # of the most frequent class; 0 for regression, whose baseline is the mean
    notes: tuple[Phrase, ...] = ()  # on what of the file is not used, and on unknown categories

    @property
    def is_useless(self) -> bool:
        """Whether the model is no better than a constant prediction, beyond chance."""
        chance = 2 * (self.baseline * (1 - self.baseline) / self.n_rows) ** 0.5  # two standard errors
        return not self.right > self.baseline + chance


def candidates(names: Sequence[str]) -> dict[str, Order]:
    """Return the usual orders of columns or classes, each once, with their names."""
    n = len(names)
    orders = (
        (to_say("as in the table"), tuple(range(n))),
        (to_say("by the alphabet"), tuple(sorted(range(n), key=lambda at: names[at]))),
        (to_say("the other way round"), tuple(reversed(range(n)))),
    )
    once = {order: name for name, order in reversed(orders)}
    return {name: order for name, order in orders if once[order] == name}


def arrange(
    model: OwnModel, data: Dataset, classes: Order | None = None, columns: Order | None = None
) -> tuple[OwnModel, Arranged]:
    """Return the model with classes and columns in the given orders, or in the best ones (None).

    Classes are matched one to one so that most predictions are correct, of equals in the table's order; columns
    are in the best of `candidates`. Raises ValueError for invalid orders, and as the model does.
    """
    rows = np.arange(0, len(data.y), len(data.y) // MOST_ROWS + 1)
    weights = None if data.row_weights is None else data.row_weights._replace(values=data.row_weights.values[rows])
    judges = data._replace(X=data.X[rows], y=data.y[rows], row_weights=weights)
    table_order = tuple(range(len(data.features)))
    may_columns = not model.names_columns and len(table_order) > 1
    orders = [columns or table_order]
    if columns is None and may_columns:
        names = [feature.name for feature in data.features]
        orders = [order for order in candidates(names).values() if _may_be(model, order)]
    results = [
        _accuracy_and_order(model.arranged(columns=order) if may_columns else model, judges, classes)
        for order in orders
    ]
    best = max(range(len(orders)), key=lambda at: results[at][0] - (MARGIN if at else 0.0))
    right, order_of_classes = results[best]
    as_table = _score(model, judges)
    may_classes = len(data.classes) > 1 and not model.names_classes  # known after the first prediction
    model = model.arranged(order_of_classes if may_classes else None, orders[best] if may_columns else None)
    facts = (len(rows), right, as_table, _baseline(judges), getattr(model, "notes", ()))
    return model, Arranged(order_of_classes, orders[best], may_classes, may_columns, *facts)


def _may_be(model: OwnModel, columns: Order) -> bool:
    """Return whether the model can take the columns in this order: not where its words would meet numbers."""
    try:
        model.arranged(columns=columns)
    except Refusal:
        return False
    return True


def _accuracy_and_order(model: OwnModel, judges: Dataset, classes: Order | None) -> tuple[float, Order]:
    """Return the model's accuracy with its classes in the best order, or in the given one; and that order."""
    if not hasattr(model, "predict_proba"):
        return _score(model, judges), ()
    n = len(model.classes_)
    if model.names_classes:
        return _score(model, judges), tuple(range(n))
    counts = np.zeros((n, n))  # [class of the model, class of the table]
    weight = np.ones(len(judges.y)) if judges.weights is None else judges.weights
    np.add.at(counts, (model.predict(judges.X), judges.y), weight)
    if classes is None:
        _, best = linear_sum_assignment(counts + 1e-6 * np.eye(n), maximize=True)
        classes = tuple(best.tolist())
    return float(counts[np.arange(n), list(classes)].sum() / weight.sum()), classes


def _score(model: OwnModel, judges: Dataset) -> float:
    answers, (y, weight) = model.predict(judges.X), (judges.y, judges.weights)
    return weighted_mean(answers == y, weight) if hasattr(model, "predict_proba") else r2(y, answers, weight)


def _baseline(judges: Dataset) -> float:
    if not judges.is_classification:
        return 0.0
    sizes = class_sizes(judges.y, 1, judges.weights)
    return float(sizes.max() / sizes.sum())


# ---- grow an approximation tree many times with other pseudo-samples


# Zhou & Hooker (2016, section 4.1.2) call an approximation stable if repeated growing from the same black box and
# table gives few structures; `espalier.stability.structures` counts these.
class Replication(NamedTuple):
    """One of many trees that approximate the same model on the same table."""

    tree: Tree
    considered: Considered


def replications(
    model: Any,
    n: int,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> Generator[Replication]:
    """Grow a fitted approximation n times again, from other pseudo-samples; yield the trees in order.

    Parameters are those of `model`. Tree i depends only on `seed` and i, not on n or `n_jobs`, the number of
    threads (None for one, -1 for all processors), nor on an `executor`, which works in their place. `progress` is
    shared with another thread: it counts up to n times the rows of the table, and once it is stopped no further
    tree is yielded. Raises NotFittedError for an unfitted model, ValueError for n below 1.

    >>> from espalier.data import samples
    >>> from espalier.learners import ApproximationClassifier, CartClassifier
    >>> iris = samples.load("iris")
    >>> black_box = CartClassifier(max_depth=2).fit(iris.X, iris.y)
    >>> model = ApproximationClassifier(black_box, max_depth=2, random_state=0).fit(iris.X)
    >>> [one.tree.n_leaves for one in replications(model, 2)]
    [3, 3]
    """
    if n < 1:
        raise ValueError(f"the number of replications is {n}; it must be at least 1")
    inputs, seeds, progress = inputs_of(model), seeds_of(seed, n), progress or Progress()
    if executor is None:
        return _stream(inputs, seeds, n_threads_of(n_jobs), progress)
    tasks = [Call(regrow, (inputs, seed), inputs.n_samples) for seed in seeds]
    results = in_order(tasks, executor, ScaledProgress(progress, inputs.n_samples / PARTS))
    return (Replication(*result) for _, result in results)


def seeds_of(seed: int, n: int) -> list[int]:
    """Return the seeds of n replications."""
    return [int(child_seed(np.uint64(seed), number + 2)) for number in range(n)]


def _stream(
    inputs: ReplicationData, seeds: list[int], n_threads: int, progress: Progress
) -> Generator[Replication]:
    relay = Relay(progress, len(seeds))
    with ThreadPoolExecutor(n_threads) as pool:
        running = [pool.submit(regrow, inputs, *each) for each in zip(seeds, relay.threads, strict=True)]
        try:
            for future in running:
                relay.attend([future])
                if progress.is_stopped:
                    return
                yield Replication(*future.result())
        finally:
            relay.stop()
            pool.shutdown(cancel_futures=True)
