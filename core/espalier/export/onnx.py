"""A forest as an ONNX file: one TreeEnsemble (ai.onnx.ml, version 5) of 64-bit numbers, and the link."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.export.columns import answers
from espalier.export.node_sources import additions, check_boxes, check_python, tolerance
from espalier.language import english
from espalier.learners.description import describe_forest
from espalier.tree.rules import N_BITS, admitted_codes, step
from espalier.trees import Forest, is_category_split, is_leaf

LEQ, MEMBER = 0, 6  # modes of a node in the operator's definition
SUM = 1  # how the operator combines trees
OPSETS = (("", 18), ("ai.onnx.ml", 5))
IR_VERSION = 9


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
    graph = _graph(onnx, forest, features, target)
    opsets = [onnx.helper.make_opsetid(domain, version) for domain, version in OPSETS]
    proto = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="Espalier")
    about = [_about(feature) for feature in features]
    onnx.helper.set_model_props(proto, {"features": json.dumps(about), "target": target.name})
    return proto.SerializeToString()


def _about(feature: Feature) -> dict[str, Any]:
    """Return what the metadata say of a feature; `pooled` are the values that its last category stands for."""
    members = feature.origin.pooled if feature.origin else feature.pooled
    facts = {"name": feature.name, "kind": feature.kind, "categories": list(feature.categories)}
    return facts | ({"pooled": list(members)} if members else {})


# ---- the graph


def _graph(onnx: Any, forest: Forest, features: Sequence[Feature], target: Feature) -> Any:
    helper, double = onnx.helper, onnx.TensorProto.DOUBLE
    nodes = [_ensemble(onnx, forest), helper.make_node("Add", ["sums", "start"], ["scores"])]
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
    names = classes.astype(object) if classes.dtype.kind == "U" else classes
    constants.append(onnx.numpy_helper.from_array(names, "classes"))
    nodes.append(helper.make_node("Gather", ["classes", "best"], ["prediction"]))
    outputs = [value("prediction", kind, [None]), value("shares", double, [None, len(classes)])]
    return helper.make_graph(nodes, "forest", [X], outputs, constants)


def _ensemble(onnx: Any, forest: Forest) -> Any:
    lists: dict[str, Any] = defaultdict(list)
    for number, tree in enumerate(forest.trees):
        value = additions(forest, number)
        # A leaf adds to one score; where it adds to several, it is a leaf of each of several trees.
        for score in np.flatnonzero((value[is_leaf(tree)] != 0).any(axis=0)).tolist() or [0]:
            _add_tree(lists, tree, value[:, score], score)
    for name in ("membership_values", "nodes_splits", "leaf_weights", "nodes_modes"):
        if name in lists:
            values = np.array(lists[name], dtype=np.uint8 if name == "nodes_modes" else np.float64)
            lists[name] = onnx.numpy_helper.from_array(values, name)
    return onnx.helper.make_node(
        "TreeEnsemble", ["X"], ["sums"], domain="ai.onnx.ml", aggregate_function=SUM, post_transform=0,
        n_targets=len(forest.start), **lists,
    )  # fmt: skip


def _add_tree(lists: dict[str, Any], tree: Any, value: np.ndarray, score: int) -> None:
    """Add a tree to the attributes of a TreeEnsemble; leaves are numbered on their own."""
    leaf = is_leaf(tree)
    split = ~leaf
    first, first_leaf = len(lists["nodes_featureids"]), len(lists["leaf_targetids"])
    place = np.where(split, first + np.cumsum(split) - 1, first_leaf + np.cumsum(leaf) - 1)
    lists["tree_roots"].append(first)
    lists["leaf_targetids"] += [score] * tree.n_leaves
    lists["leaf_weights"] += value[leaf].tolist()
    # The operator knows no tree without a question: the two children of a lone leaf, numbered -1, are itself.
    nodes = np.flatnonzero(split) if split[0] else np.array([0])
    is_set = is_category_split(tree)[nodes]
    for node in nodes[is_set].tolist():
        lists["membership_values"] += [
            *map(float, admitted_codes(step(tree, node, left=True), N_BITS)),
            float("nan"),
        ]
    lists["nodes_featureids"] += np.maximum(tree.feature[nodes], 0).tolist()
    lists["nodes_modes"] += np.where(is_set, MEMBER, LEQ).tolist()
    lists["nodes_splits"] += np.nan_to_num(tree.threshold[nodes], posinf=np.inf, neginf=-np.inf).tolist()
    lists["nodes_missing_value_tracks_true"] += tree.missing_left[nodes].astype(int).tolist()
    for side, child in (("true", tree.left[nodes]), ("false", tree.right[nodes])):
        lists[f"nodes_{side}nodeids"] += place[child].tolist()
        lists[f"nodes_{side}leafs"] += leaf[child].astype(int).tolist()


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
