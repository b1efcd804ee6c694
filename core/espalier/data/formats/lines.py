"""Line ends: a line feed, a carriage return, or both together, in every format and every message.

Other breaks (U+2028, U+0085, vertical tabs, form feeds) count as ordinary characters.
"""

from __future__ import annotations

from collections.abc import Iterator


def unified(text: str) -> str:
    """Return the text with a line feed at the end of every line."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unified_bytes(source: bytes) -> bytes:
    """Return the bytes, of an encoding that keeps ASCII, with a line feed at the end of every line."""
    return source.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in source else source


def numbered(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield number (from 1), text, and end of every line of a unified text; the last needs no line feed."""
    start = number = 0
    while start < len(text):
        number += 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield number, text[start:end], end
        start = end + 1


def number_at(text: str, place: int) -> int:
    """Return the number of the line with the character at this place."""
    return unified(text[:place]).count("\n") + 1


def without_first(text: str, n_lines: int) -> str:
    """Return the text after the first lines of a unified text."""
    place = 0
    for _ in range(n_lines):
        place = text.find("\n", place) + 1
        if not place:
            return ""
    return text[place:]
