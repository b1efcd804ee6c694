"""Sentences that several parts of a page say."""

from __future__ import annotations


def score_label(score: str, whose: str) -> str:
    """Label of a score of the model, the tree or the baseline."""
    return f"{score}, {whose}"
