"""Exports of model trees: trees whose leaves have formulas."""
