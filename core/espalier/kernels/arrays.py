"""Steps on arrays that several kernels take: larger copies of full ones, and the search in ascending ones."""

from __future__ import annotations

import numpy as np

from espalier.kernels import kernel


@kernel
def longer(array):
    """Return an array of twice the length that begins with this one."""
    copy = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        copy[i] = array[i]
    return copy


@kernel
def taller(array):
    """Return a matrix with twice as many rows that begins with this one."""
    copy = np.empty((2 * array.shape[0], array.shape[1]))
    for i in range(array.shape[0]):
        for k in range(array.shape[1]):
            copy[i, k] = array[i, k]
    return copy


@kernel
def first_not_below(values, start, stop, x):
    """Return the place of the first value >= x among the ascending values[start:stop]; `stop` if there is none."""
    while start < stop:
        middle = (start + stop) // 2
        if values[middle] < x:
            start = middle + 1
        else:
            stop = middle
    return start
