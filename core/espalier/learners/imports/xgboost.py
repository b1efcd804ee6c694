"""XGBoost's models: JSON or Universal Binary JSON, as `save_model` writes them.

Values are rounded to float32 and go left if they are below the threshold; a set of categories goes right.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from espalier.data.dataset import Feature
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import category_name, columns_asked
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of, number_features
from espalier.learners.imports.nodes import (
    CATEGORIES,
    MOST_CODES,
    OBJECTIVE,
    SEVERAL_NUMBERS,
    FileNodes,
    below_as_float32,
    check_values,
    check_width,
    damage,
    set_of,
    trees_of,
)
from espalier.trees import make_sum

TREES = to_say("the file says that there are {n} trees, and {there} are there")
NODES = to_say("tree {tree} has other nodes than it says")
KINDS = to_say("tree {tree} asks for categories of a column of numbers, or the reverse")
ROUNDS = to_say("the best round is not there")
NAMES = to_say("the names of the categories do not fit the columns")


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
            raise damage(TREES, n=count, there=len(trees))
    if sorted(set(info.tolist())) != list(range(n_scores)):
        raise damage(TREES, n=n_scores, there=len(set(info.tolist())))
    for number, tree in enumerate(trees):
        if not _is_whole(tree, number, n_features):
            raise damage(NODES, tree=number + 1)


def _is_whole(tree: dict[str, Any], number: int, n_features: int) -> bool:
    about, left = tree.get("tree_param", {}), np.asarray(tree["left_children"], np.int64)
    right, n = np.asarray(tree["right_children"], np.int64), len(left)
    split = np.flatnonzero(left >= 0)
    facts = ((about.get("num_nodes"), n), (about.get("num_feature"), n_features), (tree.get("id"), number))
    if any(fact is not None and int(fact) != there for fact, there in facts):
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
            raise damage(NODES, tree=number + 1)
        column = np.asarray(tree["split_indices"], np.int64)[left >= 0]
        is_category = np.array([kind == "c" for kind in kinds or []] or [False] * (int(column.max(initial=0)) + 1))
        if (is_category[column] != is_set[left >= 0]).any():
            raise damage(KINDS, tree=number + 1)


def rounds_of(attributes: dict[str, Any], n: int) -> int | None:
    """Return how many rounds predict where early stopping chose some, None for all. Raises Refusal."""
    if "best_score" in attributes and "best_iteration" not in attributes:
        raise damage(ROUNDS)
    if "best_iteration" not in attributes:
        return None
    best = int(attributes["best_iteration"])
    if not 0 <= best < n:
        raise damage(ROUNDS)
    return best + 1 if "scikit_learn" in attributes else None  # as XGBClassifier and XGBRegressor predict


def labels_of(attributes: dict[str, Any], n_classes: int) -> tuple[Any, ...]:
    """Return the labels: 0, 1, …, unless an estimator before version 1.6 wrote its own beside its trees."""
    labels = (estimator_of(attributes).get("_le") or {}).get("classes_") or ()
    return tuple(labels) if len(labels) == n_classes else tuple(range(n_classes))


def estimator_of(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return what an estimator of scikit-learn's kind wrote of itself."""
    return json.loads(attributes["scikit_learn"]) if "scikit_learn" in attributes else {}


def category_names(model: dict[str, Any], n_features: int) -> list[tuple[str, ...]]:
    """Return the names of the categories of each column by their codes; none where the file does not have them."""
    encodings = (model.get("cats") or {}).get("enc")
    if encodings is None or not len(encodings):
        return [()] * n_features
    if len(encodings) != n_features:
        raise damage(NAMES)
    names = [_names(encoding) for encoding in encodings]
    ends = np.asarray(model["cats"]["feature_segments"], np.int64)
    counts = [
        len(encoding["values"]) if "offsets" not in encoding else max(len(encoding["offsets"]) - 1, 0)
        for encoding in encodings
    ]
    if np.diff(ends).tolist() != counts or any(len(set(texts)) < len(texts) for texts in names):
        raise damage(NAMES)
    return names


def _names(kept: dict[str, Any]) -> tuple[str, ...]:
    if "offsets" not in kept:
        return tuple(category_name(value) for value in np.asarray(kept["values"]).tolist())
    text = np.asarray(kept["values"], np.int64).astype(np.int8).tobytes()
    ends = np.asarray(kept["offsets"], np.int64).tolist()
    if ends and (ends[0] != 0 or ends[-1] != len(text) or sorted(ends) != ends):
        raise damage(NAMES)
    if not text.isascii():  # XGBoost 3.2 counts letters and keeps as many bytes: names are shifted and cut off
        return ()
    return tuple(text[a:b].decode() for a, b in pairwise(ends))


# ---- XGBoost's models: JSON or Universal Binary JSON, as `save_model` writes them

LINKS = {  # of objectives; others keep the sum as it is
    "binary:logistic": "logistic", "multi:softprob": "softmax", "multi:softmax": "softmax",
    "count:poisson": "log", "reg:gamma": "log", "reg:tweedie": "log", "survival:cox": "log", "survival:aft": "log",
}  # fmt: skip
SUMS = ("reg:squarederror", "reg:linear", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
        "reg:quantileerror", "reg:expectileerror", "binary:logitraw", "rank:")  # fmt: skip
BOOSTER = to_say("the model is a {name}; only trees can be read")
LATER_ROUNDS = to_say("early stopping chose {n} of {all} rounds; the later ones are not used")


class XgboostTrees(NamedTuple):
    """The trees of a file that are used."""

    trees: list[dict[str, Any]]
    score: np.ndarray  # (n_trees,) which score each tree adds to
    factor: np.ndarray  # (n_trees,) of its values
    unused: tuple[Phrase, ...]
    names: list[tuple[str, ...]]  # of the categories of each column


def is_xgboost(document: Any) -> bool:
    """Return whether a JSON document is a model of XGBoost."""
    return isinstance(document, dict) and isinstance(document.get("learner"), dict) and "version" in document


def read_xgboost(document: dict[str, Any]) -> ImportedForest:
    """Return the forest of a model's document. Raises Refusal for what a forest here cannot be."""
    learner = document["learner"]
    parameters, objective = learner["learner_model_param"], learner["objective"]["name"]
    link = _link(objective)
    n_scores = max(int(parameters["num_class"]), 1)
    if int(parameters.get("num_target", 1)) > 1:
        raise Refusal(SEVERAL_NUMBERS)
    if n_scores > 1 and link != "softmax":
        raise Refusal(SEVERAL_NUMBERS)
    n_features, names = int(parameters["num_feature"]), list(learner.get("feature_names") or [])
    check_width(n_features)
    selection = _select_trees(learner, n_scores, n_features)
    trees = _trees(selection, learner.get("feature_types"), n_scores, n_features)
    n_classes = 2 if link == "logistic" else n_scores if link == "softmax" else 0
    if not n_classes and estimator_of(learner["attributes"]).get("_estimator_type") == "classifier":
        raise Refusal(OBJECTIVE, name=objective)  # an estimator makes classes of it in a way of its own
    features = _features(learner, names, selection.names)
    forest = make_sum(trees, _start(parameters["base_score"], objective, n_scores), link, [])
    if any(len(features[column].categories) > MOST_CODES for column in columns_asked(forest)):
        raise Refusal(CATEGORIES, n=MOST_CODES)
    library = f"XGBoost {'.'.join(str(part) for part in document['version'])}, {objective}"
    labels = labels_of(learner["attributes"], n_classes)
    facts_ = {"has_names": bool(names), "codes": "unknown", "refuses_others": True}
    return model_of(forest, ModelFacts(library, features, labels, selection.unused, **facts_))


def _link(objective: str) -> str:
    if objective not in LINKS and not objective.startswith(SUMS):
        raise Refusal(OBJECTIVE, name=objective)
    return LINKS.get(objective, "identity")


def _select_trees(learner: dict[str, Any], n_scores: int, n_features: int) -> XgboostTrees:
    """Return the trees that predict: where XGBClassifier stopped early, those up to its best round."""
    booster = learner["gradient_booster"]
    drops = booster["name"] == "dart"
    if booster["name"] not in ("gbtree", "dart"):
        raise Refusal(BOOSTER, name=booster["name"])
    model = booster["gbtree"]["model"] if drops else booster["model"]
    check_model(model, n_scores, n_features)
    trees, score = model["trees"], np.asarray(model["tree_info"], np.int64)
    weights = booster["weight_drop"] if drops else model.get("weight_drop")  # XGBoost 3.4 has it in the model
    factor = np.ones(len(trees)) if weights is None else np.asarray(weights, np.float64)
    check_values(factor)
    per_round = n_scores * int(model["gbtree_model_param"].get("num_parallel_tree", 1) or 1)
    rounds = rounds_of(learner["attributes"], len(trees) // per_round)
    n = len(trees) if rounds is None else rounds * per_round
    notes = (
        () if n == len(trees) else (Phrase(LATER_ROUNDS, {"n": n // per_round, "all": len(trees) // per_round}),)
    )
    return XgboostTrees(trees[:n], score[:n], factor[:n], notes, category_names(model, n_features))


def _trees(chosen: XgboostTrees, kinds: list[str] | None, n_scores: int, n_features: int) -> Any:
    first = np.cumsum([0, *(len(tree["left_children"]) for tree in chosen.trees)])
    left, right = (_children(chosen.trees, side, first) for side in ("left_children", "right_children"))
    number, is_split = np.repeat(np.arange(len(chosen.trees)), np.diff(first)), left >= 0
    condition = _join_lists(chosen.trees, "split_conditions", np.float32)
    value = np.zeros((len(left), n_scores))
    at = np.arange(len(left)), chosen.score[number]
    value[at] = np.where(is_split, np.nan, condition * chosen.factor[number])
    value[np.isnan(value).any(axis=1)] = np.nan
    categories = _categories(chosen.trees, first)
    check_kinds(chosen.trees, kinds)
    is_set = _join_lists(chosen.trees, "split_type", np.int64) == 1
    nodes = FileNodes(
        _join_lists(chosen.trees, "split_indices", np.int64),
        np.where(is_set, np.nan, below_as_float32(condition)),
        left,
        right,
        _join_lists(chosen.trees, "default_left", np.int64) != 0,
        value,
        categories,
        weight=_join_lists(chosen.trees, "sum_hessian", np.float64),
        n_samples=_join_lists(chosen.trees, "sum_hessian", np.float64),
        gain=_join_lists(chosen.trees, "loss_changes", np.float64),
    )
    return trees_of(nodes, first[:-1], n_features)


def _join_lists(trees: list[dict[str, Any]], name: str, kind: Any) -> np.ndarray:
    parts = [np.asarray(tree[name], kind) for tree in trees]
    if any(len(part) != len(tree["left_children"]) for part, tree in zip(parts, trees, strict=True)):
        raise Refusal(SEVERAL_NUMBERS)  # leaves with a vector
    return np.concatenate(parts)


def _children(trees: list[dict[str, Any]], name: str, first: np.ndarray) -> np.ndarray:
    parts = [np.asarray(tree[name], np.int64) for tree in trees]
    return np.concatenate([np.where(part < 0, -1, part + at) for part, at in zip(parts, first[:-1], strict=True)])


def _categories(trees: list[dict[str, Any]], first: np.ndarray) -> np.ndarray:
    """Return the codes that go left: all but those that the file lists."""
    left = np.zeros(int(first[-1]), np.uint64)
    for tree, at in zip(trees, first[:-1], strict=True):
        spans = (tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"])
        for node, begin, size in zip(*(np.asarray(span, np.int64).tolist() for span in spans), strict=True):
            codes = np.asarray(tree["categories"][begin : begin + size], np.int64)
            if len(codes) and codes.max() >= MOST_CODES:
                raise Refusal(CATEGORIES, n=MOST_CODES)
            left[at + node] = ~set_of(codes)
    return left


def _features(learner: dict[str, Any], names: list[str], categories: list[tuple[str, ...]]) -> tuple[Feature, ...]:
    kinds = learner.get("feature_types") or ["float"] * len(categories)
    features = [Feature(name) for name in names] if names else list(number_features(len(categories)))
    return tuple(
        feature._replace(kind="category", categories=texts) if kind == "c" else feature
        for feature, kind, texts in zip(features, kinds, categories, strict=True)
    )


def _start(base_score: Any, objective: str, n_scores: int) -> np.ndarray:
    """Return the scores before the first tree: the base score is written as a prediction."""
    score = json.loads(base_score) if isinstance(base_score, str) else base_score
    base = np.asarray(score, np.float32).astype(np.float64).ravel()
    check_values(base)
    if LINKS.get(objective) == "logistic":
        base = logit(base)
    elif LINKS.get(objective) == "log":
        base = np.log(base)
    return np.broadcast_to(base, n_scores).copy()


# ---- universal Binary JSON, which XGBoost writes: values with a mark before each, and arrays of one type

NUMBERS = {"i": ">i1", "U": ">u1", "I": ">i2", "l": ">i4", "L": ">i8", "d": ">f4", "D": ">f8"}
PLAIN = {"Z": None, "T": True, "F": False}
DEEPEST = 64  # arrays and objects in each other


# The specification is ubjson.org's; numbers stand with the highest byte first.
class UbjsonError(ValueError):
    """The bytes are no Universal Binary JSON."""


def from_ubjson(data: bytes) -> Any:
    """Return the value: objects as dict, arrays of numbers as numpy arrays. Raises UbjsonError.

    >>> from_ubjson(b"{U\\x01a[$U#U\\x02\\x07\\x08}")["a"].tolist()
    [7, 8]
    """
    reader = _Reader(data)
    try:
        return reader.value(reader.mark(), DEEPEST)
    except (IndexError, UnicodeDecodeError, KeyError, TypeError) as wrong:
        raise UbjsonError(str(wrong)) from None


class _Reader:
    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def mark(self) -> str:
        self._at += 1
        return chr(self._data[self._at - 1])

    def value(self, mark: str, deepest: int) -> Any:
        if mark in NUMBERS:
            return self._numbers(mark, 1)[0].item()
        if mark in PLAIN:
            return PLAIN[mark]
        if mark == "C":
            return self.mark()
        if mark in "SH":
            return self._text(self._length())
        if deepest == 0:
            raise UbjsonError("values are too deep in each other")
        if mark == "[":
            return self._array(deepest - 1)
        if mark == "{":
            return self._object(deepest - 1)
        raise UbjsonError(f"there is no mark {mark!r}")

    def _numbers(self, mark: str, n: int) -> np.ndarray:
        kind = np.dtype(NUMBERS[mark])
        if n < 0 or self._at + n * kind.itemsize > len(self._data):
            raise UbjsonError("the file ends too early")
        numbers = np.frombuffer(self._data, kind, n, self._at)
        self._at += n * kind.itemsize
        return numbers

    def _length(self) -> int:
        return int(self._numbers(self.mark(), 1)[0])

    def _text(self, n: int) -> str:
        if n < 0 or self._at + n > len(self._data):
            raise UbjsonError("the file ends too early")
        self._at += n
        return self._data[self._at - n : self._at].decode()

    def _array(self, deepest: int) -> Any:
        kind, n = self._head()
        if kind in NUMBERS and n is not None:
            return self._numbers(kind, n).astype(NUMBERS[kind][1:])
        items = []
        while n is None or len(items) < n:
            mark = kind or self.mark()
            if n is None and mark == "]":
                break
            if mark != "N":
                items.append(self.value(mark, deepest))
        return items

    def _object(self, deepest: int) -> dict[str, Any]:
        kind, n = self._head()
        items: dict[str, Any] = {}
        while n is None or len(items) < n:
            if n is None and self._data[self._at] == ord("}"):
                self._at += 1
                break
            name = self._text(self._length())
            items[name] = self.value(kind or self.mark(), deepest)
        return items

    def _head(self) -> tuple[str, int | None]:
        """Return the type of all values, or nothing, and their number, if it is given."""
        kind = ""
        if self._data[self._at] == ord("$"):
            self._at += 1
            kind = self.mark()
        if self._data[self._at] == ord("#"):
            self._at += 1
            return kind, self._length()
        return kind, None
