"""Kernels of oblique trees: directions to split along, the best cut along each, and the way of a sample."""
