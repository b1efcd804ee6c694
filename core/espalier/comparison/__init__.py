"""Comparison of models: cross-validation, scores, and tests of their differences."""
