"""The full set of a learner's settings on a page of one tree: entries, widgets, and the model they stand for.

All of it is derived from the learner's entry in the catalogue. A learner's own module arranges the widgets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from espalier.data.dataset import Feature
from espalier.learners import catalogue
from espalier.learners.catalogue import Model, Setting
from espalier.learners.catalogue.settings import RANDOM
from pages.shared.app.address import Choice, Entry
from pages.shared.models import settings
from pages.shared.words import everywhere as words

LEARNER = "learner"  # key of the choice of a learner
MAX_DEPTH = 20
DEPTHS = [*range(1, MAX_DEPTH + 1), None]
NO_KEYS: Mapping[str, str] = {}


class TreeSettings(NamedTuple):
    """The full set of a learner's settings on a page of one tree."""

    name: str  # of its kind in the catalogue
    keys: Mapping[str, str] = NO_KEYS  # in the session state, of settings that other learners have, too
    greatest_depth: int = MAX_DEPTH
    defaults: Mapping[str, Any] = NO_KEYS  # by the catalogue's keys: where the page begins otherwise
    is_only: bool = False  # whether the page has no other learner

    def of(self, target: Feature) -> dict[str, Setting]:
        """The settings for this target, by their keys in the session state."""
        there = catalogue.named(self.name).for_target(bool(target.categories))
        return {self.keys.get(one.key, one.key): self._here(one) for one in there}

    def _here(self, setting: Setting) -> Setting:
        """The setting within the limits of this page."""
        high = self.greatest_depth if setting.key == "depth" else setting.high
        return setting._replace(high=high, default=self.defaults.get(setting.key, setting.default))

    def url_entries(self, target: Feature) -> list[Entry]:
        """The settings as parts of the address."""
        return [
            Entry(key, one.default, settings.reader(one, target), name=one.key, only=self._only(one))
            for key, one in self.of(target).items()
        ]

    def _only(self, setting: Setting) -> Choice | None:
        """The learners that the name in the URL is of, where another thing is called so beside others."""
        if self.is_only:
            return None
        if setting.key == "depth":
            return Choice(LEARNER, (self.name,))
        return Choice(LEARNER, ("cart", "cultivated", "optimal")) if setting.key == RANDOM.key else None

    def pick(self, key: str, target: Feature, widget: Callable[..., Any] | None = None, **options: Any) -> None:
        """Draw a setting's widget: the one that its values suggest, or another with its label and help."""
        setting = self.of(target)[key]
        if widget is None:
            settings.draw(key, setting, target, **options)
        else:
            widget(setting.label, key=key, help=setting.words, **options)

    def pick_depth(self, key: str, target: Feature) -> None:
        """Draw the depth, as a slider with no limit at its end."""
        self.pick(key, target, st.select_slider, options=DEPTHS, format_func=written_depth)

    def drop_invalid(self, target: Feature) -> None:
        """Another target came: a word that it does not have gives way to the default."""
        for key, setting in self.of(target).items():
            options = dict(settings.options(setting, target))
            if options and not setting.is_number and st.session_state[key] not in options:
                st.session_state[key] = setting.default

    def model(self, target: Feature) -> Model:
        """The model that the controls stand for."""
        values = {one.key: settings.written(one, st.session_state[key]) for key, one in self.of(target).items()}
        return catalogue.model(catalogue.named(self.name), values)


def written_depth(depth: int | None) -> str:
    """A depth of `DEPTHS` on a slider."""
    return words.NO_LIMIT if depth is None else str(depth)
