"""Several models side by side: a place for each, with a kind of model and that kind's basic settings."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.dataset import Dataset, Feature
from espalier.display.text.settings import short_value
from espalier.display.theme import count
from espalier.language import in_style, say, to_say, uncapitalize
from espalier.learners import catalogue
from espalier.learners.catalogue import Model, ModelKind, Setting
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Entry
from pages.shared.models import carried
from pages.shared.models.settings import UNUSUAL, Slot
from pages.shared.own_models import uploads

NONE = "none"  # a place that is left empty
OWN = to_say("Own settings, not the Tree page's.")
SHORT = 22  # letters on the button of a place


class Places(NamedTuple):
    """The places of a page, and the kinds that stand there at first; the URL calls them m1, m2 and so on."""

    names: tuple[str, ...]  # in the session state: every page has its own
    defaults: dict[bool, tuple[str, ...]]  # True: of classes; False: of numbers
    of: Callable[[], str] = lambda: say("Model")  # what stands there
    only_trees: bool = False  # whether only kinds may stand there that are one tree
    more: Callable[[], str] = str  # text below the list of the kinds
    begin: Mapping[str, Any] = UNUSUAL  # by setting: where every kind begins here otherwise than the catalogue

    @property
    def kinds(self) -> tuple[ModelKind, ...]:
        """The kinds that may stand there."""
        if self.only_trees:
            return tuple(kind for kind in catalogue.kinds_for() if kind.is_tree)
        return (*catalogue.kinds_for(), catalogue.OWN_MODEL)

    @property
    def slots(self) -> list[Slot]:
        """The places themselves."""
        return [self._slot(name, f"m{i + 1}") for i, name in enumerate(self.names)]

    def _slot(self, name: str, parameter: str) -> Slot:
        slot = Slot(name, self.kinds, parameter=parameter)
        begin = {
            slot.key(kind, setting): self.begin[setting.key]
            for kind in self.kinds
            for setting in kind.basic
            if setting.key in self.begin
        }
        return slot._replace(defaults=begin)


def not_offered() -> str:
    """The kinds of trees that a page of trees with boxes does not offer, in a sentence with the reasons."""
    return say(
        "Not offered here: {kinds}.",
        kinds="; ".join(
            (
                say("{title}, {why}", title=title.lower(), why=why, title_2=title)
                for title, why in (
                    (say(kind.title), say(kind.beyond_boxes)) for kind in catalogue.KINDS if kind.beyond_boxes
                )
            )
        ),
    )


def url_entries(places: Places, dataset: Dataset) -> list[Entry]:
    """The places as parts of the address."""
    entries = []
    for slot, default in zip(places.slots, places.defaults[dataset.is_classification], strict=True):
        there = [*slot.url_entries(), *slot.former_entries(dataset.target)]  # some had the keys of settings
        entries += [slot.choice(default, [NONE]), *{entry.key: entry for entry in there}.values()]
        entries += [] if places.only_trees else [uploads.former_entry(slot.name, slot.parameter)]
    return entries if places.only_trees else [*entries, *uploads.url_entries()]


def draw(places: Places, marks: Sequence[str], target: Feature) -> list[Any]:
    """The places side by side, with settings for the target, and a container in each for notes on its model.

    Each of the `marks` finds a place in the figures.
    """
    carried.carry(
        pair
        for slot in places.slots
        for kind in slot.kinds
        for pair in asked_of_columns(slot, kind)
        if bool(target.categories) in pair[1].serves
    )
    containers = []
    with st.container(key="slots"):
        for number, column in enumerate(st.columns(len(places.names), gap="small")):
            with column:
                _draw_slot(places, number, marks[number], target)
                containers.append(st.container())
    return containers


def _draw_slot(places: Places, number: int, mark: str, target: Feature) -> None:
    """Draw a place on one line: its mark, the kind of model, and its settings, which are drawn while open."""
    slot, name = places.slots[number], places.of()
    titles = {NONE: say("No {noun}", noun=name.lower(), noun_2=name)}
    titles |= {kind.name: say(kind.title) for kind in slot.kinds}
    kind = None if st.session_state[slot.name] == NONE else catalogue.find_kind(st.session_state[slot.name])
    has_settings = kind is not None and bool(slot.settings(kind, target))
    is_only = len(places.names) == 1
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False):
        st.selectbox(
            name if is_only else f"{mark} {name} {number + 1}", list(titles), key=slot.name,
            format_func=lambda kind: titles[kind] if is_only else f"{mark}\u2002{titles[kind]}",
            label_visibility="collapsed",
        )  # fmt: skip
        if kind is None:
            return
        label = in_short(slot, kind, target) if has_settings else "–"
        with st.container(key=f"settings-of-{number + 1}", width="content"):
            settings = st.popover(label, key=f"settings {slot.name}", on_change="rerun", width="content")
    if settings.open:
        with settings:
            meanings = app_sentences.list_of_kinds((say(one.title), say(one.words)) for one in slot.kinds)
            st.caption(f"{say(kind.words)} {say(OWN)}", help=meanings + places.more())
            for setting in slot.in_effect(kind, target):
                slot.draw(kind, setting)
    if kind is catalogue.OWN_MODEL:
        carried.note([])
    if has_settings:
        carried.note(asked_of_columns(slot, kind, target))


def asked_of_columns(slot: Slot, kind: ModelKind, target: Feature | None = None) -> list[tuple[str, Setting]]:
    """The settings of a place that say something of columns, each with its key; for a target those in effect."""
    there = slot.settings(kind) if target is None else slot.in_effect(kind, target)
    return [(slot.key(kind, one), one) for one in there if one.of_columns]


def models(places: Places, target: Feature) -> dict[int, Model]:
    """Models for the target in the places that are not empty, by the numbers of these."""
    names = [(number, slot, st.session_state[slot.name]) for number, slot in enumerate(places.slots)]
    return {number: _model(slot, name, target) for number, slot, name in names if name != NONE}


def _model(slot: Slot, name: str, target: Feature) -> Model:
    return uploads.as_model() if name == uploads.NAME else slot.model(catalogue.find_kind(name), target)


def has_own(places: Places) -> bool:
    """Whether a person's own model stands in one of the places."""
    return uploads.NAME in [st.session_state[name] for name in places.names]


def titles(models: Mapping[int, Model]) -> list[str]:
    """Short names of models by their places; those of one kind differ by their settings, or their places."""
    names = []
    for number, model in models.items():
        twins = [other for other in models.values() if other.name == model.name]
        differ = [one for one in model.kind.basic if len({_value(twin, one) for twin in twins}) > 1]
        parts = [_setting_in_short(setting, _value(model, setting)) for setting in differ]
        title = say("Your model") if model.name == uploads.NAME else say(model.kind.title)
        if twins.count(model) > 1:
            parts.append(say("model {number}", number=number + 1))
        names.append(", ".join([title, *parts]))
    return names


def _value(model: Model, setting: Setting) -> Any:
    return dict(model.settings).get(setting.key, setting.default)


def in_short(slot: Slot, kind: ModelKind, target: Feature) -> str:
    """The first settings in a few words, for the button that opens them all."""
    values = [(setting, slot.value(kind, setting)) for setting in slot.settings(kind, target)]
    limits = values[:1] + [pair for pair in values[1:2] if pair[1] is not None]  # no limit says little
    first, *others = itertools.starmap(_setting_in_short, limits)
    return f"{first}, {others[0]}" if others and len(first + others[0]) < SHORT else first


def _setting_in_short(setting: Setting, value: Any) -> str:
    name = uncapitalize(say(setting.label).split(",")[0])
    if setting.of_columns:
        return short_value(setting, value)
    if setting.options:
        return setting.said(value)
    if isinstance(setting.default, bool):
        return name if value else say("no: {name}", name=name)
    if setting.key == "trees":
        return say("{n} {name}", n=value, name=name, n_2=count(value))
    return (
        say("any {name}", name=name)
        if value is None
        else say("{name} {value}", name=name, value=value, value_2=in_style(str(value)))
    )
