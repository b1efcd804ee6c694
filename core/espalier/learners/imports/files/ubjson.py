"""Universal Binary JSON, which XGBoost writes: values with a mark before each, and arrays of one type.

The specification is ubjson.org's; numbers stand with the highest byte first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
PLAIN = {"Z": None, "T": True, "F": False}
DEEPEST = 64  # arrays and objects in each other


class UbjsonError(ValueError):
    """The bytes are no Universal Binary JSON."""


def from_ubjson(data: bytes) -> Any:
    """Return the value: objects as dict, arrays of numbers as numpy arrays. Raises UbjsonError.

    >>> from_ubjson(b"{U\\x01a[$U#U\\x02\\x07\\x08}")["a"].tolist()
    [7, 8]
    """
    reader = _Reader(data)
    try:
        return reader.value(reader.mark(), DEEPEST)
    except (IndexError, UnicodeDecodeError, KeyError, TypeError) as wrong:
        raise UbjsonError(str(wrong)) from None


class _Reader:
    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def mark(self) -> str:
        self._at += 1
        return chr(self._data[self._at - 1])

    def value(self, mark: str, deepest: int) -> Any:
        if mark in NUMBERS:
            return self._numbers(mark, 1)[0].item()
        if mark in PLAIN:
            return PLAIN[mark]
        if mark == "C":
            return self.mark()
        if mark in "SH":
            return self._text(self._length())
        if deepest == 0:
            raise UbjsonError("values are too deep in each other")
        if mark == "[":
            return self._array(deepest - 1)
        if mark == "{":
            return self._object(deepest - 1)
        raise UbjsonError(f"there is no mark {mark!r}")

    def _numbers(self, mark: str, n: int) -> np.ndarray:
        kind = np.dtype(NUMBERS[mark])
        if n < 0 or self._at + n * kind.itemsize > len(self._data):
            raise UbjsonError("the file ends too early")
        found = np.frombuffer(self._data, kind, n, self._at)
        self._at += n * kind.itemsize
        return found

    def _length(self) -> int:
        return int(self._numbers(self.mark(), 1)[0])

    def _text(self, n: int) -> str:
        if n < 0 or self._at + n > len(self._data):
            raise UbjsonError("the file ends too early")
        self._at += n
        return self._data[self._at - n : self._at].decode()

    def _array(self, deepest: int) -> Any:
        kind, n = self._head()
        if kind in NUMBERS and n is not None:
            return self._numbers(kind, n).astype(NUMBERS[kind][1:])
        found = []
        while n is None or len(found) < n:
            mark = kind or self.mark()
            if n is None and mark == "]":
                break
            if mark != "N":
                found.append(self.value(mark, deepest))
        return found

    def _object(self, deepest: int) -> dict[str, Any]:
        kind, n = self._head()
        found: dict[str, Any] = {}
        while n is None or len(found) < n:
            if n is None and self._data[self._at] == ord("}"):
                self._at += 1
                break
            name = self._text(self._length())
            found[name] = self.value(kind or self.mark(), deepest)
        return found

    def _head(self) -> tuple[str, int | None]:
        """Return the type of all values, or nothing, and their number, if it is given."""
        kind = ""
        if self._data[self._at] == ord("$"):
            self._at += 1
            kind = self.mark()
        if self._data[self._at] == ord("#"):
            self._at += 1
            return kind, self._length()
        return kind, None
