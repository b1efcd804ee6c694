"""What a setting says of columns, directions, names or splits: how it is read, drawn and said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from espalier.data.dataset import Dataset
from espalier.learners.catalogue import Setting
from espalier.learners.catalogue.settings import COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS
from pages.shared.models.of_columns import directions, given, left_out

SAYING: Mapping[str, Any] = {
    COLUMN_DIRECTIONS: directions,
    COLUMN_NAMES: left_out,
    COLUMN_SPLITS: given,
}  # modules, by `of_columns`


def reader(setting: Setting) -> Callable[[str], str]:
    """Reader of its values in the address."""
    return SAYING[setting.of_columns].reader()


def draw(key: str, setting: Setting, **more: Any) -> None:
    """Draw its list of columns."""
    SAYING[setting.of_columns].draw(key, setting, **more)


def in_short(setting: Setting, text: str) -> str:
    """Its value in a few words, which are no Markdown."""
    return SAYING[setting.of_columns].in_short(text)


def among(setting: Setting, text: str, dataset: Dataset) -> str:
    """Its value without columns that the data do not have, nor anything that does not go with their target."""
    return SAYING[setting.of_columns].among(text, dataset)


def in_force(dataset: Dataset, parameters: Mapping[str, Any]) -> Sequence[str]:
    """Say what a model of these parameters keeps of what was asked, a sentence for each."""
    said = (
        directions.in_force(dataset, parameters.get("monotonic_cst")),
        left_out.in_force(dataset, parameters.get("forbidden_features")),
        given.in_force(dataset, parameters.get("forced_splits")),
    )
    return [sentence for sentence in said if sentence]
