"""Texts of the page on hesitation: one soft split beside a forest and a sharp tree."""

from __future__ import annotations

from espalier.views.theme import count, number, percent

# The page

TITLE = "What a split that hesitates looks like"
WIDTH = (
    "How far the split of **a** may hesitate about its threshold: from one cut, as CART has it, to all there are. "
    "The paper takes √W, the root of the number of rows."
)
GROWING_FOREST = "Growing a random forest of 500 trees …"


def introduction(n_rows: int, n_fresh: int, best: float) -> str:
    """The models compared, and the rows; `best` is the accuracy of the best border."""
    return (
        "Two round clouds that overlap, after Figure 3 of Nalenz & Augustin (2021): three answers to the same "
        f"{n_rows} rows. Accuracy is measured on {n_fresh:,} new rows; the best border, a slanted line, is right "
        f"on {percent(best)} of them."
    )


# The verdict


def ranking(letters: list[str], accuracies: list[float]) -> str:
    """The three models with their accuracies, the best first."""
    first, second, third = (f"**{a}** {percent(x)}" for a, x in zip(letters, accuracies, strict=True))
    return f"Right on the new rows: {first}, {second}, {third}."


def lead(points: float) -> str:
    """How many percentage points the soft split is ahead of the sharp one, or behind it."""
    if abs(points) < 0.05:
        return "**a** is as accurate as **c**, which has one split as well."
    if points > 0:
        return f"**a** is right on {number(points, 2)} points more than **c**, which has one split as well."
    return (
        f"**a** is right on {number(-points, 2)} points less than **c**, which has one split as well. "
        "What it has instead: it says where it is unsure."
    )


# The three surfaces

ITS_TREE = "Its tree"
SOFT_TITLE = "a · First split of a cultivated tree"
FOREST_TITLE = "b · Random forest"
FOREST = (
    "The mean of hundreds of trees, each of other rows drawn with replacement. It is soft as well, with traces of "
    "single rows."
)


def heading(title: str, accuracy: float, size: str) -> str:
    """Title of a surface, and below it the accuracy and the size of its model, in Markdown."""
    return f"**{title}**  \n:small[accuracy **{percent(accuracy)}** · {size}]"


def said(title: str, accuracy: float, size: str, caption: str) -> str:
    """A surface in a report: its title, the accuracy and size of its model, and what to look at."""
    return f"**{title}**: accuracy {percent(accuracy)}, {size}. {caption}"


def soft_split(is_sharp: bool) -> str:
    """Caption of the soft split; a sharp one has neighbourhoods of one cut."""
    jumps = "With one cut each the answer jumps: widen the neighbourhood."
    slopes = "Between the clouds it changes little by little, the wider the neighbourhood the more aslant."
    return (
        "Both columns are asked, and where they disagree, in two corners, the tree says about half and half. "
        + (jumps if is_sharp else slopes)
    )


def soft_size(n_features: int, n_leaves: int) -> str:
    """Size of the soft split."""
    asked = f"{n_features} columns, pooled" if n_features > 1 else "1 column"
    return f"1 split ({asked}), {n_leaves} leaves"


def forest_size(n_trees: int, n_leaves: int) -> str:
    """Size of the forest."""
    return f"{n_trees} trees, {count(n_leaves)} leaves"


CART_TITLE = "c · First split of CART"


CART = (
    "The split is a line along an axis, and the answer jumps there. Right at the line the tree is as sure as far "
    "from it. Like **a** it has one split."
)


def cart_size(n_leaves: int) -> str:
    """Size of the sharp tree."""
    return f"1 split (1 column), {n_leaves} leaves"
