"""One setting of a kind of model, and which settings have an effect beside the values of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from espalier.language import say

ANY, CLASSES, NUMBERS = (True, False), (True,), (False,)  # kinds of targets, as in `ModelKind.serves`
DIRECTIONS, NAMES, SPLITS = "directions", "names", "splits"  # of columns, in a value that is a text


class Need(NamedTuple):
    """The value of another setting of the same kind, without which a setting has no effect."""

    key: str  # of the other setting, which stands before it
    value: str


class Setting(NamedTuple):
    """One setting: one of `options`; yes or no; or a number from `low` to `high`, decimal where its default is.

    Where there are both options and numbers, a value is one of the options or a whole number.

    >>> leaf = Setting("leaf", "Rows in a leaf, at least", 1, "*Term:* `min_samples_leaf`.", 1, 100)
    >>> leaf.is_number, leaf.is_decimal
    (True, False)
    """

    key: str  # its name in addresses
    label: str
    default: Any
    words: str  # its meaning, with the estimator's parameter
    low: float = 0
    high: float = 0
    step: float = 0.0  # of the widget of a decimal number
    no_number: str = ""  # meaning of None, where a number is optional
    options: tuple[tuple[str, str], ...] = ()  # the possible values, with their words
    of_classes: bool = False  # whether the options are the target's classes, and an empty text for none of them
    of_columns: str = ""  # what a value, a text, says of columns: DIRECTIONS, NAMES, SPLITS or nothing
    parameter: str = ""  # of the estimator; empty: the kind works out its parameters from several settings
    values: tuple[tuple[str, Any], ...] = ()  # the parameter's values, for options that have other names
    serves: tuple[bool, ...] = ANY  # True: classification; False: regression
    basic: bool = True  # whether pages of several models show it; the others belong to the full set of one model
    stays: bool = False  # whether its value stays when another kind that has it is chosen
    need: Need | None = None  # None: it always has an effect

    @property
    def is_number(self) -> bool:
        """Whether a value may be a number."""
        return self.high > self.low

    @property
    def is_decimal(self) -> bool:
        """Whether its numbers are decimal ones."""
        return isinstance(self.default, float)

    def said(self, value: Any) -> str:
        """Return a value in words; a number, or the name of a class, as it is."""
        words = self.no_number if value is None else dict(self.options).get(value, "")
        return say(words) if words else str(value)

    def value(self, chosen: Any) -> Any:
        """Return what the estimator's parameter is where this value is chosen."""
        return dict(self.values).get(chosen, chosen) if isinstance(chosen, str) else chosen


def in_effect(settings: Sequence[Setting], values: Mapping[str, Any]) -> list[Setting]:
    """Return the settings that have an effect beside these values, by key; those not there have their defaults.

    >>> from espalier.learners.catalogue.settings import IMPUTE_WITH, MAX_SURROGATES, MISSING
    >>> [one.key for one in in_effect((MISSING, IMPUTE_WITH, MAX_SURROGATES), {"missing": "impute"})]
    ['missing', 'impute-with']
    """
    found: list[Setting] = []
    here: dict[str, Any] = {}  # the values of those found
    for one in settings:
        if one.need is None or here.get(one.need.key) == one.need.value:
            found.append(one)
            here[one.key] = values.get(one.key, one.default)
    return found


def needs(setting: Setting, settings: Sequence[Setting]) -> list[Need]:
    """Return all that a setting needs among the settings of its kind: its own need, that one's, and so on.

    >>> from espalier.learners.catalogue.settings import IMPUTE_WITH, MISSING
    >>> needs(IMPUTE_WITH, (MISSING, IMPUTE_WITH))
    [Need(key='missing', value='impute')]
    """
    if setting.need is None:
        return []
    other = next(one for one in settings if one.key == setting.need.key)
    return [setting.need, *needs(other, settings)]
