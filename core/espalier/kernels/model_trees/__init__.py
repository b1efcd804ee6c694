"""Kernels of model trees: the best line, step or pair of lines of every feature, by prefix sums."""
