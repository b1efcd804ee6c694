"""Promises in words, figures and tables."""
