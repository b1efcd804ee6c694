"""Texts on model trees: their controls, the formulas of leaves, and the CART tree beside them."""

from __future__ import annotations

# Controls and notes

MORE = "Columns, weights and chance"
ONE_FORMULA = "one formula for all rows is as good as any split by the information criterion"


def too_few_rows(n_rows: int, least: int) -> str:
    """Too few rows for two leaves."""
    return f"{n_rows} rows do not make two leaves of {least} rows each"


def lone_formula(why: str) -> str:
    """Note on a model tree without splits."""
    return f"The tree is a lone root with a formula: {why}."


# The formula of a leaf

OF_SPLIT = "A split has no formula: each leaf below it has one. Select a leaf to read its formula."
NO_TERMS = "This formula is a number alone: no column improved it."
TABLE_ALT = "The terms of the formula, that of the greatest reach first"
LIMITS = (
    "A value below *from* counts as *from*, and one above *to* as *to*: no formula is used beyond what its leaf "
    "saw. *Reach* is the most by which a term can change the result within these limits."
)
ENDS = {
    "identity": "A prediction is never beyond the least and greatest target that the tree was grown on.",
    "logistic": "*Log odds* of 0 are a share of 50 %, 1 is 73 %, 2 is 88 %; below 0 the other class is likelier.",
    "softmax": "The class with the greatest score is predicted.",
}
BY_LINES = (
    "✓ is what the tree splits on. A model tree weighs splits together with lines, by the Bayesian information "
    "criterion; this table has the gains of splits alone. Tick another column to see its curve."
)

# CART of the same size

BESIDE = "#### Beside a CART tree of the same size"
MODEL, CART = "model tree", "CART"


OTHERS_HELD = (
    "Over the column that is on the lower axis of the surface above; other columns have typical values, or those "
    "of the selected row."
)


def sizes(of_model: int, of_cart: int) -> str:
    """Sizes of both trees, and how they answer."""
    model, cart = leaves(of_model, "formula"), leaves(of_cart, "answer")
    return f"The model tree has {model}; CART has {cart} for all of its rows."


def leaves(n: int, thing: str) -> str:
    """A number of leaves, and what each has."""
    return f"1 leaf with one {thing}" if n == 1 else f"{n} leaves, each with one {thing}"


def score_line(name: str, scores: str) -> str:
    """Scores of one of the trees; Markdown."""
    return f"**{name}**: {scores}"
