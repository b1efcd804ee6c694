"""Kernels of cultivated trees: modules, neighbourhoods of cuts, and the growing loop."""
