"""Comparison of models: cross-validation, scores, and which differences may be noise."""
