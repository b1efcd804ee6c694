"""Features by name, and what people call columns, their units and meanings."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from espalier.data.dataset import Dataset, Feature, Origin
from espalier.inert import CLOSE, OPEN, inert
from espalier.language import Refusal


def column_name(feature: Feature) -> str:
    """Return the name of the table's column that a feature is, or is worked out from."""
    return feature.name if feature.moment is None else feature.moment.column


def column_parts(features: Sequence[Feature], numbers: Iterable[int]) -> list[int]:
    """Return these features (indices, ascending) with all others that are worked out from the same columns.

    A column of dates is several features: the date itself, its month, its weekday. Whether one of them is known
    says whether all are.

    >>> from espalier.data.options import Moment
    >>> parts = [Feature("sent", moment=Moment("sent", "date")), Feature("month", moment=Moment("sent", "month"))]
    >>> column_parts([Feature("age"), *parts], [2])
    [1, 2]
    """
    places = set(numbers)
    moments = {
        feature.moment.column for f, feature in enumerate(features) if f in places and feature.moment is not None
    }
    return [
        f
        for f, feature in enumerate(features)
        if f in places or (feature.moment is not None and feature.moment.column in moments)
    ]


def places_by_name(features: Sequence[Feature], form: Callable[[str], str] = str) -> dict[str, int]:
    """Return the positions of the features by their names in their file, and by those that they have here.

    A model that was fitted to the file knows the file's names, also where a person calls columns otherwise: of a
    name that means two columns the file's is taken. `form` is a way to write names.

    >>> from espalier.data.features import ColumnWords, name_columns
    >>> from espalier.data import samples
    >>> leaf = name_columns(samples.load("iris"), {"petal length": ColumnWords("leaf", "cm")})
    >>> places_by_name(leaf.features)["petal length"], places_by_name(leaf.features)["leaf (cm)"]
    (2, 2)
    """
    file_names = [form(feature.origin.name if feature.origin else feature.name) for feature in features]
    return {form(feature.name): f for f, feature in enumerate(features)} | {
        name: f for f, name in enumerate(file_names) if name and file_names.count(name) == 1
    }


# ---- what people call the columns of a table, the units of its numbers, and what columns mean

LONGEST = (60, 20, 300)  # letters of a name, a unit, and a meaning
MOST_LETTERS = 4_000  # of the text in addresses
MOST_BYTES = 1_000_000  # of what that text unfolds to
_TEXT = re.compile(r"(?P<table>.*?)~w(?P<words>[A-Za-z0-9_-]+)")


class ColumnWords(NamedTuple):
    """The words for one column; empty: as in the table."""

    name: str = ""
    unit: str = ""
    meaning: str = ""


Glossary = Mapping[str, ColumnWords]  # by the column's name in the table


def text_of(glossary: Glossary) -> str:
    """Return the text behind the table's in addresses, which `table_and_words` reads; empty without words.

    Raises Refusal where it would be too long.

    >>> table_and_words("iris" + text_of({"petal length": ColumnWords("leaf", "cm")}))
    ('iris', {'petal length': ColumnWords(name='leaf', unit='cm', meaning='')})
    """
    there = {column: list(_short(words)) for column, words in sorted(glossary.items()) if any(_short(words))}
    if not there:
        return ""
    text = "~w" + pack_text(there)
    if len(text) > MOST_LETTERS:
        raise Refusal("the words for the columns are too long for a link; shorten what columns mean")
    return text


def pack_text(there: Mapping[str, Any]) -> str:
    """Return the mapping as letters and digits for an address, which `unpack_text` reads."""
    content = zlib.compress(json.dumps(there, ensure_ascii=False, separators=(",", ":")).encode(), 9)
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def unpack_text(text: str) -> dict[str, Any]:
    """Return the mapping of a text; an empty one where the text is damaged, or would unfold to too much."""
    try:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return dict(json.loads(zlib.decompressobj().decompress(content, MOST_BYTES).decode()))
    except (ValueError, TypeError, zlib.error, binascii.Error, RecursionError):
        return {}


def table_and_words(text: str) -> tuple[str, dict[str, ColumnWords]]:
    """Return the text of a table, and the words for its columns that stand behind it; none that are damaged.

    >>> table_and_words("iris"), table_and_words("iris~wnonsense")
    (('iris', {}), ('iris', {}))
    """
    match = _TEXT.fullmatch(text)
    if match is None or len(match["words"]) > MOST_LETTERS:
        return text if match is None else match["table"], {}
    return match["table"], _unpack_words(match["words"])


def _unpack_words(text: str) -> dict[str, ColumnWords]:
    try:
        pairs = [(str(column), ColumnWords(*map(str, words))) for column, words in unpack_text(text).items()]
    except TypeError:
        return {}
    return {column: _short(words) for column, words in pairs}


def _short(words: ColumnWords) -> ColumnWords:
    """Return the words without what could act as markup, on one line each, and not longer than may be."""
    bare = (" ".join(re.sub(f"[{OPEN}{CLOSE}]", "", text).split()) for text in words)
    return ColumnWords(*(inert(text[:most].strip()) for text, most in zip(bare, LONGEST, strict=True)))


def name_columns(dataset: Dataset, glossary: Glossary) -> Dataset:
    """Return the data set with these words for its columns and its target; values stay as they are.

    A unit stands behind the name, in brackets. Exports go on to read columns by their names in the file. Words for
    columns that there are not say nothing. Raises Refusal where two columns would have the same name.

    >>> from espalier.data import samples
    >>> leaf = name_columns(samples.load("iris"), {"petal length": ColumnWords("leaf", "cm", "From base to tip.")})
    >>> leaf.features[2].name, leaf.features[2].origin.name, leaf.features[2].meaning
    ('leaf (cm)', 'petal length', 'From base to tip.')
    """
    features = tuple(_rename_feature(feature, f, glossary) for f, feature in enumerate(dataset.features))
    target = _rename_feature(dataset.target, len(features), glossary)
    if (features, target) == (dataset.features, dataset.target):
        return dataset
    names = [feature.name for feature in (*features, target)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal("two columns would be called “{name}”; give them different names", name=twice)
    facts = dataset.digest, [tuple(feature) for feature in glossary.items()]
    digest = hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()
    return dataset._replace(features=features, target=target, digest=digest)


def _rename_feature(feature: Feature, position: int, glossary: Glossary) -> Feature:
    words = _short(glossary.get(feature.name, ColumnWords()))
    if not any(words) or feature.moment is not None:  # a part of a date is called by the date's own name
        return feature
    unit = "" if feature.categories else words.unit
    name = words.name or feature.name
    name = name if not unit or name.endswith((f"({unit})", f"[{unit}]")) else f"{name} ({unit})"
    origin = feature.origin if name == feature.name or feature.origin else Origin(feature.name, position)
    return feature._replace(name=name, origin=origin, unit=unit, meaning=words.meaning)
