"""The two forests' controls: of each its kind, that kind's settings, and its seed; all of it in the address."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from espalier.data import Dataset
from espalier.learners import catalogue
from espalier.learners.catalogue import ModelKind, Setting
from pages.shared.app.address import Entry, one_of, whole
from pages.shared.models import rail
from pages.shared.models import settings as models_settings
from pages.shared.models.rail import BIG

SIDES = ("a", "b")
FIRST = "random"  # kind of both at first: they differ in one setting, so that its effect is seen alone
OTHERWISE = {"b-random-features": "all"}  # defaults that are not the kind's own
IN_SHORT = ("base", "trees", "depth", "features", "voting", "draw")  # settings in front; others are folded away
STAGES = {"cart": "forest", "cultivated": "cultivated", "optimal": "optimal"}  # by what trees are grown by
SEED_WORDS = (
    "Of the rows that are drawn, of features and of ties. With the same seed both forests draw the same rows, so "
    "that they differ by their kind alone. *Term:* `random_state`."
)


class ForestRecipe(NamedTuple):
    """What a forest is grown by; a hashable key of caches."""

    kind: str
    settings: tuple[tuple[str, Any], ...]
    seed: int

    @property
    def of(self) -> ModelKind:
        """The kind itself."""
        return catalogue.named(self.kind)

    @property
    def stage(self) -> str:
        """Which kernels must be compiled before it grows (`espalier.kernels.compile_all`): those of its trees."""
        base = dict(self.settings).get("base")
        return self.of.stage if base is None else STAGES[base]

    @property
    def n_trees(self) -> int | None:
        """How many trees are asked for; None where the data decide."""
        return dict(self.settings).get("trees")

    @property
    def depth(self) -> int | None:
        """How deep a tree may be."""
        return dict(self.settings).get("depth")


def title(side: str) -> str:
    """The forest's name on the page: "A" or "B"."""
    return side.upper()


def url_entries() -> list[Entry]:
    """The controls of both forests, of every kind: one that is left keeps its settings until it is back."""
    return [entry for side in SIDES for entry in _entries(side)]


def _entries(side: str) -> list[Entry]:
    offered = [kind for kind in catalogue.offered() if kind.is_forest]
    choice = [Entry(side, FIRST, one_of([kind.name for kind in offered])), Entry(f"{side}-seed", 0, whole(0, BIG))]
    return choice + [_entry(side, kind, setting) for kind in offered for setting in kind.settings]


def entries_of(side: str) -> list[Entry]:
    """The controls that say all of one forest, and the rows held out."""
    return [*rail.held_out_entries(), *_entries(side)]


def _key(side: str, kind: ModelKind, setting: Setting) -> str:
    return f"{side}-{kind.name}-{setting.key}"


def _entry(side: str, kind: ModelKind, setting: Setting) -> Entry:
    key = _key(side, kind, setting)
    return Entry(key, OTHERWISE.get(key, setting.default), models_settings.reader(setting))


def drop_invalid(dataset: Dataset) -> None:
    """Give way to a target of another kind: a forest that is not for it becomes one that is."""
    for side in SIDES:
        if dataset.is_classification not in catalogue.named(st.session_state[side]).serves:
            st.session_state[side] = FIRST


def recipe(side: str) -> ForestRecipe:
    """What the controls of a forest stand for."""
    kind = catalogue.named(st.session_state[side])
    values = tuple((s.key, models_settings.value(_key(side, kind, s), s)) for s in kind.settings)
    return ForestRecipe(kind.name, values, st.session_state[f"{side}-seed"])


def draw(dataset: Dataset) -> None:
    """The controls of both forests, one below the other: the rail is narrow."""
    for side in SIDES:
        with st.container(border=True, key=f"controls of forest {side}"):
            _draw_side(side, dataset.is_classification)


def _draw_side(side: str, is_classification: bool) -> None:
    offered = {kind.name: kind for kind in catalogue.offered(is_classification) if kind.is_forest}
    kind = offered[st.session_state[side]]
    words = "\n".join(f"- **{one.title}.** {one.words}" for one in offered.values())
    st.selectbox(
        f"Forest {title(side)}", list(offered), format_func=lambda name: offered[name].title, key=side, help=words
    )
    in_front = [setting for setting in kind.settings if setting.key in IN_SHORT]
    numbers = [setting for setting in in_front if not setting.options]
    for column, setting in zip(st.columns(2, vertical_alignment="bottom"), numbers, strict=False):
        with column:
            models_settings.draw(_key(side, kind, setting), setting)
    for setting in in_front:
        if setting.options:
            models_settings.draw(_key(side, kind, setting), setting)
    with st.expander("More"):
        for setting in kind.settings:
            if setting not in in_front:
                models_settings.draw(_key(side, kind, setting), setting)
        label = f"Seed of forest {title(side)}"
        st.number_input(label, min_value=0, max_value=BIG, key=f"{side}-seed", help=SEED_WORDS)


def short(recipe: ForestRecipe) -> str:
    """The forest in a few words: its kind, and what of it is not as at first."""
    said = [recipe.of.title]
    for setting in recipe.of.settings:
        value = dict(recipe.settings)[setting.key]
        if value != setting.default and setting.key != "trees":
            said.append(_said(setting, value))
    return ", ".join(said) + (f", seed {recipe.seed}" if recipe.seed else "")


def _said(setting: Setting, value: Any) -> str:
    if setting.options:
        return f"{setting.label.lower()}: {dict(setting.options)[value]}"
    if isinstance(value, bool):
        return setting.label.lower() if value else f"not: {setting.label.lower()}"
    return f"{setting.label.lower()}: {setting.no_number if value is None else value}"
