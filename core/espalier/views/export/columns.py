"""The names of columns and classes in exported source."""

from __future__ import annotations

import keyword
import math
import unicodedata
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from espalier.analysis.tree.rules import N_BITS
from espalier.data.dataset import Feature, Origin
from espalier.data.moments import Moment
from espalier.leaf_models import ModelTree, formula_features
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, is_category_split


class ExportedColumn(NamedTuple):
    """A feature, and how exported source reads it."""

    key: str  # the feature's name; of equal names, all but the first get a number: "x", "x (2)"
    names: tuple[str, ...]  # of the codes 0, 1, …; empty for numbers
    is_number: bool  # whether its cells are numbers, also where they name categories
    origin: Origin | None  # its place in the file; None: a column of this name, read as it is
    moment: Moment | None = None  # how it is worked out from the column's dates or times; None: it is the column

    @property
    def name(self) -> str | None:
        """The column's name in a row of the file; None if only its position distinguishes it."""
        if self.origin is None:
            return self.title
        return self.origin.name if self.origin.name.strip() and self.origin.name not in self.origin.alike else None

    @property
    def title(self) -> str:
        """The name of the column that it is, or is worked out from."""
        return self.key if self.moment is None else self.moment.column

    @property
    def sql_name(self) -> str:
        """The column's name in a database, which ignores case; "column 3" if the file has no usable name."""
        if self.origin is None:
            return self.title
        has_name = self.origin.name.strip() and not self.origin.alike
        return self.origin.name if has_name else f"column {self.origin.position + 1}"

    @property
    def pool(self) -> str | None:
        """The category that replaces all values of `origin.pooled`; None if there is none."""
        return self.names[-1] if self.origin and self.origin.pooled else None


def columns(
    tree: AnyTree | ModelTree | ObliqueTree | Forest, features: Sequence[Feature]
) -> dict[int, ExportedColumn]:
    """Return the features that the tree, or any of a forest, splits on, and those of its formulas, by number.

    Raises ValueError if two categories of a feature share a name.
    """
    keys = unique([f.name for f in features], "{} ({})")
    asked, in_sets = _asked(tree)
    return {i: _column(keys[i], features[i], i in in_sets) for i in np.unique(asked).tolist()}


def asked_features(tree: AnyTree | ModelTree | ObliqueTree | Forest) -> list[int]:
    """Return the features that the tree, or any of a forest, asks about, each once, ascending."""
    return np.unique(_asked(tree)[0]).tolist()


def _asked(tree: AnyTree | ModelTree | ObliqueTree | Forest) -> tuple[np.ndarray, set[int]]:
    """Return the feature of every decision and term, and those that are split as sets of categories."""
    if isinstance(tree, Forest):
        each = [_asked(one) for one in tree.trees]
        return np.concatenate([asked for asked, _ in each]), set().union(*(in_sets for _, in_sets in each))
    if isinstance(tree, ModelTree):
        asked, in_sets = _asked(tree.tree)
        return np.append(asked, formula_features(tree.models)).astype(np.int64), in_sets
    if isinstance(tree, CultivatedTree):
        feature = tree.decisions.feature
        return feature, set(feature[np.isnan(tree.decisions.threshold)].tolist())
    if isinstance(tree, ObliqueTree):
        slanted = np.append(tree.feature[tree.feature != LEAF], tree.terms.feature)
        return slanted, set(tree.feature[(tree.feature != LEAF) & np.isnan(tree.threshold)].tolist())
    pool = tree.surrogates
    in_sets = [tree.feature[is_category_split(tree)], pool.feature[np.isnan(pool.threshold)]]
    asked = [tree.feature[tree.feature != LEAF], pool.feature]
    return np.concatenate(asked), set(np.concatenate(in_sets).tolist())


def _column(key: str, feature: Feature, in_sets: bool) -> ExportedColumn:
    names = feature.categories
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"feature {feature.name!r} has two categories named {twice!r}: rename one to export")
    if in_sets and not names:
        names = tuple(map(str, range(N_BITS)))  # the table holds the codes themselves, since there are no names
    if feature.moment:
        return ExportedColumn(key, names, False, feature.origin, feature.moment)
    if feature.origin:
        return ExportedColumn(key, names, feature.origin.format is not None, feature.origin)
    return ExportedColumn(key, names, None not in map(as_number, names), None)


def as_number(name: str) -> float | int | None:
    """Return the number that is a category's name: 1 for "1"; None for "01", "1.0" and words."""
    try:
        number = float(name)
    except ValueError:
        return None
    if not math.isfinite(number) or f"{number:.15g}" != name:
        return None
    return int(name) if name.removeprefix("-").isdecimal() else number


def answers(target: Feature) -> tuple[str, ...] | tuple[float, ...]:
    """Return the classes as predictions: as numbers if all their names are numbers, else as names."""
    numbers = [as_number(name) for name in target.categories]
    return target.categories if None in numbers else tuple(x for x in numbers if x is not None)


def unique(names: Sequence[str], pattern: str, taken: Collection[str] = ()) -> list[str]:
    """Return the names made unique: a repeated name is numbered by `pattern` (such as "{}_{}"), from 2 on."""
    seen = set(taken)
    own = set(names)
    result = []
    for name in names:
        new, i = name, 2
        while new in seen or (new != name and new in own):
            new, i = pattern.format(name, i), i + 1
        seen.add(new)
        result.append(new)
    return result


def identifier(name: str) -> str:
    """Return a Python identifier that reads like the name, never a keyword and never with a leading underscore."""
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
    words = "".join(c if f"a{c}".isidentifier() else " " for c in letters).replace("_", " ").split()
    text = "_".join(words)
    if not text.isidentifier():
        text = f"x_{text}" if text else "x"
    return f"{text}_" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else text


def one_line(text: str) -> str:
    """Return the text with blanks for characters that do not print on one line: safe in a comment."""
    return "".join(c if c.isprintable() else " " for c in text)
