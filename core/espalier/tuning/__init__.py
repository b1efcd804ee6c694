"""Tuning: a search for settings by nested cross-validation, within a time."""
