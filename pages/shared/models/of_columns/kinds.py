"""What a setting says of columns, directions or names: how it is read, drawn and said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from espalier.data.dataset import Dataset
from espalier.learners.catalogue import Setting
from espalier.learners.catalogue.setting import DIRECTIONS
from pages.shared.models.of_columns import directions, left_out


def reader(setting: Setting) -> Callable[[str], str]:
    """Reader of its values in the address."""
    return (directions if setting.of_columns == DIRECTIONS else left_out).reader()


def draw(key: str, setting: Setting, **more: Any) -> None:
    """Draw its list of columns."""
    (directions if setting.of_columns == DIRECTIONS else left_out).draw(key, setting, **more)


def in_short(setting: Setting, text: str) -> str:
    """Its value in a few words, which are no Markdown."""
    return (directions if setting.of_columns == DIRECTIONS else left_out).in_short(text)


def in_force(dataset: Dataset, parameters: Mapping[str, Any]) -> Sequence[str]:
    """Say what a model of these parameters keeps of what was asked, a sentence for each."""
    said = (
        directions.in_force(dataset, parameters.get("monotonic_cst")),
        left_out.in_force(dataset, parameters.get("forbidden_features")),
    )
    return [sentence for sentence in said if sentence]
