"""A stranger's file of trees, read in a process with limits; what comes back are arrays of numbers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.moments import Moment
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.categories import CategoryLists
from espalier.learners.imports.model import ImportedForest, ModelFacts, model_of
from espalier.learners.imports.read import UNKNOWN, read_file
from espalier.sandbox import process
from espalier.settings import MAX_ONNX_MEMORY_MB, MAX_ONNX_SECONDS
from espalier.trees import Forest, Tree, make_forest, make_sum, make_tree

MODULE = "espalier.learners.imports.apart"
IDLE_SECONDS = 60.0
SECONDS_TO_START = 120.0  # on a busy server; the limit of a file begins after it
FIELDS = Tree._fields[:-1]  # no file has surrogate splits
TOO_LATE = to_say("reading the model took longer than {n} seconds, which is the limit of this server")
TOO_LARGE = to_say("reading the model took more than the {n} MB of memory that this server allows")


def holds_trees(data: bytes) -> bool:
    """Return whether a file looks like a model that `read_file` reads, other than ONNX."""
    start = data[:300].lstrip()
    return start.startswith((b"{", b"tree"))


def read_apart(data: bytes) -> ImportedForest:
    """Return the forest of a file's bytes, as `read_file`, which runs in a process of its own. Raises Refusal."""
    reader = process.start(MODULE, MAX_ONNX_MEMORY_MB, IDLE_SECONDS)
    try:
        process.ask(reader, {"file": np.empty(0, np.uint8)}, SECONDS_TO_START)
        answer = process.ask(reader, {"file": np.frombuffer(data, np.uint8)}, MAX_ONNX_SECONDS)
    except process.TooLate:
        raise Refusal(TOO_LATE, n=MAX_ONNX_SECONDS) from None
    finally:
        process.end(reader)
    if answer is None:
        raise Refusal(TOO_LARGE, n=MAX_ONNX_MEMORY_MB)
    if "wrong" in answer:
        raise Refusal(answer["wrong"], **answer["values"])
    return _rebuilt(answer)


def service() -> Callable[[dict, Callable], dict]:
    """Return the handler of the other process's request: a file, for which it answers a forest's arrays."""

    def answered(question: dict, _tell: Callable) -> dict:
        if not len(question["file"]):  # asked only whether it is there
            return {}
        try:
            return _flat(read_file(question["file"].tobytes()))
        except Refusal as refusal:
            return {"wrong": refusal.phrase.text, "values": _plain_values(refusal.phrase)}
        except Exception:  # of a stranger's file
            return {"wrong": UNKNOWN, "values": {}}

    return answered


def _flat(model: ImportedForest) -> dict[str, Any]:
    forest, facts = model.forest_, model.facts
    trees: Any = forest.trees
    arrays = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in FIELDS}
    about = {
        "library": facts.library, "features": [_plain_feature(one) for one in facts.features],
        "classes": [_plain(label) for label in facts.classes], "scale": facts.scale, "has_names": facts.has_names,
        "averages": facts.averages, "codes": facts.codes, "refuses_others": facts.refuses_others,
        "breaks_ties": facts.breaks_ties,
        "lists": None if facts.lists is None else [list(names) for names in facts.lists.names],
        "fits": np.empty((0, 0), bool) if facts.lists is None else facts.lists.fits,
        "unused": [[one.text, _plain_values(one)] for one in facts.unused],
        "combine": forest.combine, "link": forest.link,
    }  # fmt: skip
    sizes = np.array([tree.n_nodes for tree in trees])
    return {
        **arrays,
        **about,
        "sizes": sizes,
        "weights": forest.weight,
        "prior": forest.prior,
        "start": forest.start,
    }


def _plain_feature(feature: Feature) -> list[Any]:
    return [feature.name, feature.kind, list(feature.categories), list(feature.moment or ())]


def _rebuilt(found: dict[str, Any]) -> ImportedForest:
    ends = np.cumsum([0, *found["sizes"]])
    trees = tuple(make_tree(*(found[name][a:b] for name in FIELDS)) for a, b in pairwise(ends))
    features = tuple(
        Feature(name, kind, tuple(names), moment=Moment(*moment) if moment else None)
        for name, kind, names, moment in found["features"]
    )
    unused = tuple(Phrase(text, values) for text, values in found["unused"])
    kept = ("scale", "has_names", "averages", "codes", "refuses_others", "breaks_ties")
    same = {name: found[name] for name in kept}
    names = found["lists"]
    lists = None if names is None else CategoryLists(tuple(map(tuple, names)), found["fits"].astype(bool))
    facts = ModelFacts(found["library"], features, tuple(found["classes"]), unused, lists=lists, **same)
    return model_of(_forest(found, trees), facts)


def _forest(found: dict[str, Any], trees: tuple[Tree, ...]) -> Forest:
    if found["combine"] == "sum":
        return make_sum(trees, found["start"], found["link"], found["prior"])
    return make_forest(trees, found["weights"], found["combine"], found["prior"])


def _plain_values(phrase: Phrase) -> dict[str, Any]:
    return {name: _plain(value) for name, value in phrase.values.items()}


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, list)) else str(value)
