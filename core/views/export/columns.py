"""How exported source names what a tree splits on."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from core.analysis.rules import N_BITS
from core.data.dataset import Feature
from core.trees import LEAF, AnyTree, CultivatedTree, is_category_split


class Column(NamedTuple):
    """A feature as exported source reads it."""

    key: str  # its name in the table; of equal names, all but the first get a number: "x", "x (2)"
    names: tuple[str, ...]  # of codes 0, 1, …; empty for numbers
    coded: bool  # whether the table holds the codes themselves, for want of names


def columns(tree: AnyTree, features: Sequence[Feature]) -> dict[int, Column]:
    """The features that the tree splits on, by number.

    Raises ValueError where two categories of a feature share a name.
    """
    keys = unique([f.name for f in features], "{} ({})")
    asked, in_sets = _asked(tree)
    return {i: _column(keys[i], features[i], i in in_sets) for i in np.unique(asked).tolist()}


def _asked(tree: AnyTree) -> tuple[np.ndarray, set[int]]:
    """The feature of every decision, and those that are split as sets of categories."""
    if isinstance(tree, CultivatedTree):
        feature = tree.decisions.feature
        return feature, set(feature[np.isnan(tree.decisions.threshold)].tolist())
    return tree.feature[tree.feature != LEAF], set(tree.feature[is_category_split(tree)].tolist())


def _column(key: str, feature: Feature, in_sets: bool) -> Column:
    names = feature.categories
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise ValueError(f"feature {feature.name!r} has two categories named {twice!r}: rename one to export")
    if in_sets and not names:
        return Column(key, tuple(map(str, range(N_BITS))), True)
    return Column(key, names, False)


def unique(names: Sequence[str], pattern: str, taken: Collection[str] = ()) -> list[str]:
    """The names, each later one that is taken numbered by `pattern` (say "{}_{}"), from 2."""
    seen = set(taken)
    own = set(names)
    found = []
    for name in names:
        new, i = name, 2
        while new in seen or (new != name and new in own):
            new, i = pattern.format(name, i), i + 1
        seen.add(new)
        found.append(new)
    return found


def identifier(name: str) -> str:
    """A Python identifier that reads like the name, never a keyword and never with a leading underscore."""
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
    words = "".join(c if f"a{c}".isidentifier() else " " for c in letters).replace("_", " ").split()
    text = "_".join(words)
    if not text.isidentifier():
        text = f"x_{text}" if text else "x"
    return f"{text}_" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else text


def one_line(text: str) -> str:
    """The text with whatever cannot be printed on one line as a blank: safe in a comment."""
    return "".join(c if c.isprintable() else " " for c in text)
