"""What the tree page knows of a way to grow a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from espalier.data.dataset import Feature
from pages.shared.app.address import Entry

Parameters = tuple[tuple[str, Any], ...]  # ("learner", its name), and the estimator's: a hashable key of caches


class LearnerControls(NamedTuple):
    """A way of growing a tree: what is said of it, its controls, and what grows.

    `entries` and `parameters` are told what is predicted, `draw` also the number of rows that the tree is grown
    on, and `why_no_split` only that number.
    """

    title: str
    words: str  # what is special about its trees, in a line
    entries: Callable[[Feature], list[Entry]]  # the controls, as parts of the address
    draw: Callable[[Feature, int], None]  # the controls, on the page
    parameters: Callable[[Feature], dict[str, Any]]  # what the controls stand for
    estimators: dict[bool, Callable[..., Any]]  # of classes (True) and of numbers; one may be missing
    why_no_split: Callable[[int], str | None]  # which of the controls left a lone root, if any did
    long: int  # values of the features from which on growing may take more than a second
    uncompiled: bool  # whether small tables need not wait for the engine to be compiled
    stage: str  # of `espalier.kernels.compile_all`: what must be compiled before it grows
    is_searched: bool = False  # for the best tree, so that there is one to see meanwhile; others grow row by row
