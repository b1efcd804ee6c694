"""Measurements as the tables of docs/benchmarks.md: a line for each case, in bold where others are ahead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks.page.measured import OURS, Measured

BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
NOT_HERE = "not installed here"
NOT_LOADED = "cannot be loaded here"  # for lack of a package that it needs, or made for other versions
EACH_RIVAL = "the other program"  # the title of a column in which each case has a rival of its own
AT_DEPTH = re.compile(r"(.+), (depth \d+)")  # a case
LOAD, MEMORY = re.compile(r", load ([\d.]+)"), re.compile(r", memory (\d+) ns")
SCRIPTS = {
    "CART": "cart.py",
    "Random forests": "forests.py",
    "Gradient boosting": "boosting.py",
    "Cultivated trees": "cultivated/table.py --speed",
    "Optimal trees": "optimal.py",
    "Optimal trees over every threshold": "optimal_continuous/table.py",
    "Optimal trees for numbers": "optimal_regression/table.py",
    "Oblique trees": "oblique.py",
    "Model trees": "model_trees.py",
    "All trees as good": "as_good/table.py",
    "Shapley values": "explanation/shapley.py",
    "Smallest change of an answer": "explanation/counterfactuals.py",
    "Models of other libraries": "importers/table.py",
    "Approximation of a forest": "approximation/speed.py",
    "Trees of redrawn rows": "stability.py",
    "Promises": "promises.py",
}


def with_tables(page: str, results: Mapping[str, Any]) -> str:
    """Return the page with these results between its markers. Raises ValueError if it has no markers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{results_text(results)}\n{END}{after}"


def results_text(results: Mapping[str, Any]) -> str:
    """Return all results as Markdown; `results` has by discipline `about` and `measured`."""
    measured = {name: [Measured(*row) for row in one["measured"]] for name, one in results.items()}
    abouts = {name: one["about"] for name, one in results.items()}
    usual = Counter(map(_machine, abouts.values())).most_common(1)[0][0]
    parts = [_conditions(usual, [about for about in abouts.values() if _machine(about) == usual])]
    parts.append(_losses(measured))
    for name, rows in measured.items():
        rows = _beside_each_other(rows)
        machine = "" if _machine(abouts[name]) == usual else f"; {abouts[name]}"
        quantities = list(dict.fromkeys(row.quantity for row in rows))
        what = f", {quantities[0]}" if len(quantities) == 1 else ""
        script = f"`{SCRIPTS[name]}`" if name in SCRIPTS else "no script of its own"
        parts += [f"\n**{name}**{what} ({script}{machine})\n", *_table(rows, quantities)]
    return "\n".join(parts) + "\n"


def _beside_each_other(rows: Sequence[Measured]) -> list[Measured]:
    """Return the rows with their depths, if all cases have one, as a part of what was measured."""
    found = [AT_DEPTH.fullmatch(row.case) for row in rows]
    return [
        row._replace(case=match[1], quantity=f"{row.quantity}, {match[2]}") if match and all(found) else row
        for row, match in zip(rows, found, strict=True)
    ]


def _machine(about: str) -> str:
    return MEMORY.sub("", LOAD.sub("", about))


def _conditions(machine: str, abouts: Sequence[str]) -> str:
    """Return what is true of all tables that do not name a machine of their own."""
    loads = sorted({float(load) for about in abouts for load in LOAD.findall(about)})
    waits = sorted({int(wait) for about in abouts for wait in MEMORY.findall(about)})
    parts = [f"{name} {few[0]:g} to {few[-1]:g}{unit}" for name, few, unit in
             (("load", loads, ""), ("a read from memory", waits, " ns")) if few]  # fmt: skip
    return f"Where a table names no other machine: {', '.join([machine, *parts])}."


def _table(rows: Sequence[Measured], quantities: Sequence[str]) -> list[str]:
    """Return the lines of a table: a case in each, and a column for each program's numbers of a kind."""
    versions = {row.program: row.version for row in rows}
    own = _own(rows)
    share = _has_own_rival_in_each_case(rows)
    columns: dict[str, dict[str, str]] = {}
    for row in sorted(rows, key=lambda row: quantities.index(row.quantity)):
        title, text = f"{row.program} {versions[row.program]}".strip(), cell(row, own[row.case, row.quantity])
        if share and row.program != OURS:
            title, text = EACH_RIVAL, f"{title}: {text}"
        title = f"{row.quantity}: {title}" if len(quantities) > 1 else title
        columns.setdefault(title, {})[row.case] = text
    lines = [f"| case | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for case in dict.fromkeys(row.case for row in rows):
        lines.append(f"| {case} | {' | '.join(column.get(case, '') for column in columns.values())} |")
    return lines


def _own(rows: Iterable[Measured]) -> dict[tuple[str, str], Measured]:
    return {(row.case, row.quantity): row for row in rows if row.program == OURS}


def _has_own_rival_in_each_case(rows: Sequence[Measured]) -> bool:
    """Whether cases have different rivals, and none has two of them."""
    pairs = {(row.case, row.program) for row in rows if row.program != OURS}
    return len(pairs) == len({case for case, _ in pairs}) and len({program for _, program in pairs}) > 1


def cell(row: Measured, ours: Measured) -> str:
    """Return a program's median, its quartiles, and how many times ours that is; in bold if it is ahead.

    >>> ours = Measured("iris", "ms", "Espalier", "1", (1.0, 2.0, 3.0))
    >>> cell(Measured("iris", "ms", "other", "2", (4.0, 4.0, 8.0)), ours)
    '4 (4–6), ×2'
    >>> cell(Measured("iris", "ms", "other", "2", (1.0,)), ours)
    '**1, ×0.5**'
    """
    if not row.values:
        return NOT_LOADED if row.version else NOT_HERE
    low, high = np.quantile(row.values, [0.25, 0.75])
    text = f"{_number(median(row.values))}" + (f" ({_number(low)}–{_number(high)})" if len(row.values) > 1 else "")
    is_time = row.quantity.startswith("ms")
    text = f"{text}, ×{ratio(row, ours):.2g}" if is_time and row.program != OURS else text
    return f"**{text}**" if is_ahead(row, ours) else text


def ratio(row: Measured, ours: Measured) -> float:
    """Return how many times our median a program's is."""
    return median(row.values) / max(median(ours.values), 1e-12)


def _losses(measured: Mapping[str, Sequence[Measured]]) -> str:
    """Return in which disciplines, and how often, another program is ahead."""
    counts = []
    for name, rows in measured.items():
        own = _own(rows)
        rivals = [row for row in rows if not row.program.startswith(OURS) and row.values]
        n_ahead = sum(is_ahead(row, own[row.case, row.quantity]) for row in rivals)
        n_figures = sum(row.more_is_better is not None for row in rivals)
        counts += [f"{name} ({n_ahead} of {n_figures} figures)"] if n_ahead else []
    return f"\n**Where others are ahead**, in bold below: {'; '.join(counts) or 'nowhere in this run'}."


def is_ahead(row: Measured, ours: Measured) -> bool:
    """Return whether another program's median is better than ours, where one is better than another."""
    if row.more_is_better is None or row.program.startswith(OURS):
        return False
    sign = 1 if row.more_is_better else -1
    return sign * median(row.values) > sign * median(ours.values)


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
