"""Tree ensembles in ONNX files: TreeEnsembleClassifier and TreeEnsembleRegressor, and TreeEnsemble of version 5.

The package `onnx` reads the file. Other operators may stand before and after only where they leave the numbers as
they are. Rows of float32 are rounded before they are compared, rows of doubles are not. What a classifier makes of
its sums follows onnxruntime.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Refusal, to_say
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of, number_features
from espalier.learners.imports.nodes import (
    CATEGORIES,
    MOST_CODES,
    QUESTION,
    SEVERAL_NUMBERS,
    FileNodes,
    at_most_as_float32,
    below,
    below_as_float32,
    check_values,
    check_width,
    damage,
    trees_of,
)
from espalier.trees import Forest, Tree, make_forest, make_sum, read_only

ALONE = to_say("some of the nodes belong to no tree")
AT_MOST, BELOW, AT_LEAST, ABOVE, EQUAL, OTHER, MEMBER = range(7)  # as version 5 numbers them
LEAF_MODE = 7
MODES = {
    b"BRANCH_LEQ": AT_MOST, b"BRANCH_LT": BELOW, b"BRANCH_GTE": AT_LEAST, b"BRANCH_GT": ABOVE, b"BRANCH_EQ": EQUAL,
    b"BRANCH_NEQ": OTHER, b"LEAF": LEAF_MODE,
}  # fmt: skip


# The operators are those of ai.onnx.ml: TreeEnsembleClassifier and TreeEnsembleRegressor (version 3, with leaves
# among the nodes), and TreeEnsemble (version 5, leaves in lists of their own).
class OnnxNodes(NamedTuple):
    """Nodes of all trees, with leaves among them; a question has the answers true and false."""

    feature: np.ndarray
    threshold: np.ndarray
    mode: np.ndarray  # LEAF_MODE at a leaf
    true: np.ndarray  # position of the node for the answer true
    false: np.ndarray
    missing_true: np.ndarray  # bool
    value: np.ndarray  # (n, n_outputs)
    root: np.ndarray  # (n_trees,)
    sets: np.ndarray | None = None  # (n,) uint64, the codes for which a question for members has the answer true


def version_3(facts: dict[str, Any], ids: str, n_outputs: int) -> OnnxNodes:
    """Return the nodes of a TreeEnsembleClassifier (`ids` is "class") or a TreeEnsembleRegressor ("target")."""
    tree, node = (np.asarray(facts[name], np.int64) for name in ("nodes_treeids", "nodes_nodeids"))
    width = int(node.max(initial=0)) + 1
    keys = tree * width + node
    order = np.argsort(keys, kind="stable")

    def place(trees: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        keys_ = trees * width + nodes
        at = order[np.minimum(np.searchsorted(keys[order], keys_), len(keys) - 1)]
        return np.where(keys[at] == keys_, at, len(keys))  # one that is not there is refused later

    unknown = [name for name in facts["nodes_modes"] if name not in MODES]
    if unknown:
        raise Refusal(QUESTION, name=str(unknown[0]))
    value = np.zeros((len(keys), n_outputs))
    leaf = place(*(np.asarray(facts[f"{ids}_{name}"], np.int64) for name in ("treeids", "nodeids")))
    weights = _either(facts, f"{ids}_weights")
    if leaf.max(initial=0) < len(keys):
        np.add.at(value, (leaf, np.asarray(facts[f"{ids}_ids"], np.int64)), weights)
    first = np.unique(tree, return_index=True)[1]  # the first node of a tree is its root
    return OnnxNodes(
        np.asarray(facts["nodes_featureids"], np.int64),
        _either(facts, "nodes_values"),
        np.array([MODES[name] for name in facts["nodes_modes"]], np.int64),
        place(tree, np.asarray(facts["nodes_truenodeids"], np.int64)),
        place(tree, np.asarray(facts["nodes_falsenodeids"], np.int64)),
        np.asarray(facts.get("nodes_missing_value_tracks_true") or np.zeros(len(keys)), bool),
        value,
        first,
    )


def _either(facts: dict[str, Any], name: str) -> np.ndarray:
    """Return numbers, which stand as such, or as a tensor of doubles."""
    return np.asarray(facts[name] if name in facts else facts[f"{name}_as_tensor"], np.float64)


def version_5(facts: dict[str, Any], n_outputs: int, with_sets: bool = False) -> OnnxNodes:
    """Return the nodes of a TreeEnsemble; questions for members, which no code here answers for every number, only
    `with_sets`.
    """
    splits, mode = np.asarray(facts["nodes_splits"], np.float64), np.asarray(facts["nodes_modes"], np.int64)
    if mode.max(initial=0) > (MEMBER if with_sets else OTHER):
        raise Refusal(QUESTION, name="BRANCH_MEMBER")
    n, n_leaves = len(splits), len(facts["leaf_weights"])
    leaf = np.arange(n_leaves)
    value = np.zeros((n + n_leaves, n_outputs))
    value[n + leaf, np.asarray(facts["leaf_targetids"], np.int64)] = np.asarray(facts["leaf_weights"], np.float64)

    def child(side: str) -> np.ndarray:
        at, is_leaf = (np.asarray(facts[f"nodes_{side}{kind}"], np.int64) for kind in ("nodeids", "leafs"))
        return np.append(at + n * (is_leaf != 0), np.full(n_leaves, -1))

    def leaf_numbers(values: Any, kind: Any) -> np.ndarray:
        return np.append(np.asarray(values, kind), np.zeros(n_leaves, kind))

    return OnnxNodes(
        leaf_numbers(facts["nodes_featureids"], np.int64),
        leaf_numbers(splits, np.float64),
        np.append(mode, np.full(n_leaves, LEAF_MODE)),
        child("true"),
        child("false"),
        leaf_numbers(facts.get("nodes_missing_value_tracks_true") or np.zeros(n), bool),
        value,
        np.asarray(facts["tree_roots"], np.int64),
        leaf_numbers(_sets(facts, mode), np.uint64) if with_sets else None,
    )


def _sets(facts: dict[str, Any], mode: np.ndarray) -> np.ndarray:
    """Return the set of each question for members: their values stand in one list, nan after those of each."""
    sets, values = np.zeros(len(mode), np.uint64), iter(np.asarray(facts.get("membership_values", []), np.float64))
    for node in np.flatnonzero(mode == MEMBER):
        codes = []
        while not np.isnan(value := next(values)):
            codes.append(int(value))
        if any(not 0 <= code < MOST_CODES for code in codes):
            raise Refusal(CATEGORIES, n=MOST_CODES)
        sets[node] = sum(1 << code for code in set(codes))
    return sets


def our_nodes(theirs: OnnxNodes, is_float32: bool) -> FileNodes:
    """Return the nodes, each question as ``x <= threshold``; one for a single value becomes two."""
    at_most, under = (at_most_as_float32, below_as_float32) if is_float32 else (np.asarray, below)
    is_split, mode = theirs.mode != LEAF_MODE, theirs.mode
    there = np.concatenate([theirs.root, theirs.true[is_split], theirs.false[is_split]])
    if not np.isin(np.arange(len(mode)), there).all():
        raise damage(ALONE)
    is_strict = np.isin(mode, (BELOW, AT_LEAST))
    is_turned = np.isin(mode, (AT_LEAST, ABOVE))  # what is at most the threshold has the answer false
    is_point = np.isin(mode, (EQUAL, OTHER))
    true, false = (
        np.where(mode == OTHER, theirs.false, theirs.true),
        np.where(mode == OTHER, theirs.true, theirs.false),
    )
    upper = np.where(is_strict, under(theirs.threshold), at_most(theirs.threshold))
    upper = np.where(mode == MEMBER, np.nan, upper)
    sets = np.zeros(len(mode), np.uint64) if theirs.sets is None else theirs.sets
    point = np.flatnonzero(is_point)
    n, extra = len(mode), np.arange(len(point))
    left, right = np.where(is_turned, false, true), np.where(is_turned, true, false)
    left[point] = n + extra
    missing_left = theirs.missing_true != is_turned
    missing_left[mode == OTHER] = False  # nan differs from every value
    return FileNodes(
        np.append(theirs.feature, theirs.feature[point]),
        np.append(upper, under(theirs.threshold[point])),
        np.append(np.where(is_split, left, -1), false[point]),
        np.append(np.where(is_split, right, -1), true[point]),
        np.append(missing_left & is_split, np.zeros(len(point), bool)),
        np.vstack(
            [
                np.where(is_split[:, None], np.nan, theirs.value),
                np.full((len(point), theirs.value.shape[1]), np.nan),
            ]
        ),
        np.append(sets, np.zeros(len(point), np.uint64)),
    )


# ---- models of TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble

ABSENT = to_say("this installation cannot look into ONNX files; `pip install onnx` brings what it takes")
NO_MODEL = to_say("the file is not an ONNX model, or it is damaged; choose another file")
NO_TREES = to_say("the ONNX model is made of {names}; only ensembles of trees can be read as a forest")
OTHER_STEP = to_say("the ONNX model has the step {name} beside its trees, which changes rows or answers")
TRANSFORM = to_say("the ONNX model ends with {name}, which a forest here cannot stand for")
TWO_STARTS = to_say(
    "the ONNX model has scores and base values for both of two classes, which ONNX and its runtime read "
    "differently; save it with the score of one class"
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
        transform = self.facts.get("post_transform", b"NONE")
        return TRANSFORMS[transform] if isinstance(transform, int) else transform.decode()

    @property
    def aggregate(self) -> str:
        """How it adds its trees up."""
        function = self.facts.get("aggregate_function", b"SUM")
        return AGGREGATES[function] if isinstance(function, int) else function.decode()


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
    onnx, proto = _open_file(data)
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
    features = tuple(map(Feature, ensemble.names)) or number_features(n_features)
    facts = ModelFacts(f"ONNX, {ensemble.kind}", features, labels, has_names=bool(ensemble.names))
    if ensemble.kind == "TreeEnsembleClassifier":
        return model_of(_classifier(ensemble, nodes, n_features, len(labels)), facts)
    return model_of(_number_forest(ensemble, nodes, n_features), facts)


# ---- the file


def _open_file(data: bytes) -> tuple[Any, Any]:
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
    return {attribute.name: _plain(onnx, attribute) for attribute in operator.attribute}


def _ensemble(onnx: Any, graph: Any) -> Ensemble:
    ensembles = [node for node in graph.node if node.op_type in ENSEMBLES]
    if len(ensembles) != 1:
        names = sorted({node.op_type for node in graph.node})
        raise Refusal(NO_TREES, names=names[:8]) if names else Refusal(NO_MODEL)
    operator = ensembles[0]
    names, kinds, before = _source(graph, operator.input[0])
    rest = [node.op_type for node in graph.node if node is not operator and node.op_type not in AFTER]
    if sorted(rest) != sorted(set(before) - AFTER):
        raise Refusal(OTHER_STEP, name=next(name for name in rest if name not in before or rest.count(name) > 1))
    facts = _attributes(onnx, operator)
    width = _width(graph.input[0].type.tensor_type)
    return Ensemble(operator.op_type, facts, FLOAT in kinds, names, width)


def _plain(onnx: Any, attribute: Any) -> Any:
    value = onnx.helper.get_attribute_value(attribute)
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def _source(graph: Any, name: str) -> tuple[tuple[str, ...], set[int], list[str]]:
    """Return the columns behind a value, the types on the way, and the operators between."""
    inputs = {entry.name: entry.type.tensor_type for entry in graph.input}
    if name in inputs:
        kind = inputs[name].elem_type
        if kind not in (FLOAT, DOUBLE):
            raise Refusal("the ONNX model takes other rows than float or double numbers")
        return (), {kind}, []
    maker = next((entry for entry in graph.node if name in entry.output), None)
    if maker is None or maker.op_type not in ("Cast", "Identity", "Concat"):
        raise Refusal(OTHER_STEP, name="" if maker is None else maker.op_type)
    parts = [_source(graph, entry) for entry in maker.input]
    kinds = set().union(*(part[1] for part in parts))
    if maker.op_type == "Cast":
        kinds |= {int(entry.i) for entry in maker.attribute if entry.name == "to"}
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


def _number_forest(ensemble: Ensemble, nodes: OnnxNodes, n_features: int) -> Forest:
    """Return the forest of one number."""
    if ensemble.transform != "NONE" or ensemble.aggregate not in ("SUM", "AVERAGE"):
        raise Refusal(TRANSFORM, name=f"{ensemble.transform}, {ensemble.aggregate}")
    base = np.asarray(ensemble.facts.get("base_values") or [0.0], np.float64)
    trees = _trees(ensemble, nodes, n_features)
    if ensemble.aggregate == "AVERAGE" and not base.any():
        return make_forest(trees, np.ones(len(trees)), "mean", [])
    part = 1 / len(trees) if ensemble.aggregate == "AVERAGE" else 1.0
    return make_sum(_scale_trees(trees, part), base, "identity", [])


def _classifier(ensemble: Ensemble, nodes: OnnxNodes, n_features: int, n_classes: int) -> Forest:
    """Return the forest of classes; where a file scores one of two classes alone, that is the second."""
    classes_ = np.unique(ensemble.facts["class_ids"])
    values = ensemble.facts.get("base_values") or ensemble.facts.get("base_values_as_tensor")
    base = np.asarray([] if values is None else values, np.float64)
    if n_classes == 2 and len(classes_) == 1:
        score = nodes.value[:, classes_]
        if score.min() >= 0:
            start = 0.0 if not len(base) else base[-1]
            two = nodes._replace(value=np.column_stack([-score, score]))
            return _share_forest(_trees(ensemble, two, n_features), np.array([1.0 - start, start]))
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
    return _share_forest(trees, start)


def _share_forest(trees: tuple[Tree, ...], start: np.ndarray) -> Forest:
    """Return a sum of shares as a mean, if each tree says shares, or else as it is."""
    n = len(trees)
    shares = [start / n + tree.value for tree in trees]
    if start.sum() == 0 or start[0] == 1:
        values = [value * n for value in shares]
        if all(np.abs(v.sum(axis=1) - 1).max() < NEARLY and v.min() > -NEARLY for v in values):
            every: Any = [t._replace(value=read_only(v)) for t, v in zip(trees, values, strict=True)]
            return make_forest(every, np.ones(n), "mean", [])
    return make_sum(trees, start, "identity", [])


def _scale_trees(trees: tuple[Tree, ...], factor: float) -> tuple[Tree, ...]:
    if factor == 1.0:
        return trees
    return tuple(tree._replace(value=read_only(tree.value * factor)) for tree in trees)


# ---- what Espalier wrote itself

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
    about = {entry.key: entry.value for entry in proto.metadata_props}
    features = tuple(
        Feature(entry["name"], entry["kind"], tuple(entry["categories"]))
        for entry in json.loads(about["features"])
    )
    constants = {entry.name: onnx.numpy_helper.to_array(entry) for entry in proto.graph.initializer}
    start = np.ravel(constants["start"]).astype(np.float64)
    nodes = version_5(facts, len(start), with_sets=True)
    check_values(start, nodes.value)
    trees = trees_of(our_nodes(nodes, is_float32=False), nodes.root, len(features))
    classes = (
        tuple(label.decode() if isinstance(label, bytes) else label for label in constants["classes"].tolist())
        if "classes" in constants
        else ()
    )
    ties = bool(classes) and float(np.ravel(constants["alike"])[0]) > 0
    prior = np.ravel(constants["prior"]) if ties else []
    own = ModelFacts("Espalier, ONNX", features, classes, breaks_ties=ties)
    return model_of(make_sum(trees, start, link, prior), own)
