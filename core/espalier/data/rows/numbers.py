"""Row numbers as people write them: in lines, counted from 1, with or without a heading."""

from __future__ import annotations

import re

import numpy as np

from espalier.language import Refusal


def row_numbers(text: str, n_samples: int) -> np.ndarray:
    """Return the rows that a text names, (n,) int64 from 0, each once and ascending.

    Numbers count from 1 and stand in lines of their own or behind commas, semicolons and spaces; a first line
    without a number is a heading. Raises Refusal, naming the line, for anything else and for rows that the table
    does not have.

    >>> row_numbers("row\\n3\\n1, 2", 150).tolist()
    [0, 1, 2]
    """
    lines = text.splitlines()
    if lines and not re.search(r"\d", lines[0]):
        lines[0] = ""
    numbers = [_number(word, place, n_samples) for place, line in enumerate(lines, 1) for word in _words(line)]
    if not numbers:
        raise Refusal("the file names no row; write the number of a row in each line, from 1")
    return np.unique(np.array(numbers, dtype=np.int64)) - 1


def _words(line: str) -> list[str]:
    return re.split(r"[\s,;]+", line.strip(" \t,;\"'")) if line.strip(" \t,;\"'") else []


def _number(word: str, line: int, n_samples: int) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", word):
        raise Refusal("line {line} has “{word}”, which is no row number", line=line, word=word[:20])
    if not 1 <= int(word) <= n_samples:
        raise Refusal(
            "line {line} names row {row}; the table has rows 1 to {n}", line=line, row=int(word), n=n_samples
        )
    return int(word)
