"""From a model's settings to the estimator: one function for each way in which estimators are made.

Most settings are a parameter of the estimator each (`Setting.parameter`). What several settings say together is
worked out here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from espalier import learners
from espalier.language import Refusal
from espalier.learners.black_boxes.models import Setup, black_box
from espalier.learners.catalogue.given import given_there, with_room
from espalier.learners.catalogue.setting import Setting
from espalier.learners.catalogue.settings import CRITERION_OF_TREES, DEEPEST_OPTIMAL, OWN
from espalier.learners.catalogue.terms import CommonTerms
from espalier.learners.forbidden import read_names
from espalier.learners.imports.ready import ReadyModel
from espalier.learners.monotone import read_directions

Values = Mapping[str, Any]  # of settings, by key
Make = Callable[[Values, dict[str, Any], CommonTerms], Any]

_signature = functools.cache(inspect.signature)


def parameters(settings: Sequence[Setting], values: Values, terms: CommonTerms) -> dict[str, Any]:
    """Return the estimator's parameters that settings name, by their values, and those of the terms."""
    served = [one for one in settings if one.parameter and terms.is_classification in one.serves]
    named = {one.parameter: one.value(values[one.key]) for one in served if values[one.key] != OWN}
    if isinstance(named.get("class_weight"), tuple):  # a weight for each class: records hold no dicts
        named["class_weight"] = dict(enumerate(named["class_weight"]))
    if "monotonic_cst" in named:
        named["monotonic_cst"] = _by_column(named["monotonic_cst"], terms, values.get("missing"))
    if "forbidden_features" in named:
        named["forbidden_features"] = left_out_there(named["forbidden_features"], terms) or None
    if "forced_splits" in named:
        left_out = named.get("forbidden_features") or ()
        named["forced_splits"] = given_there(named["forced_splits"], terms, left_out) or None
    ours = {"categorical_features": terms.categorical, "n_jobs": terms.n_jobs, "random_state": values["random"]}
    return ours | named


def directions_there(text: str | None, terms: CommonTerms, missing: str | None = None) -> dict[str, int]:
    """Return the directions of a text that can hold, by column: for columns of the terms without categories.

    There are none for three classes or more, nor where surrogate splits stand in for missing values.
    """
    if not text or len(terms.classes) > 2 or missing == "surrogate":
        return {}
    is_category = np.zeros(len(terms.columns), bool) if terms.categorical is None else terms.categorical
    asked = read_directions(text)
    numbers = [name for name, category in zip(terms.columns, is_category, strict=True) if not category]
    return {name: asked[name] for name in numbers if name in asked}


def left_out_there(text: str | None, terms: CommonTerms) -> tuple[int, ...]:
    """Return the numbers of the terms' columns that a text leaves out, ascending."""
    names = read_names(text or "")
    return tuple(number for number, name in enumerate(terms.columns) if name in names)


def _by_column(text: str, terms: CommonTerms, missing: str | None) -> tuple[int, ...] | None:
    """Return the parameter `monotonic_cst` for a text: a direction for each column, or None.

    Estimators direct the share of the second of two classes: where the text is about the first, all turn round.
    """
    there, sign = directions_there(text, terms, missing), 1 if terms.directed else -1
    return tuple(sign * there.get(name, 0) for name in terms.columns) if there else None


def estimator_of(name: str) -> Make:
    """Return the maker of an estimator, of the `espalier.learners` classes whose names begin with `name`."""

    def make(values: Values, parameters: dict[str, Any], terms: CommonTerms) -> Any:
        return _taken(_class(name, terms), parameters | weights_for_costs(values, terms))

    return make


def cultivated_of(name: str) -> Make:
    """Return the maker of cultivated trees, or of forests of these, as `estimator_of` does."""

    def make(values: Values, parameters: dict[str, Any], terms: CommonTerms) -> Any:
        ours = hesitation_of(values["hesitates"]) | weights_for_costs(values, terms)
        return _taken(_class(name, terms), parameters | ours)

    return make


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
    return _taken(_class("Optimal", terms), parameters | every | ours)


def _within(parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return those of the splits to begin with that an optimal tree has room for, the upper first."""
    given = parameters.get("forced_splits") or {}
    return with_room(given, parameters["max_depth"], parameters.get("max_splits")) or None


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
    jump = {"model": model, "jump": values["jump"] / 100}
    return _taken(_class("Approximation", terms), parameters | jump)


def baseline(_values: Values, _parameters: dict[str, Any], terms: CommonTerms) -> Any:
    """Return the baseline without splits, which predicts the class shares, or mean, of its training rows."""
    return DummyClassifier(strategy="prior") if terms.is_classification else DummyRegressor(strategy="mean")


def ready(_values: Values, _parameters: dict[str, Any], terms: CommonTerms) -> Any:
    """Return the model that a person brought, as the terms have it: it is fitted."""
    return ReadyModel(terms.box)


def forest_of(name: str) -> Make:
    """Return the maker of a forest of any trees, as `estimator_of` does."""

    def make(values: Values, parameters: dict[str, Any], terms: CommonTerms) -> Any:
        return _taken(_class(name, terms), parameters | {"estimator": tree_of(values, terms)})

    return make


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
        return _class("Cart", terms)(**common, **gaps, **loss)
    if base == "cultivated":
        return _class("Cultivated", terms)(**common)
    if not terms.is_classification:
        raise Refusal("optimal trees are for classes, and this target is a number; choose other trees")
    if most is None or most > DEEPEST_OPTIMAL:
        raise Refusal("optimal trees of a forest have a depth of {n} at most; set one", n=DEEPEST_OPTIMAL)
    return learners.OptimalClassifier(time_limit=terms.seconds, max_memory=terms.megabytes, **common)


def _class(name: str, terms: CommonTerms) -> Any:
    return getattr(learners, name + ("Classifier" if terms.is_classification else "Regressor"))


def _taken(make: Any, parameters: Mapping[str, Any]) -> Any:
    """Make the estimator with the parameters that it has: regression has no votes, boosting no threads."""
    there = _signature(make).parameters
    return make(**{name: value for name, value in parameters.items() if name in there})
