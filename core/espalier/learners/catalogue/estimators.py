"""From a model's settings to the estimator: one function for each way in which estimators are made.

Most settings are a parameter of the estimator each (`Setting.parameter`). What several settings say together is
worked out here.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from espalier import learners
from espalier.data.dataset import Dataset
from espalier.data.errors import number_text
from espalier.language import Refusal
from espalier.learners.black_boxes.models import Setup, black_box
from espalier.learners.catalogue.settings import CRITERION_OF_TREES, DEEPEST_OPTIMAL, OWN, Setting
from espalier.learners.forbidden import escape_name, read_names
from espalier.learners.imports.model import ReadyModel
from espalier.learners.monotone import read_directions

OPTIMAL_MB = 64  # MB per search: several may be under way
SIGNS = ",:|"  # that part what a text says of splits
MOST_GIVEN, MOST_STEPS = 64, 64  # of a text, and of the way to a split
PATH = re.compile(f"[LR]{{0,{MOST_STEPS}}}")
SET = "="  # before the categories that go left
T = TypeVar("T")


class CommonTerms(NamedTuple):
    """Arguments of every estimator, of any kind and settings."""

    is_classification: bool
    categorical: np.ndarray | None = None  # (n_features,) bool: which features are split as sets of categories
    seed: int = 0  # of a model whose settings have none
    n_jobs: int = 1
    seconds: float | None = None  # time limit of a search whose settings have none; it returns the best so far
    classes: tuple[str, ...] = ()  # names of the target's classes, for settings that name one
    codes: tuple[int, ...] = ()  # their numbers in the data, where these are not 0, 1, …
    megabytes: int = OPTIMAL_MB  # memory of a search
    columns: tuple[str, ...] = ()  # names of the features, for settings that name some
    categories: tuple[tuple[str, ...], ...] = ()  # of each of them, for settings that name some of these
    directed: int = 1  # code of the one of two classes whose share directions are about (`Feature.directed`)
    # A fitted model: a person's own, or the black box of an approximation tree; None: its settings say which one
    box: Any = None

    @classmethod
    def of(cls, dataset: Dataset, **others: Any) -> CommonTerms:
        """Return the terms for these data; `others` are fields as above."""
        own: dict[str, Any] = {
            "classes": dataset.classes,
            "columns": tuple(feature.name for feature in dataset.features),
            "categories": tuple(feature.categories for feature in dataset.features),
            "directed": dataset.target.directed,
        }
        return cls(dataset.is_classification, dataset.categorical, **(own | others))


Values = Mapping[str, Any]  # of settings, by key

Make = Callable[[Values, dict[str, Any], CommonTerms], Any]

_signature = functools.cache(inspect.signature)


def parameters(settings: Sequence[Setting], values: Values, terms: CommonTerms) -> dict[str, Any]:
    """Return the estimator's parameters that settings of its target name, by their values, and of the terms."""
    arguments = {
        setting.parameter: setting.value(values[setting.key])
        for setting in settings
        if setting.parameter and values[setting.key] != OWN
    }
    if isinstance(arguments.get("class_weight"), tuple):  # a weight for each class: records hold no dicts
        arguments["class_weight"] = dict(enumerate(arguments["class_weight"]))
    if text := arguments.get("monotonic_cst"):
        arguments["monotonic_cst"] = _direction_list(text, terms, values.get("missing"))
    if text := arguments.get("forbidden_features"):
        arguments["forbidden_features"] = left_out_there(text, terms) or None
    if text := arguments.get("forced_splits"):
        left_out = arguments.get("forbidden_features") or ()
        arguments["forced_splits"] = given_there(text, terms, left_out) or None
    ours = {"categorical_features": terms.categorical, "n_jobs": terms.n_jobs, "random_state": values["random"]}
    return ours | arguments


def directions_there(text: str | None, terms: CommonTerms, missing: str | None = None) -> dict[str, int]:
    """Return the directions of a text that can hold, by column: for columns of the terms without categories.

    There are none for three classes or more, nor where surrogate splits stand in for missing values.
    """
    if not text or len(terms.classes) > 2 or missing == "surrogate":
        return {}
    is_category = np.zeros(len(terms.columns), bool) if terms.categorical is None else terms.categorical
    directions = read_directions(text)
    numbers = [name for name, category in zip(terms.columns, is_category, strict=True) if not category]
    return {name: directions[name] for name in numbers if name in directions}


def left_out_there(text: str | None, terms: CommonTerms) -> tuple[int, ...]:
    """Return the numbers of the terms' columns that a text leaves out, ascending."""
    names = read_names(text or "")
    return tuple(number for number, name in enumerate(terms.columns) if name in names)


def _direction_list(text: str, terms: CommonTerms, missing: str | None) -> tuple[int, ...] | None:
    """Return the parameter `monotonic_cst` for a text: a direction for each column, or None.

    Estimators direct the share of the second of two classes: where the text is about the first, all turn round.
    """
    there, sign = directions_there(text, terms, missing), 1 if terms.directed else -1
    return tuple(sign * there.get(name, 0) for name in terms.columns) if there else None


def estimator_of(name: str, more: Callable[[Values, CommonTerms], dict[str, Any]] | None = None) -> Make:
    """Return the maker of an estimator, of the `espalier.learners` classes whose names begin with `name`.

    `more` are parameters that several settings say together.
    """

    def make(values: Values, parameters: dict[str, Any], terms: CommonTerms) -> Any:
        own = {} if more is None else more(values, terms)
        own |= weights_for_costs(values, terms) if values.get("costly") else {}
        return _make(name, terms, parameters | own)

    return make


def cultivated_of(name: str) -> Make:
    """Return the maker of cultivated trees, or of forests of these, as `estimator_of` does."""
    return estimator_of(name, lambda values, _: hesitation_of(values["hesitates"]))


def hesitation_of(about: str) -> dict[str, bool]:
    """Return the parameters of cultivated trees for a value of the setting `hesitates`.

    >>> hesitation_of("threshold")
    {'robust_splits': True, 'options': False}
    """
    return {"robust_splits": about in ("both", "threshold"), "options": about in ("both", "feature")}


def optimal(values: Values, parameters: dict[str, Any], terms: CommonTerms) -> Any:
    """Make the best tree of its size, over all thresholds or, of classes, those of `source`."""
    seconds, every = values["seconds"], {"binarisation": "quantiles"} if values["cuts"] is None else {}
    ours = {
        "misclassification_cost": costs(terms.classes, values["costly"], float(values["times"])),
        "time_limit": None if seconds is None else float(seconds),
        "max_memory": terms.megabytes,
    }
    parameters = parameters | {"forced_splits": _within(parameters)}
    if values["monotone"]:  # beside which splits part no sets of categories
        parameters = parameters | {"categories": "one-vs-rest"}
    return _make("Optimal", terms, parameters | every | ours)


def _within(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return those of the splits to begin with that an optimal tree has room for, the upper first."""
    splits = parameters.get("forced_splits") or {}
    return fitting_splits(splits, parameters["max_depth"], parameters.get("max_splits")) or None


def costs(classes: Sequence[str], costly: str, times: float) -> tuple[tuple[float, ...], ...] | None:
    """Return what taking a class (row) for another (column) costs, where mistaking `costly` costs `times` as much.

    None where all errors cost the same.

    >>> costs(("ill", "well"), "ill", 3.0)
    ((0.0, 3.0), (1.0, 0.0))
    """
    if costly not in classes or times == 1:
        return None
    n, worse = range(len(classes)), list(classes).index(costly)
    return tuple(tuple(0.0 if j == k else times if k == worse else 1.0 for j in n) for k in n)


def weights_for_costs(values: Values, terms: CommonTerms) -> dict[str, dict[int, float]]:
    """Return the parameter `class_weight` in place of costs, for a learner that has none; empty if they are equal.

    Where all errors on a class cost the same, its rows may weigh as much more instead (Breiman et al. 1984,
    section 4.4).

    >>> weights_for_costs({"costly": "ill", "times": 3.0}, CommonTerms(True, classes=("ill", "well")))
    {'class_weight': {0: 3.0, 1: 1.0}}
    """
    cost = costs(terms.classes, values.get("costly", ""), float(values.get("times", 1)))
    codes = terms.codes or range(len(terms.classes))
    return {} if cost is None else {"class_weight": {k: max(row) for k, row in zip(codes, cost, strict=True)}}


def approximation(values: Values, parameters: dict[str, Any], terms: CommonTerms) -> Any:
    """Make a tree that approximates another model, which is fitted to the same rows first."""
    categorical = np.zeros(0, bool) if terms.categorical is None else terms.categorical
    setup = Setup(terms.is_classification, categorical, values["box-random"], terms.n_jobs)
    model = black_box(values["box"]).make(setup) if terms.box is None else terms.box
    return _make("Approximation", terms, parameters | {"model": model})


def baseline(_values: Values, _parameters: dict[str, Any], terms: CommonTerms) -> Any:
    """Return the baseline without splits, which predicts the class shares, or mean, of its training rows."""
    return DummyClassifier(strategy="prior") if terms.is_classification else DummyRegressor(strategy="mean")


def ready(_values: Values, _parameters: dict[str, Any], terms: CommonTerms) -> Any:
    """Return the model that a person brought, as the terms have it: it is fitted."""
    return ReadyModel(terms.box)


def forest_of(name: str) -> Make:
    """Return the maker of a forest of any trees, as `estimator_of` does."""
    return estimator_of(name, lambda values, terms: {"estimator": tree_of(values, terms)})


def tree_of(values: Values, terms: CommonTerms) -> Any:
    """Return the base tree of a forest, by `base`, `depth`, criterion and way of missing values of the settings.

    Raises ValueError for an unknown tree.
    """
    base, most = values["base"], values["depth"]
    common = {"max_depth": most, "random_state": values["random"], "categorical_features": terms.categorical}
    common["forbidden_features"] = left_out_there(values["without"], terms) or None
    if base == "cart":
        gaps = {"missing": values["missing"], "impute_with": values["impute-with"]}
        loss = {} if terms.is_classification else {"criterion": CRITERION_OF_TREES.value(values["criterion"])}
        return _make("Cart", terms, common | gaps | loss)
    if base == "cultivated":
        return _make("Cultivated", terms, common)
    if not terms.is_classification:
        raise Refusal("optimal trees are for classes, and this target is a number; choose other trees")
    if most is None or most > DEEPEST_OPTIMAL:
        raise Refusal("optimal trees of a forest have a depth of {n} at most; set one", n=DEEPEST_OPTIMAL)
    return learners.OptimalClassifier(time_limit=terms.seconds, max_memory=terms.megabytes, **common)


def _make(name: str, terms: CommonTerms, parameters: Mapping[str, Any]) -> Any:
    """Make the estimator with the parameters that it has: regression has no votes, boosting no threads."""
    make = getattr(learners, name + ("Classifier" if terms.is_classification else "Regressor"))
    there = _signature(make).parameters
    return make(**{name: value for name, value in parameters.items() if name in there})


# ---- splits that a person gives, as a text of settings and addresses


class GivenSplit(NamedTuple):
    """A split by names: a number up to which values go left, or the categories that do."""

    column: str
    at: float | tuple[str, ...]


def splits_in_text(splits: Mapping[str, GivenSplit]) -> str:
    """Return splits by path as a text that `read_splits` reads.

    >>> splits_in_text({"": GivenSplit("petal width", 0.8), "R": GivenSplit("colour", ("red", "a,b"))})
    ':petal width:0.8,R:colour:=red|a%2Cb'
    """
    return ",".join(
        f"{path}:{escape_name(split.column, SIGNS)}:{_text_of_place(split.at)}" for path, split in splits.items()
    )


def read_splits(text: str) -> dict[str, GivenSplit]:
    """Return the splits of a text by path, parents first. Raises ValueError for another text.

    >>> read_splits(":petal width:0.8,R:colour:=red|a%2Cb")["R"]
    GivenSplit(column='colour', at=('red', 'a,b'))
    """
    parts = [part.split(":") for part in text.split(",")] if text else []
    if len(parts) > MOST_GIVEN or any(len(part) != 3 or not PATH.fullmatch(part[0]) for part in parts):
        raise ValueError(f"{text!r} gives no splits; they are written as :age:40,L:income:3000")
    splits = {path: GivenSplit(unquote(name), _read(at)) for path, name, at in parts}
    if any(path and path[:-1] not in splits for path in splits):
        raise ValueError(f"{text!r} has a split without the one above it")
    return dict(sorted(splits.items(), key=lambda pair: (len(pair[0]), pair[0])))


def given_there(text: str | None, terms: CommonTerms, without: tuple[int, ...] = ()) -> dict[str, tuple[int, Any]]:
    """Return the parameter `forced_splits` for a text: those of its splits that the terms' columns allow, by path.

    A split goes with those below it where its column is not there, of another kind or left out (`without`), or has
    none of its categories.
    """
    there: dict[str, tuple[int, Any]] = {}
    for path, split in read_splits(text or "").items():
        at = _there(split, terms, without)
        if at is not None and (not path or path[:-1] in there):
            there[path] = at
    return there


def fitting_splits(splits: Mapping[str, T], depth: int, most: int | None) -> dict[str, T]:
    """Return those of the splits by path that a tree of so many levels and splits has room for, the upper first.

    >>> fitting_splits({"": "age", "R": "income", "RL": "debt"}, 2, None)
    {'': 'age', 'R': 'income'}
    """
    shallow = [path for path in splits if len(path) < depth]
    return {path: splits[path] for path in shallow[:most]}


def _there(split: GivenSplit, terms: CommonTerms, without: tuple[int, ...]) -> tuple[int, Any] | None:
    if split.column not in terms.columns:
        return None
    column = terms.columns.index(split.column)
    is_category = terms.categorical is not None and bool(terms.categorical[column])
    if column in without or is_category != isinstance(split.at, tuple):
        return None
    if not isinstance(split.at, tuple):
        return column, split.at
    names = terms.categories[column] if terms.categories else ()
    codes = [names.index(name) for name in split.at if name in names]
    return (column, codes) if codes and len(codes) < len(names) else None


def _read(text: str) -> float | tuple[str, ...]:
    if text.startswith(SET):
        return tuple(unquote(name) for name in text[1:].split("|"))
    at = float(text)
    if not math.isfinite(at):
        raise ValueError(f"a split at {text} parts nothing")
    return at


def _text_of_place(at: float | tuple[str, ...]) -> str:
    if isinstance(at, tuple):
        return SET + "|".join(escape_name(name, SIGNS) for name in at)
    return number_text(at)
