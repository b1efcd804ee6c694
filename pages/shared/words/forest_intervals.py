"""Texts of the Forests page on intervals of a number."""

from __future__ import annotations

from espalier.views.theme import count, number, percent

TITLE = "**Intervals, and how often they hold**"
WHY = """
In every tree a row shares its leaf with rows of the table. Their numbers, each by its share of the leaf and
averaged over the trees, are a distribution, not only a mean (*quantile regression forests*, Meinshausen 2006). An
interval leaves out equal shares of it at both ends.

Above the dashed line the intervals hold more rows than they state, and could be narrower; below it they hold
fewer.
"""
FOREST, STATED, MEASURED, WIDTH = "forest", "stated coverage", "measured coverage", "mean width"  # of the table


def too_large(side: str, most: int) -> str:
    """Note on a forest without intervals; `most` is the greatest number of rows times trees."""
    return f"Forest {side} has no intervals here: its rows times its trees are more than {count(most)}."


def of_row(coverage: float, low: float, high: float, has_seen: bool) -> str:
    """Interval of a row; `has_seen`: every tree grew on it."""
    by = "by trees that all grew on it" if has_seen else "by trees that did not grow on it"
    return f"{percent(coverage)} interval, {by}: **{number(low)}** to **{number(high)}**."


def measured_on(side: str, n: int) -> str:
    """Note on the rows that the intervals of a forest were measured on."""
    return f"Forest {side}: measured on {count(n)} rows, each by trees that did not grow on it."
