"""Subtrees of samples that fit the cache."""
