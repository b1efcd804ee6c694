"""Exports of oblique trees: Python, SQL, JSON, rules and DOT."""
