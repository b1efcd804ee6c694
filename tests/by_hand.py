"""Trees typed by hand, before any learner."""

from __future__ import annotations

import math

from core.trees import Tree, make_tree

NAN = math.nan


def admission() -> Tree:
    """Reject below a gpa (feature 0) of 3.0, or below a toefl (feature 1) of 65; else accept.

    The example of the course slides (Concordia COMP 6321, Decision Trees), on ten made-up applicants.
    """
    return make_tree(
        [0, -1, 1, -1, -1],
        [3.0, NAN, 64.5, NAN, NAN],
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [0, 0, 0, 0, 0],
        [False] * 5,
        [10, 4, 6, 2, 4],
        [10, 4, 6, 2, 4],
        [[0.6, 0.4], [1, 0], [2 / 6, 4 / 6], [1, 0], [0, 1]],
        [0.48, 0, 4 / 9, 0, 0],
    )


def colours() -> Tree:
    """Categories 0 and 2 of feature 0 go left and so does what is missing."""
    return make_tree(
        [0, -1, -1],
        [NAN, NAN, NAN],
        [1, -1, -1],
        [2, -1, -1],
        [0b101, 0, 0],
        [True, False, False],
        [4, 2, 2],
        [4, 2, 2],
        [[0.5, 0.5], [1, 0], [0, 1]],
        [0.5, 0, 0],
    )
