"""What the values of a table's column are for a column of the model, however the two write or count them.

Codes are never guessed: a category is one of the model's by its name, or by the number that it writes, and a
moment by what both count. Where neither says it, the column is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.moments import CLOCK, DATE_PARTS, DAY, DURATION, Moment
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.frames import number_of, places_of
from espalier.learners.imports.categories import check_codes
from espalier.learners.imports.model import ModelFacts
from espalier.learners.imports.refusals import CATEGORIES, MOST_CODES

TRUTH = ("false", "true")  # 0 and 1 for every library
SHOWN = 4  # categories in a message
WORDS = to_say(
    "the model takes numbers in the column {name}, and the table has categories there that are no numbers: "
    "{names}; nobody knows how these were coded. Save a model that was fitted to the words themselves, or take a "
    "table that has the numbers"
)
NUMBERS = to_say(
    "the model takes categories in the column {name} ({names}), and the table has numbers there; give this column "
    "of the table the kind category"
)
NONE_THE_SAME = to_say(
    "none of the table's categories in the column {name} ({names}) is one that the model knows there ({own}); "
    "take the table that it was made with"
)
NO_MOMENT = to_say(
    "the model takes dates, times or durations in the column {name}, and the table has something else there; give "
    "this column of the table the kind that it has in the model"
)
MOMENT = to_say(
    "the model takes numbers in the column {name}, and the table has dates or times there: nobody knows what the "
    "numbers count. Take a table that has the numbers; of a model from R, write the file with the present trees.R"
)
TIMES = to_say(
    "the model takes whole days in the column {name}, and the table has times of the day there, too; leave them "
    "out of the table"
)
MISSING = to_say("{name}: categories that the model does not know count as missing: {names}.")
FIRST = to_say("{name}: categories that the model does not know count as {first}: {names}.")
TableColumn: TypeAlias = "CodesInTable | UnitsInTable | None"


class CodesInTable(NamedTuple):
    """A column of categories in the table."""

    values: np.ndarray  # (n_codes,) number or code in the model for each code of the table; nan: missing
    is_set: bool  # whether the table's column is split by sets

    def split(self, threshold: float, categories: int, missing_left: bool) -> tuple[float, int]:
        """Return the threshold and the set of codes for those of the model's split. Raises Refusal."""
        left = np.array([_passes(value, threshold, categories, missing_left) for value in self.values.tolist()])
        n = int(left.sum())
        if not self.is_set and left[:n].all():
            return n - 0.5, 0
        if len(left) > MOST_CODES:
            raise Refusal(CATEGORIES, n=MOST_CODES)
        return math.nan, sum(1 << code for code in np.flatnonzero(left).tolist())


class UnitsInTable(NamedTuple):
    """A column of moments or durations, which the table counts otherwise than the model."""

    own: int  # seconds that are 1 in the model
    unit: int  # seconds that are 1 in the table
    since: int  # seconds of the model's 0 at the table's 0

    def split(self, threshold: float, categories: int, missing_left: bool) -> tuple[float, int]:
        """Return the greatest threshold that the table's numbers pass just where the model's do; no set."""
        if not math.isfinite(threshold):
            return threshold, categories
        exact = (Fraction(threshold) * self.own - self.since) / self.unit
        nearest = float(exact)
        return (nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)), 0


def table_column(own: Feature, feature: Feature, facts: ModelFacts) -> TableColumn:
    """Return how a column of the table stands for one of the model's; None where it is the same.

    Raises Refusal where values of one kind meet another, and nothing says which is which.
    """
    if own.moment is not None:
        return _moments(own.name, own.moment, feature.moment)
    if not own.categories:
        is_text = not all(number_of(name) is not None for name in feature.categories)
        check_codes(own, is_text, facts.codes == "values")
        return _numbers(own, feature)
    if not feature.categories:
        if feature.moment is None and own.categories == tuple(map(str, range(len(own.categories)))):
            return None  # the numbers are the codes
        raise Refusal(NUMBERS, name=own.name, names=list(own.categories[:SHOWN]))
    if own.categories == feature.categories and own.kind == feature.kind:
        return None
    places = places_of(own.categories, feature.categories)
    if (places < 0).all():
        shown = {"names": list(feature.categories[:SHOWN]), "own": list(own.categories[:SHOWN])}
        raise Refusal(NONE_THE_SAME, name=own.name, **shown)
    unknown = 0.0 if facts.names_others else math.nan
    return CodesInTable(np.where(places < 0, unknown, places), feature.kind == "category")


def unknown_categories(own: Feature, feature: Feature, facts: ModelFacts) -> Phrase | None:
    """Return a note on categories of the table that the model does not know; None if there are none."""
    if not own.categories or not feature.categories or own.categories == feature.categories:
        return None
    places = places_of(own.categories, feature.categories)
    names = [name for name, place in zip(feature.categories, places.tolist(), strict=True) if place < 0]
    values = {"name": feature.name, "names": names[:SHOWN] + ["…"] * (len(names) > SHOWN)}
    if not names:
        return None
    return Phrase(FIRST, values | {"first": own.categories[0]}) if facts.names_others else Phrase(MISSING, values)


def _numbers(own: Feature, feature: Feature) -> TableColumn:
    """Return how a column of the table has the numbers that the model takes."""
    counts = feature.moment is not None and feature.moment.part in (DATE_PARTS[0], CLOCK, DURATION)
    if counts:
        raise Refusal(MOMENT, name=own.name)
    if not feature.categories:
        return None
    values = _numbers_of(feature.categories)
    if values is None:
        raise Refusal(WORDS, name=own.name, names=list(feature.categories[:SHOWN]))
    is_set = feature.kind == "category"
    is_same = not is_set and values == [float(code) for code in range(len(values))]
    return None if is_same else CodesInTable(np.array(values), is_set)


def _numbers_of(names: Sequence[str]) -> list[float] | None:
    """Return the numbers that all names write, or 0 and 1 for false and true; None for other names."""
    if all(name.casefold() in TRUTH for name in names):
        return [float(TRUTH.index(name.casefold())) for name in names]
    numbers = [number_of(name) for name in names]
    return [float(number) for number in numbers if number is not None] if None not in numbers else None


def _moments(name: str, own: Moment, moment: Moment | None) -> TableColumn:
    counts = (CLOCK, DURATION) if own.part == DURATION else (own.part,)
    if moment is None or moment.part not in counts:
        raise Refusal(NO_MOMENT, name=name)
    if own.part != DURATION and own.unit == DAY != moment.unit:
        raise Refusal(TIMES, name=name)
    is_same = own.unit == moment.unit and moment.since == own.since
    return None if is_same else UnitsInTable(own.unit, moment.unit, (moment.since - own.since) * DAY)


def _passes(value: float, threshold: float, categories: int, missing_left: bool) -> bool:
    """Return whether a value goes left, as `kernels.route.passes` says."""
    if math.isnan(value):
        return missing_left
    if not math.isnan(threshold):
        return value <= threshold
    return bool(categories >> int(value) & 1) if 0 <= value < MOST_CODES else missing_left
