"""A forest as an ONNX file: one TreeEnsemble (ai.onnx.ml, version 5) of 64-bit numbers, and the link."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.columns import answers
from espalier.export.ensembles import parts
from espalier.language import english
from espalier.learners.description import describe_forest
from espalier.tree.rules import admitted, step
from espalier.trees import LEAF, Forest, Tree

LEQ, MEMBER = 0, 6  # modes of a node in the operator's definition
SUM = 1  # how the operator combines trees
N_CODES = 64  # categories that a split can tell apart
OPSETS = (("", 18), ("ai.onnx.ml", 5))
IR_VERSION = 9


class OnnxTrees(NamedTuple):
    """The attributes of a TreeEnsemble, as they are filled tree by tree; of a leaf, lists of their own."""

    roots: list[int]
    features: list[int]
    modes: list[int]
    splits: list[float]
    missing_left: list[int]
    left: list[tuple[int, bool]]  # number of a node or of a leaf, and whether it is a leaf
    right: list[tuple[int, bool]]
    members: list[float]  # the categories that go left at each split on categories, nan after each list
    targets: list[int]
    weights: list[float]


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
    trees = parts.plain_trees(forest)
    parts.check_size(forest)
    graph = _graph(onnx, _collected(forest, trees), forest, features, target)
    opsets = [onnx.helper.make_opsetid(*one) for one in OPSETS]
    proto = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="Espalier")
    about = [_about(feature) for feature in features]
    onnx.helper.set_model_props(proto, {"features": json.dumps(about), "target": target.name})
    return proto.SerializeToString()


def _about(feature: Feature) -> dict[str, Any]:
    """Return what the metadata say of a feature; `pooled` are the values that its last category stands for."""
    pooled = feature.origin.pooled if feature.origin else feature.pooled
    facts = {"name": feature.name, "kind": feature.kind, "categories": list(feature.categories)}
    return facts | ({"pooled": list(pooled)} if pooled else {})


# Trees -----------------------------------------------------------------------------------------------


def _collected(forest: Forest, trees: Sequence[Tree]) -> OnnxTrees:
    found = OnnxTrees([], [], [], [], [], [], [], [], [], [])
    for number, tree in enumerate(trees):
        _add(found, tree, parts.added(forest, number))
    return found


def _add(found: OnnxTrees, tree: Tree, value: np.ndarray) -> None:
    """Add a tree. A leaf adds to one score; where it adds to several, it is one leaf of each of several trees."""
    scores = np.flatnonzero((value[tree.feature == LEAF] != 0).any(axis=0)).tolist() or [0]
    for k in scores:
        _add_score(found, tree, value[:, k], k)


def _add_score(found: OnnxTrees, tree: Tree, value: np.ndarray, score: int) -> None:
    split = tree.feature != LEAF
    if not split[0]:  # the operator knows no tree without a question
        found.roots.append(len(found.features))
        _add_leaf(found, score, float(value[0]))
        _add_split(found, (0, LEQ, 0.0, 0), (len(found.targets) - 1, True), (len(found.targets) - 1, True))
        return
    first, first_leaf = len(found.features), len(found.targets)
    place = np.where(split, first + np.cumsum(split) - 1, first_leaf + np.cumsum(~split) - 1)
    found.roots.append(first)
    for node in range(tree.n_nodes):
        if not split[node]:
            _add_leaf(found, score, float(value[node]))
            continue
        ways = [(int(place[child]), bool(not split[child])) for child in (tree.left[node], tree.right[node])]
        _add_split(found, _question(found, tree, node), *ways)


def _add_leaf(found: OnnxTrees, score: int, weight: float) -> None:
    found.targets.append(score)
    found.weights.append(weight)


def _question(found: OnnxTrees, tree: Tree, node: int) -> tuple[int, int, float, int]:
    """Return feature, mode, threshold, and whether a missing value goes left."""
    feature, missing = int(tree.feature[node]), int(tree.missing_left[node])
    if not np.isnan(tree.threshold[node]):
        return feature, LEQ, float(tree.threshold[node]), missing
    found.members.extend([*map(float, admitted(step(tree, node, left=True), N_CODES)), float("nan")])
    return feature, MEMBER, 0.0, missing


def _add_split(
    found: OnnxTrees, asked: tuple[int, int, float, int], left: tuple[int, bool], right: tuple[int, bool]
) -> None:
    for one, value in zip((found.features, found.modes, found.splits, found.missing_left), asked, strict=True):
        one.append(value)  # type: ignore[arg-type]
    found.left.append(left)
    found.right.append(right)


# The graph -------------------------------------------------------------------------------------------


def _graph(onnx: Any, found: OnnxTrees, forest: Forest, features: Sequence[Feature], target: Feature) -> Any:
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    nodes = [_ensemble(onnx, found, len(forest.start)), helper.make_node("Add", ["sums", "start"], ["scores"])]
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


def _ensemble(onnx: Any, found: OnnxTrees, n_scores: int) -> Any:
    def doubles(name: str, values: Sequence[float]) -> Any:
        return onnx.numpy_helper.from_array(np.array(values, dtype=np.float64), name)

    members = {"membership_values": doubles("membership_values", found.members)} if found.members else {}
    return onnx.helper.make_node(
        "TreeEnsemble", ["X"], ["sums"], domain="ai.onnx.ml", aggregate_function=SUM, post_transform=0,
        n_targets=n_scores, tree_roots=found.roots, nodes_featureids=found.features,
        nodes_modes=onnx.numpy_helper.from_array(np.array(found.modes, dtype=np.uint8), "nodes_modes"),
        nodes_splits=doubles("nodes_splits", found.splits), nodes_missing_value_tracks_true=found.missing_left,
        nodes_truenodeids=[node for node, _ in found.left], nodes_trueleafs=[int(leaf) for _, leaf in found.left],
        nodes_falsenodeids=[node for node, _ in found.right],
        nodes_falseleafs=[int(leaf) for _, leaf in found.right], leaf_targetids=found.targets,
        leaf_weights=doubles("leaf_weights", found.weights), **members,
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
        ("alike", np.array([parts.tolerance(forest)])), ("prior", prior[np.newaxis]), ("no", np.array([-1.0])),
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
