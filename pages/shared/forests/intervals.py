"""Intervals of forests for numbers: that of the row at hand, and how often intervals hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from espalier.display.tables import to_csv
from espalier.display.theme import count, number, percent
from espalier.forests import pictures as error_curve
from espalier.forests.growth import IntervalCoverage, JudgedSamples, interval_coverage
from espalier.forests.pictures import CoverageLine
from espalier.kernels.forest.out_of_bag import LeafSamples
from espalier.language import say
from espalier.learners.base import TrainingData
from espalier.learners.forests.forest import interval_levels, leaf_samples, quantiles_by
from espalier.trees import Tree
from pages.shared.app import pictures
from pages.shared.app.table_results import of_table
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models.forests import SIDES, title

MOST_IN_LEAVES = 2_000_000  # rows times trees whose leaves are noted
MOST_JUDGED = 1_000  # rows that intervals are measured on
SHOWN = 0.9  # coverage of the interval of a row


def suits_intervals(one: GrownForest) -> bool:
    """Whether the trees of a forest predict a number, each by one leaf for every row, whose rows are known."""
    is_plain = all(isinstance(tree, Tree) for tree in one.forest.trees)
    return is_plain and not one.dataset.is_classification and not one.is_sum and not one.is_own


def is_too_large(one: GrownForest) -> bool:
    """Whether noting the leaves of all rows would take too long for a page."""
    return one.forest.n_trees * len(one.rows) > MOST_IN_LEAVES


def have_intervals(one: GrownForest) -> bool:
    """Whether the page has intervals of a forest."""
    return suits_intervals(one) and not is_too_large(one)


@of_table(max_entries=8)
def _leaves(grown: GrownForest) -> LeafSamples:
    rows, data = grown.rows, grown.dataset
    in_bag = np.ones((grown.forest.n_trees, len(rows)), np.uint8) if grown.in_bag is None else grown.in_bag
    weight = np.ones(len(rows)) if data.weights is None else data.weights[rows]
    return leaf_samples(grown.forest, TrainingData(data.X[rows], data.y[rows], weight), in_bag)


@of_table(max_entries=32)
def measured(grown: GrownForest) -> IntervalCoverage | None:
    """How often the intervals of a forest hold on rows new to its trees; None without intervals or such rows."""
    if not have_intervals(grown):
        return None
    data, seen, rows = grown.dataset, grown.in_bag, grown.rows
    if seen is None:
        rows = np.flatnonzero(grown.held)
    if not len(rows):
        return None
    some = slice(None, None, len(rows) // MOST_JUDGED + 1)
    judges, hidden = rows[some], None if seen is None else seen[:, some]
    judged = JudgedSamples(data.X[judges], data.y[judges], hidden, data.weights_of(judges))
    found = interval_coverage(grown.forest, _leaves(grown), judged)
    return found if found.n_samples else None


@of_table(max_entries=64)
def _of_row(grown: GrownForest, row: int) -> tuple[float, float]:
    seen = grown.saw(row)[:, None].astype(np.uint8)
    judges = None if seen.all() else seen
    levels, X = np.array(interval_levels(SHOWN)), grown.dataset.X[[row]]
    low, high = quantiles_by(grown.forest, _leaves(grown), X, levels, judges)[0]
    return float(low), float(high)


def line_of_row(one: GrownForest, row: int) -> str:
    """The interval of a row in words, by trees that have not seen it if there are any; empty without intervals."""
    if not have_intervals(one):
        return ""
    low, high = _of_row(one, row)
    return _row_interval(SHOWN, low, high, bool(one.saw(row).all())) if np.isfinite(low) else ""


def draw(pair: list[GrownForest]) -> None:
    """Draw the measured coverage of both forests' intervals; nothing where neither has any."""
    found = [(side, measured(one)) for side, one in enumerate(pair)]
    lines = [CoverageLine(title(SIDES[side]), side, one) for side, one in found if one is not None]
    for side, one in zip(SIDES, pair, strict=True):
        if suits_intervals(one) and is_too_large(one):
            st.caption(
                say(
                    "Forest {side} has no intervals here: its rows times its trees are more than {most}.",
                    side=title(side),
                    most=count(MOST_IN_LEAVES),
                )
            )
    if not lines:
        return
    st.markdown(say("**Intervals, and how often they hold**"))
    left, right = st.columns([3, 2], gap="medium")
    with left:
        picture = error_curve.coverage_picture(lines)
        pictures.draw(picture, error_curve.WIDTH)
        with st.container(horizontal=True):
            pictures.save(picture.draw(False), "coverage-of-intervals.svg")
            pictures.save(lambda: csv_of(lines), "coverage-of-intervals.csv")
    with right:
        st.markdown(
            say(
                "\nIn every tree a row shares its leaf with rows of the table. Their numbers, each by "
                "its share of the leaf and\naveraged over the trees, are a distribution, not only a "
                "mean (*quantile regression forests*, Meinshausen 2006). An\ninterval leaves out "
                "equal shares of it at both ends.\n\nAbove the dashed line the intervals hold more "
                "rows than they state, and could be narrower; below it they hold\nfewer.\n"
            )
        )
        for line in lines:
            st.caption(
                say(
                    "Forest {side}: measured on {n} rows, each by trees that did not grow on it.",
                    side=line.name,
                    n=count(line.found.n_samples),
                )
            )


def csv_of(lines: list[CoverageLine]) -> str:
    """The coverages as a table, a row for each forest and stated coverage."""
    tables = []
    for line in lines:
        shares = {say("stated coverage"): line.found.stated, say("measured coverage"): line.found.measured}
        tables.append(pd.DataFrame({say("forest"): line.name} | shares | {say("mean width"): line.found.width}))
    return to_csv(pd.concat(tables, ignore_index=True))


def _row_interval(coverage: float, low: float, high: float, has_seen: bool) -> str:
    """Interval of a row; `has_seen`: every tree grew on it."""
    by = say("by trees that all grew on it") if has_seen else say("by trees that did not grow on it")
    return say(
        "{coverage} interval, {by}: **{low}** to **{high}**.",
        coverage=percent(coverage),
        by=by,
        low=number(low),
        high=number(high),
    )
