"""What XGBoost's files say twice (numbers of trees and nodes, parents, kinds), and names of categories."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np

from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import category_name
from espalier.learners.imports.nodes import DAMAGED, check_values
from espalier.learners.imports.refusals import SEVERAL_NUMBERS

TREES = to_say("the file says that there are {n} trees, and {there} are there")
NODES = to_say("tree {tree} has other nodes than it says")
KINDS = to_say("tree {tree} asks for categories of a column of numbers, or the reverse")
ROUNDS = to_say("the best round is not there")
NAMES = to_say("the names of the categories do not fit the columns")


def damaged(text: str, **values: Any) -> Refusal:
    """Return the refusal of a file whose parts contradict each other."""
    return Refusal(DAMAGED, what=Phrase(text, values))


def check_model(model: dict[str, Any], n_scores: int, n_features: int) -> None:
    """Raise Refusal where the trees are not those that the file counts, or contradict themselves."""
    trees, info = model["trees"], np.asarray(model["tree_info"], np.int64)
    if any(int(tree.get("tree_param", {}).get("size_leaf_vector", 1)) > 1 for tree in trees):
        raise Refusal(SEVERAL_NUMBERS)
    counts = [len(info)]
    if "num_trees" in model["gbtree_model_param"]:
        counts.append(int(model["gbtree_model_param"]["num_trees"]))
    if "iteration_indptr" in model:
        rounds = np.asarray(model["iteration_indptr"], np.int64)
        counts.append(int(rounds[-1]) if (np.diff(rounds) >= 0).all() and rounds[0] == 0 else -1)
        per_round = n_scores * int(model["gbtree_model_param"].get("num_parallel_tree", 1) or 1)
        counts.append((len(rounds) - 1) * per_round)
    for count in counts:
        if count != len(trees) or not len(trees):
            raise damaged(TREES, n=count, there=len(trees))
    if sorted(set(info.tolist())) != list(range(n_scores)):
        raise damaged(TREES, n=n_scores, there=len(set(info.tolist())))
    for number, tree in enumerate(trees):
        if not _is_whole(tree, number, n_features):
            raise damaged(NODES, tree=number + 1)


def _is_whole(tree: dict[str, Any], number: int, n_features: int) -> bool:
    about, left = tree.get("tree_param", {}), np.asarray(tree["left_children"], np.int64)
    right, n = np.asarray(tree["right_children"], np.int64), len(left)
    split = np.flatnonzero(left >= 0)
    facts = ((about.get("num_nodes"), n), (about.get("num_feature"), n_features), (tree.get("id"), number))
    if any(said is not None and int(said) != there for said, there in facts):
        return False
    if len(right) != n or ((left >= 0) != (right >= 0)).any():
        return False
    condition = np.asarray(tree["split_conditions"], np.float64)
    check_values(
        condition, np.asarray(tree["sum_hessian"], np.float64), np.asarray(tree["loss_changes"], np.float64)
    )
    if "parents" not in tree:
        return True
    parents = np.asarray(tree["parents"], np.int64)
    return len(parents) == n and all((parents[side[split]] == split).all() for side in (left, right))


def check_kinds(trees: list[dict[str, Any]], kinds: list[str] | None) -> None:
    """Raise Refusal where a split on categories asks for a column of numbers, or the reverse."""
    for number, tree in enumerate(trees):
        left = np.asarray(tree["left_children"], np.int64)
        is_set = np.asarray(tree["split_type"], np.int64) == 1
        nodes = np.asarray(tree["categories_nodes"], np.int64)
        sizes = np.asarray(tree["categories_sizes"], np.int64)
        begin = np.cumsum([0, *sizes]).tolist()
        spans = [*np.asarray(tree["categories_segments"], np.int64).tolist(), len(tree["categories"])]
        if sorted(nodes.tolist()) != np.flatnonzero(is_set).tolist() or spans != begin or (sizes < 1).any():
            raise damaged(NODES, tree=number + 1)
        column = np.asarray(tree["split_indices"], np.int64)[left >= 0]
        is_category = np.array([kind == "c" for kind in kinds or []] or [False] * (int(column.max(initial=0)) + 1))
        if (is_category[column] != is_set[left >= 0]).any():
            raise damaged(KINDS, tree=number + 1)


def rounds_of(attributes: dict[str, Any], n: int) -> int | None:
    """Return how many rounds predict where early stopping chose some, None for all. Raises Refusal."""
    if "best_score" in attributes and "best_iteration" not in attributes:
        raise damaged(ROUNDS)
    if "best_iteration" not in attributes:
        return None
    best = int(attributes["best_iteration"])
    if not 0 <= best < n:
        raise damaged(ROUNDS)
    return best + 1 if "scikit_learn" in attributes else None  # as XGBClassifier and XGBRegressor predict


def labels_of(attributes: dict[str, Any], n_classes: int) -> tuple[Any, ...]:
    """Return the labels: 0, 1, …, unless an estimator before version 1.6 wrote its own beside its trees."""
    written = (estimator_of(attributes).get("_le") or {}).get("classes_") or ()
    return tuple(written) if len(written) == n_classes else tuple(range(n_classes))


def estimator_of(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return what an estimator of scikit-learn's kind wrote of itself."""
    return json.loads(attributes["scikit_learn"]) if "scikit_learn" in attributes else {}


def category_names(model: dict[str, Any], n_features: int) -> list[tuple[str, ...]]:
    """Return the names of the categories of each column by their codes; none where the file does not have them."""
    kept = (model.get("cats") or {}).get("enc")
    if kept is None or not len(kept):
        return [()] * n_features
    if len(kept) != n_features:
        raise damaged(NAMES)
    names = [_names(one) for one in kept]
    ends = np.asarray(model["cats"]["feature_segments"], np.int64)
    counts = [len(one["values"]) if "offsets" not in one else max(len(one["offsets"]) - 1, 0) for one in kept]
    if np.diff(ends).tolist() != counts or any(len(set(known)) < len(known) for known in names):
        raise damaged(NAMES)
    return names


def _names(kept: dict[str, Any]) -> tuple[str, ...]:
    if "offsets" not in kept:
        return tuple(category_name(value) for value in np.asarray(kept["values"]).tolist())
    text = np.asarray(kept["values"], np.int64).astype(np.int8).tobytes()
    ends = np.asarray(kept["offsets"], np.int64).tolist()
    if ends and (ends[0] != 0 or ends[-1] != len(text) or sorted(ends) != ends):
        raise damaged(NAMES)
    if not text.isascii():  # XGBoost 3.2 counts letters and keeps as many bytes: names are shifted and cut off
        return ()
    return tuple(text[a:b].decode() for a, b in pairwise(ends))
