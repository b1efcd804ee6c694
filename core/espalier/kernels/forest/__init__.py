"""Kernels of forests: growing on ordinal codes, bootstrap samples, and prediction by many trees."""
