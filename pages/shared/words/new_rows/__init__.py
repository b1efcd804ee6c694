"""Texts of the page New rows."""
