"""The models to compare, and how the rows are dealt into folds: the controls, as parts of the address."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.folds import Folds, most_folds, plan_for
from espalier.language import say, to_say
from espalier.learners.catalogue import Model
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.canvas.control import Control, slider
from pages.shared.models import slots
from pages.shared.models.drawer import BIG
from pages.shared.models.slots import Places
from pages.shared.own_models import uploads

COMPARED = Places(
    ("m1", "m2", "m3", "m4"),
    {True: ("cart", "optimal", "random", "baseline"), False: ("cart", "cultivated", "random", "baseline")},
)
FOLDS = Control(
    "folds", 10, (2, 20), to_say("Folds"),
    to_say(
        "Each part of the rows in turn tests models that learned from all others. *Term:* k-fold "
        "cross-validation."
    ),
    slider,
)  # fmt: skip
REPEATS = Control(
    "repeats", 1, (1, 20), to_say("Repeats"),
    to_say("How often the rows are dealt anew: steadier means, of the same rows."), slider,
)  # fmt: skip
SEED = Control(
    "deal", 0, (0, BIG), to_say("Seed of the folds"), to_say("Another number deals the rows otherwise.")
)
LIMIT = Control(
    "limit", 10, (1, 120), to_say("Seconds for a search"),
    to_say("A search that takes longer ends with the best tree so far. *Term:* `time_limit`."), name="seconds",
)  # fmt: skip


def plan_entries() -> list[Entry]:
    """The folds, and the time of a search, as parts of the address."""
    return [control.entry for control in (FOLDS, REPEATS, SEED, LIMIT)]


def plan(dataset: Dataset) -> Folds:
    """Assignment of the rows to folds."""
    return plan_for(dataset, Folds(FOLDS.value, REPEATS.value, SEED.value))


def note_on(dataset: Dataset, n_folds: int) -> str:
    """Why so many folds cannot be made of these data; empty where they can."""
    most, groups, times = most_folds(len(dataset.y), dataset.roles), dataset.roles.groups, dataset.roles.times
    if n_folds <= most:
        return ""
    unit = say("groups of {group}", group=plain(groups.name)) if groups is not None else say("rows")
    unit = unit if times is None else say("times of {time}", time=plain(times.name))
    return say("There are too few {unit} for {n} folds: choose {most} or fewer.", unit=unit, n=n_folds, most=most)


def draw_plan() -> None:
    """The controls of the folds."""
    for control in (FOLDS, REPEATS, SEED, LIMIT):
        control.draw()


def draw_own(dataset: Dataset) -> None:
    """The controls of a person's own model, where it stands in one of the places."""
    if slots.has_own(COMPARED):
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)


def models(dataset: Dataset) -> dict[int, Model]:
    """Models for these data in the places that are not empty, by the numbers of these."""
    return slots.models(COMPARED, dataset.target)


def seconds() -> float:
    """Seconds that a search may take each time it is fitted."""
    return float(LIMIT.value)
