"""Messages between two processes: plain facts as JSON, arrays of numbers as they are; nothing that could run."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

import numpy as np

HEAD = struct.Struct("<I")
MOST_HEAD = 64 * 2**20  # bytes; more is no message of ours
KINDS = "fiub"  # of the arrays: numbers only


def write_frame(stream: BinaryIO, facts: dict[str, Any]) -> None:
    """Send facts; arrays may stand at the top."""
    arrays = {name: np.ascontiguousarray(value) for name, value in facts.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in facts.items() if name not in arrays}
    layout = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    head = json.dumps({"plain": plain, "arrays": layout}).encode()
    stream.write(b"".join([HEAD.pack(len(head)), head, *(array.tobytes() for array in arrays.values())]))
    stream.flush()


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next facts; None: the other side has gone. Raises ValueError for what is no frame."""
    size = _read(stream, HEAD.size)
    if size is None:
        return None
    length = HEAD.unpack(size)[0]
    if length > MOST_HEAD:
        raise ValueError("this is not a frame")
    head = _read(stream, length)
    if head is None:
        return None
    found = json.loads(head)
    facts = dict(found["plain"])
    for name, dtype, shape in found["arrays"]:
        kind = np.dtype(dtype)
        if kind.kind not in KINDS:
            raise ValueError("this is not a frame")
        data = _read(stream, kind.itemsize * int(np.prod(shape, dtype=np.int64)))
        if data is None:
            return None
        facts[name] = np.frombuffer(data, kind).reshape(shape)
    return facts


def _read(stream: BinaryIO, n: int) -> bytes | None:
    """So many bytes; None where the stream ends before."""
    parts, left = [], n
    while left:
        part = stream.read(left)
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
