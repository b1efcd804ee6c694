"""The service in a model's process: it receives the file, then rows, and returns numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PRODUCER = "Espalier"  # as its forests are written (`espalier.export.onnx`)
NUMBERS = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_,
}  # fmt: skip


def service() -> Callable[[dict, Callable], dict]:
    """Return the handler of its requests: first the model's description, then predictions for rows."""
    session: Any = None

    def answer_question(question: dict, _tell: Callable) -> dict:
        nonlocal session
        try:
            if "file" in question:
                session = load(question["file"].tobytes())
                return description(session)
            return answer(session, question["rows"], question["categories"], question["output"])
        except Exception as wrong:  # any failure of a foreign model is reported to the other side
            return {"wrong": _first_line(wrong)}

    return answer_question


def load(file: bytes) -> Any:
    """Return the model, to run on one thread. Raises ValueError for an invalid file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as wrong:
        raise ValueError(_first_line(wrong)) from None


def description(session: Any) -> dict:
    """Return its inputs and outputs, name, type and shape, and what a file of Espalier's says of its columns.

    A size of None is free.
    """
    sides = {"inputs": session.get_inputs(), "outputs": session.get_outputs()}
    about = session.get_modelmeta()
    features = about.custom_metadata_map.get("features", "") if about.producer_name == PRODUCER else ""
    facts = {
        side: [
            {
                "name": entry.name,
                "type": entry.type,
                "shape": [size if isinstance(size, int) else None for size in entry.shape or []],
            }
            for entry in entries
        ]
        for side, entries in sides.items()
    }
    return facts | {"features": features}


def answer(session: Any, rows: np.ndarray, categories: list[list[str]], output: str) -> dict:
    """Return one output for rows (n, n_features): `said` (n, k), and `keys` if it names its columns."""
    values = session.run([output], fed(session.get_inputs(), rows, categories))[0]
    if isinstance(values, list) and values and isinstance(values[0], dict):
        keys = list(values[0])
        return {"said": np.array([[row[key] for key in keys] for row in values], np.float64), "keys": keys}
    values = np.asarray(values)
    if values.dtype.kind in "OSU":
        return {"labels": [str(label) for label in values.ravel()]}
    return {"said": values.astype(np.float64)}


def fed(inputs: list, rows: np.ndarray, categories: list[list[str]]) -> dict[str, np.ndarray]:
    """Return rows as the model's input: one table, or a column for each input; text if it takes text."""
    if len(inputs) == 1 and inputs[0].type != "tensor(string)":
        return {inputs[0].name: rows.astype(NUMBERS[inputs[0].type])}
    columns = {}
    for input_, column, names in zip(inputs, rows.T, categories, strict=True):
        values = _text(column, names) if input_.type == "tensor(string)" else column.astype(NUMBERS[input_.type])
        columns[input_.name] = values[:, None] if len(input_.shape or [0, 0]) == 2 else values
    return columns


def _text(column: np.ndarray, names: list[str]) -> np.ndarray:
    words = [names[int(code)] if names and not np.isnan(code) else str(code) for code in column]
    return np.array(words, dtype=object)


def _first_line(wrong: Exception) -> str:
    lines = [line.strip() for line in str(wrong).splitlines() if line.strip()]
    return lines[0] if lines else type(wrong).__name__
