"""Promises: sets of classes and intervals that hold the truth as often as one says."""
