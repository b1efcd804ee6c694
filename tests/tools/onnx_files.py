"""ONNX models written node by node, as converters write them, and as a mischief-maker would."""

from typing import Any

import numpy as np
import pytest

onnx: Any = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
helper: Any = onnx.helper
TensorProto: Any = onnx.TensorProto
FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def value(name, kind=FLOAT, shape=(None, 2)):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, array):
    return onnx.numpy_helper.from_array(np.asarray(array), name)


def file(nodes, inputs, outputs, constants=()):
    """The bytes of a model of these nodes."""
    graph = helper.make_graph(nodes, "model", inputs, outputs, list(constants))
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=domains, ir_version=8).SerializeToString()


def linear(weights, bias, kind=FLOAT):
    """One number: X @ weights + bias, as (n, 1)."""
    weights = np.asarray(weights, np.float32)[:, None]
    nodes = [helper.make_node("Gemm", ["X", "w", "b"], ["variable"])]
    ports = [value("X", kind, (None, len(weights)))], [value("variable", FLOAT, (None, 1))]
    return file(nodes, *ports, [constant("w", weights), constant("b", np.array([bias], np.float32))])


def classifier(labels, zipmap):
    """Class shares by softmax, the slopes 0, 1, 2, … dealt out class by class; labels are names or numbers."""
    n, by_name = len(labels), isinstance(labels[0], str)
    key: Any = {"classlabels_strings": labels} if by_name else {"classlabels_ints": labels}
    numbers = {"coefficients": np.arange(2.0 * n, dtype=np.float32), "intercepts": np.zeros(n, np.float32)}
    says: Any = {"domain": "ai.onnx.ml", "post_transform": "SOFTMAX", **numbers, **key}
    kind = STRING if by_name else INT64
    nodes = [helper.make_node("LinearClassifier", ["X"], ["label", "raw"], **says)]
    if zipmap:
        key = {"classlabels_strings": labels} if by_name else {"classlabels_int64s": labels}
        nodes.append(helper.make_node("ZipMap", ["raw"], ["shares"], domain="ai.onnx.ml", **key))
        pairs = helper.make_map_type_proto(kind, helper.make_tensor_type_proto(FLOAT, []))
        shares = helper.make_value_info("shares", helper.make_sequence_type_proto(pairs))
    else:
        nodes.append(helper.make_node("Identity", ["raw"], ["shares"]))
        shares = value("shares", FLOAT, (None, n))
    return file(nodes, [value("X")], [value("label", kind, (None,)), shares])


def shares_by_hand(X, n_classes):
    """What `classifier` says, its classes in the order of its labels."""
    slopes = np.arange(2.0 * n_classes).reshape(n_classes, 2)
    power = np.exp(X @ slopes.T - (X @ slopes.T).max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


def endless():
    """A loop of very many turns."""
    body = helper.make_graph(
        [helper.make_node("Identity", ["on"], ["still"]), helper.make_node("Add", ["x", "x"], ["y"])],
        "body",
        [value("turn", INT64, ()), value("on", TensorProto.BOOL, ()), value("x", FLOAT, None)],
        [value("still", TensorProto.BOOL, ()), value("y", FLOAT, None)],
    )
    nodes = [helper.make_node("Loop", ["turns", "", "X"], ["Y"], body=body)]
    return file(nodes, [value("X")], [value("Y")], [constant("turns", np.int64(2**60))])


def greedy():
    """Wants 3 GB for four rows."""
    nodes = [
        helper.make_node("Tile", ["X", "times"], ["wide"]),
        helper.make_node("ReduceSum", ["wide", "axis"], ["Y"], keepdims=1),
    ]
    constants = [
        constant("times", np.array([1, 100_000_000], np.int64)),
        constant("axis", np.array([1], np.int64)),
    ]
    return file(nodes, [value("X")], [value("Y", FLOAT, (None, 1))], constants)


def peeping(path):
    """Its weights are to be read from another file of the machine."""
    tensor = constant("w", np.zeros((2, 1), np.float32))
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=path)
    nodes = [helper.make_node("MatMul", ["X", "w"], ["Y"])]
    return file(nodes, [value("X")], [value("Y", FLOAT, (None, 1))], [tensor])


def by_column(names, kinds):
    """One input for each column: the sum of the numbers, and 10 where the text is "red"."""
    nodes, terms = [], []
    for name, kind in zip(names, kinds, strict=True):
        if kind == STRING:
            encode = {"keys_strings": ["red"], "values_floats": [10.0], "default_float": 0.0}
            nodes.append(helper.make_node("LabelEncoder", [name], [name + "_n"], domain="ai.onnx.ml", **encode))
        terms.append(name + "_n" if kind == STRING else name)
    nodes.append(helper.make_node("Sum", terms, ["Y"]))
    inputs = [value(name, kind, (None, 1)) for name, kind in zip(names, kinds, strict=True)]
    return file(nodes, inputs, [value("Y", FLOAT, (None, 1))])
