"""Texts on oblique trees: their controls, and the splits that weigh several columns."""

from __future__ import annotations

MORE = "Splits, columns, pruning and weights"
BY_SUMS = (
    "✓ is what the tree splits on. A weighted sum of columns is taken only where it gains more than every column "
    "alone, and enough for its coefficients. Tick another column to see its curve."
)
BY_SUMS_AND_GAPS = (
    f"{BY_SUMS} A missing value counts as the mean of its column, or as its most frequent category; the table and "
    "the curves of single columns send it to the better side, and may gain more."
)
