"""Kernels of optimal trees: bit sets, trees of depth two, bounds, and branch and bound."""
