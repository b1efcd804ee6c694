"""The record of edits: which node of a tree was changed by hand, and how. It is small, and has a text for links.

A node is named by the way to it from the root, "" for the root and "LR" for the right child of the left one, since
its number changes with whatever is grown before it. An edit replaces all below its node, so a node has one edit at
most, and an edit above it takes its edits away.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from espalier.data.errors import number_text
from espalier.language import Refusal
from espalier.trees import LEAF, AnyTree, path_to

CUT, SET, COLUMN, WITHOUT, MADE_LEAF, GROW = "cut", "set", "column", "without", "leaf", "grow"
GREEDY, BEST = "greedy", "best"
LETTERS = {CUT: "c", SET: "s", COLUMN: "f", WITHOUT: "n", MADE_LEAF: "x", GROW: "g", GREEDY: "r", BEST: "o"}
KINDS = {letter: kind for kind, letter in LETTERS.items()}
N_COLUMNS = {CUT: (1, 1), SET: (1, 1), COLUMN: (1, 1), WITHOUT: (1, math.inf)}  # least and most; of others none
MOST_EDITS, MOST_STEPS = 64, 64  # of a record, and of the way to a node
MOST_LEVELS = 10  # of a branch that is regrown: as many as the search for the best one takes
SEPARATOR = "~"
_TEXT = re.compile(r"([LR]*)([csfnxgro])([0-9.]*)(?:_([-+.0-9a-z]+))?")


class Edit(NamedTuple):
    """A change of one node by hand."""

    path: str  # from the root: "L" and "R", one for each step
    kind: str  # CUT, SET, COLUMN (its best split), WITHOUT (some columns, here and below), MADE_LEAF, GROW (by a
    #            level at least); GREEDY and BEST: the branch anew, by CART's splits or the best of its depth
    features: tuple[int, ...] = ()  # the column of the split, or those to do without
    threshold: float = 0.0  # of a cut: values up to it go left
    categories: int = 0  # of a set: bit c set, category c goes left
    depth: int = 0  # of a branch that is regrown: most splits on the way from its root to a leaf


Edits: TypeAlias = tuple[Edit, ...]


def add_edit(edits: Iterable[Edit], edit: Edit) -> Edits:
    """Return the record with this edit in place of all at its node and below, from the root down.

    >>> first = add_edit((), Edit("L", MADE_LEAF))
    >>> [one.path for one in add_edit(first, Edit("", COLUMN, (2,)))]
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
    return SEPARATOR.join(map(_edit_text, edits))


def _edit_text(edit: Edit) -> str:
    columns = ".".join(str(feature + 1) for feature in edit.features)
    value = _VALUES[edit.kind][2](edit) if edit.kind in _VALUES else ""
    return f"{edit.path}{LETTERS[edit.kind]}{columns}{value and '_'}{value}"


# the field of an edit that its text has as a value, how it is read, and how it is written
_DEPTH = "depth", int, lambda edit: str(edit.depth)
_VALUES: dict[str, tuple[str, Callable[[str], float], Callable[[Edit], str]]] = {
    CUT: ("threshold", float, lambda edit: number_text(edit.threshold)),
    SET: ("categories", lambda text: int(text, 16), lambda edit: f"{edit.categories:x}"),
    GREEDY: _DEPTH,
    BEST: _DEPTH,
}


def edits_of(text: str) -> Edits:
    """Return the record that `text_of` wrote. Raises ValueError, with the part that is none, for any other text.

    >>> edits_of("c3_2.5~LRn1.4") == (Edit("", CUT, (2,), 2.5), Edit("LR", WITHOUT, (0, 3)))
    True
    """
    edits: Edits = ()
    parts = text.split(SEPARATOR) if text else []
    if len(parts) > MOST_EDITS:
        raise Refusal("at most {n} changes by hand", n=MOST_EDITS)
    for part in parts:
        edits = add_edit(edits, _read(part))
    return edits


def _read(part: str) -> Edit:
    wrong = Refusal("changes by hand such as c3_2.5 or Lx, and “{text}” is none", text=part[:20])
    match = _TEXT.fullmatch(part)
    if match is None or len(match[1]) > MOST_STEPS:
        raise wrong
    path, letter, columns, value = match.groups()
    kind = KINDS[letter]
    if (kind in _VALUES) != (value is not None):
        raise wrong
    try:
        features = tuple(int(column) - 1 for column in columns.split(".")) if columns else ()
        edit = Edit(path, kind, features)
        if value is not None:
            field, read, _ = _VALUES[kind]
            edit = edit._replace(**{field: read(value)})
    except ValueError:
        raise wrong from None
    if not _is_complete(edit):
        raise wrong
    return edit


def _is_complete(edit: Edit) -> bool:
    """Whether the edit has the columns that its kind takes, and numbers that a split or a branch can have."""
    least, most = N_COLUMNS.get(edit.kind, (0, 0))
    fits = least <= len(edit.features) <= most and all(0 <= feature < 2**31 for feature in edit.features)
    deep = 1 <= edit.depth <= MOST_LEVELS if edit.kind in (GREEDY, BEST) else edit.depth == 0
    return fits and deep and math.isfinite(edit.threshold) and 0 <= edit.categories < 2**64


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
