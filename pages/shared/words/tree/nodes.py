"""Texts of the inspector of the Tree page: the selected node, its split or module, its rule and its rows."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import count, number, percent

# The selected node and row

ERRORS, FORMULA = "Error by size", "Formula"
TABS = ("Why this split", "Rule", "Rows", "Target", ERRORS, FORMULA)
FORMER_TABS = {
    "Missing values": "this tab is no longer there; the ways of treating missing values are a setting of the tree"
}
NO_GROUPS = (
    "groups have no trees of their own here; “Filter rows” on the page “Data” takes the rows of a group alone"
)
CLEAR = "Clear selection"
ROOT, LEAF, NODE = "Root", "Leaf", "Node"
START = "Start"
HELD_OUT = "held out"
GROWN_ON = "grown on"
FROM_HERE = "Every row starts here."


def node(kind: str, at: int) -> str:
    """Name of a node."""
    return f"{kind} {at}"


def says(answer: str) -> str:
    """Words between a node's name and its answer."""
    return ": " if answer.endswith(".") else " says "


def size_and_depth(size: str, depth: int) -> str:
    """End of the line of a node."""
    return f" · {size} · depth {depth}"


def rows_and_share(n: int, share: float) -> str:
    """Size of a node."""
    return f"{count(n)} row{'s' * (n != 1)}, {percent(share)}"


def with_weight(weight: str, share: str) -> str:
    """Weight of a node's rows, after their number."""
    return f", weight {weight} ({share})"


def of_weight(weight: str) -> str:
    """Weight of the selected row, after its target."""
    return f", weight {weight}"


def with_row(part: str, row: str, is_held: bool) -> list[str]:
    """Name of the selected row between two other texts, for a line of which every other text is bold."""
    return [f" · with {part}", row, f" ({HELD_OUT if is_held else GROWN_ON}), in truth "]


def in_short(conditions: Sequence[str]) -> str:
    """Rule of a node on one line."""
    return "if " + " and ".join(conditions) if conditions else FROM_HERE


# Why this split

ONE_TARGET = "All rows here have the same target: there is nothing left to tell apart."
ONE_VALUE = "No column has two different values among these rows, so nothing parts them."
FEATURE = "column"
GAIN = "gain"
RATIO = "ratio"
BEST_SPLIT = "best split"
OF_LEAF = "A leaf: this is what splitting it further could gain. Tick a column to see its curve."
OF_OPTIMAL = "✓ is what the tree splits on: the best for the whole tree, if not here. Tick another column."
BY_CHANCE = "✓ is what the tree splits on; chance had a hand in it, so others may gain more. Tick a column."
OTHER_WAY = (
    "✓ is what the tree splits on, by its own way of missing values; the table and the curve send them to the "
    "better side, and may gain more. Tick another column to see its curve."
)
SURROGATES = "Surrogate splits"
NO_COLUMN = "Every column is in the list *Columns that no split may ask about*, so none is left to split on."
WITHOUT_LEFT_OUT = " Columns in the list *Columns that no split may ask about* are not shown here."
WITHOUT_FORBIDDEN = "Splits that monotone columns forbid are left out."
WITH_SETS = "Sets of categories are listed, too; this tree parts one category from all others."
BY_RATIO = (
    "✓ is what the tree splits on: the greatest ratio among the columns whose gain is at least the average; "
    "those that gain less stand below. The ratio is the gain over the entropy of the two sides' sizes. Tick "
    "another column to see its curve."
)
ASKED_HERE = "✓ marks the column that the tree splits on."
BY_GAIN = "✓ is what the tree splits on: the greatest gain. Tick another column to see its curve."


def gain_as_much(splits: Sequence[str], more: int) -> str:
    """Splits that gain as much as the one that the tree took; Markdown."""
    names = [f"**{one}**" for one in splits] + ([f"{count(more)} more"] if more else [])
    listed = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    verb = "gains" if len(names) == 1 else "gain"
    return f"Tie: {listed} {verb} as much. Which one the tree takes is a rule, no result."


def by_hand(change: str) -> str:
    """Note on the split of a node that was changed by hand."""
    return f"✎ This node is yours: {change}. Tick a column to see its curve, and a cut on it to take that."


def gains_alt(by: str) -> str:
    """Description of the table of features."""
    return f"Best split of every column, by {by}"


# The rule


def without_question(answer: str) -> str:
    """Rule of the root; Markdown."""
    return f"Every row starts at the root. Without any question the answer is **{answer}**."


def rule(conditions: Sequence[str], answer: str) -> str:
    """Rule of a node; Markdown."""
    lines = "\n".join(f"- {condition}" for condition in conditions)
    return f"**If**\n\n{lines}\n\n**then** {answer}."


def value_of_row(row: str, value: str) -> str:
    """Value of the selected row beside a condition; Markdown."""
    return f" — {row}: **{value}**"


# The rows

ROWS_ALT = "Rows in the selected node"
TICK = "Tick a row to follow its path through the tree."


def first_rows(most: int, n: int) -> str:
    """Note on rows that are not listed; empty if there are none."""
    return f"The first {count(most)} of {count(n)} rows. " if n > most else ""


# Why this module

NO_CUT = "No cut on any column gains anything among these rows."
IMPURITY = "h"
MEAN_GAIN = "mean gain"
SHARE = "share"
GOES_LEFT = "goes left"
OFFERS_ALT = "What every column offers to this node, the least impurity first"
MODULE_ALONE = "✓ is the module: without options only the best one."
H = "h is the mean impurity over the column's cuts, and the mean gain how much less that is than before. "
CHANCE_CHOSE = " Chance chose which columns were tried here."
SMALL_FRACTIONS = (
    " Small fractions went wholly to one side while the tree grew, so its own numbers differ a little."
)
TICK_FEATURE = " Tick a column to see its cuts."


def limit(least: float, tolerance: float, depth: int, is_classification: bool) -> str:
    """The mean impurity up to which features join the module, at a depth that counts the root as 1."""
    how = "η₀ / s³" if is_classification else "η₀ / s³ times twice the root's variance"
    return f"h ≤ {number(least, 4)} + {number(tolerance, 2)} ({how}, here s = {depth})"


def module_of_leaf(limit_: str) -> str:
    """Note on a leaf of a cultivated tree."""
    return f"A leaf, so nothing is asked. This is what a module could gain; columns would join up to {limit_}."


def in_module(limit_: str) -> str:
    """Meaning of the mark of features in the module."""
    return f"✓ is in the module: {limit_}."


# The rule of a cultivated tree, and the answer to a row

SOFT_SIGNS = (
    "≲ reads *less than around*: the closer a value is to the threshold, the more of the row goes the "
    "other way. Percentages before a colon are shares in a module: what an option counts."
)
BARS = "Bars are the fractions of the row at its leaves' values, the line their weighted mean, the band ± σ."
LONE_LEAF = "The tree is a lone leaf."


def wholly_at_root(answer: str) -> str:
    """Rule of the root of a cultivated tree; Markdown."""
    return f"Every row starts wholly at the root. Without any question the answer is **{answer}**."


def as_far_as(steps: Sequence[str], answer: str) -> str:
    """Rule of a node of a cultivated tree; Markdown."""
    lines = "\n".join(f"1. {step}" for step in steps)
    return f"A row comes here **as far as**\n\n{lines}\n\n**then** {answer}."


def soft_in_short(steps: str) -> str:
    """The same on one line."""
    return f"as far as {steps}" if steps else FROM_HERE


def answer_to(row: str, answer: str) -> str:
    """Answer of the tree to a row; Markdown."""
    return f"{row}: **{answer}**"


def over_all_classes(spread: float) -> str:
    """Spread where there are more than two classes."""
    return f" Over all classes σ is {number(spread, 2)}."


def based_on(n: int, fraction: float) -> str:
    """Heading of the leaves that an answer is made of."""
    if n == 1:
        return "**Based on**"
    return f"**Based on** the {n} leaves with the largest fractions, {percent(fraction)} together:"


def from_leaf(about: str, leaf: int, answer: str) -> str:
    """Part of an answer that a leaf gives; Markdown."""
    return f"**{about}** from leaf {leaf}: **{answer}**"


def mostly_if(steps: Sequence[str]) -> str:
    """Conditions of such a leaf; Markdown."""
    lines = "".join(f"\n   - {step}" for step in steps)
    return f"if, for the most part,{lines}" if steps else LONE_LEAF


# Fractions of rows

FRACTION = "fraction"
FRACTIONS_ALT = "Rows in the selected node, by the fraction of each that is here"


def wholly_here(n_whole: int, n: int) -> str:
    """Note on rows that are wholly in the node."""
    return f"{count(n_whole)} of {count(n)} are here wholly. Tick a row to follow its fractions through the tree."


def weigh(n: int, weight: float) -> str:
    """Weight of the rows in the node."""
    return f"Every row counts by the fraction of it that is here: {count(n)} rows weigh {number(weight)}."


def all_rows(n: int) -> str:
    """Size of the root."""
    return f"{count(n)} rows"


def rows_in_part(n: int, weight: float, share: float) -> str:
    """Size of another node."""
    return f"{count(n)} rows in part, together {number(weight)}, {percent(share)}"


def part(fraction: float) -> str:
    """Fraction of a row in the selected node, before the row."""
    return f"{percent(fraction)} of "
