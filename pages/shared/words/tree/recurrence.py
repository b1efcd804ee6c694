"""Texts on how often a split comes back."""

from __future__ import annotations

OPTIONS = "What the cards of the tree show"
TOGGLE = "How often each split comes back"
HELP = (
    "100 trees are grown with the same settings, unpruned by hand, on bootstrap samples: as many rows as there "
    "are, drawn with replacement. A split came back in a tree that asks the same columns, to the same sides, all "
    "the way from the root to this split: the Stability page's definition, by columns."
)
COUNTING = "**Growing 100 trees on bootstrap samples**"
STOPPED = "Growing the trees was stopped: numbers on the cards are of those that were complete."
FAILED = "How often splits come back could not be counted."
COUNT = "Count how often"


def much_to_do(n_trees: int, n_rows: int) -> str:
    """Amount of work that is begun only when asked for."""
    return f"{n_trees} trees are to be grown on {n_rows:,} rows each"


def leaf(n_trees: int) -> str:
    """Of a leaf there is nothing to count."""
    return f"A leaf asks nothing. Select a split to read in how many of {n_trees} trees it came back."


def split(times: int, nearby: int, n_trees: int, is_root: bool) -> str:
    """How often the split came back, and how often with thresholds nearby."""
    way = "they ask the same column first" if is_root else "they ask the same columns from the root to here"
    where = "threshold is" if is_root else "thresholds are"
    near = f" In {nearby} of them the {where} near, too: no farther away than a cultivated tree would hesitate."
    said = f"This split came back in **{times} of {n_trees}** trees grown on bootstrap samples: {way}."
    return said + near if times else said
