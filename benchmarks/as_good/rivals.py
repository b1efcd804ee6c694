"""Programs that find all trees as good as the best: ours, tree-praxis, arborenum and treefarms, asked alike."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.as_good.functions import Leaf, Leaves, leaves_of, leaves_of_shape
from espalier.learners.optimal import OptimalClassifier, TreesAsGood, trees_as_good

try:
    from praxis import PRAXIS
except ImportError:
    PRAXIS: Any = None
try:
    from arborenum import ArborEnum
except ImportError:
    ArborEnum: Any = None
try:
    from treefarms import TREEFARMS
except ImportError:
    TREEFARMS: Any = None


class Question(NamedTuple):
    """All trees of at most `depth` splits on a path with errors + `price` * leaves of at most `most`."""

    X: np.ndarray  # (n_rows, n_questions) 0 or 1
    y: np.ndarray  # (n_rows,) classes
    depth: int
    price: int  # of a leaf, in errors
    most: int


class OfPraxis:
    """The set of tree-praxis, or of arborenum, which has its face."""

    def __init__(self, model: Any, question: Question, **options: Any):
        X, y, n = question.X.astype(np.uint8), question.y.astype(np.int64), len(question.y)
        common = {"lambda_reg": question.price / n, "depth_budget": question.depth, "rashomon_mult": 0.0}
        model.fit(X, y, root_budget=question.most, **common, **options)
        self.model, self.n_trees = model, int(model.count_trees())
        self._sign = 1 if type(model).__name__ == "PRAXIS" else -1  # arborenum asks "at most 0.5?" of our columns

    def trees(self) -> Iterator[Leaves]:
        """Yield the leaves of each tree."""
        for number in range(self.n_trees):
            paths, labels = self.model.get_tree_paths(number)
            yield leaves_of([[self._sign * step for step in path] for path in paths], labels)


class OfTreeFarms:
    """The set of treefarms: two classes, and a price of leaves."""

    def __init__(self, question: Question, best: int):
        X, n = pd.DataFrame(question.X, columns=[f"q{f}" for f in range(question.X.shape[1])]), len(question.y)
        settings = {
            "regularization": question.price / n,
            "rashomon_bound_adder": (question.most - best + 0.5) / n,
            "depth_budget": question.depth + 1,
            "rashomon_trie": "",
        }
        with contextlib.redirect_stdout(io.StringIO()):
            self.model = TREEFARMS(settings).fit(X, pd.Series(question.y, name="class"))
        self.n_trees = int(self.model.get_tree_count())

    def trees(self) -> Iterator[Leaves]:
        """Yield the leaves of each tree."""
        for number in range(self.n_trees):
            yield tuple(_below(self.model[number].source, ()))


def _below(node: dict[str, Any], path: tuple[int, ...]) -> Iterator[Leaf]:
    if "prediction" in node:
        yield Leaf(path, int(node["prediction"]))
        return
    step = int(node["feature"]) + 1
    yield from _below(node["true"], (*path, step))
    yield from _below(node["false"], (*path, -step))


class Ours:
    """Our set: all trees of few errors, of which those within the price are taken."""

    def __init__(self, question: Question):
        X = np.asfortranarray(question.X, dtype=float)
        model = OptimalClassifier(max_depth=question.depth, max_thresholds=None).fit(X, question.y)
        slack = max(question.most - (2 if question.price else 0) * question.price - model.proof_.objective, 0)
        self.trees_as_good: TreesAsGood = trees_as_good(model, model.prepare(X, question.y), slack)
        self._question, self.least = question, int(model.proof_.objective)
        self.n_trees = sum(size.n_trees for size in self.trees_as_good.sizes if self._is_within(size))

    def _is_within(self, size) -> bool:
        return size.objective + self._question.price * (size.n_splits + 1) <= self._question.most

    def trees(self) -> Iterator[Leaves]:
        """Yield the leaves of each tree."""
        start, feature = 0, self.trees_as_good.questions.feature
        for size in self.trees_as_good.sizes:
            if self._is_within(size):
                for number in range(start, start + size.n_trees):
                    yield tuple(leaves_of_shape(self.trees_as_good.shape(number), feature))
            start += size.n_trees


def programs(question: Question, best: int) -> dict[str, Any]:
    """Return how each program that is installed is asked."""
    exact = {"lookahead_k": question.depth - 1}
    asked: dict[str, Any] = {"espalier": lambda: Ours(question)}
    if PRAXIS is not None:
        asked["tree-praxis"] = lambda: OfPraxis(PRAXIS(), question)
        asked["tree-praxis exact"] = lambda: OfPraxis(PRAXIS(), question, **exact)
    if ArborEnum is not None:
        asked["arborenum"] = lambda: OfPraxis(ArborEnum(), question)
        asked["arborenum exact"] = lambda: OfPraxis(ArborEnum(), question, proxy_mode="continuous", **exact)
    if TREEFARMS is not None and question.price and question.y.max() == 1:
        asked["treefarms"] = lambda: OfTreeFarms(question, best)
    return asked
