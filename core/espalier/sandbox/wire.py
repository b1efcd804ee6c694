"""Messages between two processes: plain data as JSON, arrays of numbers as bytes; nothing executable."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np

HEAD = struct.Struct("<I")
MOST_HEAD = 64 * 2**20  # bytes; a longer one is not ours
MOST_DATA = 4 * 2**30  # bytes of an array
KINDS = "fiub"  # of the arrays: numbers only


def write_frame(stream: Any, facts: dict[str, Any]) -> None:
    """Send plain data; values at the top level may be arrays."""
    arrays = {name: np.ascontiguousarray(value) for name, value in facts.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in facts.items() if name not in arrays}
    layout = [(name, array.dtype.str, array.shape) for name, array in arrays.items()]
    head = json.dumps({"plain": plain, "arrays": layout}).encode()
    stream.write(HEAD.pack(len(head)) + head)
    for array in arrays.values():
        if array.size:
            stream.write(array.reshape(-1).view(np.uint8))
    stream.flush()


def read_frame(stream: Any) -> dict[str, Any] | None:
    """Return the next message; None: the other side is gone. Raises ValueError for an invalid frame."""
    size = _read(stream, HEAD.size)
    if size is None:
        return None
    length = HEAD.unpack(size)[0]
    if length > MOST_HEAD:
        raise ValueError("this is not a frame")
    head = _read(stream, length)
    if head is None:
        return None
    content = json.loads(bytes(head))
    facts = dict(content["plain"])
    for name, dtype, shape in content["arrays"]:
        kind = np.dtype(dtype)
        if kind.kind not in KINDS:
            raise ValueError("this is not a frame")
        data = _read(stream, kind.itemsize * math.prod(shape))
        if data is None:
            return None
        facts[name] = np.frombuffer(data, kind).reshape(shape)
    return facts


def _read(stream: Any, n: int) -> memoryview | None:
    """Read n bytes; None if the stream ends before. Raises ValueError if n exceeds any frame of ours."""
    if n > MOST_DATA:
        raise ValueError("this is not a frame")
    data = memoryview(np.empty(n, np.uint8).data)  # takes memory as it is filled
    n_read = 0
    while n_read < n:
        part = stream.readinto(data[n_read:])
        if not part:
            return None
        n_read += part
    return data.toreadonly()
