"""Every kind of model that a page may offer: its basic settings, and the function that makes the estimator.

A page draws the settings in its own way and calls `make` with their values; nothing here is fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from espalier import learners
from espalier.learners import (
    ApproximationClassifier,
    ApproximationRegressor,
    CartClassifier,
    CartRegressor,
    CultivatedClassifier,
    CultivatedForestClassifier,
    CultivatedForestRegressor,
    CultivatedRegressor,
    OptimalClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from espalier.learners.black_boxes.models import BLACK_BOXES, Setup, black_box

OWN = "own"  # an option: the learner's own default
MOST_TREES = 1_000
DEEPEST, DEEPEST_OPTIMAL = 30, 6
OPTIMAL_MB = 64  # MB per search: several may be under way


class Setting(NamedTuple):
    """One setting: a whole number from `low` to `high`, one of `options`, or, without them, yes or no."""

    key: str  # its name in addresses
    label: str
    default: int | str | bool | None
    words: str  # its meaning, with the estimator's parameter
    low: int = 0
    high: int = 0
    no_number: str = ""  # meaning of None, where a number is optional
    options: tuple[tuple[str, str], ...] = ()  # the possible values, with their words


class CommonTerms(NamedTuple):
    """Arguments of every estimator, of any kind and settings."""

    is_classification: bool
    categorical: np.ndarray | None = None  # (n_features,) bool: which features are split as sets of categories
    seed: int = 0
    n_jobs: int = 1
    seconds: float | None = None  # time limit of a search for one best tree; it then returns the best so far


class ModelKind(NamedTuple):
    """A kind of model."""

    name: str  # in addresses
    title: str
    words: str  # its special feature, in a line
    settings: tuple[Setting, ...]
    # returns the estimator, given the settings' values by key
    make: Callable[[Mapping[str, Any], CommonTerms], Any]
    stage: str  # stage of `espalier.kernels.compile_all` to compile before it grows; empty: none
    serves: tuple[bool, ...]  # True: classification; False: regression
    is_forest: bool
    classes: tuple[str, ...] = ()  # classes of `espalier.learners` that it needs


def depth(default: int | None, high: int = DEEPEST, no_number: str = "no limit") -> Setting:
    """Return the setting of a tree's depth."""
    words = "How many questions may follow each other from the root to a leaf. *Term:* `max_depth`."
    return Setting("depth", "Depth, at most", default, words, 1, high, no_number)


def trees(default: int, high: int = MOST_TREES) -> Setting:
    """Return the setting of a forest's number of trees."""
    return Setting("trees", "Trees", default, "How many trees have a say. *Term:* `n_estimators`.", 1, high)


LEAF = Setting(
    "leaf", "Rows in a leaf, at least", 1, "A split that would leave fewer on a side is not made. "
    "*Term:* `min_samples_leaf`.", 1, 1_000,
)  # fmt: skip
CUTS = Setting(
    "cuts", "Questions a column, at most", 10, "Only so many thresholds of each number may be asked about. "
    "*Term:* `max_thresholds`.", 1, 50,
)  # fmt: skip
HESITATES = Setting(
    "hesitates", "A split may hesitate", "both", "About its threshold (robust splits), about its feature "
    "(options), or both, as the paper's CRF-full does.",
    options=(("both", "about threshold and feature"), ("threshold", "about its threshold"),
             ("feature", "about its feature"), ("never", "never")),
)  # fmt: skip
FEATURES = Setting(
    "features", "Features tried at each split", OWN, "A random few, so that the trees differ. Usual are the "
    "square root of their number to predict classes, and a third of them to predict a number. *Term:* "
    "`max_features`.",
    options=((OWN, "the usual number"), ("log2", "log₂ of their number"),
             ("half", "half of them"), ("all", "all of them")),
)  # fmt: skip
BASE = Setting(
    "base", "Its trees are", "cart", "What every tree of the forest is grown by. *Term:* `estimator`.",
    options=(("cart", "CART"), ("cultivated", "cultivated"), ("optimal", "optimal")),
)  # fmt: skip
VOTING = Setting(
    "voting", "A tree's vote counts", "equal", "The same for each; or the more the better the tree is on rows "
    "set aside, or on those that it has not drawn. *Term:* `voting`.",
    options=(("equal", "the same for each"), ("validation", "by rows set aside"), ("oob", "by rows not drawn")),
)  # fmt: skip
VOTING_SUBSPACE = VOTING._replace(options=VOTING.options[:2])
DRAW = Setting(
    "draw", "Features are drawn", "uniform", "Each as likely as any other, or those that earlier trees used "
    "less, or not at all. *Term:* `draw`.",
    options=(("uniform", "each as likely"), ("soft", "used ones less often"), ("hard", "used ones never")),
)  # fmt: skip
DECORRELATED = Setting(
    "apart", "Choose trees that differ", False, "Of all trees that are as good, the one that agrees least with "
    "the earlier ones; of optimal trees only. *Term:* `decorrelated`.",
)  # fmt: skip
BOX = Setting(
    "box", "It stands in for", BLACK_BOXES[0].name, "The model that is fitted first, and whose answers the tree "
    "is grown on. *Term:* black box.", options=tuple((box.name, box.title.lower()) for box in BLACK_BOXES),
)  # fmt: skip
SAMPLES = Setting(
    "samples", "Made-up cases at a node, at most", "10000", "Rows drawn around those of the table, which the "
    "model answers, before the best split so far is taken. *Term:* `max_samples`, the paper's N_ps.",
    options=(("10000", "10,000"), ("100000", "100,000"), ("1000000", "1,000,000")),
)  # fmt: skip
SHARES = {"half": 0.5, "all": None}


def cart(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make a greedy tree."""
    make = CartClassifier if terms.is_classification else CartRegressor
    return make(
        max_depth=settings["depth"],
        min_samples_leaf=settings.get("leaf", 1),
        random_state=terms.seed,
        categorical_features=terms.categorical,
    )


def cultivated(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make a tree with robust splits and option modules."""
    make = CultivatedClassifier if terms.is_classification else CultivatedRegressor
    return make(max_depth=settings["depth"], **_hesitation(settings), **_common(terms))


def optimal(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make the best tree of its size, over thresholds that boosted trees choose, as on the tree page."""
    return OptimalClassifier(
        max_depth=settings["depth"],
        max_thresholds=settings["cuts"],
        binarisation="boosting",
        time_limit=terms.seconds,
        max_memory=OPTIMAL_MB,
        **_common(terms),
    )


def approximation(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make a tree that approximates another model, which is fitted to the same rows first."""
    categorical = np.zeros(0, bool) if terms.categorical is None else terms.categorical
    model = black_box(settings["box"]).make(Setup(terms.is_classification, categorical, terms.seed, terms.n_jobs))
    make = ApproximationClassifier if terms.is_classification else ApproximationRegressor
    most = int(settings["samples"])
    return make(model, max_depth=settings["depth"], max_samples=most, n_jobs=terms.n_jobs, **_common(terms))


def random_forest(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make a forest of greedy trees on bootstrap samples, each node split on a random few features."""
    make = RandomForestClassifier if terms.is_classification else RandomForestRegressor
    chosen = settings["features"]
    tried = {} if chosen == OWN else {"max_features": SHARES.get(chosen, chosen)}
    return make(
        n_estimators=settings["trees"],
        max_depth=settings["depth"],
        min_samples_leaf=settings["leaf"],
        n_jobs=terms.n_jobs,
        **tried,
        **_common(terms),
    )


def cultivated_forest(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make a few cultivated trees; each node sees half of the features."""
    make = CultivatedForestClassifier if terms.is_classification else CultivatedForestRegressor
    return make(
        n_estimators=settings["trees"],
        max_depth=settings["depth"],
        n_jobs=terms.n_jobs,
        **_hesitation(settings),
        **_common(terms),
    )


def baseline(_settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make the baseline without splits: the class shares of the rows it is fitted to, hence their most frequent
    class.
    """
    return DummyClassifier(strategy="prior") if terms.is_classification else DummyRegressor(strategy="mean")


def forest_of(name: str) -> Callable[[Mapping[str, Any], CommonTerms], Any]:
    """Return the maker of a forest, of the `espalier.learners` classes whose names begin with `name`."""

    def make(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
        forest = getattr(learners, name + ("Classifier" if terms.is_classification else "Regressor"))
        offered = {PARAMETERS[key]: value for key, value in settings.items() if key in PARAMETERS}
        offered |= {"n_jobs": terms.n_jobs, "random_state": terms.seed}
        takes = forest().get_params(deep=False)  # regression has no votes, and boosting is sequential
        return forest(tree_of(settings, terms), **{k: value for k, value in offered.items() if k in takes})

    return make


def tree_of(settings: Mapping[str, Any], terms: CommonTerms) -> Any:
    """Make the base tree of a forest, by `base` and `depth` of the settings. Raises ValueError for an unknown
    tree.
    """
    base, most = settings["base"], settings["depth"]
    if base == "cultivated":
        make = CultivatedClassifier if terms.is_classification else CultivatedRegressor
        return make(max_depth=most, **_common(terms))
    if base == "cart":
        return cart(settings, terms)
    if not terms.is_classification:
        raise ValueError("optimal trees are for classes, and this target is a number; choose other trees")
    if most is None or most > DEEPEST_OPTIMAL:
        raise ValueError(f"optimal trees of a forest have a depth of {DEEPEST_OPTIMAL} at most; set one")
    return OptimalClassifier(max_depth=most, time_limit=terms.seconds, max_memory=OPTIMAL_MB, **_common(terms))


def _common(terms: CommonTerms) -> dict[str, Any]:
    return {"random_state": terms.seed, "categorical_features": terms.categorical}


def _hesitation(settings: Mapping[str, Any]) -> dict[str, bool]:
    about = settings["hesitates"]
    return {"robust_splits": about in ("both", "threshold"), "options": about in ("both", "feature")}


PARAMETERS = {"trees": "n_estimators", "voting": "voting", "draw": "draw", "apart": "decorrelated"}
ANY, CLASSES = (True, False), (True,)
TREE_OF_FOREST = depth(3)
KINDS = (
    ModelKind("baseline", "Baseline", "Always says the most frequent class, or the mean.", (), baseline, "", ANY,
         False),
    ModelKind("cart", "CART", "Each split is the best for itself alone.", (depth(4), LEAF), cart, "cart", ANY,
    False), ModelKind("cultivated", "Cultivated", "A split may hesitate.", (depth(14), HESITATES), cultivated,
    "cultivated",
         ANY, False),
    ModelKind("optimal", "Optimal", "The best tree of its size.", (depth(3, DEEPEST_OPTIMAL, ""), CUTS), optimal,
         "optimal", CLASSES, False),
    ModelKind("approximation", "Approximation tree", "One tree that says what another model says.",
         (BOX, depth(4), SAMPLES), approximation, "approximation", ANY, False),
    ModelKind("random", "Random forest", "Trees of redrawn rows, each split on a random few features.",
         (trees(100), depth(None), LEAF, FEATURES), random_forest, "forest", ANY, True),
    ModelKind("cultivated-forest", "Cultivated forest", "A few cultivated trees, of random features.",
         (trees(10, 100), depth(None), HESITATES), cultivated_forest, "cultivated", ANY, True),
    ModelKind("bagged", "Bagged forest", "Trees of redrawn rows.",
         (BASE, trees(101), TREE_OF_FOREST, VOTING, DECORRELATED),
         forest_of("BaggedForest"), "optimal", ANY, True,
         ("BaggedForestClassifier",)),
    ModelKind("subspace", "Subspace forest", "Each tree sees half of the features.",
         (BASE, trees(101), TREE_OF_FOREST, VOTING_SUBSPACE, DRAW, DECORRELATED),
         forest_of("SubspaceForest"), "optimal", ANY, True,
         ("SubspaceForestClassifier",)),
    ModelKind("root", "Root forest", "One tree for each question that a root can ask.", (BASE, TREE_OF_FOREST),
         forest_of("RootForest"), "optimal", CLASSES, True, ("RootForestClassifier",)),
    ModelKind("boosted", "Boosted forest", "Each tree minds the rows most that earlier ones got wrong.",
         (BASE, trees(101), TREE_OF_FOREST), forest_of("BoostedForest"), "optimal", CLASSES, True,
         ("BoostedForestClassifier",)),
)  # fmt: skip


def offered(is_classification: bool | None = None) -> list[ModelKind]:
    """Return the kinds whose classes exist; optionally only those for classification (True) or regression
    (False).
    """
    there = [kind for kind in KINDS if all(hasattr(learners, name) for name in kind.classes)]
    return there if is_classification is None else [kind for kind in there if is_classification in kind.serves]


def named(name: str) -> ModelKind:
    """Return the kind of this name. Raises KeyError for an unknown one."""
    return {kind.name: kind for kind in KINDS}[name]


def defaults(kind: ModelKind) -> dict[str, Any]:
    """Return the default values of the settings."""
    return {setting.key: setting.default for setting in kind.settings}
