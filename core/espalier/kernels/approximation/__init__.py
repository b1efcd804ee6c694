"""Kernels of approximation trees: the density, its draws and integrals, and the better-split test."""
