"""Fitted objects of XGBoost, LightGBM and CatBoost, which write themselves as their files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any


def bytes_of(model: Any) -> bytes | None:
    """Return the file of a fitted object of these libraries; None for any other object."""
    library = type(model).__module__.partition(".")[0]
    if library == "lightgbm":
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
