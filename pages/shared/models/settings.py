"""The settings of a kind of model (`learners.catalogue`) as parts of the address, as widgets, and as a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.dataset import Feature
from espalier.language import say
from espalier.learners import catalogue
from espalier.learners.catalogue import Model, ModelKind, Setting
from espalier.learners.catalogue.settings import effective_settings, needs
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links import gone
from pages.shared.app.links.readers import decimal, one_of, whole, word_or, yes_or_no
from pages.shared.canvas.slider import box_rests
from pages.shared.models import columns

UNUSUAL: Mapping[str, Any] = {}


class Slot(NamedTuple):
    """A place of a page for one model: the kinds that may stand there, and which of their settings it has."""

    name: str  # key of the choice among its kinds, and beginning of the settings' keys
    kinds: tuple[ModelKind, ...]
    is_full: bool = False  # whether it has all settings of a kind, and not only the basic ones
    defaults: Mapping[str, Any] = UNUSUAL  # by key: where the page begins otherwise than the catalogue
    parameter: str = ""  # what the URL calls it; empty: its name
    is_only: bool = False  # whether it is the page's only one, whose settings need no name before theirs

    def settings(self, kind: ModelKind, target: Feature | None = None) -> list[Setting]:
        """Those that it has of a kind, for a target; without one, those for any."""
        there = kind.settings if self.is_full else kind.basic
        return [one for one in there if target is None or bool(target.categories) in one.serves]

    def key(self, kind: ModelKind, setting: Setting) -> str:
        """Key of a setting of a kind in the session state."""
        return _joined("" if self.is_only else self.name, "" if setting.stays else kind.name, setting.key)

    def choice(self, default: str, others: Iterable[str] = ()) -> Entry:
        """The choice of a kind, or of one of `others`, as a part of the address."""
        names = [*others, *(kind.name for kind in self.kinds)]
        former = {
            name: gone.Gone(say(words), nearest)
            for name, (nearest, words) in catalogue.FORMER_KINDS.items()
            if nearest in names
        }
        return Entry(self.name, default, gone.one_of(names, former), name=self.parameter)

    def url_entries(self, target: Feature | None = None) -> list[Entry]:
        """The settings of its kinds as parts of the address; the URL has those of the kind that is chosen.

        A kind that is left keeps its settings until it is back.
        """
        kinds: dict[str, tuple[Setting, list[str]]] = {}
        for kind in self.kinds:
            for setting in self.settings(kind, target):
                kinds.setdefault(self.key(kind, setting), (setting, []))[1].append(kind.name)
        return [
            self._entry(key, setting, target, Choice(self.name, tuple(names)))
            for key, (setting, names) in kinds.items()
        ]

    def former_entries(self, target: Feature | None = None) -> list[Entry]:
        """What its kinds had in earlier versions for a target, or for any, as parts of the address."""
        return [
            Entry(self.key(kind, one), one.default, gone.reader(one), name=self._parameter(one), only=own)
            for kind in self.kinds
            for own in [Choice(self.name, (kind.name,))]
            for one in kind.former
            if target is None or bool(target.categories) in one.serves
        ]

    def _entry(self, key: str, setting: Setting, target: Feature | None, only: Choice) -> Entry:
        default, also = self.defaults.get(key, setting.default), self._needs(setting, only.values[0])
        name = self._parameter(setting)
        return Entry(key, default, reader(setting, target), name=name, only=only, also=also)

    def _parameter(self, setting: Setting) -> str:
        """What the URL calls a setting."""
        return _joined("" if self.is_only else self.parameter or self.name, setting.key)

    def _needs(self, setting: Setting, name: str) -> tuple[Choice, ...]:
        kind = catalogue.find_kind(name)
        there = {one.key: self.key(kind, one) for one in kind.settings}
        return tuple(Choice(there[need.key], (need.value,)) for need in needs(setting, kind.settings))

    def in_effect(self, kind: ModelKind, target: Feature) -> list[Setting]:
        """Those that it has of a kind for a target, and that have an effect beside the others' values."""
        there = self.settings(kind, target)
        return effective_settings(there, {one.key: self.value(kind, one) for one in there})

    def value(self, kind: ModelKind, setting: Setting) -> Any:
        """The value set; an emptied box of a number that there has to be means the default."""
        key = self.key(kind, setting)
        here = setting._replace(default=self.defaults.get(key, setting.default))
        return written(here, st.session_state.get(key, here.default))

    def model(self, kind: ModelKind, target: Feature) -> Model:
        """The model that the settings of this kind stand for."""
        return catalogue.model(kind, {one.key: self.value(kind, one) for one in self.settings(kind, target)})

    def draw(self, kind: ModelKind, setting: Setting) -> None:
        """The widget of a setting; its value stands in the session state under the key."""
        draw(self.key(kind, setting), setting)


def written(setting: Setting, value: Any) -> Any:
    """The value of a setting's widget as a model has it; an emptied box means the default."""
    value = setting.default if value is None and not setting.no_number else value
    return float(value) if setting.is_decimal else value


def _joined(*parts: str) -> str:
    return "-".join(part for part in parts if part)


def reader(setting: Setting, target: Feature | None = None) -> Callable[[str], Any]:
    """Reader of the setting's values in the address."""
    words = [name for name, _ in options(setting, target)]
    if setting.of_columns:
        return columns.reader(setting)
    if setting.is_decimal:
        return decimal(setting.low, setting.high)
    if setting.is_number:
        number = whole(int(setting.low), int(setting.high), optional=bool(setting.no_number))
        return word_or(words, number) if words else number
    return yes_or_no if isinstance(setting.default, bool) else one_of(words)


def options(setting: Setting, target: Feature | None = None) -> list[tuple[str, str]]:
    """The values that are words, with what they mean; classes of the target among them."""
    classes = target.categories if setting.of_classes and target is not None else ()
    return [*setting.options, *((name, name) for name in classes)]


def spoken_options(setting: Setting, target: Feature | None = None) -> dict[str, str]:
    """The same by value, in the language of the page; classes stay as they are."""
    ours = {value: say(words) for value, words in setting.options}
    return ours | {value: words for value, words in options(setting, target) if value not in ours}


def draw(key: str, setting: Setting, target: Feature | None = None, **more: Any) -> None:
    """The widget of a setting under this key: a box of numbers, a list of words or columns, or a switch."""
    terms: dict[str, Any] = {"key": key, "help": say(setting.words), **more}
    words = spoken_options(setting, target)
    if setting.of_columns:
        columns.draw(key, setting, **more)
    elif words:
        st.selectbox(say(setting.label), [*words, *_numbers(setting)], format_func=_said(setting, words), **terms)
    elif isinstance(setting.default, bool):
        st.toggle(say(setting.label), **terms)
    else:
        _number(setting, terms)


def _numbers(setting: Setting) -> list[int | None]:
    """The numbers that may be chosen beside words, and none where a number is optional."""
    numbers = range(int(setting.low), int(setting.high) + 1) if setting.is_number else ()
    return [*numbers, None] if setting.no_number else [*numbers]


def _said(setting: Setting, words: Mapping[str, str]) -> Callable[[Any], str]:
    return lambda value: words.get(value) or setting.said(value)


def _number(setting: Setting, terms: dict[str, Any]) -> None:
    terms = {"on_change": box_rests(), **terms}
    if setting.is_decimal:
        ends = {"min_value": float(setting.low), "max_value": float(setting.high)}
        st.number_input(say(setting.label), **ends, step=setting.step, format="%g", **terms)
        return
    free = {"value": None, "placeholder": say(setting.no_number)} if setting.no_number else {}
    st.number_input(say(setting.label), min_value=int(setting.low), max_value=int(setting.high), **free, **terms)
