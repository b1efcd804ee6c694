"""LightGBM's models, as `save_model` writes them: text, a block for each tree.

Doubles go left on ``x <= threshold``. A split says what it takes for missing: nothing, nan, or zeros too; where
zeros leave their place among the numbers, it takes three splits here.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from espalier.data.dataset import Feature
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import (
    CategoryLists,
    category_name,
    check_lists,
    columns_asked,
    name_categories,
    with_sets,
)
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of
from espalier.learners.imports.nodes import (
    CATEGORIES,
    MOST_CODES,
    OBJECTIVE,
    SEVERAL_NUMBERS,
    FileNodes,
    check_values,
    concatenate_nodes,
    damage,
    join_nodes,
    trees_of,
)
from espalier.trees import Forest, make_forest, make_sum

END = "\nend of trees"
LISTS = "\npandas_categorical:"
CUT = to_say("the file ends too early")
SIZES = to_say("tree {tree} has another length than the file says, or is not there")
HEAD = to_say("its head and its parameters contradict each other about {name}")
OBJECTIVES = {"custom": ("", "custom", "none", "null", "na")}


# The file says how many bytes each tree has, that its trees and its parameters end, and many things twice, so
# that a part that is missing is known.
class LightgbmFile(NamedTuple):
    """The parts of a file."""

    head: dict[str, str]
    trees: list[dict[str, str]]
    parameters: dict[str, str]
    categories: (
        list[list[Any]] | None
    )  # of a DataFrame's columns of categories, in their order; None: it says nothing


def parts_of(text: str) -> LightgbmFile:
    """Return the parts of a model's text. Raises Refusal for a text that is cut off or contradicts itself."""
    body, end, rest = text.partition(END)
    if not end or not rest.startswith("\n") or "\nend of parameters" not in rest:
        raise damage(CUT)
    starts = _starts(body)
    blocks = [body[a:b] for a, b in zip(starts, [*starts[1:], len(body) + 1], strict=True)]
    head = _pairs(body[: starts[0]])
    _check_sizes(head, blocks, body)
    lists = rest.rfind(LISTS)
    content = json.loads(rest[lists + len(LISTS) :]) if lists >= 0 else None
    categories = [] if lists >= 0 and content is None else content
    parameters = {
        name: value
        for line in rest.splitlines()
        for name, _, value in [line[1:-1].partition(": ")]
        if line[:1] == "["
    }
    file = LightgbmFile(head, [_pairs(block) for block in blocks], parameters, categories)
    _check_head(file)
    return file


def _starts(body: str) -> list[int]:
    starts = [0] if body.startswith("Tree=") else []
    at = body.find("\nTree=")
    while at >= 0:
        starts.append(at + 1)
        at = body.find("\nTree=", at + 1)
    if not starts:
        raise damage(CUT)
    return starts


def _pairs(block: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in block.splitlines())
    return {name: value for name, _, value in pairs}


def _check_sizes(head: dict[str, str], blocks: list[str], body: str) -> None:
    """Raise Refusal where a tree's number, or its bytes, are not those that the head says."""
    sizes = [int(size) for size in head["tree_sizes"].split()]
    for number, block in enumerate(blocks):
        if (
            number >= len(sizes)
            or block.partition("\n")[0] != f"Tree={number}"
            or (
                # the last one is followed by the end's own line feed
                len(block.encode()) + (number == len(blocks) - 1) != sizes[number]
            )
        ):
            raise damage(SIZES, tree=number + 1)
    if len(blocks) < len(sizes):
        raise damage(SIZES, tree=len(blocks) + 1)


def _check_head(file: LightgbmFile) -> None:
    """Raise Refusal where the head says other than the parameters, or lacks what belongs together."""
    head, parameters = file.head, file.parameters
    name, *more = head.get("objective", "custom").split()
    objective = parameters.get("objective", name)
    if objective not in OBJECTIVES.get(name, (name,)):
        raise damage(HEAD, name="objective")
    about = dict(part.split(":") for part in more if ":" in part)
    if "sigmoid" in about and float(parameters.get("sigmoid", about["sigmoid"])) != float(about["sigmoid"]):
        raise damage(HEAD, name="sigmoid")
    if (parameters.get("boosting", "") in ("rf", "random_forest")) != ("average_output" in head):
        raise damage(HEAD, name="average_output")
    n = int(head["max_feature_idx"]) + 1
    if len(head["feature_names"].split(" ")) != n or len(head["feature_infos"].split(" ")) != n:
        raise damage(HEAD, name="max_feature_idx")
    n_scores = int(head["num_tree_per_iteration"])
    if n_scores < 1 or len(file.trees) % n_scores or int(head["num_class"]) != n_scores:
        raise damage(HEAD, name="num_class")


# ---- columns


def columns_of(file: LightgbmFile) -> tuple[tuple[Feature, ...], CategoryLists | None]:
    """Return the columns, and the lists of categories that belong to some of them.

    A column of categories is written as codes with colons between them. The lists are of all columns of a
    DataFrame that have the type category, also of ordered ones, which the trees take as numbers, and of constant
    ones.
    """
    ranges = file.head["feature_infos"].split(" ")
    features = tuple(
        Feature(name, "number" if values == "none" or values.startswith("[") else "category")
        for name, values in zip(file.head["feature_names"].split(" "), ranges, strict=True)
    )
    if not file.categories:
        return features, None
    names = tuple(tuple(map(category_name, values)) for values in file.categories)
    ends = [_ends(values) for values in ranges]
    fits = [[low >= -1 and high < len(lists) for low, high in ends] for lists in names]
    return features, CategoryLists(names, np.array(fits, bool))


def _ends(values: str) -> tuple[float, float]:
    """Return the least and greatest code of a column, -1 for missing; (-2, 0) for numbers that are no codes."""
    if values == "none":
        return 0, -1
    if values.startswith("["):
        low, high = (float(end) for end in values[1:-1].split(":"))
        return (low, high) if low >= 0 and low == int(low) and high == int(high) else (-2, 0)
    codes = [int(code) for code in values.split(":")]
    return min(codes), max(codes)


# ---- lightGBM's models, as `save_model` writes them: text, a block for each tree

ZERO = float(np.float32(1e-35))  # numbers as small as this are zeros
BELOW_ZERO = float(np.nextafter(-ZERO, -np.inf))
CATEGORY, DEFAULT_LEFT, AS_ZERO, AS_NAN = 1, 2, 4, 8  # bits of a split's type
LINKS = {"binary": "logistic", "multiclass": "softmax", "poisson": "log", "gamma": "log", "tweedie": "log"}
SUMS = ("regression", "regression_l1", "huber", "fair", "quantile", "mape", "lambdarank", "rank_xendcg", "custom")
LINEAR = to_say("the model has linear formulas in its leaves; a forest here has numbers")
NO_LABELS = to_say(
    "a file of LightGBM has no labels of classes: 0, 1, … are their places in sorted order; read_model takes "
    "the labels from the fitted classifier"
)
SETS = to_say("its sets of categories are not those that its splits ask for")
LAST_COUNT = "leaf_count"


def is_lightgbm(text: str) -> bool:
    """Return whether a text is a model of LightGBM."""
    return text.startswith("tree\n") and "version=v" in text[:200]


def read_lightgbm(text: str) -> ImportedForest:
    """Return the forest of a model's text. Raises Refusal for what a forest here cannot be."""
    file = parts_of(text)
    name, *more = file.head.get("objective", "custom").split()
    if (name not in LINKS and name not in SUMS) or "sqrt" in more:
        raise Refusal(OBJECTIVE, name=" ".join([name, *more]))
    link, n_scores = LINKS.get(name, "identity"), int(file.head["num_tree_per_iteration"])
    sigmoid = float(dict(part.split(":") for part in more if ":" in part).get("sigmoid", 1))
    scale = sigmoid if name == "binary" else 1.0
    is_mean = "average_output" in file.head
    factor = scale * (n_scores / max(len(file.trees), 1) if is_mean else 1.0)
    names = file.head["feature_names"].split(" ")
    parts = [_nodes(tree, number % n_scores, n_scores, factor) for number, tree in enumerate(file.trees)]
    trees: Any = trees_of(*join_nodes(parts), len(names))
    n_classes = 2 if link == "logistic" else n_scores if link == "softmax" else 0
    classes = tuple(range(n_classes))
    if n_scores > 1 and not classes:
        raise Refusal(SEVERAL_NUMBERS)
    if is_mean and link == "identity":
        every: Any = [tree._replace(value=tree.value / factor) for tree in trees]
        forest = make_forest(every, np.ones(len(trees)), "mean", [])
    else:
        forest = make_sum(trees, np.zeros(n_scores), link, [])
    notes = (Phrase(NO_LABELS, {}),) if classes else ()
    facts = ModelFacts(f"LightGBM, {name}", (), classes, notes, scale=factor, averages=is_mean)
    return model_of(*_name_columns(file, forest, facts))


def _name_columns(file: LightgbmFile, forest: Forest, facts: ModelFacts) -> tuple[Forest, ModelFacts]:
    """Return the forest and facts with the columns, and with their categories where it is sure which they have."""
    features, lists = columns_of(file)
    codes = "unknown" if file.categories is None else "values"
    if lists is None:
        return forest, facts._replace(features=features, codes=codes)
    check_lists(lists)
    features_, unsure = name_categories(features, lists, columns_asked(forest))
    if unsure:
        return forest, facts._replace(features=features, lists=lists)
    numbers_ = {j for j, feature in enumerate(features_) if feature.categories and features[j].kind == "number"}
    return with_sets(forest, features_, numbers_), facts._replace(features=features_, codes=codes)


def _numbers(tree: dict[str, str], name: str, kind: Any, n: int) -> np.ndarray:
    """Return a line of n numbers. Raises Refusal for another count."""
    numbers = np.array(tree.get(name, "").split(), dtype=kind) if n else np.empty(0, kind)
    if kind is np.float64:
        check_values(numbers)
    if len(numbers) != n:
        raise Refusal(
            "the file is damaged: {name} has {found} numbers, not {n}", name=name, found=len(numbers), n=n
        )
    return numbers


# ---- trees


def _nodes(tree: dict[str, str], score: int, n_scores: int, factor: float) -> FileNodes:
    """Return the nodes of one tree: splits first, then leaves, then splits that only zeros need."""
    n_leaves = int(tree["num_leaves"])
    n = n_leaves - 1
    if tree.get("is_linear", "0").strip() == "1":
        raise Refusal(LINEAR)
    kind = _numbers(tree, "decision_type", np.int64, n)
    is_set = kind & CATEGORY != 0
    threshold = _numbers(tree, "threshold", np.float64, n)
    threshold = np.where(is_set, threshold, _past_zeros(threshold))
    sets = _sets(tree, threshold, is_set) if is_set.any() else np.zeros(n, np.uint64)
    counts = _numbers(tree, "internal_count", np.float64, n), _counts(tree, n_leaves)
    left, right = (_children(tree, name, n) for name in ("left_child", "right_child"))
    gain, missing_left = _numbers(tree, "split_gain", np.float64, n), _missing_left(kind, threshold)
    feature, leaves = _numbers(tree, "split_feature", np.int64, n), np.zeros(n_leaves, np.int64)
    value = np.full((n + n_leaves, n_scores), np.nan)
    value[n:] = 0.0
    value[n:, score] = _numbers(tree, "leaf_value", np.float64, n_leaves) * factor
    nodes = FileNodes(
        np.append(feature, leaves),
        np.append(np.where(is_set, np.nan, threshold), leaves),
        np.append(left, leaves - 1),
        np.append(right, leaves - 1),
        np.append(missing_left, leaves != 0),
        value,
        np.append(sets, leaves.astype(np.uint64)),
        np.concatenate(counts),
        gain=np.append(gain, leaves),
    )
    at_zero = np.flatnonzero((kind & AS_ZERO != 0) & ~is_set & (missing_left != (threshold >= 0)))
    for node in at_zero.tolist():
        nodes = _split_zeros(nodes, node)
    return nodes


def _counts(tree: dict[str, str], n: int) -> np.ndarray:
    return _numbers(tree, LAST_COUNT, np.float64, n) if tree.get(LAST_COUNT) else np.ones(n)


def _children(tree: dict[str, str], name: str, n: int) -> np.ndarray:
    """Return positions: leaf k, which the file writes as -k - 1, stands after the n splits."""
    child = _numbers(tree, name, np.int64, n)
    return np.where(child < 0, n + ~child, child)


def _past_zeros(threshold: np.ndarray) -> np.ndarray:
    """Return the thresholds before or after all numbers that count as zero, never among them."""
    among = np.abs(threshold) <= ZERO
    return np.where(among, np.where(threshold >= 0, ZERO, BELOW_ZERO), threshold)


def _missing_left(kind: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """Return where nan goes: by default of the split, or as zero where it takes nothing for missing."""
    is_default = kind & (AS_ZERO | AS_NAN) != 0
    left = np.where(is_default, kind & DEFAULT_LEFT != 0, threshold >= 0)
    return left & (kind & CATEGORY == 0)  # a category that is missing is in no set


def _sets(tree: dict[str, str], threshold: np.ndarray, is_set: np.ndarray) -> np.ndarray:
    n = int(tree["num_cat"])
    begin = _numbers(tree, "cat_boundaries", np.int64, n + 1)
    nodes = np.flatnonzero(is_set)
    if begin[0] != 0 or (np.diff(begin) < 1).any() or sorted(threshold[nodes].tolist()) != list(range(n)):
        raise damage(SETS)
    words = _numbers(tree, "cat_threshold", np.uint64, int(begin[-1]))
    left = np.zeros(len(threshold), np.uint64)
    for node in nodes:
        at = int(threshold[node])
        bits = words[begin[at] : begin[at + 1]]
        if bits[2:].any():
            raise Refusal(CATEGORIES, n=MOST_CODES)
        left[node] = sum((np.uint64(word) << np.uint64(32 * k) for k, word in enumerate(bits[:2])), np.uint64(0))
    return left


def _split_zeros(nodes: FileNodes, node: int) -> FileNodes:
    """Return the nodes with two more, so that zeros go the way of what is missing, and not by the threshold.

    The threshold stays; on its side of the zeros, two splits part these from what is below and above.
    """
    n, is_behind = len(nodes.left), nodes.threshold[node] >= 0
    left, right = int(nodes.left[node]), int(nodes.right[node])
    zeros, rest = (left, right) if nodes.missing_left[node] else (right, left)
    twice = FileNodes(*(None if array is None else array[[node, node]] for array in nodes))  # type: ignore[arg-type]
    ways = {"left": np.array([n + 1, rest]), "right": np.array([rest, zeros])}
    more = twice._replace(threshold=np.array([ZERO, BELOW_ZERO]), gain=np.zeros(2), **ways)
    longer = concatenate_nodes([nodes, more])
    (longer.left if is_behind else longer.right)[node] = n
    return longer
