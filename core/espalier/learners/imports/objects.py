"""Fitted objects of XGBoost, LightGBM and CatBoost, which write themselves as their files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from espalier.language import Refusal, to_say
from espalier.learners.imports.files.lightgbm import NO_LABELS
from espalier.learners.imports.model import ImportedClassifier, ImportedForest

EARLY = to_say(
    "the model stops adding trees up early where it is sure (pred_early_stop), and a forest here adds all; fit it "
    "without this setting"
)


def with_labels(ours: ImportedForest, model: Any) -> ImportedForest:
    """Return the forest of a fitted object with the object's own labels of classes, where its file has none."""
    labels = getattr(model, "classes_", None)
    if not isinstance(ours, ImportedClassifier) or labels is None or len(labels) != len(ours.classes_):
        return ours
    unused = tuple(phrase for phrase in ours.facts.unused if phrase.text != NO_LABELS)
    facts = ours.facts._replace(classes=tuple(np.asarray(labels).tolist()), unused=unused)
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
        return _saved(model, {} if library == "xgboost" else {"format": "json"})
    return None


def _saved(model: Any, options: dict[str, str]) -> bytes:
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
