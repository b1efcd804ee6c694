"""Texts of pruning on the Tree page."""

from __future__ import annotations

from espalier.views.theme import count

# What is across the picture, by what the address says

ACROSS = {"depth": "Depth", "leaves": "Leaves", "alpha": "Price α"}
ALONG = "Error against"
KEYS = "Arrows go from tree to tree, Enter shows one."
TABLE = "All errors as a table"
CLICK = "Click a point: the tree above becomes the one of that size."


def not_pruned(learner: str) -> str:
    """Why a learner has no sequence of subtrees."""
    return (
        "Only CART can be cut back step by step, each smaller tree a part of the one before. "
        f"For *{learner}*, choose Depth above."
    )


def depth_words(n_folds: int, is_searched: bool, most: int) -> str:
    """How the errors of each depth come about."""
    end = f" Each tree takes a search of its own, so there are few folds, and depths up to {most}."
    return (
        "A tree of each depth, with the other settings as they are. For the cross-validated error the training "
        f"rows are dealt into {n_folds} parts (folds); each part judges trees grown on the others."
        f"{end if is_searched else ''}"
    )


# The rules, by what the address says

RULES = {
    "no": "Whole tree",
    "one-se": "One standard error",
    "least": "Least error",
    "reduced": "Reduced error",
    "hand": "By hand",
}
WHICH = "Which subtree"
HELP = """
- **Whole tree.** As the controls on the left grow it.
- **One standard error.** The smallest tree whose cross-validated error is within one standard error of the least
  (Breiman et al. 1984, section 3.4.3): much simpler, and hardly worse.
- **Least error.** The tree with the least cross-validated error.
- **Reduced error.** From the leaves up, a split stays only if it makes fewer errors on the held-out rows (Quinlan
  1987). Their score is then no longer one on unseen rows.
- **By hand.** As many leaves as the slider says.
"""
LEAVES = "Leaves"

# Above the tree

BACK = "Whole tree"
NO_HELD_OUT = "No rows are held out, so there are none to prune by: hold some out on the left."
SEEN = "The held-out rows chose this tree, so its score on them is too good."


def waiting(rule: str) -> str:
    """Why the whole tree is shown although a rule is to choose."""
    return f"The whole tree, until cross-validation chooses a size ({RULES[rule].lower()})."


def summary(rule: str, left: int, of: int) -> str:
    """By what rule the tree was pruned, and what is left of it."""
    seen = f" {SEEN}" if rule == "reduced" else ""
    return f"Pruned, {RULES[rule].lower()}: {count(left)} of {count(of)} leaves are left.{seen}"


# The tab

LONE = "This tree is a lone root: there is nothing to prune. Let it grow larger with the controls on the left."
LINES = (
    "The band is one standard error wide on each side. Two trees have rings: that with the least cross-validated "
    "error, and the smallest one whose error is at most a standard error above it, the dotted line."
)


def begins_with(n_leaves: int) -> str:
    """Where the sequence of subtrees comes from."""
    return (
        f"The sequence begins with the tree that the controls on the left grow: {count(n_leaves)} leaves. "
        "The larger it is, the more there is to choose from."
    )


def below_the_picture(is_share: bool) -> str:
    """What the lines, the band and the rings are, and what a click does."""
    unit = "the share of rows with a wrong class" if is_share else "the mean squared error"
    return f"{CLICK} Error: {unit}. {LINES}"


# The job

VALIDATING = "**Cross-validating the sizes**"
VALIDATE = "Cross-validate"
STOPPED = "Cross-validation was stopped."
FAILED = "No size can be chosen."


GROWING_DEPTHS = "**Growing trees of every depth**"
GROW_DEPTHS = "Grow them"
STOPPED_DEPTHS = "Growing the trees of every depth was stopped."
FAILED_DEPTHS = "There are no errors by depth."


def much_to_do(n_trees: int, n_rows: int) -> str:
    """How much work cross-validation is."""
    return f"{n_trees} trees have to grow on up to {count(n_rows)} rows each."
