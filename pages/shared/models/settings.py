"""The settings of a kind of model (`learners.catalogue`) as parts of the address, as widgets, and as a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.dataset import Feature
from espalier.display.theme import count, number
from espalier.language import say
from espalier.learners import catalogue
from espalier.learners.catalogue import Model, ModelKind, Setting
from espalier.learners.catalogue.estimators import hesitation_of
from espalier.learners.catalogue.settings import (
    CATEGORIES,
    COLUMN_SPLITS,
    COSTLY,
    CUTS,
    ETA,
    LEAF,
    LEFT_OUT,
    RANDOM,
    TIMES,
    K,
    effective_settings,
    needs,
)
from pages.shared.app import links
from pages.shared.app import sentences as app_sentences
from pages.shared.app.address import Choice, Entry
from pages.shared.app.links import decimal, one_of, whole, word_or, yes_or_no
from pages.shared.canvas.control import box_rests, slider
from pages.shared.data import library
from pages.shared.models import columns, drawer

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
            name: links.Gone(say(words), nearest)
            for name, (nearest, words) in catalogue.FORMER_KINDS.items()
            if nearest in names
        }
        return Entry(self.name, default, links.one_of_or_former(names, former), name=self.parameter)

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
            Entry(self.key(kind, one), one.default, links.former_reader(one), name=self._parameter(one), only=own)
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
    return float(value) if isinstance(setting.default, float) else value


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


# ---- the full set of a learner's settings on a page of one tree: entries, widgets, and the model they stand for,
# all of it derived from the learner's entry in the catalogue

LEARNER = "learner"  # key of the choice of a learner
# Learners of one tree of the table itself.
SINGLE = tuple(k.name for k in catalogue.KINDS if (k.is_tree or k.beyond_boxes) and k.name != "approximation")
ALPHA = "alpha"  # key of the price of a leaf
DIGITS, DECADES = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8), 4  # of the prices that its slider offers
NO_KEYS: Mapping[str, str] = {}
OWN_SETTINGS = ("depth", LEAF.key, CATEGORIES.key)  # keys of those that each learner has for itself
FORMER = {one.key for name in SINGLE for one in catalogue.find_kind(name).former}  # that a learner has no more
RANDOM_LEARNERS = tuple(n for n in SINGLE if any(one.key == RANDOM.key for one in catalogue.find_kind(n).settings))


class TreeSettings(NamedTuple):
    """The full set of a learner's settings on a page of one tree."""

    name: str  # of its kind in the catalogue
    keys: Mapping[str, str] = NO_KEYS  # in the session state, of settings that other learners have, too
    defaults: Mapping[str, Any] = NO_KEYS  # by the catalogue's keys: where the page begins otherwise
    is_only: bool = False  # whether the page has no other learner

    def key_of(self, name: str) -> str:
        """Key in the session state of a setting of the catalogue."""
        return self.keys.get(name, name)

    def of(self, target: Feature) -> dict[str, Setting]:
        """The settings for this target, by their keys in the session state; each as this page begins with it."""
        parts = tuple(self.keys.items()), tuple(self.defaults.items())
        return dict(_settings(self.name, *parts, bool(target.categories)))

    def url_entries(self, target: Feature) -> list[Entry]:
        """The settings as parts of the address, and those of earlier versions."""
        kind, is_classification = catalogue.find_kind(self.name), bool(target.categories)
        own = None if self.is_only else Choice(LEARNER, (self.name,))
        return [
            Entry(key, one.default, reader(one, target), name=one.key, only=only, also=also)
            for key, one in self.of(target).items()
            for only, also in [(self._only(one, is_classification), self._needs(one))]
        ] + [
            Entry(links.own_key(self.name, one), one.default, links.former_reader(one), name=one.key, only=own)
            for one in kind.former
            if is_classification in one.serves
        ]

    def _needs(self, setting: Setting) -> tuple[Choice, ...]:
        needed = needs(setting, catalogue.find_kind(self.name).settings)
        return tuple(Choice(self.key_of(one.key), (one.value,)) for one in needed)

    def has_effect(self, key: str, target: Feature) -> bool:
        """Whether the setting is there for this target, and has an effect beside the others' values."""
        there = self.of(target)
        values = {one.key: st.session_state[own] for own, one in there.items()}
        return key in there and there[key] in effective_settings(list(there.values()), values)

    def _only(self, setting: Setting, is_classification: bool) -> Choice | None:
        """The learners that the name in the URL is of, where another thing is called so beside others."""
        if self.is_only:
            return None
        if setting.key in FORMER:
            return Choice(LEARNER, tuple(n for n in SINGLE if setting.key in _keys(n, is_classification)))
        if setting.key in OWN_SETTINGS:
            return Choice(LEARNER, (self.name,))
        if setting.key == LEFT_OUT.key:
            return Choice(LEARNER, SINGLE)
        return Choice(LEARNER, RANDOM_LEARNERS) if setting.key == RANDOM.key else None

    def pick(self, key: str, target: Feature, widget: Callable[..., Any] | None = None, **options: Any) -> None:
        """Draw a setting's widget: the one that its values suggest, or another with its label and help."""
        setting = self.of(target)[key]
        if widget is None:
            draw(key, setting, target, **options)
        elif widget is slider:
            slider(say(setting.label), key=key, help=say(setting.words), default=setting.default, **options)
        else:
            widget(say(setting.label), key=key, help=say(setting.words), **options)

    def pick_all(self, names: Iterable[str], target: Feature, n_rows: int) -> None:
        """Draw the settings of these names in the catalogue, as far as they are there and have an effect."""
        for name in names:
            key = self.key_of(name)
            if name in SLIDERS:
                SLIDERS[name](self, target, n_rows)
            elif name == CATEGORIES.key and not drawer.has_categories():
                continue
            elif self.has_effect(key, target):
                terms: dict[str, Any] = {}
                if (self.name, name) == ("cart", "monotone") and st.session_state["missing"] == "surrogate":
                    terms["why_not"] = say("Not with surrogate splits")
                self.pick(key, target, **terms)

    def pick_costs(self, target: Feature) -> None:
        """Draw which class is worse to mistake, and how much; a number has none, nor have some learners."""
        if COSTLY.key in self.of(target):
            self.pick("costly", target)
            if st.session_state["costly"]:
                self.pick("times", target, slider, options=steps(TIMES), format_func=app_sentences.times_worse)

    def pick_depth(self, target: Feature, curves: Sequence[Sequence[float]] = ()) -> None:
        """Draw the depth, as a slider to the greatest one, or past it to no limit where there may be none.

        `curves` have a value for each depth that makes a difference, where that is known.
        """
        key = self.key_of("depth")
        depth = self.of(target)[key]
        most = min(int(depth.high), len(curves[0]) - 1) if curves else int(depth.high)
        options: list[int | None] = [*range(int(depth.low), most + 1), *([None] if depth.no_number else [])]
        words = say(depth.words)
        if len(curves) > 1:
            words += say(
                "\n\nBehind the handle: the error at each depth, on rows held out (solid) and on the rows that it "
                "grew on (dashed)."
            )
        slider(
            say(depth.label), key=key, options=options, help=words, default=depth.default, behind=curves,
            format_func=lambda at: say("no limit") if at is None else str(at),
        )  # fmt: skip

    def drop_invalid(self, target: Feature, but: Container[str] = ()) -> None:
        """Another target came: a word that it does not have gives way to the default, except under some keys."""
        parts = tuple(self.keys.items()), tuple(self.defaults.items())
        for key, default, words in _words(self.name, *parts, target.categories):
            if key not in but and st.session_state[key] not in words:
                st.session_state[key] = default

    def model(self, target: Feature, of: Mapping[str, Any] | None = None) -> Model:
        """The model that the controls stand for, or these values by key; settings that are not there are usual."""
        state = {key: st.session_state[key] for key in self.of(target)} if of is None else of
        there = self.of(target).items()
        values = {one.key: written(one, state.get(key, one.default)) for key, one in there}
        return catalogue.model(catalogue.find_kind(self.name), values)


def _keys(name: str, is_classification: bool) -> set[str]:
    """Keys in the catalogue of a learner's settings for targets of this kind."""
    return {one.key for one in catalogue.find_kind(name).for_target(is_classification)}


Pairs = tuple[tuple[str, Any], ...]


@cache
def _settings(name: str, keys: Pairs, defaults: Pairs, is_classification: bool) -> tuple[tuple[str, Setting], ...]:
    """The settings by their keys; remembered, since every run asks for them dozens of times."""
    there, own, usual = catalogue.find_kind(name).for_target(is_classification), dict(keys), dict(defaults)
    return tuple(
        (own.get(one.key, one.key), one._replace(default=usual.get(one.key, one.default)))
        for one in there
        if one.of_columns != COLUMN_SPLITS  # which are chosen by hand where a page has one tree
    )


@lru_cache(maxsize=256)  # of some targets, since every run asks for all learners
def _words(
    name: str, keys: Pairs, defaults: Pairs, classes: tuple[str, ...]
) -> tuple[tuple[str, Any, frozenset[str]], ...]:
    """The settings whose values are words: their keys in the session state, their defaults, and these words."""
    settings = [pair for pair in _settings(name, keys, defaults, bool(classes)) if not pair[1].is_number]
    words = [{word for word, _ in one.options}.union(classes if one.of_classes else ()) for _, one in settings]
    each = zip(settings, words, strict=True)
    return tuple((key, one.default, frozenset(names)) for (key, one), names in each if names)


# ---- settings that are sliders over values of their own


def steps(setting: Setting) -> list[float]:
    """Values of a slider for a decimal number, from its least to its greatest."""
    many = round((setting.high - setting.low) / setting.step)
    return [round(setting.low + i * setting.step, 9) for i in range(many + 1)]


def alphas(spread: float) -> list[float]:
    """Prices of a leaf that a slider offers: 0, and ten to each power of ten, up to the spread of the target.

    >>> alphas(1.0)[:5], alphas(5_000.0)[-3:]
    ([0.0, 0.0001, 0.00012, 0.00015, 0.0002], [6000.0, 8000.0, 10000.0])
    """
    top = math.ceil(math.log10(max(spread, 1e-9)))
    powers = range(top - DECADES, top)
    return [0.0, *(float(f"{digit}e{power}") for power in powers for digit in DIGITS), float(f"1e{top}")]


ONE_TWO_FIVE = [digit * 10**power for power in range(6) for digit in (1, 2, 5)]  # up to half a million


def widths(n_rows: int, chosen: int | str) -> list[int | str]:
    """Values that the slider of k offers, by size: one cut, 1-2-5 steps below the number of rows, √W, and all."""
    size = {"sqrt": math.sqrt(n_rows), "all": math.inf}
    below = [step for step in ONE_TWO_FIVE if step < n_rows]
    return sorted({0, *below, *dict(K.options), chosen}, key=lambda k: size.get(k, k) if isinstance(k, str) else k)


def _width(k: int | str) -> str:
    return say(dict(K.options)[k]) if isinstance(k, str) else count(k) if k else say("one cut")


def pick_width(own: TreeSettings, target: Feature, n_rows: int) -> None:
    """The slider of k for a tree of so many rows, from one cut to all."""
    is_sharp = not hesitation_of(st.session_state.get("hesitates", "both"))["robust_splits"]
    offered = widths(n_rows, st.session_state["k"])
    own.pick("k", target, slider, options=offered, format_func=_width, disabled=is_sharp)


def _pick_tolerance(own: TreeSettings, target: Feature, _n_rows: int) -> None:
    is_sharp = not hesitation_of(st.session_state["hesitates"])["options"]
    own.pick("eta", target, slider, options=steps(ETA), format_func=number, disabled=is_sharp)


def _pick_cuts(own: TreeSettings, target: Feature, _n_rows: int) -> None:
    numbers = range(int(CUTS.low), int(CUTS.high) + 1)
    own.pick("cuts", target, slider, options=[CUTS.default, *numbers, None], format_func=CUTS.said)


def _pick_alpha(own: TreeSettings, target: Feature, _n_rows: int) -> None:
    """The price of a leaf, as a slider over powers of ten up to the spread of the target."""
    dataset = library.find(library.chosen_key())
    spread = 1.0 if dataset is None or target.categories else float(dataset.y.var())
    own.pick(ALPHA, target, slider, options=alphas(spread), format_func=number)


SLIDERS: Mapping[str, Callable[[TreeSettings, Feature, int], None]] = {
    ALPHA: _pick_alpha, "k": pick_width, "eta": _pick_tolerance, "cuts": _pick_cuts,
}  # fmt: skip
