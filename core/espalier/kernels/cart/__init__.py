"""Kernels of CART: the split search over sorted columns and levels, and the growing loop."""
