"""Gradient boosting round by round, as a part of the page of forests."""
