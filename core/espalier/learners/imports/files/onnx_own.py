"""Forests that Espalier wrote as ONNX (`espalier.export.onnx`), with columns, classes and ties."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.learners.imports.files.onnx_nodes import our_nodes, version_5
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of
from espalier.learners.imports.nodes import check_values, trees_of
from espalier.trees import make_sum

PRODUCER = "Espalier"
LINKS = {("Softmax",): "softmax", ("Sigmoid", "Neg", "Sigmoid", "Concat"): "logistic", ("Identity",): "identity"}
NUMBER_LINKS = {("Identity", "Flatten", "Squeeze"): "identity", ("Exp", "Flatten", "Squeeze"): "log"}
WINNER = ("ReduceMax", "Sub", "GreaterOrEqual", "Where", "ArgMax", "Gather")


def link_of(proto: Any) -> str | None:
    """Return the link of a forest that Espalier wrote; None for another model."""
    steps = tuple(node.op_type for node in proto.graph.node)
    if proto.producer_name != PRODUCER or steps[:2] != ("TreeEnsemble", "Add"):
        return None
    if steps[-len(WINNER) :] == WINNER:
        return LINKS.get(steps[2 : -len(WINNER)])
    return NUMBER_LINKS.get(steps[2:])


def read_own(onnx: Any, proto: Any, link: str, facts: dict[str, Any]) -> ImportedForest:
    """Return the forest; `facts` are the attributes of its ensemble. It breaks ties as the file does."""
    about = {one.key: one.value for one in proto.metadata_props}
    features = tuple(
        Feature(one["name"], one["kind"], tuple(one["categories"])) for one in json.loads(about["features"])
    )
    constants = {one.name: onnx.numpy_helper.to_array(one) for one in proto.graph.initializer}
    start = np.ravel(constants["start"]).astype(np.float64)
    nodes = version_5(facts, len(start), with_sets=True)
    check_values(start, nodes.value)
    trees = trees_of(our_nodes(nodes, is_float32=False), nodes.root, len(features))
    classes = tuple(_plain(one) for one in constants["classes"].tolist()) if "classes" in constants else ()
    ties = bool(classes) and float(np.ravel(constants["alike"])[0]) > 0
    prior = np.ravel(constants["prior"]) if ties else []
    own = ModelFacts("Espalier, ONNX", features, classes, breaks_ties=ties)
    return model_of(make_sum(trees, start, link, prior), own)


def _plain(label: Any) -> Any:
    return label.decode() if isinstance(label, bytes) else label
