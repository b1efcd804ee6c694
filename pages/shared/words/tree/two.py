"""Texts on two trees side by side, A | B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LETTERS = ("A", "B")
MOST_NAMED = 8  # columns, categories or classes
KEEP = "Keep as A"
KEEP_HELP = (
    "Compares two trees: this one is kept as A. Then change the learner, its settings, the filter of rows or the "
    "table, and the new tree stands below as B, with what differs."
)
CANNOT_BE_KEPT = "A tree of a forest, or one that was pruned on the tab Error by size, cannot be kept as A."
END = "Stop comparing"
END_HELP = "Lets go of tree A. Tree B, which the controls in the rail describe, stays."
TITLE = "#### A | B"
DIFFER = "the trees differ"
SETTINGS_OF_A = "a learner and its settings, as Keep as A writes them"
GROWING = "**Growing tree A**"
OTHER_TARGET = "Tree A is of a table with another kind of target. Stop comparing, or go back to such a table."
A_FILE = "a file"
LOAD = "A from a file"
LOAD_LABEL = "A tree that was saved as JSON under Export"
LOAD_HELP = "It becomes A, such as last month's tree. Its columns are matched with those of the table by name."
NOT_TEXT = "It is no text. Take a file that was saved as JSON under Export."
OTHER_KIND = (
    "Its splits are no single questions. Only trees whose splits ask for one column, with one answer in each "
    "leaf, are compared from a file."
)
TABLE_GONE = "The table of A is not on this server any more: A is grown on the table in use."
OTHER_COLUMNS = (
    "The tables of A and B have other columns. Only a tree whose splits ask for one column each can be laid on "
    "another table: take a CART or an optimal tree as A."
)
DIFFERENCE = "##### What differs"
ANSWERS_ALONE = (
    "One of the trees has no splits on single columns, so that only the answers are compared: rows of a "
    "cultivated tree take several ways, and splits of an oblique one weigh several columns."
)
TOO_LARGE = "The trees are too large to lay one over the other. Choose a smaller depth."
COST_HELP = (
    "B is laid over A from the root down in the way that costs least. A split of one tree alone costs 1. A "
    "split over one on the same column costs the share of all rows between both thresholds, over one on "
    "another column 1. Leaves of different classes cost 1/2, of different numbers up to 1/2. The sides of a "
    "split on another column, or on categories, may be exchanged."
)
LEGEND_ALT = "Signs: a grey dot is the same, Δ moved, ≠ another column or answer, − only in A, + only in B."
CHANGED_ALT = "Rows that A and B answer differently, with both answers and the split at fault"
REPORT = "Save the difference"
REPORT_HELP = "A page of its own (HTML) with the sentences, both pictures and the rows; it needs no internet."


def title(learner: str, settings: Mapping[str, str], is_by_hand: bool) -> str:
    """Title of a tree: its learner, and what is set otherwise than by default."""
    parts = [learner, *(f"{name} {text}" for name, text in settings.items())]
    return ", ".join([*parts, "changed by hand"] if is_by_hand else parts)


def side(letter: str, name: str, n_leaves: int, scores: str) -> str:
    """Line above a surface; the name is Markdown."""
    return f"**{letter}: {name}**, {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}  \n:small[{scores}]"


def difference(gaps: Mapping[str, float], is_share: bool, n_rows: int, n: int) -> str:
    """The line between both: how much better B is on which rows, and where answers differ."""
    score = "accuracy" if is_share else "R²"
    parts = [f"{kind} {_gap(gap, is_share)}" for kind, gap in gaps.items()]
    differ = f"{n_rows:,} of {n:,} rows are answered differently"
    return f"**B compared with A:** {score} {', '.join(parts)} · {differ}"


def _gap(gap: float, is_share: bool) -> str:
    if is_share:
        return f"{100 * gap:+.1f} points" if round(100 * gap, 1) else "the same"
    return f"{gap:+.3f}" if round(gap, 3) else "the same"


def sides(a: str, b: str) -> str:
    """Line on trees that were grown on different tables; the names are Markdown."""
    return f"**A: {a}**  \n**B: {b}**"


def letter(letter: str) -> str:
    """Heading of a picture."""
    return f"**{letter}**"


def on_table(title: str, table: str, n: int) -> str:
    """Title of a tree A that was grown on another table."""
    return f"{title}, on {table} ({n:,} rows)"


def no_tree(wrong: str) -> str:
    """Note on a file from which no tree could be read."""
    return f"No tree could be read from this file. {wrong}"


def file_gone(name: str) -> str:
    """Note on a link to a file that only another session has; the name is Markdown."""
    return f"Tree A came from the file {name}, which is not in this session. Stop comparing, and load it again."


def cannot_compare(why: str) -> str:
    """Note on a tree A that answers another question; Markdown."""
    return f"A and B cannot be compared: {why}."


def absent(names: Sequence[str]) -> str:
    """Note on columns that A asks for and the table does not have."""
    return f"The table has no column {_listed(names)}: there A sends rows where missing values go."


def strange(names: Sequence[str]) -> str:
    """Note on categories that only one side knows."""
    return f"Categories that only A or only the table knows: {_listed(names)}."


def classes(names: Sequence[str]) -> str:
    """Note on classes that only A knows."""
    return f"Classes that only A knows: {_listed(names)}."


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else shown


def more_changes(n: int) -> str:
    """Label of the changes after the first ones."""
    return f"{n:,} more {'change' if n == 1 else 'changes'}"


def not_drawn(most: int) -> str:
    """Note in place of pictures that nobody could read."""
    return f"Trees of more than {most} leaves are not drawn here; the sentences and the rows are complete."


def changed_rows(n: int) -> str:
    """Heading of the table of rows."""
    return f"**Rows that change their answer** ({n:,})"


def tick(most: int, n: int) -> str:
    """Line below the table of rows."""
    first = f"The first {most:,} of {n:,} rows. " if n > most else ""
    return f"{first}Tick a row to see its way through both trees."


def report_title(table: str) -> str:
    """Title of the saved difference."""
    return f"Two trees on {table}"
