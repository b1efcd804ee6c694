"""Forests that move."""
