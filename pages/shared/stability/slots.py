"""The learners side by side: three places, each with a kind of tree and its own plain settings."""

from __future__ import annotations

from typing import Any

from espalier.data.dataset import Dataset
from espalier.language import say
from pages.shared.app.address import Entry
from pages.shared.models import slots
from pages.shared.models.slots import NONE, Places, SlotModel

DEFAULTS = {True: ("cart", "cultivated", "optimal"), False: ("cart", "cultivated", NONE)}
ALIKE = {"depth": 3}  # deeper trees have more structures to choose from, whatever the learner
PLACES = Places(
    ("t1", "t2", "t3"),
    DEFAULTS,
    of=lambda: say("Learner"),
    only_trees=True,
    more=lambda: (
        say(
            "\n\nOnly single trees can be had here: stability asks whether the same *structure* "
            "comes out again, the same columns and thresholds, and a forest or the sum of "
            "gradient boosting has no one structure to compare."
        )
        + f" {slots.not_offered()}"
    ),
    begin=ALIKE,
)
SYMBOLS = ("●", "■", "▲")
SECONDS = 10.0  # limit of the search for one best tree


def url_entries(dataset: Dataset) -> list[Entry]:
    """The places as parts of the address; a kind that is left keeps its settings until it is back."""
    return slots.url_entries(PLACES, dataset)


def draw(dataset: Dataset) -> list[Any]:
    """The places side by side, and a container in each for notes on its learner."""
    return slots.draw(PLACES, SYMBOLS, dataset.target)


def models(dataset: Dataset) -> list[SlotModel]:
    """Models for these data in the places that are not empty."""
    return slots.models(PLACES, SECONDS, dataset.target)
