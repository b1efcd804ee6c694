"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import Texts, say

CONTROLS = Texts(
    {
        "rows-from": (
            "The rows",
            "A file of your own, or rows of the table that were held out, as if they were new: half of them are "
            "scored, and the other half judges the model.",
        ),
        "reasons": (
            "Columns that matter most",
            "The three columns whose values add most to each answer, or take most away. *Term:* Shapley values "
            "(SHAP). For many rows and large forests this takes much longer than the answers.",
        ),
        "drift": (
            "Test whether these rows are like those the model learned from",
            "A forest learns to tell the two kinds of rows apart by their columns. Then 99 more forests try it "
            "after old and new rows have been mixed. If the first does better than nearly all of them, the rows "
            "differ. *Terms:* drift, covariate shift, two-sample test by a classifier.",
        ),
    }
)


def list_caption(n: str, most: str) -> str:
    """Caption of the list of n rows, of which at most so many are shown; empty where all are."""
    return (
        say("The first {most} of {n} rows; the file below has all.", most=most, n=n)
        if most
        else say("{n} row." if n == "1" else "{n} rows.", n=n)
    )
