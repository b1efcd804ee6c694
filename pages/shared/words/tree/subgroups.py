"""Texts on subgroups: the same learner on each group of a column, beside the tree of all rows."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.text.trees import join
from espalier.views.theme import count

NO_COLUMN = "no column"
CONTROLS = {
    "groups": (
        "Compare subgroups by",
        "The learner in the rail grows a tree on each group of this column: on each category, or on ranges of a "
        "number with about as many rows each. Held-out rows of the group test it, beside the tree of all rows.",
    ),
    "ranges": ("Ranges", "Into how many parts the numbers of the column are cut, with about as many rows each."),
}
A_COLUMN = "the name of a column, other than the target"
GROWING = "**Growing a tree for each group**"
STOPPED = "Growing the trees of the groups was stopped."
FAILED = "The groups could not be compared."
HOW = (
    "Each group's own tree grew on the group's rows alone; both trees are tested on the group's held-out rows. "
    "In parentheses are 95 % intervals; those of the differences hold for all groups at once."
)
UNCHANGED = "The trees are as the learner grows them, not pruned or changed by hand."
NOT_TESTED = "No row of this group is held out, so that nothing tests its tree."
WORK_ON = "Work on these rows"
WORK_ON_HELP = "Makes this group the filter: every page then works on its rows alone. *Undo* leads back."


def headline(n_judged: int, own: Sequence[str], of_all: Sequence[str]) -> str:
    """What came of it: the groups whose own tree is better, and those for which the tree of all rows is."""
    if not n_judged:
        return "No group has both a tree of its own and held-out rows."
    parts = [f"**A tree of its own is better for {join(own, 'and')}.**"] if own else []
    if of_all:
        parts.append(f"**The tree of all rows is better for {join(of_all, 'and')}**: it has more to learn from.")
    if not parts:
        who = "the group" if n_judged == 1 else f"each of the {n_judged} groups"
        return f"**One tree will do:** for {who}, the difference to a tree of its own could be chance."
    return " ".join(parts)


def sizes(n_grown: int, n_held: int, target: str) -> str:
    """The rows of a group and what their target is like, Markdown."""
    return f"{count(n_grown)} rows to grow on, {count(n_held)} held out · {target}"


def mean(value: str) -> str:
    """The mean of the target."""
    return f"mean {value}"


def why_not(reason: str, fewest: int) -> str:
    """Why a group has no tree."""
    return {
        "few": f"Too few rows for a tree: {fewest} to grow on are the least.",
        "one": "All rows to grow on have the same target, so that there is nothing to tell apart.",
        "wide": "The tree has too many sums of columns to be shown; make it smaller.",
    }[reason]


def leaves(n: int) -> str:
    """The size of a tree."""
    return f"{n} {'leaf' if n == 1 else 'leaves'}"


def scores(own: str, of_all: str, is_share: bool) -> str:
    """The scores of both trees on the group's held-out rows, Markdown."""
    what = "right" if is_share else "mean absolute error"
    return f"Own tree: {own} {what}  \nTree of all rows: {of_all}"


def interval(low: str, high: str) -> str:
    """The ends of an interval."""
    return f"{low} to {high}"


def points(value: str) -> str:
    """A difference in percentage points."""
    return f"{value} points"


def gap(verdict: str, difference: str) -> str:
    """Whether a group's own tree is better, with the difference."""
    return {
        "own": f":material/check: The own tree is better by {difference}",
        "all": f":material/close: The own tree is worse: {difference}",
        "neither": f"Difference {difference}: could be chance",
    }[verdict]


def others(n: int, n_rows: int) -> str:
    """Groups that are left out."""
    groups = "1 smaller group" if n == 1 else f"{count(n)} smaller groups"
    return f"{groups} with {count(n_rows)} rows in all {'is' if n == 1 else 'are'} left out."


# The table: heads of its columns

GROUP, GROWN_ON, HELD_OUT, LEAVES, FIRST = (
    "group",
    "rows to grow on",
    "rows held out",
    "leaves",
    "first question on",
)
SCORES = {"own": "own tree", "of_all": "tree of all rows", "gain": "gain"}


def low(score: str) -> str:
    """Lower end of the interval of a score."""
    return f"{score}, low"


def high(score: str) -> str:
    """Upper end of the interval of a score."""
    return f"{score}, high"
