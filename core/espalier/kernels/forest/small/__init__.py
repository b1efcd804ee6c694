"""Subtrees of random forests whose few samples are split without a look at the table."""
