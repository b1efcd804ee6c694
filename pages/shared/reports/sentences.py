"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import say


def interval(low: str, high: str) -> str:
    """Ends of an interval."""
    return say("{low} to {high}", low=low, high=high)


def first_sentence(question: str, models: str, data: str) -> str:
    """First sentence of a report: the question of the page, the models, and the table."""
    return say("{question} {models}, on the rows of “{data}”.", question=question, models=models, data=data)
