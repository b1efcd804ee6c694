"""Tree ensembles in ONNX files: TreeEnsembleClassifier and TreeEnsembleRegressor, and TreeEnsemble of version 5.

The package `onnx` reads the file. Other operators may stand before and after only where they leave the numbers as
they are. Rows of float32 are rounded before they are compared, rows of doubles are not. What a classifier makes of
its sums follows onnxruntime.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Refusal, to_say
from espalier.learners.imports.files.onnx_nodes import OnnxNodes, our_nodes, version_3, version_5
from espalier.learners.imports.files.onnx_own import link_of, read_own
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of, unnamed
from espalier.learners.imports.nodes import trees_of
from espalier.learners.imports.refusals import SEVERAL_NUMBERS, check_width
from espalier.trees import Forest, Tree, make_forest, make_sum, read_only

ABSENT = to_say("this installation cannot look into ONNX files; `pip install onnx` brings what it takes")
NO_MODEL = to_say("the file is not an ONNX model, or it is damaged; choose another file")
NO_TREES = to_say("the ONNX model is made of {names}; only ensembles of trees can be read as a forest")
OTHER_STEP = to_say("the ONNX model has the step {name} beside its trees, which changes rows or answers")
TRANSFORM = to_say("the ONNX model ends with {name}, which a forest here cannot stand for")
TWO_STARTS = to_say(
    "the ONNX model gives both of two classes scores and a value that these begin with, which ONNX and its "
    "runtime read differently; save it with the score of one class"
)
ENSEMBLES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble")
AFTER = {"Identity", "Cast", "ZipMap", "Reshape", "Squeeze", "Flatten", "ArgMax", "ArrayFeatureExtractor"}
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")  # as version 5 numbers them
AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
FLOAT, DOUBLE = 1, 11  # types of tensors
NUMBER, LENGTH = 0, 2  # kinds of fields of a protocol buffer
GRAPH = 7 << 3 | LENGTH  # the field of a model that is its graph
NEARLY = 1e-5  # shares of float32 that sum to 1


class Ensemble(NamedTuple):
    """An ensemble's operator, with its input."""

    kind: str
    facts: dict[str, Any]  # attributes
    is_float32: bool
    names: tuple[str, ...]  # of columns that are inputs of their own; none for one table
    width: int  # columns of the table; 0 where the file does not say

    @property
    def transform(self) -> str:
        """What it makes of its sums."""
        found = self.facts.get("post_transform", b"NONE")
        return TRANSFORMS[found] if isinstance(found, int) else found.decode()

    @property
    def aggregate(self) -> str:
        """How it adds its trees up."""
        found = self.facts.get("aggregate_function", b"SUM")
        return AGGREGATES[found] if isinstance(found, int) else found.decode()


def is_onnx(data: bytes) -> bool:
    """Return whether bytes may be an ONNX model: the fields of a protocol buffer to their end, a graph among them.

    >>> is_onnx(bytes([8, 9, 58, 2, 0, 0])), is_onnx(b"hello")
    (True, False)
    """
    at, fields = 0, set()
    while at < len(data):
        key, at = _varint(data, at)
        fields.add(key)
        if key & 7 == LENGTH:
            size, at = _varint(data, at)
            at += size
        elif key & 7 == NUMBER:
            _, at = _varint(data, at)
        else:
            return False  # a model has no other fields
    return at == len(data) and GRAPH in fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that stands at a place, and the place after it, which may be past the end."""
    value = 0
    for k in range(10):
        byte = data[at] if at < len(data) else 0
        value, at = value | (byte & 127) << 7 * k, at + 1
        if byte < 128:
            break
    return value, at


def read_onnx_trees(data: bytes) -> ImportedForest:
    """Return the forest of an ONNX file. Raises Refusal, and ImportError without the package `onnx`."""
    onnx, proto = _opened(data)
    if (link := link_of(proto)) is not None:
        return read_own(onnx, proto, link, _attributes(onnx, proto.graph.node[0]))
    ensemble = _ensemble(onnx, proto.graph)
    labels = ensemble.facts.get("classlabels_strings") or ensemble.facts.get("classlabels_int64s") or ()
    labels = tuple(label.decode() if isinstance(label, bytes) else int(label) for label in labels)
    n_targets = int(ensemble.facts.get("n_targets", 1))
    if ensemble.kind != "TreeEnsembleClassifier" and n_targets != 1:
        raise Refusal(SEVERAL_NUMBERS)
    if ensemble.kind == "TreeEnsembleClassifier":
        nodes = version_3(ensemble.facts, "class", len(labels))
    elif ensemble.kind == "TreeEnsembleRegressor":
        nodes = version_3(ensemble.facts, "target", n_targets)
    else:
        nodes = version_5(ensemble.facts, n_targets)
    n_features = len(ensemble.names) or ensemble.width or 1 + int(nodes.feature.max(initial=0))
    check_width(n_features)
    features = tuple(map(Feature, ensemble.names)) or unnamed(n_features)
    facts = ModelFacts(f"ONNX, {ensemble.kind}", features, labels, has_names=bool(ensemble.names))
    if ensemble.kind == "TreeEnsembleClassifier":
        return model_of(_classifier(ensemble, nodes, n_features, len(labels)), facts)
    return model_of(_of_numbers(ensemble, nodes, n_features), facts)


# ---- the file


def _opened(data: bytes) -> tuple[Any, Any]:
    try:
        import onnx
    except ImportError:
        raise ImportError(str(ABSENT)) from None
    try:
        proto = onnx.load_from_string(data)
    except Exception:
        raise Refusal(NO_MODEL) from None
    if not (proto.graph.node and proto.graph.input and proto.opset_import):
        raise Refusal(NO_MODEL)
    return onnx, proto


def _attributes(onnx: Any, operator: Any) -> dict[str, Any]:
    return {one.name: _plain(onnx, one) for one in operator.attribute}


def _ensemble(onnx: Any, graph: Any) -> Ensemble:
    ensembles = [one for one in graph.node if one.op_type in ENSEMBLES]
    if len(ensembles) != 1:
        names = sorted({one.op_type for one in graph.node})
        raise Refusal(NO_TREES, names=names[:8]) if names else Refusal(NO_MODEL)
    operator = ensembles[0]
    names, kinds, before = _source(graph, operator.input[0])
    others = [one.op_type for one in graph.node if one is not operator and one.op_type not in AFTER]
    if sorted(others) != sorted(set(before) - AFTER):
        raise Refusal(
            OTHER_STEP, name=next(name for name in others if name not in before or others.count(name) > 1)
        )
    facts = _attributes(onnx, operator)
    width = _width(graph.input[0].type.tensor_type)
    return Ensemble(operator.op_type, facts, FLOAT in kinds, names, width)


def _plain(onnx: Any, attribute: Any) -> Any:
    found = onnx.helper.get_attribute_value(attribute)
    return onnx.numpy_helper.to_array(found) if isinstance(found, onnx.TensorProto) else found


def _source(graph: Any, name: str) -> tuple[tuple[str, ...], set[int], list[str]]:
    """Return the columns behind a value, the types on the way, and the operators between."""
    inputs = {one.name: one.type.tensor_type for one in graph.input}
    if name in inputs:
        kind = inputs[name].elem_type
        if kind not in (FLOAT, DOUBLE):
            raise Refusal("the ONNX model takes other rows than float or double numbers")
        return (), {kind}, []
    maker = next((one for one in graph.node if name in one.output), None)
    if maker is None or maker.op_type not in ("Cast", "Identity", "Concat"):
        raise Refusal(OTHER_STEP, name="" if maker is None else maker.op_type)
    parts = [_source(graph, one) for one in maker.input]
    kinds = set().union(*(part[1] for part in parts))
    if maker.op_type == "Cast":
        kinds |= {int(one.i) for one in maker.attribute if one.name == "to"}
    operators = [maker.op_type, *(name for part in parts for name in part[2])]
    names = tuple(maker.input) if maker.op_type == "Concat" else parts[0][0]
    if maker.op_type == "Concat" and (not set(names) <= set(inputs) or any(_width(inputs[n]) != 1 for n in names)):
        raise Refusal(OTHER_STEP, name="Concat")
    return names, kinds, operators


def _width(kind: Any) -> int:
    shape = kind.shape.dim
    return int(shape[1].dim_value) if len(shape) == 2 else 0


# ---- the forest


def _trees(ensemble: Ensemble, nodes: OnnxNodes, n_features: int) -> tuple[Tree, ...]:
    return trees_of(our_nodes(nodes, ensemble.is_float32), nodes.root, n_features)


def _of_numbers(ensemble: Ensemble, nodes: OnnxNodes, n_features: int) -> Forest:
    """Return the forest of one number."""
    if ensemble.transform != "NONE" or ensemble.aggregate not in ("SUM", "AVERAGE"):
        raise Refusal(TRANSFORM, name=f"{ensemble.transform}, {ensemble.aggregate}")
    base = np.asarray(ensemble.facts.get("base_values") or [0.0], np.float64)
    trees = _trees(ensemble, nodes, n_features)
    if ensemble.aggregate == "AVERAGE" and not base.any():
        return make_forest(trees, np.ones(len(trees)), "mean", [])
    part = 1 / len(trees) if ensemble.aggregate == "AVERAGE" else 1.0
    return make_sum(_scaled(trees, part), base, "identity", [])


def _classifier(ensemble: Ensemble, nodes: OnnxNodes, n_features: int, n_classes: int) -> Forest:
    """Return the forest of classes; where a file scores one of two classes alone, that is the second."""
    used = np.unique(ensemble.facts["class_ids"])
    given = ensemble.facts.get("base_values") or ensemble.facts.get("base_values_as_tensor")
    base = np.asarray([] if given is None else given, np.float64)
    if n_classes == 2 and len(used) == 1:
        score = nodes.value[:, used]
        if score.min() >= 0:
            start = 0.0 if not len(base) else base[-1]
            two = nodes._replace(value=np.column_stack([-score, score]))
            return _of_shares(_trees(ensemble, two, n_features), np.array([1.0 - start, start]))
        if ensemble.transform != "LOGISTIC":
            raise Refusal(TRANSFORM, name=ensemble.transform)
        start = base[-1:] if len(base) else np.zeros(1)
        return make_sum(_trees(ensemble, nodes._replace(value=score), n_features), start, "logistic", [])
    if n_classes == 2 and len(base):  # onnxruntime then answers by the scores of the first class, as of the second
        raise Refusal(TWO_STARTS)
    start = base if len(base) == n_classes else np.zeros(n_classes)
    are_opposite = np.abs(nodes.value.sum(axis=1)).max() < NEARLY  # the logistic functions of both then sum to 1
    if n_classes == 2 and ensemble.transform == "LOGISTIC" and are_opposite:
        second = nodes._replace(value=nodes.value[:, 1:])
        return make_sum(_trees(ensemble, second, n_features), start[1:], "logistic", [])
    trees = _trees(ensemble, nodes, n_features)
    if ensemble.transform == "SOFTMAX":
        return make_sum(trees, start, "softmax", [])
    if ensemble.transform != "NONE":
        raise Refusal(TRANSFORM, name=ensemble.transform)
    return _of_shares(trees, start)


def _of_shares(trees: tuple[Tree, ...], start: np.ndarray) -> Forest:
    """Return a sum of shares as a mean, if each tree says shares, or else as it is."""
    n = len(trees)
    shares = [start / n + tree.value for tree in trees]
    if start.sum() == 0 or start[0] == 1:
        whole = [value * n for value in shares]
        if all(np.abs(v.sum(axis=1) - 1).max() < NEARLY and v.min() > -NEARLY for v in whole):
            every: Any = [t._replace(value=read_only(v)) for t, v in zip(trees, whole, strict=True)]
            return make_forest(every, np.ones(n), "mean", [])
    return make_sum(trees, start, "identity", [])


def _scaled(trees: tuple[Tree, ...], factor: float) -> tuple[Tree, ...]:
    if factor == 1.0:
        return trees
    return tuple(tree._replace(value=read_only(tree.value * factor)) for tree in trees)
