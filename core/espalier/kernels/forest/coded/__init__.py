"""Prediction of a forest whose thresholds are codes, for many rows."""
