"""A forest as an ONNX file: one TreeEnsemble (ai.onnx.ml, version 5) of 64-bit numbers, and the link."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.columns import answers
from espalier.export.forest_parts import added, check_boxes, check_python, tolerance
from espalier.language import english
from espalier.learners.description import describe_forest
from espalier.tree.rules import N_BITS, admitted, step
from espalier.trees import LEAF, Forest, Tree

LEQ, MEMBER = 0, 6  # modes of a node in the operator's definition
SUM = 1  # how the operator combines trees
OPSETS = (("", 18), ("ai.onnx.ml", 5))
IR_VERSION = 9


class OnnxTrees:
    """The attributes of a TreeEnsemble, filled tree by tree; those of leaves are lists of their own."""

    def __init__(self) -> None:
        self.roots: list[int] = []
        self.features: list[int] = []
        self.modes: list[int] = []
        self.splits: list[float] = []
        self.missing_left: list[int] = []
        self.left: list[tuple[int, bool]] = []  # number of a node or of a leaf, and whether it is a leaf
        self.right: list[tuple[int, bool]] = []
        self.members: list[
            float
        ] = []  # the categories that go left at each split on categories, nan after each list
        self.targets: list[int] = []
        self.weights: list[float] = []

    def add(self, tree: Tree, value: np.ndarray) -> None:
        """Add a tree. A leaf adds to one score; one that adds to several is a leaf of each of several trees."""
        split = tree.feature != LEAF
        for score in np.flatnonzero((value[~split] != 0).any(axis=0)).tolist() or [0]:
            self._add_score(tree, split, value[:, score], score)

    def _add_score(self, tree: Tree, split: np.ndarray, value: np.ndarray, score: int) -> None:
        first, first_leaf = len(self.features), len(self.targets)
        self.roots.append(first)
        self.targets += [score] * int(np.count_nonzero(~split))
        self.weights += value[~split].tolist()
        if not split[0]:  # the operator knows no tree without a question
            self._add_split((0, LEQ, 0.0, 0), [(first_leaf, True)] * 2)
            return
        place = np.where(split, first + np.cumsum(split) - 1, first_leaf + np.cumsum(~split) - 1)
        for node in np.flatnonzero(split).tolist():
            ways = [(int(place[child]), not split[child]) for child in (tree.left[node], tree.right[node])]
            self._add_split(self._question(tree, node), ways)

    def _question(self, tree: Tree, node: int) -> tuple[int, int, float, int]:
        """Return feature, mode, threshold, and whether a missing value goes left."""
        feature, missing = int(tree.feature[node]), int(tree.missing_left[node])
        if not np.isnan(tree.threshold[node]):
            return feature, LEQ, float(tree.threshold[node]), missing
        self.members += [*map(float, admitted(step(tree, node, left=True), N_BITS)), float("nan")]
        return feature, MEMBER, 0.0, missing

    def _add_split(self, question: tuple[int, int, float, int], ways: Sequence[tuple[int, bool]]) -> None:
        feature, mode, threshold, missing_left = question
        self.features.append(feature)
        self.modes.append(mode)
        self.splits.append(threshold)
        self.missing_left.append(missing_left)
        self.left.append(ways[0])
        self.right.append(ways[1])


@english()
def forest_to_onnx(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> bytes:
    """Return the file; `model` is a fitted estimator, or its forest with features and target.

    Its input is X (n, n_features) of 64-bit numbers, categories as codes and missing values as nan. Its outputs
    are "prediction", (n,), the class or the number, and of classes "shares", (n, n_classes). The names of
    features, and of their categories in the order of their codes, are in the file's metadata as JSON. It needs the
    package onnx to be written, and a runtime of ai.onnx.ml 5 to be read: onnxruntime 1.20 or later. Raises
    ValueError without onnx, for cultivated trees, and for more nodes than a file has room for.
    """
    forest, features, target = describe_forest(model, features, target)
    try:
        import onnx
    except ImportError:
        raise ValueError("an ONNX file is written by the package onnx: pip install onnx") from None
    check_boxes(forest)
    check_python(forest)
    trees = OnnxTrees()
    for number, tree in enumerate(forest.trees):
        trees.add(tree, added(forest, number))
    graph = _graph(onnx, trees, forest, features, target)
    opsets = [onnx.helper.make_opsetid(domain, version) for domain, version in OPSETS]
    proto = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="Espalier")
    about = [_about(feature) for feature in features]
    onnx.helper.set_model_props(proto, {"features": json.dumps(about), "target": target.name})
    return proto.SerializeToString()


def _about(feature: Feature) -> dict[str, Any]:
    """Return what the metadata say of a feature; `pooled` are the values that its last category stands for."""
    pooled = feature.origin.pooled if feature.origin else feature.pooled
    facts = {"name": feature.name, "kind": feature.kind, "categories": list(feature.categories)}
    return facts | ({"pooled": list(pooled)} if pooled else {})


# ---- the graph


def _graph(onnx: Any, trees: OnnxTrees, forest: Forest, features: Sequence[Feature], target: Feature) -> Any:
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    nodes = [_ensemble(onnx, trees, len(forest.start)), helper.make_node("Add", ["sums", "start"], ["scores"])]
    start = np.where(np.isfinite(forest.start), forest.start, np.finfo(np.float64).min)
    constants = [onnx.numpy_helper.from_array(start[np.newaxis], "start")]
    value = helper.make_tensor_value_info
    X = value("X", double, [None, len(features)])
    if not target.categories:
        link = "Exp" if forest.link == "log" else "Identity"
        nodes += [
            helper.make_node(link, ["scores"], ["answer"]),
            helper.make_node("Flatten", ["answer"], ["column"]),
        ]
        constants.append(onnx.numpy_helper.from_array(np.array([1]), "second"))
        nodes.append(helper.make_node("Squeeze", ["column", "second"], ["prediction"]))
        return helper.make_graph(nodes, "forest", [X], [value("prediction", double, [None])], constants)
    nodes += _shares(helper, forest)
    classes = np.array(answers(target))
    kind = onnx.TensorProto.STRING if classes.dtype.kind == "U" else helper.np_dtype_to_tensor_dtype(classes.dtype)
    nodes += _winner(helper, constants, onnx, forest, len(classes))
    named = classes.astype(object) if classes.dtype.kind == "U" else classes
    constants.append(onnx.numpy_helper.from_array(named, "classes"))
    nodes.append(helper.make_node("Gather", ["classes", "best"], ["prediction"]))
    outputs = [value("prediction", kind, [None]), value("shares", double, [None, len(classes)])]
    return helper.make_graph(nodes, "forest", [X], outputs, constants)


def _ensemble(onnx: Any, trees: OnnxTrees, n_scores: int) -> Any:
    def doubles(name: str, values: Sequence[float]) -> Any:
        return onnx.numpy_helper.from_array(np.array(values, dtype=np.float64), name)

    members = {"membership_values": doubles("membership_values", trees.members)} if trees.members else {}
    return onnx.helper.make_node(
        "TreeEnsemble", ["X"], ["sums"], domain="ai.onnx.ml", aggregate_function=SUM, post_transform=0,
        n_targets=n_scores, tree_roots=trees.roots, nodes_featureids=trees.features,
        nodes_modes=onnx.numpy_helper.from_array(np.array(trees.modes, dtype=np.uint8), "nodes_modes"),
        nodes_splits=doubles("nodes_splits", trees.splits), nodes_missing_value_tracks_true=trees.missing_left,
        nodes_truenodeids=[node for node, _ in trees.left], nodes_trueleafs=[int(leaf) for _, leaf in trees.left],
        nodes_falsenodeids=[node for node, _ in trees.right],
        nodes_falseleafs=[int(leaf) for _, leaf in trees.right], leaf_targetids=trees.targets,
        leaf_weights=doubles("leaf_weights", trees.weights), **members,
    )  # fmt: skip


def _shares(helper: Any, forest: Forest) -> list[Any]:
    if forest.link == "softmax":
        return [helper.make_node("Softmax", ["scores"], ["shares"], axis=1)]
    if forest.link != "logistic":
        return [helper.make_node("Identity", ["scores"], ["shares"])]
    return [
        helper.make_node("Sigmoid", ["scores"], ["second share"]),
        helper.make_node("Neg", ["scores"], ["less"]),
        helper.make_node("Sigmoid", ["less"], ["first share"]),
        helper.make_node("Concat", ["first share", "second share"], ["shares"], axis=1),
    ]


def _winner(helper: Any, constants: list[Any], onnx: Any, forest: Forest, n_classes: int) -> list[Any]:
    """Return the nodes of the class with the greatest share; of equal ones, that of the greatest prior."""
    prior = forest.prior if len(forest.prior) else np.ones(n_classes)
    for name, array in (
        ("alike", np.array([tolerance(forest)])), ("prior", prior[np.newaxis]), ("no", np.array([-1.0])),
        ("by class", np.array([1])),
    ):  # fmt: skip
        constants.append(onnx.numpy_helper.from_array(array, name))
    return [
        helper.make_node("ReduceMax", ["shares", "by class"], ["most"], keepdims=1),
        helper.make_node("Sub", ["most", "alike"], ["enough"]),
        helper.make_node("GreaterOrEqual", ["shares", "enough"], ["tied"]),
        helper.make_node("Where", ["tied", "prior", "no"], ["of tied"]),
        helper.make_node("ArgMax", ["of tied"], ["best"], axis=1, keepdims=0),
    ]
