"""Texts on trees that are changed by hand."""

from __future__ import annotations

from collections.abc import Sequence

TAKE = "Split at this cut"
TAKEN = "Splits this node at the cut that you chose on the curve, in place of the learner's"
LEAF = "Make a leaf"
LEAF_HELP = "Ends the tree here: the node answers for all rows below it."
GROW = "Grow on"
GROW_HELP = "The learner splits this leaf once more, even if the depth that is set in the rail forbids it."
REGROW = "Regrow this branch"
REGROW_HELP = "Grows everything below this node anew, as deep as you like, whatever depth is set in the rail."
LEVELS = "Levels below this node, at most"
GREEDILY = "Greedily"
GREEDILY_HELP = "As CART does it: the best split here, then the best splits below it."
OPTIMALLY = "Optimally"
OPTIMALLY_HELP = (
    "The branch with the fewest errors of all branches of this depth; a search of five seconds at most."
)
BACK = "Back to the learner's split"
BACK_HELP = "Takes back what was changed by hand at this node and below it."
ALL_BACK = "Take all changes back"
SETS = "Categories that go left"
TAKE_SET = "Split like this"
GROWING = "**Growing the branches below your splits**"
STOPPED = "Growing was stopped: the tree is without the changes by hand."
FAILED = "The changes by hand could not be made."
SEARCHING = "**Searching for the best tree of as many splits**"
YOURS, GREEDY, OPTIMAL, BEST_FOUND = "yours", "CART", "optimal", "best found"
WAITS = "The changes by hand are being made."
NOT_HERE = (
    "You can choose splits by hand in trees of CART and, of classes, in optimal trees, where each node cuts one "
    "column once. "
    "The nodes of other trees weigh several columns, keep several cuts, or have formulas below them."
)
DIRECTED = (
    "Splits cannot be chosen by hand while columns are monotone, that is, while a prediction may only rise, or "
    "only fall, with a column."
)


def split_on(column: str, is_second: bool, is_as_good: bool = False) -> str:
    """Button that splits a node on a column; on the second best one where none is ticked, which may be as good."""
    return f"{'As good: s' if is_as_good else 'Second best: s' if is_second else 'S'}plit on {column}"


def split_on_help(column: str) -> str:
    """Help of that button."""
    return f"Takes the best split on {column} here; the learner grows the branches below."


def without(column: str) -> str:
    """Button that leaves a column out."""
    return f"Without {column}"


def without_help(column: str) -> str:
    """Help of that button."""
    return f"The learner grows this branch anew, without a question about {column} here or below."


def of_branch(proof: str) -> str:
    """What is proved of a branch that was regrown optimally, a whole sentence, and of which rows."""
    return f"**This branch alone**, on the rows that come here. {proof}"


def summary(changes: Sequence[str]) -> str:
    """Line above a tree that was changed by hand; the changes are Markdown."""
    few = "; ".join(changes[:3]) + (f"; and {len(changes) - 3} more" if len(changes) > 3 else "")
    n = len(changes)
    return (
        f"**{n} change{'s' * (n != 1)} by hand**: {few}."
        if n
        else "**None of your changes by hand fits this tree:** it has no such nodes."
    )


def on_the_way(changes: Sequence[str]) -> str:
    """Note on a rule that passes through nodes changed by hand; Markdown."""
    return f"On the way, changed by hand: {'; '.join(changes)}."


def here(change: str) -> str:
    """Note on a node that was changed by hand; Markdown."""
    return f"✎ {change}."


def against(rows: str, scores: Sequence[str]) -> str:
    """Scores of several trees on held-out or training rows."""
    return f"{rows}: {', '.join(scores)}"


def as_many_splits(n: int, parts: Sequence[str]) -> str:
    """Line of scores of one's own tree beside those of as many splits; Markdown."""
    return f"**You against CART**, {n} split{'s' * (n != 1)} each · {' · '.join(parts)}"
