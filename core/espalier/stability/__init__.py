"""Stability: replicates on redrawn data, their structures, splits and answers."""
