"""Vectors of numbers, for which Numba has no words: bytes, integers and reals that are processed at once."""
