"""Measurements as the tables of docs/benchmarks.md: medians, quartiles, and where others are ahead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks.page.measured import OURS, Measured

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NOT_HERE = "not installed here"
NOT_LOADED = "cannot be loaded here"  # for lack of a package that it needs, or made for other versions


def with_tables(page: str, results: dict[str, Any]) -> str:
    """Return the page with these results between its markers. Raises ValueError if it has no markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text_of(results)}\n{END}{after}"


def text_of(results: dict[str, Any]) -> str:
    """Return all results as Markdown; `results` has by discipline `about` and `measured`."""
    measured = {name: [Measured(*row) for row in one["measured"]] for name, one in results.items()}
    parts = ["**Where others are ahead**\n", *_losses(measured)]
    for name, rows in measured.items():
        parts += [f"\n**{name}** ({results[name]['about']})\n", *_table(rows)]
    return "\n".join(parts) + "\n"


def _table(rows: Sequence[Measured]) -> list[str]:
    programs = list(dict.fromkeys(row.program for row in rows))
    versions = {row.program: row.version for row in rows}
    titles = [" ".join(filter(None, (name, versions[name]))) for name in programs]
    lines = [f"| case | {' | '.join(titles)} |", "|---" * (len(programs) + 1) + "|"]
    for key in dict.fromkeys((row.case, row.quantity) for row in rows):
        here = {row.program: row for row in rows if (row.case, row.quantity) == key}
        cells = [cell(here[name], here[OURS]) if name in here else "" for name in programs]
        lines.append(f"| {', '.join(key)} | {' | '.join(cells)} |")
    return lines


def cell(row: Measured, ours: Measured) -> str:
    """Return a program's median, its quartiles, and how many times ours that is.

    >>> ours = Measured("iris", "ms", "Espalier", "1", (1.0, 2.0, 3.0))
    >>> cell(Measured("iris", "ms", "other", "2", (4.0, 4.0, 8.0)), ours)
    '4 (4–6), ×2'
    """
    if not row.values:
        return NOT_LOADED if row.version else NOT_HERE
    low, high = np.quantile(row.values, [0.25, 0.75])
    text = f"{_number(median(row.values))}" + (f" ({_number(low)}–{_number(high)})" if len(row.values) > 1 else "")
    is_time = row.quantity.startswith("ms")
    return f"{text}, ×{ratio(row, ours):.2g}" if is_time and row.program != OURS else text


def ratio(row: Measured, ours: Measured) -> float:
    """Return how many times our median a program's is."""
    return median(row.values) / max(median(ours.values), 1e-12)


def _losses(measured: dict[str, list[Measured]]) -> Iterable[str]:
    found = []
    for name, rows in measured.items():
        own = {(row.case, row.quantity): row for row in rows if row.program == OURS}
        for row in rows:
            ours = own[row.case, row.quantity]
            if not row.program.startswith(OURS) and row.values and is_ahead(row, ours):
                pair = f"{_number(median(row.values))}, Espalier {_number(median(ours.values))}"
                found.append(f"- {name}, {row.case}, {row.quantity}: {row.program} {pair}")
    return found or ["Nowhere in this run."]


def is_ahead(row: Measured, ours: Measured) -> bool:
    """Return whether a program's median is better than ours, where one is better than another."""
    if row.more_is_better is None:
        return False
    sign = 1 if row.more_is_better else -1
    return sign * median(row.values) > sign * median(ours.values)


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
