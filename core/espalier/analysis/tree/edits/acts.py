"""The record of edits: which node of a tree was changed by hand, and how. It is small, and has a text for links.

A node is named by the way to it from the root, "" for the root and "LR" for the right child of the left one, since
its number changes with whatever is grown before it. An edit replaces all below its node, so a node has one edit at
most, and an edit above it takes its edits away.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from espalier.trees import LEAF, AnyTree, path_to

CUT, SET, COLUMN, WITHOUT, MADE_LEAF, GROW = "cut", "set", "column", "without", "leaf", "grow"
LETTERS = {CUT: "c", SET: "s", COLUMN: "f", WITHOUT: "n", MADE_LEAF: "x", GROW: "g"}
KINDS = {letter: kind for kind, letter in LETTERS.items()}
MOST_EDITS, MOST_STEPS = 64, 64  # of a record, and of the way to a node
SEPARATOR = "~"
_TEXT = re.compile(r"([LR]*)([csfnxg])([0-9.]*)(?:_([-+.0-9a-z]+))?")


class Edit(NamedTuple):
    """A change of one node by hand."""

    path: str  # from the root: "L" and "R", one for each step
    kind: str  # CUT, SET, COLUMN (its best split), WITHOUT (some columns, here and below), MADE_LEAF, GROW
    features: tuple[int, ...] = ()  # the column of the split, or those to do without
    threshold: float = 0.0  # of a cut: values up to it go left
    categories: int = 0  # of a set: bit c set, category c goes left


Edits: TypeAlias = tuple[Edit, ...]


def with_edit(edits: Iterable[Edit], edit: Edit) -> Edits:
    """Return the record with this edit in place of all at its node and below, from the root down.

    >>> first = with_edit((), Edit("L", MADE_LEAF))
    >>> [one.path for one in with_edit(first, Edit("", COLUMN, (2,)))]
    ['']
    """
    return tuple(sorted((*without_edits(edits, edit.path), edit), key=lambda one: (len(one.path), one.path)))


def without_edits(edits: Iterable[Edit], path: str) -> Edits:
    """Return the record without the edits at the node of this path and below it."""
    return tuple(edit for edit in edits if not edit.path.startswith(path))


def text_of(edits: Iterable[Edit]) -> str:
    """Return the record as a short text of letters, digits and "._~-", which `edits_of` reads.

    Columns count from 1, and a set of categories is a hexadecimal number.

    >>> text_of([Edit("", CUT, (2,), 2.5), Edit("LR", WITHOUT, (0, 3))])
    'c3_2.5~LRn1.4'
    """
    return SEPARATOR.join(map(_written, edits))


def _written(edit: Edit) -> str:
    columns = ".".join(str(feature + 1) for feature in edit.features)
    value = {CUT: f"_{_shortest(edit.threshold)}", SET: f"_{edit.categories:x}"}.get(edit.kind, "")
    return f"{edit.path}{LETTERS[edit.kind]}{columns}{value}"


def _shortest(value: float) -> str:
    return short if float(short := f"{value:g}") == value else repr(float(value))


def edits_of(text: str) -> Edits:
    """Return the record that `text_of` wrote. Raises ValueError, with the part that is none, for any other text.

    >>> edits_of("c3_2.5~LRn1.4") == (Edit("", CUT, (2,), 2.5), Edit("LR", WITHOUT, (0, 3)))
    True
    """
    edits: Edits = ()
    parts = text.split(SEPARATOR) if text else []
    if len(parts) > MOST_EDITS:
        raise ValueError(f"at most {MOST_EDITS} changes by hand")
    for part in parts:
        edits = with_edit(edits, _read(part))
    return edits


def _read(part: str) -> Edit:
    wrong = ValueError(f"changes by hand such as c3_2.5 or Lx, and {part[:20]!r} is none")
    found = _TEXT.fullmatch(part)
    if found is None or len(found[1]) > MOST_STEPS:
        raise wrong
    path, letter, columns, value = found.groups()
    kind = KINDS[letter]
    try:
        features = tuple(int(column) - 1 for column in columns.split(".")) if columns else ()
        threshold = float(value) if kind == CUT else 0.0
        categories = int(value, 16) if kind == SET else 0
    except (TypeError, ValueError):
        raise wrong from None
    edit = Edit(path, kind, features, threshold, categories)
    if not _is_complete(edit) or (value is not None and kind not in (CUT, SET)):
        raise wrong
    return edit


def _is_complete(edit: Edit) -> bool:
    """Whether the edit has the columns that its kind takes, and numbers that a split can have."""
    n = len(edit.features)
    fits = {CUT: n == 1, SET: n == 1, COLUMN: n == 1, WITHOUT: n > 0, MADE_LEAF: n == 0, GROW: n == 0}[edit.kind]
    are_columns = all(0 <= feature < 2**31 for feature in edit.features)
    return fits and are_columns and math.isfinite(edit.threshold) and 0 <= edit.categories < 2**64


def path_of(tree: AnyTree, node: int) -> str:
    """Return the way from the root to the node, as edits name it."""
    steps = path_to(tree, node)
    return "".join("L" if tree.left[a] == b else "R" for a, b in itertools.pairwise(steps))


def node_at(tree: AnyTree, path: str) -> int | None:
    """Return the node that this way leads to; None where the tree ends before it."""
    node = 0
    for step in path:
        if tree.left[node] == LEAF:
            return None
        node = int(tree.left[node] if step == "L" else tree.right[node])
    return node
