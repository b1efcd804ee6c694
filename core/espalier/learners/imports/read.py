"""`read_model`: the trees of another library, from a fitted object or a file, here or in a process with limits."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from espalier.data.dataset import Feature
from espalier.data.options import Moment
from espalier.language import Phrase, Refusal, to_say
from espalier.learners.imports.catboost import is_catboost, read_catboost
from espalier.learners.imports.categories import CategoryLists
from espalier.learners.imports.lightgbm import NO_LABELS, is_lightgbm, read_lightgbm
from espalier.learners.imports.model import ImportedClassifier, ImportedForest, ModelFacts, model_of
from espalier.learners.imports.onnx import is_onnx, read_onnx_trees
from espalier.learners.imports.scikit_learn import read_sklearn
from espalier.learners.imports.tables import is_table, read_table_of_trees
from espalier.learners.imports.xgboost import UbjsonError, from_ubjson, is_xgboost, read_xgboost
from espalier.learners.imports.ydf import read_ydf
from espalier.sandbox import keeper
from espalier.settings import MAX_ONNX_MEMORY_MB, MAX_ONNX_SECONDS
from espalier.trees import Forest, Tree, make_forest, make_sum, make_tree

EARLY = to_say(
    "the model stops adding trees up early where it is sure (pred_early_stop), and a forest here adds all; fit it "
    "without this setting"
)


def with_labels(ours: ImportedForest, model: Any) -> ImportedForest:
    """Return the forest of a fitted object with the object's own labels of classes, where its file has none."""
    labels = getattr(model, "classes_", None)
    if not isinstance(ours, ImportedClassifier) or labels is None or len(labels) != len(ours.classes_):
        return ours
    notes = tuple(phrase for phrase in ours.facts.unused if phrase.text != NO_LABELS)
    facts = ours.facts._replace(classes=tuple(np.asarray(labels).tolist()), unused=notes)
    return type(ours)(ours.forest_, facts)


def bytes_of(model: Any) -> bytes | None:
    """Return the file of a fitted object of these libraries; None for any other object."""
    library = type(model).__module__.partition(".")[0]
    if library == "lightgbm":
        if getattr(model, "get_params", dict)().get("pred_early_stop"):
            raise Refusal(EARLY)
        booster = model if hasattr(model, "model_to_string") else model.booster_
        return booster.model_to_string().encode()
    if library in ("xgboost", "catboost"):
        return _save_model(model, {} if library == "xgboost" else {"format": "json"})
    return None


def _save_model(model: Any, options: dict[str, str]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        try:
            model.save_model(str(file), **options)
        except (
            TypeError
        ):  # XGBoost up to 3.1.2 beside scikit-learn 1.9: its estimators do not save, their boosters do
            booster = model.get_booster().copy()
            booster.set_attr(
                scikit_learn="{}"
            )  # what its estimators write, by which rounds after the best are cut
            booster.save_model(str(file))
        return file.read_bytes()


# ---- `read_model`: the trees of another library, from a fitted object, a file or its bytes

UNKNOWN = to_say(
    "the file is no model that can be read: it must be XGBoost's JSON or UBJ, LightGBM's text, CatBoost's JSON, "
    "an ONNX file of trees, or a table of trees as from R"
)
PICKLE = to_say("the file is a pickle, which can run any program as it is opened; save the model in another form")
DAMAGED = to_say("the file is damaged, or of a version that is not known: {why}")
DOCUMENTS = ((is_xgboost, read_xgboost), (is_catboost, read_catboost), (is_table, read_table_of_trees))


def read_model(model: Any) -> ImportedForest:
    """Return the trees of another library's model as a `Forest` of ours, without fitting anything again.

    Parameters
    ----------
    model : a fitted model of scikit-learn (decision tree, random or extremely randomised forest, gradient or
        histogram boosting, AdaBoost or bagging of trees), XGBoost, LightGBM, CatBoost or ydf
        (tree, random forest, boosting); or the path or the bytes of a file: XGBoost's JSON or
        UBJ, LightGBM's text, CatBoost's JSON, ONNX (needs the package `onnx`), or a table of trees as R writes it
        (`espalier.learners.imports.tables`). No pickle is ever opened.

    Returns
    -------
    ImportedForest : with ``forest_``, ``features_``, ``predict``, ``predict_proba`` of classes, and
        ``decision_function`` of sums. Decisions are the library's own for every double, missing values included;
        numbers differ by the rounding of their sum, since XGBoost, ydf and ONNX add in float32.

    Raises
    ------
    Refusal (a ValueError) : for a file that cannot be read, and for what a forest here cannot be, with the reason
    ImportError : for an ONNX file without the package `onnx`

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> theirs = RandomForestClassifier(10, random_state=0).fit(iris.X, iris.y)
    >>> ours = read_model(theirs)
    >>> ours.forest_.n_trees, bool(abs(ours.predict_proba(iris.X) - theirs.predict_proba(iris.X)).max() < 1e-12)
    (10, True)
    """
    if isinstance(model, (str, Path)):
        return read_file(Path(model).read_bytes())
    if isinstance(model, (bytes, bytearray, memoryview)):
        return read_file(bytes(model))
    ours = read_sklearn(model) or read_ydf(model)
    if ours is not None:
        return ours
    data = bytes_of(model)
    if data is None:
        raise Refusal(
            "no trees can be read from a {name}; give a fitted model of scikit-learn, XGBoost, LightGBM, "
            "CatBoost or ydf, or a file",
            name=type(model).__name__,
        )
    return with_labels(read_file(data), model)


def read_file(data: bytes) -> ImportedForest:
    """Return the forest of a file's bytes, as `read_model`."""
    if data[:1] == b"\x80" or data[:2] == b"PK":  # of pickle and joblib; of zipped archives such as skops
        raise Refusal(PICKLE)
    try:
        return _read(data)
    except (Refusal, ImportError):
        raise
    except RecursionError:
        raise Refusal(UNKNOWN) from None
    except Exception as wrong:  # a file may leave out, or hold, anything
        why = f"{type(wrong).__name__} {wrong}"
        raise Refusal(DAMAGED, why=why[:120]) from None


def _read(data: bytes) -> ImportedForest:
    start = data[:300].lstrip()
    if start.startswith(b"{"):
        return _read_document(data)
    if start.startswith(b"tree") and is_lightgbm(text := data.decode("utf-8").replace("\r\n", "\n")):
        return read_lightgbm(text)
    if is_onnx(data):
        return read_onnx_trees(data)
    raise Refusal(UNKNOWN)


def _read_document(data: bytes) -> ImportedForest:
    try:
        document = json.loads(data)
    except (ValueError, UnicodeDecodeError):
        try:
            document = from_ubjson(data)
        except UbjsonError:
            raise Refusal(UNKNOWN) from None
    for suits, read in DOCUMENTS:
        if suits(document):
            return read(document)
    raise Refusal(UNKNOWN)


# ---- A stranger's file of trees, read in a process with limits; what comes back are arrays of numbers

MODULE = "espalier.learners.imports.read"
IDLE_SECONDS = 60.0
SECONDS_TO_START = 120.0  # on a busy server; the limit of a file begins after it
FIELDS = Tree._fields[:-1]  # no file has surrogate splits
AS_THEY_ARE = ("scale", "has_names", "averages", "codes", "refuses_others", "breaks_ties")  # facts of a model
TOO_LATE = to_say("reading the model took longer than {n} seconds, which is the limit of this server")
TOO_LARGE = to_say("reading the model took more than the {n} MB of memory that this server allows")


def holds_trees(data: bytes) -> bool:
    """Return whether a file looks like a model that `read_file` reads, other than ONNX."""
    start = data[:300].lstrip()
    return start.startswith((b"{", b"tree"))


def read_apart(data: bytes) -> ImportedForest:
    """Return the forest of a file's bytes, as `read_file`, which runs in a process of its own. Raises Refusal."""
    reader = keeper.start(MODULE, MAX_ONNX_MEMORY_MB, IDLE_SECONDS)
    try:
        keeper.ask(reader, {"file": np.empty(0, np.uint8)}, SECONDS_TO_START)
        answer = keeper.ask(reader, {"file": np.frombuffer(data, np.uint8)}, MAX_ONNX_SECONDS)
    except keeper.TooLate:
        raise Refusal(TOO_LATE, n=MAX_ONNX_SECONDS) from None
    finally:
        keeper.end(reader)
    if answer is None:
        raise Refusal(TOO_LARGE, n=MAX_ONNX_MEMORY_MB)
    if "wrong" in answer:
        raise Refusal(answer["wrong"], **answer["values"])
    return _rebuilt(answer)


def service() -> Callable[[dict, Callable], dict]:
    """Return the handler of the other process's request: a file, for which it answers a forest's arrays."""

    def answer(question: dict, _tell: Callable) -> dict:
        if not len(question["file"]):  # asked only whether it is there
            return {}
        try:
            return _flat(read_file(question["file"].tobytes()))
        except Refusal as refusal:
            return {"wrong": refusal.phrase.text, "values": _plain_values(refusal.phrase)}
        except Exception:  # of a stranger's file
            return {"wrong": UNKNOWN, "values": {}}

    return answer


def _flat(model: ImportedForest) -> dict[str, Any]:
    forest, facts = model.forest_, model.facts
    trees: Any = forest.trees
    arrays = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in FIELDS}
    about = {
        "library": facts.library, "features": [_plain_feature(feature) for feature in facts.features],
        "classes": [_plain(label) for label in facts.classes],
        **{name: getattr(facts, name) for name in AS_THEY_ARE},
        "lists": None if facts.lists is None else [list(names) for names in facts.lists.names],
        "fits": np.empty((0, 0), bool) if facts.lists is None else facts.lists.fits,
        "unused": [[feature.text, _plain_values(feature)] for feature in facts.unused],
        "combine": forest.combine, "link": forest.link,
    }  # fmt: skip
    sizes = np.array([tree.n_nodes for tree in trees])
    own = {"sizes": sizes, "weights": forest.weight, "prior": forest.prior, "start": forest.start}
    return arrays | about | own


def _plain_feature(feature: Feature) -> list[Any]:
    return [feature.name, feature.kind, list(feature.categories), list(feature.moment or ())]


def _rebuilt(found: dict[str, Any]) -> ImportedForest:
    ends = np.cumsum([0, *found["sizes"]])
    trees = tuple(make_tree(*(found[name][a:b] for name in FIELDS)) for a, b in pairwise(ends))
    features = tuple(
        Feature(name, kind, tuple(names), moment=Moment(*moment) if moment else None)
        for name, kind, names, moment in found["features"]
    )
    notes = tuple(Phrase(text, values) for text, values in found["unused"])
    same = {name: found[name] for name in AS_THEY_ARE}
    names = found["lists"]
    lists = None if names is None else CategoryLists(tuple(map(tuple, names)), found["fits"].astype(bool))
    facts = ModelFacts(found["library"], features, tuple(found["classes"]), notes, lists=lists, **same)
    return model_of(_forest(found, trees), facts)


def _forest(found: dict[str, Any], trees: tuple[Tree, ...]) -> Forest:
    if found["combine"] == "sum":
        return make_sum(trees, found["start"], found["link"], found["prior"])
    return make_forest(trees, found["weights"], found["combine"], found["prior"])


def _plain_values(phrase: Phrase) -> dict[str, Any]:
    return {name: _plain(value) for name, value in phrase.values.items()}


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, list)) else str(value)
