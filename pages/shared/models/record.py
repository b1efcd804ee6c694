"""The record of a way to grow a tree, as the tree page has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from espalier.data.dataset import Feature
from espalier.learners.catalogue import Model
from espalier.learners.catalogue.settings import COSTLY
from pages.shared.app.address import Entry


class LearnerControls(NamedTuple):
    """A way of growing a tree: its description, its controls, and its estimators.

    `entries` and `model` take the target, `draw` also the number of rows that the tree is grown on, and
    `why_no_split` only that number.
    """

    title: Callable[[], str]
    words: Callable[[], str]  # the special thing about its trees, in a line
    entries: Callable[[Feature], list[Entry]]  # the controls, as parts of the address
    draw: Callable[[Feature, int], None]  # the controls, on the page
    model: Callable[[Feature], Model]  # that the controls stand for
    serves: tuple[bool, ...]  # True: classes; False: numbers
    why_no_split: Callable[[int], str | None]  # the reason for a lone root, if a control is it
    long: int  # values of the features from which on growing may take more than a second
    stage: str  # of `espalier.kernels.compile_all`, which must be compiled before it grows
    uncompiled: bool = False  # whether small tables need not wait for the engine to be compiled
    has_presets: bool = False  # whether one control says what all others stand for together
    is_searched: bool = False  # for the best tree, so that there is one to see meanwhile; others grow row by row

    def has_costs(self, target: Feature) -> bool:
        """Whether costs of errors are settings of it, for this target."""
        return COSTLY.key in [entry.key for entry in self.entries(target)]
