"""The nodes of a tree as exports see them: a test at each split and an answer in each leaf, whatever its kind.

A test is a bound on one feature (or a set of its categories), a sum of several features, or a pool of decisions
each of which sends a part of a row to the left. A leaf answers with its values or by formulas. The writers, one
for each format, know these and no kinds of trees; a forest is a sequence of sources. A new kind of tree is a class
like those below and one line that registers it.

Pages ask `check_python`, `check_onnx`, `espalier.export.sql.check_sql` and `bytes_of` before they offer a
forest as a file.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.display.theme import count
from espalier.export.columns import ExportedColumn, one_line
from espalier.kernels.forest.out_of_bag import ALIKE
from espalier.kinds import ability, unknown
from espalier.language import Refusal
from espalier.leaf_models import LeafModels, ModelTree
from espalier.learners.description import describe_tree
from espalier.oblique import ObliqueTree
from espalier.predict import votes_at_nodes
from espalier.tree.modules import gate_of_codes, gate_of_cuts
from espalier.tree.rules import Bound, Slant, all_bounds, all_demands
from espalier.trees import LEAF, CultivatedTree, Forest, Tree

MAX_NODES = 500_000  # of all trees, in a file: of Python about 40 MB
MAX_CUTS = 1_000_000  # of cultivated trees: of Python about 35 MB
FEW, MORE = 10, 20  # trees from which the size of a larger file is known; the first ones name the columns


class Gate(NamedTuple):
    """One decision of a pool: the part of a sample that it sends to the left child, by the sample's value."""

    feature: int
    share: float  # of the decision in its pool
    missing: float  # part of a missing value, or of an unknown category, that goes left
    cuts: tuple[float, ...]  # of a number: thresholds, ascending; of equal steps, only the last
    parts: tuple[float, ...]  # parts that go left: up to each cut, and beyond all of them; or for each name


class NodeSource:
    """A tree whose splits are bounds on one feature each: that of CART, an optimal tree, an approximation."""

    name = "Decision tree"
    note = ""  # the second sentence at the head of a source
    form = "espalier-tree"  # of the JSON document
    tests: Literal["bounds", "sums", "pools"] = "bounds"
    models: LeafModels | None = None  # the formulas of the leaves; None: a leaf answers with its values

    def __init__(self, tree: Any, features: Sequence[Feature], target: Feature):
        self.record, self.features, self.target = tree, features, target
        self.nodes: Any = tree  # the arrays of the nodes

    @property
    def title(self) -> str:
        """The first line of a source."""
        size = f"{self.record.n_leaves} leaves, depth {self.record.depth}."
        return f"{self.name} for {one_line(self.target.name)}: {size}"

    @property
    def leaves(self) -> list[int]:
        """The leaves, from left to right."""
        return np.flatnonzero(self.nodes.left == LEAF).tolist()

    @property
    def has_surrogates(self) -> bool:
        """Whether other tests stand in for a test whose value is missing."""
        return False if self.tests != "bounds" else self.nodes.has_surrogates

    def conditions(self) -> Sequence[Sequence[Bound | Slant]]:
        """Return the conditions to reach each node, in preorder; of pools there are none."""
        return [bounds for _, bounds in all_bounds(self.nodes)]


class FormulaSource(NodeSource):
    """A tree of bounds whose leaves answer by formulas."""

    name, form = "Model tree", "espalier-model-tree"
    note = "Each leaf has a formula."

    def __init__(self, tree: ModelTree, features: Sequence[Feature], target: Feature):
        super().__init__(tree, features, target)
        self.nodes, self.models = tree


class SumSource(NodeSource):
    """A tree whose splits may compare a weighted sum of several features with a threshold."""

    name, form, tests = "Oblique tree", "espalier-oblique-tree", "sums"
    note = "A split weighs its features: a sum of at most the threshold goes left."

    def conditions(self) -> Sequence[Sequence[Bound | Slant]]:
        """Return the conditions to reach each node, in preorder: first those on single features."""
        return all_demands(self.nodes)

    @property
    def set_features(self) -> set[int]:
        """The features that are split by sets of categories; of any other, a category counts as its position."""
        is_set = (self.nodes.left != LEAF) & np.isnan(self.nodes.threshold)
        return set(self.nodes.feature[is_set].tolist())


class PoolSource(NodeSource):
    """A tree whose splits pool several decisions, each of which may send a part of a row either way."""

    name, form, tests = "Cultivated tree", "espalier-cultivated-tree", "pools"
    note = "A sample goes both ways at a module, in fractions that sum to 1."

    def gates(self, node: int, read: Mapping[int, ExportedColumn]) -> list[Gate]:
        """Return the decisions of a node, the best one first; none at a leaf."""
        decisions = self.nodes.decisions
        return [
            Gate(
                feature := int(decisions.feature[d]),
                float(decisions.share[d]),
                float(decisions.missing_left[d]),
                *self._steps(d, len(read[feature].names)),
            )
            for d in range(int(decisions.start[node]), int(decisions.start[node + 1]))
        ]

    def _steps(self, d: int, n_names: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        if n_names:
            return (), tuple(gate_of_codes(self.nodes, d, n_names).tolist())
        cuts, parts = gate_of_cuts(self.nodes, d)
        parts = parts[: np.count_nonzero(np.isfinite(cuts)) + 1]  # no known value is above an infinite cut
        last = np.flatnonzero(np.append(np.diff(parts), 1.0))
        return tuple(cuts[last[:-1]].tolist()), tuple(parts[last].tolist())


@ability
@functools.singledispatch
def node_source(tree: Any, features: Sequence[Feature], target: Feature) -> Any:
    """Return the source of the nodes of a tree. Raises ValueError for what is no tree."""
    raise unknown(tree, "node_source")


node_source.register(Tree, NodeSource)
node_source.register(ModelTree, FormulaSource)
node_source.register(ObliqueTree, SumSource)
node_source.register(CultivatedTree, PoolSource)


def source_of(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> Any:
    """Return the source of the nodes of a fitted estimator, or of a record with its features and target.

    Raises ValueError as `learners.description.describe_tree` does.
    """
    return node_source(*describe_tree(model, features, target))


def forest_sources(forest: Forest) -> list[Any]:
    """Return the source of the nodes of each tree, all of one kind."""
    return [node_source(tree, (), Feature("score")) for tree in forest.trees]


def additions(forest: Forest, number: int) -> np.ndarray:
    """Return what each node of a tree adds to the scores, were it a leaf, (n_nodes, n_scores)."""
    return forest.weight[number] * votes_at_nodes(forest.trees[number], forest.combine)


def tolerance(forest: Forest) -> float:
    """Return by how much two shares may differ to be equal (`espalier.predict`)."""
    return ALIKE if len(forest.prior) else 0.0


def forest_title(forest: Forest, target: Feature) -> str:
    """Return the first line of an export."""
    how = {"votes": "trees that vote", "mean": "trees, averaged", "sum": "trees, added up"}[forest.combine]
    leaves = sum(tree.n_leaves for tree in forest.trees)
    return f"Forest for {one_line(target.name)}: {count(forest.n_trees)} {how}, {count(leaves)} leaves."


def check_python(forest: Forest) -> None:
    """Raise Refusal for more nodes, or cuts of cultivated trees, than a file of code has room for."""
    n_cuts = sum(len(tree.cuts.value) for tree in forest.trees if isinstance(tree, CultivatedTree))
    if n_cuts > MAX_CUTS:
        raise Refusal(
            "{n} cuts are too many for code; the limit is {most}. Grow fewer or shallower trees, or save the "
            "forest as JSON.",
            n=count(n_cuts),
            most=count(MAX_CUTS),
        )
    n_nodes = sum(tree.n_nodes for tree in forest.trees)
    if n_nodes > MAX_NODES:
        raise Refusal(
            "{n} nodes are too many for code; the limit is {most}. Grow fewer or shallower trees, or save the "
            "forest as JSON.",
            n=count(n_nodes),
            most=count(MAX_NODES),
        )


def check_onnx(forest: Forest) -> None:
    """Raise Refusal for a forest that is not written as ONNX, and where the package onnx lacks."""
    check_boxes(forest)
    check_python(forest)
    if importlib.util.find_spec("onnx") is None:
        raise Refusal("An ONNX file is written by the package onnx, which is not installed here.")


def check_boxes(forest: Forest) -> None:
    """Raise Refusal for trees in which a row is in several leaves."""
    if isinstance(forest.trees[0], CultivatedTree):
        raise Refusal(
            "In ONNX each row is in one leaf of a tree. In this cultivated forest it is in several leaves of a "
            "tree, with a fraction in each. Save it as Python, SQL or JSON."
        )


def bytes_of(write: Callable[[Forest], str | bytes], forest: Forest) -> float:
    """Return about how many bytes `write` makes of the forest: from its first trees, by numbers of nodes.

    >>> from espalier.trees import make_forest, make_tree
    >>> leaf = make_tree([-1], [float("nan")], [-1], [-1], [0], [False], [4], [4.0], [[1.5]], [0.0])
    >>> bytes_of(lambda forest: "x" * (100 + 10 * forest.n_trees), make_forest([leaf] * 30, [1] * 30, "mean", []))
    400.0
    """
    first, more = (forest._replace(trees=forest.trees[:n], weight=forest.weight[:n]) for n in (FEW, MORE))
    sizes = [len(text.encode() if isinstance(text, str) else text) for text in (write(first), write(more))]
    nodes = [sum(tree.n_nodes for tree in part.trees) for part in (first, more, forest)]
    each = (sizes[1] - sizes[0]) / max(nodes[1] - nodes[0], 1)
    return sizes[1] + each * (nodes[2] - nodes[1])
