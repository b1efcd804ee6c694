"""Errors of trees against their size."""
