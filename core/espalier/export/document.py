"""The parts that all JSON documents of trees share: writing, and reading with the place of any error.

A feature, or the target, has a `name`, a `kind` and its `categories`. One of a file also has `is_whole`, and
`origin`: the `name` and `position` of its column there, `alike` (other columns of this name), the texts read as
`missing`, the `format` of its numbers (null: it holds words), whether texts that are not numbers were read as
missing (`is_lossy`), and the values `pooled` as its last category; a column of yes and no the pairs of `spellings`
(a text in the file, and the one that it was read as), if any; a column whose value stands once for a block of rows
says so (`is_filled`).
A feature whose last category stands for several values of a DataFrame lists them as `pooled`, and a target whose
classes are text that looks like numbers, or True and False, says so as `labels`: "text" or "truth".
A number of a table has its `spread`, the greatest value less the least one, by which texts round.
A feature made of dates or times has a `moment`: the `column`, the `part`, the order of day and month (`form`), the
`unit` in seconds, and the day (from 1970) `since` which it counts. A target may have `marks`: the position of the
class that counts (`positive`, or null), who says so (`by`: a choice, its name, its rarity), and the places of the
classes in the palette (`colours`, empty for their order).
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from espalier.data.dataset import NO_MARKS, By, ClassMarks, Feature, Kind, Labels, Origin
from espalier.data.options import DAY, DECIMALS, FORMS, PARTS, THOUSANDS, Moment, NumberFormat
from espalier.inert import INVISIBLE, ISOLATES

LATER = ("spellings", "is_filled")  # facts of an origin that documents of before do not have
LARGEST = sys.float_info.max


def document_text(facts: dict[str, Any], name: str, items: Sequence[dict[str, Any]]) -> str:
    """Return the document, each fact and each of the items on a line; floats read back exactly."""
    lines = [f"{_dump(key)}: {_dump(fact)}" for key, fact in facts.items()]
    return "{" + ",\n".join(lines) + f',\n"{name}": [\n' + ",\n".join(map(_dump, items)) + "\n]}\n"


def _dump(value: Any) -> str:
    """Return the value as JSON, with a name's characters that would steer the text around them as escapes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    for steering in (INVISIBLE, ISOLATES):
        text = steering.sub(lambda match: json.dumps(match[0])[1:-1], text)
    return text


def head(form: str, version: int, features: Sequence[Feature], target: Feature) -> dict[str, Any]:
    """Return the part of the document before the nodes."""
    return {
        "format": form,
        "version": version,
        "features": [_feature_facts(feature) for feature in features],
        "target": _feature_facts(target),
    }


def _feature_facts(feature: Feature) -> dict[str, Any]:
    """Return what the document says of a feature or the target, without what this one does not have."""
    facts = feature._asdict() | {"moment": feature.moment and feature.moment._asdict(), "marks": None}
    facts |= {"pooled": feature.pooled or None, "labels": feature.labels or None, "spread": feature.spread or None}
    if feature.marks != NO_MARKS:
        facts["marks"] = feature.marks._asdict()
    if feature.origin is not None:
        form = feature.origin.format
        form = form and {key: fact for key, fact in form._asdict().items() if key != "unit" or fact}
        origin = feature.origin._asdict() | {"format": form}
        facts["origin"] = {key: fact for key, fact in origin.items() if key not in LATER or fact}
    return {name: fact for name, fact in facts.items() if fact is not None}


def parse(text: str) -> Any:
    """Return the document's value. Raises ValueError if the text is not JSON."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError("not a tree: brackets are nested too deeply") from None


def _refuse(word: str) -> None:
    raise ValueError(f'{word} is no JSON number: a threshold may be the text "inf"')


class DocumentPlace:
    """A value inside the document, and its path for messages, such as ``nodes[3].threshold``."""

    def __init__(self, value: Any, path: str):
        self.value, self.path = value, path

    def fail(self, expected: str) -> ValueError:
        """Return the error that says what was expected here and what was found."""
        text = json.dumps(self.value, ensure_ascii=False)
        text = text if len(text) <= 40 else text[:39] + "…"
        return ValueError(f"{self.path or 'document'}: expected {expected}, found {text}")

    def _check(self, kind: type, words: str) -> Any:
        """Return the value. Raises ValueError if it is not of the kind, which the message says in these words."""
        if not isinstance(self.value, kind):
            raise self.fail(words)
        return self.value

    def __contains__(self, key: str) -> bool:
        return key in self._check(dict, "an object")

    def __getitem__(self, key: str) -> DocumentPlace:
        if key not in self:
            raise ValueError(f"{self.path or 'document'}: {key!r} is missing")
        return DocumentPlace(self.value[key], f"{self.path}.{key}".lstrip("."))

    def items(self) -> list[DocumentPlace]:
        """Return the places of a list.

        Like the methods below, it raises ValueError if the value is something else.
        """
        values = self._check(list, "a list")
        return [DocumentPlace(value, f"{self.path}[{i}]") for i, value in enumerate(values)]

    def text(self) -> str:
        """Return the value as a text."""
        return self._check(str, "a text")

    def choice(self, choices: Iterable[str], quoted: bool = False) -> Any:
        """Return the value as one of these texts, which a message has in quotation marks if `quoted`."""
        if self.text() not in choices:
            raise self.fail(f"one of {', '.join(map(json.dumps, choices) if quoted else choices)}")
        return self.value

    def boolean(self) -> bool:
        """Return the value as true or false."""
        return self._check(bool, "true or false")

    def integer(self, stop: int, what: str) -> int:
        """Return the value as a whole number from 0 to ``stop - 1``; `what` names it in the message."""
        if type(self.value) is not int or not 0 <= self.value < stop:
            raise self.fail(what)
        return self.value

    def number(self) -> float:
        """Return the value as a finite number."""
        # An int may be too large for a float: compare before converting.
        if type(self.value) not in (int, float) or not -LARGEST <= self.value <= LARGEST:
            raise self.fail("a finite number")
        return float(self.value)


def feature(place: DocumentPlace) -> Feature:
    """Return a feature, or the target."""
    kind = place["kind"].choice(get_args(Kind))
    categories = tuple(item.text() for item in place["categories"].items())
    if len(set(categories)) < len(categories):
        raise place["categories"].fail("names that differ")
    return Feature(
        place["name"].text(),
        kind,
        categories,
        place["is_whole"].boolean() if "is_whole" in place else False,
        _origin(place["origin"]) if "origin" in place else None,
        moment=_moment(place["moment"]) if "moment" in place else None,
        marks=_marks(place["marks"], len(categories)) if "marks" in place else NO_MARKS,
        pooled=tuple(item.text() for item in place["pooled"].items()) if "pooled" in place else (),
        labels=place["labels"].choice(get_args(Labels), quoted=True) if "labels" in place else "",
        spread=not_negative(place["spread"], "a spread, not negative") if "spread" in place else 0.0,
    )


def _marks(place: DocumentPlace, n_classes: int) -> ClassMarks:
    by, positive = place["by"].choice(get_args(By), quoted=True), place["positive"]
    code = None if positive.value is None else positive.integer(n_classes, "the position of a class, or null")
    colours = tuple(item.integer(2**31, "a place in the palette, from 0") for item in place["colours"].items())
    if len(colours) not in (0, n_classes):
        raise place["colours"].fail(f"{n_classes} places in the palette, or none")
    return ClassMarks(code, by, colours)


def _moment(place: DocumentPlace) -> Moment:
    part, form = place["part"].choice(PARTS), place["form"].choice(FORMS)
    unit = place["unit"].integer(DAY + 1, "a number of seconds, to a day")
    if not unit:
        raise place["unit"].fail("a number of seconds above 0")
    since = place["since"].number()
    if since != int(since):
        raise place["since"].fail("a whole number of days")
    return Moment(place["column"].text(), part, form, unit, int(since))


def _origin(place: DocumentPlace) -> Origin:
    texts = {key: tuple(item.text() for item in place[key].items()) for key in ("pooled", "missing", "alike")}
    return Origin(
        place["name"].text(),
        place["position"].integer(2**31, "a position of a column, from 0"),
        format=None if place["format"].value is None else _format(place["format"]),
        is_lossy=place["is_lossy"].boolean(),
        spellings=tuple(_spelling(item) for item in place["spellings"].items()) if "spellings" in place else (),
        is_filled="is_filled" in place and place["is_filled"].boolean(),
        **texts,
    )


def _spelling(place: DocumentPlace) -> tuple[str, str]:
    texts = [item.text() for item in place.items()]
    if len(texts) != 2:
        raise place.fail("a text in the file, and the one that it was read as")
    return texts[0], texts[1]


def _format(place: DocumentPlace) -> NumberFormat:
    decimal, thousands = place["decimal"].choice(DECIMALS, True), place["thousands"].choice(THOUSANDS, True)
    percent = place["percent"].boolean() if "percent" in place else False  # what trees of before learned from
    unit = place["unit"].text() if "unit" in place else ""
    return NumberFormat(decimal, thousands, place["decorated"].boolean(), percent, unit)


def value(place: DocumentPlace, target: Feature) -> list[float]:
    """Return a node's value: class shares, or the mean."""
    numbers = [item.number() for item in place.items()]
    if len(numbers) != max(len(target.categories), 1):
        raise place.fail(f"{max(len(target.categories), 1)} numbers")
    if target.categories and (min(numbers) < 0 or not math.isclose(sum(numbers), 1, abs_tol=1e-6)):
        raise place.fail("shares from 0 to 1 that sum to 1")
    return numbers


def not_negative(place: DocumentPlace, expected: str = "a number not below 0") -> float:
    """Return a number that is at least 0."""
    if place.number() < 0:
        raise place.fail(expected)
    return place.number()
