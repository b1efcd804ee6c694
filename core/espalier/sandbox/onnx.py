"""What the process of a stranger's model does: first it gets the file, then rows, and answers with numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

NUMBERS = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(float16)": np.float16,
    "tensor(int64)": np.int64, "tensor(int32)": np.int32, "tensor(bool)": np.bool_,
}  # fmt: skip


def service() -> Callable[[dict, Callable], dict]:
    """What answers its questions, one after the other: the model's description, then answers for rows."""
    session: Any = None

    def answered(question: dict, _tell: Callable) -> dict:
        nonlocal session
        try:
            if "file" in question:
                session = load(question["file"].tobytes())
                return description(session)
            return answer(session, question["rows"], question["categories"], question["output"])
        except Exception as wrong:  # whatever a stranger's model does, the other side is told
            return {"wrong": _first_line(wrong)}

    return answered


def load(file: bytes) -> Any:
    """The model, to run on one thread. Raises ValueError for a file that is none."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    except Exception as wrong:
        raise ValueError(_first_line(wrong)) from None


def description(session: Any) -> dict:
    """Its inputs and outputs: name, type and shape, a size of None being free."""
    sides = {"inputs": session.get_inputs(), "outputs": session.get_outputs()}
    return {side: [_described(one) for one in ones] for side, ones in sides.items()}


def _described(one: Any) -> dict:
    shape = [size if isinstance(size, int) else None for size in one.shape or []]
    return {"name": one.name, "type": one.type, "shape": shape}


def answer(session: Any, rows: np.ndarray, categories: list[list[str]], output: str) -> dict:
    """What one output says of rows (n, n_features): `said` (n, k), and `keys` where it names its columns."""
    said = session.run([output], fed(session.get_inputs(), rows, categories))[0]
    if isinstance(said, list) and said and isinstance(said[0], dict):
        keys = list(said[0])
        return {"said": np.array([[row[key] for key in keys] for row in said], np.float64), "keys": keys}
    said = np.asarray(said)
    if said.dtype.kind in "OSU":
        return {"labels": [str(label) for label in said.ravel()]}
    return {"said": said.astype(np.float64)}


def fed(inputs: list, rows: np.ndarray, categories: list[list[str]]) -> dict[str, np.ndarray]:
    """Rows as the model wants them: one table, or a column for each input; text for what it wants as text."""
    if len(inputs) == 1 and inputs[0].type != "tensor(string)":
        return {inputs[0].name: rows.astype(NUMBERS[inputs[0].type])}
    columns = {}
    for one, column, names in zip(inputs, rows.T, categories, strict=True):
        values = _text(column, names) if one.type == "tensor(string)" else column.astype(NUMBERS[one.type])
        columns[one.name] = values[:, None] if len(one.shape or [0, 0]) == 2 else values
    return columns


def _text(column: np.ndarray, names: list[str]) -> np.ndarray:
    words = [names[int(code)] if names and not np.isnan(code) else str(code) for code in column]
    return np.array(words, dtype=object)


def _first_line(wrong: Exception) -> str:
    lines = [line.strip() for line in str(wrong).splitlines() if line.strip()]
    return lines[0] if lines else type(wrong).__name__
