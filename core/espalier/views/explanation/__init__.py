"""Explanations in pictures: what columns add to predictions, and predictions along a column."""
