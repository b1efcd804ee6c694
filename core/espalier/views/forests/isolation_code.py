"""Python code for the scores of unusual rows."""

from __future__ import annotations

from typing import NamedTuple

from espalier.data.dataset import Dataset

MOST_IN_CODE = 30  # columns that code names


class Settings(NamedTuple):
    """The settings of an isolation forest."""

    n_estimators: int = 100
    contamination: float = 0.05
    random_state: int = 0


def python_code(data: Dataset, settings: Settings, sample: str = "") -> str:
    """Return Python that gives the scores of the page; of a bundled sample, if its name is given."""
    lines = _of_sample(sample) if sample else _of_file(data)
    terms = "".join(f", {name}={value!r}" for name, value in settings._asdict().items())
    kinds = "categorical_features=data.categorical" if sample else 'categorical_features="from_dtype"'
    return "\n".join(
        [
            *lines,
            "",
            f"model = IsolationForest({kinds}{terms})",
            f"model.fit(X{_weights(data)})",
            "score = -model.score_samples(X)  # from 0 to 1, greater for unusual rows",
            "is_unusual = model.predict(X) == -1",
            "saved = model.cuts_saved(X[is_unusual])  # by each column, of the unusual rows",
            "",
        ]
    )


def _weights(data: Dataset) -> str:
    """Return the argument that has a column's weights; empty without any."""
    return f", sample_weight=table[{data.row_weights.name!r}]" if data.row_weights else ""


def _of_sample(name: str) -> list[str]:
    return [
        "from espalier.data import samples",
        "from espalier.learners import IsolationForest",
        "",
        f"data = samples.load({name!r})",
        "X = data.X  # the target does not count",
    ]


def _of_file(data: Dataset) -> list[str]:
    names = [feature.name for feature in data.features]
    sets = {feature.name: "category" for feature in data.features if feature.categories}
    kept = f"table[{names!r}]" if len(names) <= MOST_IN_CODE else f"table.drop(columns=[{data.target.name!r}])"
    return [
        "import pandas as pd",
        "from espalier.learners import IsolationForest",
        "",
        'table = pd.read_csv("table.csv")  # your file',
        f"X = {kept}  # the target does not count",
        *([f"X = X.astype({sets!r})"] if sets else []),
    ]
