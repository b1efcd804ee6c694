"""What people call the columns of a table, the units of its numbers, and what columns mean."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from espalier.data.dataset import Dataset, Feature, Origin
from espalier.inert import CLOSE, OPEN, inert
from espalier.language import Refusal

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
    packed = zlib.compress(json.dumps(there, ensure_ascii=False, separators=(",", ":")).encode(), 9)
    text = "~w" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(text) > MOST_LETTERS:
        raise Refusal("the words for the columns are too long for a link; shorten what columns mean")
    return text


def table_and_words(text: str) -> tuple[str, dict[str, ColumnWords]]:
    """Return the text of a table, and the words for its columns that stand behind it; none that are damaged.

    >>> table_and_words("iris"), table_and_words("iris~wnonsense")
    (('iris', {}), ('iris', {}))
    """
    found = _TEXT.fullmatch(text)
    if found is None or len(found["words"]) > MOST_LETTERS:
        return text if found is None else found["table"], {}
    return found["table"], _unpacked(found["words"])


def _unpacked(text: str) -> dict[str, ColumnWords]:
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        there = json.loads(zlib.decompressobj().decompress(packed, MOST_BYTES).decode())
        pairs = [(str(column), ColumnWords(*map(str, words))) for column, words in there.items()]
    except (ValueError, TypeError, AttributeError, zlib.error, binascii.Error, RecursionError):
        return {}
    return {column: _short(words) for column, words in pairs}


def _short(words: ColumnWords) -> ColumnWords:
    """Return the words without what could act as markup, on one line each, and not longer than may be."""
    bare = (" ".join(re.sub(f"[{OPEN}{CLOSE}]", "", text).split()) for text in words)
    return ColumnWords(*(inert(text[:most].strip()) for text, most in zip(bare, LONGEST, strict=True)))


def with_words(dataset: Dataset, glossary: Glossary) -> Dataset:
    """Return the data set with these words for its columns and its target; values stay as they are.

    A unit stands behind the name, in brackets. Exports go on to read columns by their names in the file. Words for
    columns that there are not say nothing. Raises Refusal where two columns would have the same name.

    >>> from espalier.data import samples
    >>> leaf = with_words(samples.load("iris"), {"petal length": ColumnWords("leaf", "cm", "From base to tip.")})
    >>> leaf.features[2].name, leaf.features[2].origin.name, leaf.features[2].meaning
    ('leaf (cm)', 'petal length', 'From base to tip.')
    """
    features = tuple(_renamed(one, f, glossary) for f, one in enumerate(dataset.features))
    target = _renamed(dataset.target, len(features), glossary)
    if (features, target) == (dataset.features, dataset.target):
        return dataset
    names = [one.name for one in (*features, target)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refusal("two columns would be called “{name}”; give them different names", name=twice)
    facts = dataset.digest, [tuple(one) for one in glossary.items()]
    digest = hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()
    return dataset._replace(features=features, target=target, digest=digest)


def _renamed(feature: Feature, position: int, glossary: Glossary) -> Feature:
    words = _short(glossary.get(feature.name, ColumnWords()))
    if not any(words) or feature.moment is not None:  # a part of a date is called by the date's own name
        return feature
    unit = "" if feature.categories else words.unit
    name = words.name or feature.name
    name = name if not unit or name.endswith((f"({unit})", f"[{unit}]")) else f"{name} ({unit})"
    origin = feature.origin if name == feature.name or feature.origin else Origin(feature.name, position)
    return feature._replace(name=name, origin=origin, unit=unit, meaning=words.meaning)
