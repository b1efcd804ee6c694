"""`read_model`: the trees of another library, from a fitted object, a file or its bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from espalier.language import Refusal, to_say
from espalier.learners.imports.files.catboost import is_catboost, read_catboost
from espalier.learners.imports.files.lightgbm import is_lightgbm, read_lightgbm
from espalier.learners.imports.files.onnx import is_onnx, read_onnx_trees
from espalier.learners.imports.files.tables import is_table, read_table_of_trees
from espalier.learners.imports.files.ubjson import UbjsonError, from_ubjson
from espalier.learners.imports.files.xgboost import is_xgboost, read_xgboost
from espalier.learners.imports.model import ImportedForest
from espalier.learners.imports.objects import bytes_of, with_labels
from espalier.learners.imports.scikit_learn import read_sklearn
from espalier.learners.imports.ydf import read_ydf

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
        (`espalier.learners.imports.files.tables`). No pickle is ever opened.

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
    found = read_sklearn(model) or read_ydf(model)
    if found is not None:
        return found
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
