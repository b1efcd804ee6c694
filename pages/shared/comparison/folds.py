"""The models to compare, and how the rows are dealt into folds: the controls, as parts of the address."""

from __future__ import annotations

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.data.rows.folds import Folds, most_folds, plan_for
from espalier.language import say
from pages.shared.app.address import Entry
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import whole
from pages.shared.canvas.slider import slider
from pages.shared.comparison import sentences
from pages.shared.models import slots
from pages.shared.models.rail import BIG, pick
from pages.shared.models.slots import Places, SlotModel
from pages.shared.own_models import uploads

COMPARED = Places(
    ("m1", "m2", "m3", "m4"),
    {True: ("cart", "optimal", "random", "baseline"), False: ("cart", "cultivated", "random", "baseline")},
)
MOST_FOLDS, MOST_REPEATS, MOST_SECONDS = 20, 20, 120


def url_entries(dataset: Dataset, places: Places = COMPARED) -> list[Entry]:
    """Folds and places as parts of the address."""
    return [
        Entry("folds", 10, whole(2, MOST_FOLDS)),
        Entry("repeats", 1, whole(1, MOST_REPEATS)),
        Entry("deal", 0, whole(0, BIG)),
        Entry("limit", 10, whole(1, MOST_SECONDS), name="seconds"),
        *slots.url_entries(places, dataset),
    ]


def plan(dataset: Dataset) -> Folds:
    """Assignment of the rows to folds."""
    state = st.session_state
    return plan_for(dataset, Folds(state["folds"], state["repeats"], state["deal"]))


def note_on(dataset: Dataset, n_folds: int) -> str:
    """Why so many folds cannot be made of these data; empty where they can."""
    most, roles = most_folds(len(dataset.y), dataset.roles), dataset.roles
    if n_folds <= most:
        return ""
    names = ["" if one is None else plain(one.name) for one in (roles.groups, roles.times)]
    return _folds_note(n_folds, most, *names)


def draw_plan() -> None:
    """The controls of the folds."""
    pick(sentences.FOLD_HELP, "folds", slider, options=range(2, MOST_FOLDS + 1), default=10)
    pick(sentences.FOLD_HELP, "repeats", slider, options=range(1, MOST_REPEATS + 1), default=1)
    with st.expander(say("Chance, and time")):
        pick(sentences.FOLD_HELP, "deal", st.number_input, min_value=0, max_value=BIG)
        pick(sentences.FOLD_HELP, "limit", st.number_input, min_value=1, max_value=MOST_SECONDS)


def draw_own(dataset: Dataset, places: Places = COMPARED) -> None:
    """The controls of a person's own model, where it stands in one of the places."""
    if slots.has_own(places):
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)


def models(dataset: Dataset, places: Places = COMPARED) -> list[SlotModel]:
    """Models for these data in the places that are not empty."""
    return slots.models(places, float(st.session_state["limit"]), dataset.target)


def _folds_note(n_folds: int, most: int, group: str, time: str) -> str:
    """Note on more folds than rows, groups or times allow."""
    if time:
        return say(
            "{n_folds} folds need {n_folds_2} different times of {time}; there are {most}: choose fewer.",
            n_folds=n_folds,
            n_folds_2=n_folds + 1,
            time=time,
            most=most + 1,
        )
    unit = say("groups of {group}", group=group) if group else say("rows")
    return say(
        "{n_folds} folds cannot be made of {most} {unit}: choose fewer.", n_folds=n_folds, most=most, unit=unit
    )
