"""Explanations of models of other libraries, read as forests of ours: how far they are from the package shap.

Shapley values along the trees' paths are those of `shap.TreeExplainer`, which for XGBoost, LightGBM and CatBoost
asks the library itself. Curves (ICE, and their mean, PDP) are compared with the library's own predictions, between
the thresholds. All are of rows that the model has not seen, in units of the greatest value. Needs shap and the
libraries; one that is not installed is left out.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import warnings
from typing import Any

import numpy as np
from sklearn import ensemble

import espalier
from espalier.analysis import feature_curves, shapley_values
from espalier.data import samples

QUIET_CATBOOST = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
ROWS, TREES, COLUMNS = 200, 50, 5  # explained; of a model; with curves


def models() -> dict[str, Any]:
    """The models to explain, not fitted; of libraries that are installed."""
    there: dict[str, Any] = {
        "scikit-learn random forest": ensemble.RandomForestClassifier(TREES, max_depth=6, random_state=0),
        "scikit-learn extra trees": ensemble.ExtraTreesClassifier(TREES, max_depth=6, random_state=0),
        "scikit-learn gradient boosting": ensemble.GradientBoostingClassifier(n_estimators=TREES, random_state=0),
        "scikit-learn histogram boosting": ensemble.HistGradientBoostingClassifier(max_iter=TREES),
    }
    makers = {
        "xgboost": lambda of: of.XGBClassifier(n_estimators=TREES, max_depth=4, n_jobs=1),
        "lightgbm": lambda of: of.LGBMClassifier(n_estimators=TREES, verbose=-1, n_jobs=1),
        "catboost": lambda of: of.CatBoostClassifier(iterations=TREES, depth=4, **QUIET_CATBOOST),
    }
    for library, make in makers.items():
        try:
            there[f"{library} {importlib.metadata.version(library)}"] = make(importlib.import_module(library))
        except ImportError:
            print(f"{library} is not installed")
    return there


def of_shap(model: Any, X: np.ndarray) -> np.ndarray:
    """What shap says each column adds to the second class, (n, n_features)."""
    shap = importlib.import_module("shap")
    found = shap.TreeExplainer(model)(X, check_additivity=False).values
    return found[..., 1] if found.ndim == 3 else found


def of_ours(forest: Any, X: np.ndarray) -> np.ndarray:
    """The same by Espalier: log odds, or the share."""
    return shapley_values(forest, X).added[:, :, -1]


def curves_apart(ours: Any, theirs: Any, X: np.ndarray, feature: int) -> float:
    """The largest difference of curves along a feature, in the middle between thresholds."""
    found = feature_curves(ours.forest_, X, feature)
    middles = (found.steps[1:] + found.steps[:-1]) / 2
    apart = [0.0]
    for place, value in enumerate(middles, 1):
        moved = X.copy()
        moved[:, feature] = value
        apart.append(np.abs(found.answers[:, place, -1] - theirs.predict_proba(moved)[:, 1]).max())
    return float(max(apart))


def difference(ours: np.ndarray, theirs: np.ndarray) -> str:
    """The largest difference, in units of the greatest value."""
    return f"{np.abs(ours - theirs).max() / np.abs(theirs).max():.1e}"


def main() -> None:
    """Print a line of the table for each model."""
    warnings.simplefilter("ignore")
    data = samples.load("breast-cancer")
    X, y = data.X.astype(np.float32).astype(np.float64), data.y
    fitted_to, rows = X[ROWS:], X[:ROWS]
    print("| model | along paths | curves |\n|---|---|---|")
    for name, model in models().items():
        model.fit(fitted_to, y[ROWS:])
        ours = espalier.read_model(model)
        cells = []
        try:
            cells.append(difference(of_ours(ours.forest_, rows), of_shap(model, rows)))
        except Exception as why:  # of what shap does not explain
            cells.append(f"shap: {type(why).__name__} {str(why)[:60]}")
        asked = np.argsort(-np.abs(of_ours(ours.forest_, rows)).mean(axis=0))[:COLUMNS]
        cells.append(f"{max(curves_apart(ours, model, rows, int(j)) for j in asked):.1e}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
