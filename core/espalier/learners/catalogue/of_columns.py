"""What a person who knows the subject asks of every tree: settings that name columns of the table."""

from __future__ import annotations

from espalier.learners.catalogue.setting import DIRECTIONS, NAMES, SPLITS, Need, Setting

MONOTONE = Setting(
    "monotone", "Monotone columns", "",
    "Columns with which the prediction may only rise (↑), or only fall (↓), if all else stays as it is: a number, "
    "or the share of the second of two classes, or of the one chosen to count. Categories have no order, and a "
    "row's missing value no place in it. *Term:* `monotonic_cst`.", of_columns=DIRECTIONS,
    parameter="monotonic_cst",
)  # fmt: skip
LEFT_OUT = Setting(
    "without", "Columns that no split may ask about", "",
    "The model is the same as if the table did not have them. They stay in the table: you still see their values, "
    "and other models may use them. *Term:* `forbidden_features`.",
    of_columns=NAMES, parameter="forbidden_features", stays=True,
)  # fmt: skip
LEFT_OUT_OF_APPROXIMATION = LEFT_OUT._replace(
    words="The tree imitates the other model without asking about them; the other model keeps using them. *Term:* "
    "`forbidden_features`."
)
GIVEN = Setting(
    "given", "Splits that the tree begins with", "",
    "Splits that were chosen by hand on the page *Tree*, and the splits above them. They stay as they are, "
    "whichever rows the tree is grown on; below them it grows as usual. An optimal tree keeps as many of them as "
    "fit into its depth and its number of splits. *Term:* `forced_splits`.",
    of_columns=SPLITS, parameter="forced_splits", need=Need("monotone", ""),
)  # fmt: skip
