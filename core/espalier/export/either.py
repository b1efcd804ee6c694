"""Exports of all kinds of trees, in English: each calls the writer for the tree's kind.

`model` is a fitted estimator, which has the names of its columns and classes (`learners.description`), or its
record: then features and target are given, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import graphviz
import numpy as np

from espalier.data.dataset import Feature
from espalier.display.tree import graphviz as tree_graphviz
from espalier.export import python as export_python
from espalier.export import rules as export_rules
from espalier.export import sql as export_sql
from espalier.export.changes import changes_on_reading
from espalier.export.columns import columns
from espalier.export.cultivated import dot
from espalier.export.cultivated import python as cultivated_python
from espalier.export.cultivated import rules as cultivated_rules
from espalier.export.cultivated import sql as cultivated_sql
from espalier.export.model_trees import dot as formulas_dot
from espalier.export.model_trees import python as formulas_python
from espalier.export.model_trees import rules as formulas_rules
from espalier.export.model_trees import sql as formulas_sql
from espalier.export.oblique import dot as oblique_dot
from espalier.export.oblique import python as oblique_python
from espalier.export.oblique import rules as oblique_rules
from espalier.export.oblique import sql as oblique_sql
from espalier.language import english
from espalier.leaf_models import ModelTree
from espalier.learners.description import describe_tree
from espalier.oblique import ObliqueTree
from espalier.trees import AnyTree, CultivatedTree


@english()
def to_python(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the source of a Python function that predicts; `model` is a fitted estimator, or its tree.

    Raises ValueError for a forest, and for features and target that do not fit the tree.

    >>> import pandas as pd
    >>> from espalier.learners import CartClassifier
    >>> rows = pd.DataFrame({"town": ["Oslo", "Rome", "Oslo"]})
    >>> module = {}
    >>> exec(to_python(CartClassifier().fit(rows, ["well", "ill", "well"])), module)
    >>> module["predict"]({"town": "Rome"})[0]
    'ill'
    """
    tree, features, target = describe_tree(model, features, target)
    if isinstance(tree, ModelTree):
        return formulas_python.to_python(tree, features, target)
    if isinstance(tree, ObliqueTree):
        return oblique_python.to_python(tree, features, target)
    if isinstance(tree, CultivatedTree):
        return cultivated_python.to_python(tree, features, target)
    return export_python.to_python(tree, features, target)


@english()
def to_sql(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    dialect: str = "standard",
) -> str:
    """Return an SQL expression that predicts, in a dialect of `dialects.DIALECTS`; `model` as in `to_python`.

    Raises ValueError if there is no such dialect, and as `to_python`.
    """
    tree, features, target = describe_tree(model, features, target)
    if isinstance(tree, ModelTree):
        return formulas_sql.to_sql(tree, features, target, dialect)
    if isinstance(tree, ObliqueTree):
        return oblique_sql.to_sql(tree, features, target, dialect)
    if isinstance(tree, CultivatedTree):
        return cultivated_sql.to_sql(tree, features, target, dialect)
    return export_sql.to_sql(tree, features, target, dialect)


@english()
def to_rules(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    missing: np.ndarray | None = None,
) -> str:
    """Return one rule for each leaf, in words, after how the file was read; `model` as in `to_python`.

    `missing` is (n_features,) bool: the features for which each rule says whether missing values follow it. Raises
    ValueError as `to_python`.
    """
    tree, features, target = describe_tree(model, features, target)
    head = "".join(f"{line}\n" for line in _head(tree, features, target))
    head += "\n" if head else ""
    if isinstance(tree, ObliqueTree):
        return head + oblique_rules.to_rules(tree, features, target)
    if isinstance(tree, ModelTree):
        return head + formulas_rules.to_rules(tree, features, target, missing)
    if isinstance(tree, CultivatedTree):
        return head + cultivated_rules.to_rules(tree, features, target, missing)
    return head + export_rules.to_rules(tree, features, target, missing)


def drawing(
    model: Any,
    features: Sequence[Feature] | None = None,
    target: Feature | None = None,
    dark: bool = False,
    max_depth: int | None = None,
) -> graphviz.Digraph:
    """Return the classical drawing down to `max_depth`; `model` and errors as in `to_python`."""
    tree, features, target = describe_tree(model, features, target)
    if isinstance(tree, ModelTree):
        return formulas_dot.drawing(tree, features, target, dark, max_depth)
    if isinstance(tree, ObliqueTree):
        return oblique_dot.drawing(tree, features, target, dark, max_depth)
    if isinstance(tree, CultivatedTree):
        return dot.drawing(tree, features, target, dark, max_depth)
    return tree_graphviz.drawing(tree, features, target, dark, max_depth)


@english()
def to_dot(model: Any, features: Sequence[Feature] | None = None, target: Feature | None = None) -> str:
    """Return the DOT source of the classical drawing, after comments on how the file was read.

    `model` as in `to_python`; raises ValueError as it does.
    """
    tree, features, target = describe_tree(model, features, target)
    head = "".join(f"// {line}\n" for line in _head(tree, features, target))
    if isinstance(tree, ModelTree):
        return head + formulas_dot.to_dot(tree, features, target)
    if isinstance(tree, ObliqueTree):
        return head + oblique_dot.to_dot(tree, features, target)
    if isinstance(tree, CultivatedTree):
        return head + dot.to_dot(tree, features, target)
    return head + tree_graphviz.to_dot(tree, features, target)


def _head(tree: AnyTree | ModelTree | ObliqueTree, features: Sequence[Feature], target: Feature) -> list[str]:
    return changes_on_reading(columns(tree, features).values(), target) if any(f.origin for f in features) else []
