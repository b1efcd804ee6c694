"""The two forests' controls: of each its kind, that kind's settings, and its seed; all of it in the address."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.data import Dataset
from espalier.data.dataset import Feature
from espalier.display.text.settings import short_value
from espalier.language import say, uncapitalize
from espalier.learners import catalogue
from espalier.learners.catalogue import Model, ModelKind, Setting
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.models import carried, drawer, settings, slots
from pages.shared.models.settings import Slot
from pages.shared.own_models import uploads

SIDES = ("a", "b")
FIRST = "random"  # kind of both at first: they differ in one setting, so that its effect is seen alone
OTHERWISE = {"b-random-features": "all"}  # defaults that are not the kind's own
MARKS = {"a": "●", "b": "■"}  # in figures and beside names


def title(side: str) -> str:
    """The forest's name on the page: "A" or "B"."""
    return side.upper()


def slot(side: str) -> Slot:
    """The place of this side's forest."""
    kinds = tuple(kind for kind in catalogue.kinds_for() if kind.is_forest)
    return Slot(side, (*kinds, catalogue.OWN_MODEL), is_full=True, defaults=OTHERWISE)


def url_entries() -> list[Entry]:
    """The controls of both forests, of every kind: one that is left keeps its settings until it is back."""
    return [*(entry for side in SIDES for entry in _entries(side)), *uploads.url_entries()]


def _entries(side: str) -> list[Entry]:
    there = slot(side)
    return [there.choice(FIRST), *there.url_entries(), *there.former_entries(), uploads.former_entry(side, side)]


def entries_of(side: str) -> list[Entry]:
    """The controls that say all of one forest, and the rows held out."""
    return [*drawer.held_out_entries(), *_entries(side), *uploads.url_entries()]


def drop_invalid(dataset: Dataset) -> None:
    """Give way to a target of another kind: a forest that is not for it becomes one that is."""
    for side in SIDES:
        if dataset.is_classification not in _kind(side).serves:
            st.session_state[side] = FIRST


def _kind(side: str) -> ModelKind:
    return catalogue.find_kind(st.session_state[side])


def model(side: str, target: Feature) -> Model:
    """The model that the controls of a forest stand for, for this target."""
    if st.session_state[side] == uploads.NAME:
        return uploads.as_model()
    return slot(side).model(_kind(side), target)


def draw_first(dataset: Dataset) -> list[DeltaGenerator]:
    """Draw a line for each forest, with its kind and its number of trees; the rooms for its numbers."""
    rooms = []
    for side in SIDES:
        kinds = {one.name: one for one in slot(side).kinds if dataset.is_classification in one.serves}
        with st.container(horizontal=True, vertical_alignment="center", key=f"forest line {side}"):
            st.markdown(f"**{MARKS[side]} {title(side)}**", width="content")
            st.selectbox(
                say("Forest {side}", side=title(side)), list(kinds), key=side, width=230,
                format_func=lambda name, kinds=kinds: say(kinds[name].title), label_visibility="collapsed",
            )  # fmt: skip
            kind = _kind(side)
            for trees in _trees(kind):
                with st.container(width=130):
                    settings.draw(slot(side).key(kind, trees), trees, label_visibility="collapsed")
            rooms.append(st.container())
    if uploads.NAME in [st.session_state[side] for side in SIDES]:
        with st.container(border=True, key="controls of own model"):
            uploads.draw(dataset)
    return rooms


def _trees(kind: ModelKind) -> list[Setting]:
    """The number of trees, of a kind that has one."""
    return [setting for setting in kind.settings if setting.key == "trees"]


def first_keys() -> set[str]:
    """Keys of the controls of `draw_first`."""
    kinds = [(slot(side), kind) for side in SIDES for kind in slot(side).kinds]
    return {*SIDES, *(there.key(kind, trees) for there, kind in kinds for trees in _trees(kind))}


def draw(dataset: Dataset) -> None:
    """All other settings of both forests, one below the other."""
    carried.carry(
        pair for there in map(slot, SIDES) for kind in there.kinds for pair in slots.asked_of_columns(there, kind)
    )
    for side in SIDES:
        with st.container(border=True, key=f"controls of forest {side}"):
            there, kind = slot(side), _kind(side)
            meanings = app_sentences.list_of_kinds((say(one.title), say(one.words)) for one in there.kinds)
            st.markdown(f"**{MARKS[side]} {say('Forest {side}', side=title(side))}**", help=meanings)
            for setting in there.in_effect(kind, dataset.target) if kind is not catalogue.OWN_MODEL else ():
                if setting.key != "trees":
                    there.draw(kind, setting)
            carried.note(slots.asked_of_columns(there, kind, dataset.target))


def short(model: Model) -> str:
    """The forest in a few words: its kind, and the settings that are not as at first."""
    if model.name == uploads.NAME:
        return say("Your model")
    return ", ".join([say(model.kind.title), *settings_in_short(model)])


def settings_in_short(model: Model) -> list[str]:
    """The settings of a forest that are not as at first, but for its number of trees."""
    if model.name == uploads.NAME:
        return []
    parts = []
    for setting in model.kind.basic:
        value, name = model.value(setting.key), uncapitalize(say(setting.label))
        if setting.key == "trees" or value == setting.default:
            continue
        if setting.of_columns:
            parts.append(short_value(setting, value))
        elif isinstance(value, bool):
            parts.append(name if value else say("not: {label}", label=name))
        else:
            parts.append(f"{name}: {setting.said(value)}")
    return parts + ([say("seed {seed}", seed=seed)] if (seed := model.value("random")) else [])
