"""The models to compare: four places, each with a kind of model and its own plain settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from espalier.analysis.comparison.cross_validation import Folds
from espalier.data.dataset import Dataset
from espalier.learners import catalogue
from espalier.learners.catalogue import ModelKind, Setting
from pages.shared.app.address import Entry, one_of, whole
from pages.shared.models import settings as models_settings
from pages.shared.models.rail import BIG, Help, pick

SLOTS = ("m1", "m2", "m3", "m4")  # what the address calls the places
NONE = "none"  # a place that is left empty
DEFAULTS = {True: ("cart", "optimal", "random", "baseline"), False: ("cart", "cultivated", "random", "baseline")}
SHORT = 22  # letters on the button of a place
MOST_FOLDS, MOST_REPEATS, MOST_SECONDS = 20, 20, 120

HELP = {
    "folds": Help(
        "Folds",
        "The rows are dealt into so many parts; each model learns from all but one, is tested on that one, and so "
        "on in turn. All models have the same folds. *Term:* k-fold cross-validation, stratified.",
    ),
    "repeats": Help(
        "Repeats",
        "How often the rows are dealt anew: steadier means, but from the same rows, so there is a limit to what "
        "repeats can show. *Term:* repeated cross-validation.",
    ),
    "deal": Help("Seed of the folds", "Another number deals the rows otherwise."),
    "limit": Help(
        "Seconds for a search, at most",
        "A search for the best tree of a fold that takes longer ends with the best tree so far. "
        "*Term:* `time_limit`.",
    ),
}


class Places(NamedTuple):
    """The places of a page: what the address calls them, and the kinds that stand there at first."""

    slots: tuple[str, ...]
    defaults: dict[bool, tuple[str, ...]]  # True: of classes; False: of numbers


COMPARED = Places(SLOTS, DEFAULTS)


class Model(NamedTuple):
    """What stands in one of the places."""

    slot: int
    kind: ModelKind
    settings: tuple[tuple[str, Any], ...]  # by the settings' keys; part of keys of caches
    seconds: float  # that a search may take in a fold


def url_entries(dataset: Dataset, places: Places = COMPARED) -> list[Entry]:
    """Folds and places as parts of the address; a kind that is left keeps its settings until it is back."""
    found = [
        Entry("folds", 10, whole(2, MOST_FOLDS)),
        Entry("repeats", 1, whole(1, MOST_REPEATS)),
        Entry("deal", 0, whole(0, BIG)),
        Entry("limit", 10, whole(1, MOST_SECONDS)),
    ]
    names = [NONE, *(kind.name for kind in catalogue.offered())]
    for slot, default in zip(places.slots, places.defaults[dataset.is_classification], strict=True):
        found.append(Entry(slot, default, one_of(names)))
        for kind in catalogue.offered():
            found += [Entry(key_of(slot, kind, s), s.default, models_settings.reader(s)) for s in kind.settings]
    return found


def plan() -> Folds:
    """How the rows are dealt."""
    state = st.session_state
    return Folds(state["folds"], state["repeats"], state["deal"])


def draw_plan() -> None:
    """The controls of the folds."""
    pick(HELP, "folds", st.slider, min_value=2, max_value=MOST_FOLDS)
    pick(HELP, "repeats", st.slider, min_value=1, max_value=MOST_REPEATS)
    with st.expander("Chance, and time"):
        pick(HELP, "deal", st.number_input, min_value=0, max_value=BIG)
        pick(HELP, "limit", st.number_input, min_value=1, max_value=MOST_SECONDS)


def draw(mark: Callable[[int], str], there: Places = COMPARED) -> list[Any]:
    """The places side by side, and a container in each for what becomes of its model.

    `mark` is what stands before a place's name to find it in the figures.
    """
    places = []
    for number, column in enumerate(st.columns(len(there.slots), gap="small")):
        with column.container(border=True, key=f"slot-{number + 1}"):
            _draw_slot(there.slots[number], number, mark(number))
            places.append(st.container())
    return places


def _draw_slot(slot: str, number: int, mark: str) -> None:
    titles = {NONE: "No model"} | {kind.name: kind.title for kind in catalogue.offered()}
    words = "\n".join(f"- **{kind.title}.** {kind.words}" for kind in catalogue.offered())
    st.selectbox(f"{mark} Model {number + 1}", list(titles), key=slot, format_func=titles.__getitem__, help=words)
    if st.session_state[slot] == NONE:
        st.caption("This place is free.")
        return
    kind = catalogue.named(st.session_state[slot])
    if not kind.settings:
        st.caption(kind.words)
        return
    with st.popover(in_short(slot, kind), icon=":material/tune:", width="stretch", key=f"settings {slot}"):
        st.caption(kind.words)
        for setting in kind.settings:
            models_settings.draw(key_of(slot, kind, setting), setting)


def models(places: Places = COMPARED) -> list[Model]:
    """What stands in the places that are not empty."""
    return [_model(number, slot) for number, slot in enumerate(places.slots) if st.session_state[slot] != NONE]


def _model(number: int, slot: str) -> Model:
    kind = catalogue.named(st.session_state[slot])
    values = ((s.key, models_settings.value(key_of(slot, kind, s), s)) for s in kind.settings)
    return Model(number, kind, tuple(values), float(st.session_state["limit"]))


def titles(chosen: Sequence[Model]) -> list[str]:
    """A short name for each model; those of the same kind are told apart by their settings, or their places."""
    found = []
    for model in chosen:
        twins = [other for other in chosen if other.kind.name == model.kind.name]
        differ = [
            setting
            for setting in model.kind.settings
            if len({dict(twin.settings)[setting.key] for twin in twins}) > 1
        ]
        parts = [_setting_in_short(setting, dict(model.settings)[setting.key]) for setting in differ]
        if sum(twin.settings == model.settings for twin in twins) > 1:
            parts.append(f"model {model.slot + 1}")
        found.append(", ".join([model.kind.title, *parts]))
    return found


def in_short(slot: str, kind: ModelKind) -> str:
    """The first settings in a few words, for the button that opens them all."""
    first, *others = (_setting_in_short(s, models_settings.value(key_of(slot, kind, s), s)) for s in kind.settings)
    return f"{first}, {others[0]}" if others and len(first + others[0]) < SHORT else first


def _setting_in_short(setting: Setting, value: Any) -> str:
    name = setting.label.split(",")[0].lower()
    if setting.options:
        return dict(setting.options)[value]
    if isinstance(setting.default, bool):
        return name if value else f"no: {name}"
    if setting.key == "trees":
        return f"{value} trees"
    return f"any {name}" if value is None else f"{name} {value}"


def key_of(slot: str, kind: ModelKind, setting: Setting) -> str:
    """What a setting of the kind in a place is called in the address and the session state."""
    return f"{slot}-{kind.name}-{setting.key}"
