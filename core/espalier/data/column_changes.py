"""What a person changes of the columns of a data set: what each is for, what people call it, its unit and meaning.

The changes stand behind the table's text in addresses, so that they can be undone, sent and taken back column by
column: the table itself stays as it was read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import NO_MARKS, Dataset, Feature, Origin, column_name, make_dataset
from espalier.data.options import first_day
from espalier.data.roles import RowWeights, row_groups, row_times
from espalier.inert import CLOSE, OPEN, inert
from espalier.language import Refusal

FEATURE, TARGET, OUT, WEIGHT, GROUP, TIME = ROLES = ("feature", "target", "out", "weight", "group", "time")
ALONE = (TARGET, WEIGHT, GROUP, TIME)  # roles of one column at most
_ROLES = re.compile(r"(?P<table>.*?)~u(?P<roles>[A-Za-z0-9_-]+)")


class RoleColumn(NamedTuple):
    """A column of a data set, with all features that are worked out from it, and what it is for."""

    name: str
    feature: Feature
    values: np.ndarray  # (n_samples,) float64
    role: str
    places: tuple[int, ...] = ()  # of its features; none where it is no feature

    @property
    def possible(self) -> tuple[str, ...]:
        """The roles that it can have."""
        x, is_number = self.values, not self.feature.categories
        finite = x[np.isfinite(x)]
        if self.feature.moment is not None and not self.places:
            return (OUT, TIME)  # how it is written in the file is not finite any more
        if not len(finite) or (self.feature.moment is not None and self.feature.moment.part != "date"):
            return (FEATURE, OUT)
        varies, is_full = bool(finite.min() < finite.max()), len(finite) == len(x)
        able = {
            TARGET: varies and self.feature.moment is None,
            WEIGHT: is_number
            and is_full
            and self.feature.moment is None
            and finite.min() >= 0
            and finite.max() > 0,
            GROUP: varies and self.feature.moment is None,
            TIME: is_number and is_full and varies,
        }
        return tuple(role for role in ROLES if able.get(role, True))


def role_columns(dataset: Dataset) -> dict[str, RoleColumn]:
    """Return the columns of a data set by name, the target first, then the features.

    >>> from espalier.data import samples
    >>> [(column.name, column.role) for column in role_columns(samples.load("iris")).values()][:2]
    [('species', 'target'), ('sepal length', 'feature')]
    """
    target = dataset.target
    columns = {target.name: RoleColumn(target.name, target, dataset.y.astype(np.float64), TARGET)}
    for place, feature in enumerate(dataset.features):
        name, x = column_name(feature), dataset.X[:, place]
        before = columns.get(name, RoleColumn(name, feature, x, FEATURE))
        columns[name] = before._replace(places=(*before.places, place))
    return columns


def assign_roles(dataset: Dataset, roles: Mapping[str, str]) -> Dataset:
    """Return the data set whose columns of these names have these roles; the others keep theirs.

    A column that becomes the target, weight or group makes a feature of the one before. Rows without a target, or
    of weight 0, are left out. Names that there are not say nothing. Raises ValueError where no tree could grow.

    >>> from espalier.data import samples
    >>> wide = assign_roles(samples.load("iris"), {"petal width": "target", "petal length": "out"})
    >>> wide.target.name, [feature.name for feature in wide.features]
    ('petal width', ['sepal length', 'sepal width', 'species'])
    """
    columns = role_columns(dataset)
    wishes = {name: role for name, role in roles.items() if name in columns and role in columns[name].possible}
    now = {
        name: FEATURE if column.role in ALONE and column.role in wishes.values() else column.role
        for name, column in columns.items()
    } | wishes
    if all(now[name] == column.role for name, column in columns.items()):
        return dataset
    holders = {role: [columns[name] for name in now if now[name] == role] for role in ROLES}
    if len(holders[TARGET]) != 1 or any(len(holders[role]) > 1 for role in ALONE):
        raise Refusal("one column is the target, and one at most the weight, the group and the time")
    (target,) = holders[TARGET]
    places = [place for column in holders[FEATURE] for place in column.places]
    newcomers = [column for column in holders[FEATURE] if not column.places]  # what was no feature comes last
    if not places and not newcomers:
        raise Refusal("no column would be left to ask about; keep at least one")
    rows, weights = ~np.isnan(target.values), dataset.row_weights
    for weight in holders[WEIGHT]:
        rows &= weight.values > 0
        weights = RowWeights(weight.name, weight.values)
    y, parts = target.values[rows], dataset.roles.of(rows)
    if len(y) < 2 or y.min() == y.max():
        raise Refusal("“{name}” is the same in every row, so there is nothing to predict", name=target.name)
    for group in holders[GROUP]:
        words, codes = group.feature.categories, group.values[rows].tolist()
        labels = (words[int(x)] if words and x == x else x for x in codes)
        parts = parts._replace(groups=row_groups(group.name, [*labels]))
    for time in holders[TIME]:
        day = first_day(time.feature.moment)
        parts = parts._replace(times=row_times(time.name, time.values[rows] + (day or 0), day is not None))
    weights = weights and weights._replace(values=weights.values[rows])
    X = np.column_stack([dataset.X[:, places], *(column.values for column in newcomers)])[rows]
    features = [dataset.features[place] for place in places]
    features += [column.feature._replace(marks=NO_MARKS, labels="", centre="mean") for column in newcomers]
    return make_dataset(dataset.name, X, features, y, target.feature, weights, parts)


def roles_text(roles: Mapping[str, str]) -> str:
    """Return the text behind the table's in addresses, which `table_and_roles` reads; empty without roles.

    >>> table_and_roles("iris" + roles_text({"petal length": "out"}))
    ('iris', {'petal length': 'out'})
    """
    return "~u" + pack_text(dict(sorted(roles.items()))) if roles else ""


def table_and_roles(text: str) -> tuple[str, dict[str, str]]:
    """Return the text of a table, and the roles of its columns that stand behind it; none that are damaged.

    >>> table_and_roles("iris"), table_and_roles("iris~unonsense")
    (('iris', {}), ('iris', {}))
    """
    match = _ROLES.fullmatch(text)
    if match is None:
        return text, {}
    there = unpack_text(match["roles"])
    return match["table"], {str(name): role for name, role in there.items() if role in ROLES}


# ---- what people call the columns of a table, the units of its numbers, and what columns mean

LONGEST = (60, 20, 300)  # letters of a name, a unit, and a meaning
MOST_LETTERS = 4_000  # of the text in addresses
MOST_BYTES = 1_000_000  # of what that text unfolds to
_WORDS = re.compile(r"(?P<table>.*?)~w(?P<words>[A-Za-z0-9_-]+)")


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
    match = _WORDS.fullmatch(text)
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
