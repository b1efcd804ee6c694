"""What each kind of record can do: one table, with a line for each kind and a column for each ability.

A column is a function of a record, made by `functools.singledispatch` and entered by `ability`: here, where the
arrays of a record answer, or in the layer that can answer, such as predictions in `espalier.predict` and the nodes
that exports write in `espalier.export.node_sources`. A layer registers what it can do for each kind. A kind that
is not registered is refused by name.

    >>> from espalier import predict
    >>> [kind.__name__ for kind, abilities in table().items() if "leaves" in abilities]
    ['Tree', 'CultivatedTree', 'ObliqueTree', 'ModelTree']
"""

from __future__ import annotations

import functools
from typing import Any, TypeAlias, TypeVar

import numpy as np

from espalier.leaf_models import ModelTree, formula_features
from espalier.oblique import ObliqueTree
from espalier.trees import LEAF, AnyTree, CultivatedTree, Forest, Tree, is_category_split

SomeTree: TypeAlias = "AnyTree | ObliqueTree | ModelTree"
KINDS = (Tree, CultivatedTree, ObliqueTree, ModelTree, Forest)
ALL_CATEGORIES = np.uint64(2**64 - 1)
ABILITIES: dict[str, Any] = {}  # the columns of the table by their names

Column = TypeVar("Column")


def ability(column: Column) -> Column:
    """Enter a function made by `functools.singledispatch` as a column of the table; return it as it is."""
    function: Any = column
    ABILITIES[function.__name__] = function
    return column


def table() -> dict[type, set[str]]:
    """Return for each kind of record the names of its columns, of the layers imported so far."""
    return {kind: {name for name, column in ABILITIES.items() if kind in column.registry} for kind in KINDS}


def unknown(record: object, question: str) -> ValueError:
    """Return the error for a record whose kind is not registered for a column."""
    return ValueError(f"{question} knows no {type(record).__name__}")


# ---- what the arrays of a record tell


def trees_of(record: Any) -> tuple[Any, ...]:
    """Return the trees of a forest, or the one tree that the record is; none of None."""
    return record.trees if isinstance(record, Forest) else () if record is None else (record,)


def nodes_of(tree: Any) -> Any:
    """Return the record that has the arrays of the nodes: of a model tree its tree, else the tree itself."""
    return tree.tree if isinstance(tree, ModelTree) else tree


def are_boxes(record: Any) -> bool:
    """Return whether each leaf of the tree, or of each tree of the forest, is a box with one answer."""
    return all(isinstance(tree, Tree) for tree in trees_of(record))


def are_cultivated(record: Any) -> bool:
    """Return whether a row may be in several leaves of the tree, or of any tree of the forest."""
    return any(isinstance(tree, CultivatedTree) for tree in trees_of(record))


def n_outputs(record: Any) -> int:
    """Return the number of classes, or 1 for a number."""
    return record.n_outputs if isinstance(record, Forest) else nodes_of(record).value.shape[1]


@ability
@functools.singledispatch
def asked_by(record: Any) -> np.ndarray:
    """Return the feature of every decision and of every term of a formula, (n,) int."""
    raise unknown(record, "asked_by")


@asked_by.register
def _(record: Forest) -> np.ndarray:
    return np.concatenate([asked_by(tree) for tree in record.trees])


@asked_by.register
def _(record: Tree) -> np.ndarray:
    return np.append(record.feature[record.feature != LEAF], record.surrogates.feature)


@asked_by.register
def _(record: ObliqueTree) -> np.ndarray:
    return np.append(record.feature[record.feature != LEAF], record.terms.feature)


@asked_by.register
def _(record: ModelTree) -> np.ndarray:
    return np.append(asked_by(record.tree), formula_features(record.models)).astype(np.int64)


@asked_by.register
def _(record: CultivatedTree) -> np.ndarray:
    return record.decisions.feature


@ability
@functools.singledispatch
def set_splits(record: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the feature of each split on a set of categories, (n,) int, and the set, (n,) uint64: a bit each.

    Surrogates are among them. A decision of a cultivated tree has an order of all categories: the set of all.
    """
    raise unknown(record, "set_splits")


@set_splits.register
def _(record: Forest) -> tuple[np.ndarray, np.ndarray]:
    feature, categories = zip(*map(set_splits, record.trees), strict=True)
    return np.concatenate(feature), np.concatenate(categories)


@set_splits.register(Tree)
@set_splits.register(ObliqueTree)
def _(record: Any) -> tuple[np.ndarray, np.ndarray]:
    is_set = is_category_split(record)
    feature, categories = record.feature[is_set], record.categories[is_set]
    if isinstance(record, ObliqueTree):
        return feature, categories
    pool, is_set = record.surrogates, np.isnan(record.surrogates.threshold)
    return np.append(feature, pool.feature[is_set]), np.append(categories, pool.categories[is_set])


@set_splits.register
def _(record: ModelTree) -> tuple[np.ndarray, np.ndarray]:
    return set_splits(record.tree)


@set_splits.register
def _(record: CultivatedTree) -> tuple[np.ndarray, np.ndarray]:
    feature = record.decisions.feature[np.isnan(record.decisions.threshold)]
    return feature, np.full(len(feature), ALL_CATEGORIES)
