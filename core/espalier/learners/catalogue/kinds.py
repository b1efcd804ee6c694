"""Every kind of model that a page may offer, and a model: a kind with settings, made into an estimator."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from espalier.language import to_say
from espalier.learners.catalogue import estimators
from espalier.learners.catalogue import settings as s
from espalier.learners.catalogue.estimators import CommonTerms, Make
from espalier.learners.catalogue.settings import (
    ALPHA,
    ANY,
    CLASSES,
    DEEPEST_APPROXIMATION,
    DEEPEST_OPTIMAL,
    FORCED_SPLITS,
    LEFT_OUT,
    LEFT_OUT_OF_APPROXIMATION,
    MONOTONE,
    NUMBERS,
    OWN,
    Need,
    Setting,
    depth,
    effective_settings,
    trees,
)

LOSSES = ("criterion", "purity", "loss")  # settings that say what a model of numbers reduces
STAGES = {"cart": "forest", "cultivated": "cultivated", "optimal": "thresholds"}  # of forests, by their trees


class ModelKind(NamedTuple):
    """A kind of model."""

    name: str  # in addresses
    title: str
    words: str  # its special feature, in a line
    settings: tuple[Setting, ...]  # the full set
    make: Make  # returns the estimator, given the settings' values by key, and what `parameters` makes of them
    stage: str  # stage of `espalier.kernels.compile_all` to compile before it grows; empty: none
    serves: tuple[bool, ...]  # True: classification; False: regression
    is_forest: bool = False
    is_tree: bool = False  # whether it is one tree
    is_sum: bool = False  # whether it is a forest whose trees are steps of a sum, and have no votes
    beyond_boxes: str = ""  # of one tree whose leaves are no boxes with one answer: a relative clause on why
    former: tuple[Setting, ...] = ()  # of earlier versions; the words of each say what there is in its place

    @property
    def basic(self) -> tuple[Setting, ...]:
        """The settings that pages of several models show."""
        return tuple(setting for setting in self.settings if setting.basic)

    def for_target(self, is_classification: bool) -> tuple[Setting, ...]:
        """Return the full set for targets of this kind."""
        return tuple(setting for setting in self.settings if is_classification in setting.serves)

    def defaults(self, is_classification: bool) -> dict[str, Any]:
        """Return the default values of the basic settings for targets of this kind, by key."""
        return {setting.key: setting.default for setting in self.basic if is_classification in setting.serves}


class Model(NamedTuple):
    """A kind of model, by name, and its settings: what travels from widgets to estimators, and a key of caches.

    Settings that are not there have their defaults.

    >>> model = Model("cart", (("depth", 2),))
    >>> model.kind.title, model.value("depth"), model.value("leaf")
    ('CART', 2, 1)
    >>> model.make(CommonTerms(is_classification=True)).max_depth
    2
    """

    name: str
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def kind(self) -> ModelKind:
        """The kind itself. Raises KeyError for an unknown name."""
        return find_kind(self.name)

    @property
    def stage(self) -> str:
        """Stage of `espalier.kernels.compile_all` to compile before it grows: of a forest, that of its trees."""
        base = dict(self.settings).get("base")
        return self.kind.stage if base is None else STAGES[base]

    @property
    def depth(self) -> int | None:
        """Greatest depth of its trees; None where there is no limit."""
        return self.value("depth")

    @property
    def n_trees(self) -> int | None:
        """Number of trees that is asked for, or of rounds of a sum; None where the data decide."""
        return self.value("trees")

    @property
    def loss(self) -> str:
        """What it reduces where the target is a number: "squared", "absolute" or "poisson".

        >>> Model("gradient", (("loss", "poisson"),)).loss, Model("random").loss
        ('poisson', 'squared')
        """
        there = (self.value(key, is_classification=False) for key in LOSSES)
        return next((loss for loss in there if loss), "squared")

    def value(self, key: str, is_classification: bool | None = None) -> Any:
        """Return the value of a setting; None for one that the kind does not have.

        Where the default depends on the target, `is_classification` says which one. Raises ValueError if it is
        needed and not given.

        >>> Model("cart").value("criterion", is_classification=True)
        'gini'
        >>> Model("cart").value("criterion", is_classification=False)
        'squared'
        """
        if key in dict(self.settings):
            return dict(self.settings)[key]
        settings = [setting for setting in self.kind.settings if setting.key == key]
        usual = [
            setting.default
            for setting in settings
            if is_classification is None or is_classification in setting.serves
        ]
        if any(default != usual[0] for default in usual):
            raise ValueError(
                f"the default of {key!r} depends on the target; say whether is_classification is True or False"
            )
        return usual[0] if usual else None

    def with_settings(self, **changes: Any) -> Model:
        """Return the same kind of model with other values of some settings.

        >>> Model("cart", (("depth", 2),)).with_settings(depth=5)
        Model(name='cart', settings=(('depth', 5),))
        """
        return self._replace(settings=tuple((dict(self.settings) | changes).items()))

    def directions(self, terms: CommonTerms) -> dict[str, int]:
        """Return the directions that hold for columns of the terms: 1 if predictions only rise, -1 if they fall.

        >>> terms = CommonTerms(is_classification=False, columns=("age", "height"))
        >>> Model("cart", (("monotone", "age:rising,gone:falling"),)).directions(terms)
        {'age': 1}
        """
        return estimators.directions_there(self.value("monotone"), terms, self.value("missing"))

    def left_out(self, terms: CommonTerms) -> tuple[str, ...]:
        """Return the columns of the terms that no split asks about.

        >>> terms = CommonTerms(is_classification=False, columns=("age", "height"))
        >>> Model("cart", (("without", "gone,height"),)).left_out(terms)
        ('height',)
        """
        return tuple(terms.columns[at] for at in estimators.left_out_there(self.value("without"), terms))

    def make(self, terms: CommonTerms) -> Any:
        """Return the estimator, not fitted. Raises ValueError for settings that cannot be together."""
        there = self.kind.for_target(terms.is_classification)
        values = {setting.key: setting.default for setting in (*self.kind.settings, *there)}
        values |= {"random": terms.seed, "box-random": terms.seed, "seconds": terms.seconds}
        values |= dict(self.settings)
        return self.kind.make(values, estimators.parameters(there, values, terms), terms)


def model(kind: ModelKind, values: Mapping[str, Any]) -> Model:
    """Return the model of this kind with these values of settings, by key, without those that have no effect."""
    idle = {setting.key for setting in kind.settings}.difference(
        setting.key for setting in effective_settings(kind.settings, values)
    )
    return Model(kind.name, tuple((key, value) for key, value in values.items() if key not in idle))


COSTS = (s.COSTLY, s.TIMES)
FORMER_OF_OPTIMAL = (
    Setting("lines", "", "mean", to_say("leaves of an optimal tree answer by one number, the mean of their rows; "
            "a model tree has a formula in each leaf"), serves=NUMBERS),
    Setting("purity", "", "squared", to_say("an optimal tree of a number has the least squared error; CART can "
            "reduce the absolute error"), serves=NUMBERS),
    Setting("monotone", "", "", to_say("an optimal tree of a number has no monotone columns; CART, forests and "
            "gradient boosting can keep them"), serves=NUMBERS),
)  # fmt: skip
FORMER_OF_APPROXIMATION = tuple(
    Setting(key, "", default, to_say("how made-up cases are drawn and tested is set in the library alone"))
    for key, default in (("width", "0.05"), ("jump", "20"), ("variance", "full"), ("undecided", "best"))
)
FORMER_OF_BAGGED = (
    Setting("apart", "", "no", to_say("trees that agree little are chosen by the library alone, with "
            "decorrelated=True; here each tree grows by itself")),
)  # fmt: skip
LEAF_OF_OPTIMAL = s.LEAF._replace(serves=NUMBERS, basic=False)
CATEGORIES_OF_OPTIMAL = s.CATEGORIES._replace(
    words="Of two classes, any set is asked about where every threshold is and a column has at most six "
    "categories; else one category is parted from all others. *Term:* `categories`.",
    serves=CLASSES, need=Need("monotone", ""),
)  # fmt: skip
TREE_SETTINGS = (s.ALPHA, s.FEATURES_OF_TREE, *COSTS, s.WEIGHTS, s.RANDOM)
HESITATION = (s.K, s.ETA, s.WEIGHT, s.FRACTION, s.PLACEMENT, s.SHARING)
TEST_SETTINGS = (s.METHOD, s.LEVEL, s.RANDOM_CASES, s.RANDOM_BOX)
TREE_OF_FOREST, FOREST_SETTINGS = depth(3), (s.RANDOM_FOREST,)
COLUMN_SETTINGS = (MONOTONE, LEFT_OUT)
GAPS, GAPS_OF_TREES = (s.MISSING, s.IMPUTE_WITH, s.MAX_SURROGATES), (s.MISSING_OF_TREES, s.IMPUTE_WITH)
KINDS = (
    ModelKind("baseline", "Baseline", "Always says the most frequent class, or the mean.", (),
              estimators.baseline, "", ANY),
    ModelKind("cart", "CART", "Every node asks one question, and every row gives one answer.",
              (depth(4, more="; the root has depth 0."), s.LEAF, s.CRITERION, s.CRITERION_OF_NUMBERS, s.LEAVES,
               s.SPLIT, s.GAIN, s.SPLITTER, *GAPS, s.CATEGORIES, *COLUMN_SETTINGS, FORCED_SPLITS, *TREE_SETTINGS),
              estimators.estimator_of("Cart"), "cart", ANY, is_tree=True),
    ModelKind("cultivated", "Cultivated", "A split may hesitate: about its threshold, and about its column.",
              (depth(14, more="; the paper has 14, and 6 for its shallow version."), s.HESITATES, *HESITATION,
               LEFT_OUT, *TREE_SETTINGS),
              estimators.cultivated_of("Cultivated"), "cultivated", ANY, is_tree=True),
    ModelKind("optimal", "Optimal", "The best tree of its size, with a proof.",
              (depth(3, DEEPEST_OPTIMAL, "", "; every level more makes the search many times longer."), s.CUTS,
               LEAF_OF_OPTIMAL, s.SPLITS, s.SOURCE, MONOTONE._replace(serves=CLASSES), LEFT_OUT,
               CATEGORIES_OF_OPTIMAL, *COSTS, FORCED_SPLITS._replace(serves=CLASSES), s.SECONDS, s.WEIGHTS,
               s.RANDOM._replace(serves=CLASSES)),
              estimators.optimal, "thresholds", ANY, is_tree=True, former=FORMER_OF_OPTIMAL),
    ModelKind("approximation", "Approximation tree", "One tree that says what another model says.",
              (s.BOX, depth(4, DEEPEST_APPROXIMATION, "", "; the paper counts layers, one more than questions."),
               s.SAMPLES, LEFT_OUT_OF_APPROXIMATION, *TEST_SETTINGS),
              estimators.approximation, "approximation", ANY, is_tree=True, former=FORMER_OF_APPROXIMATION),
    ModelKind("model-tree", "Model tree", "Every leaf has a formula of its own.",
              (depth(4), s.LEAF_OF_MODELS, s.SHRINKAGE, LEFT_OUT, *COSTS, s.WEIGHTS),
              estimators.estimator_of("ModelTree"), "linear", ANY,
              beyond_boxes="whose leaves have formulas"),
    ModelKind("oblique", "Oblique tree", "A split may weigh several columns against one threshold.",
              (depth(4), s.TERMS, s.LEAF, s.CRITERION_OF_OBLIQUE, s.CRITERION_OF_OBLIQUE_NUMBERS, s.SPLIT, s.GAIN,
               s.ALPHA, LEFT_OUT, *COSTS, s.WEIGHTS),
              estimators.estimator_of("Oblique"), "linear", ANY,
              beyond_boxes="whose splits weigh several columns"),
    ModelKind("random", "Random forest", "Trees of redrawn rows, each split on a random few columns.",
              (trees(100), depth(None), s.LEAF, s.FEATURES, s.CRITERION_OF_NUMBERS, *COLUMN_SETTINGS,
               *FOREST_SETTINGS),
              estimators.estimator_of("RandomForest"), "forest", ANY, is_forest=True),
    ModelKind("extra", "Extra trees", "Extremely randomised: each split is the best of a few random thresholds.",
              (trees(100), depth(None), s.LEAF, s.FEATURES_OF_EXTRA, s.CRITERION_OF_NUMBERS, s.BOOTSTRAP,
               *COLUMN_SETTINGS, *FOREST_SETTINGS),
              estimators.estimator_of("ExtraTrees"), "forest", ANY, is_forest=True),
    ModelKind("cultivated-forest", "Cultivated forest", "A few cultivated trees, of random columns.",
              (trees(10, 100), depth(None), s.HESITATES, LEFT_OUT, *FOREST_SETTINGS),
              estimators.cultivated_of("CultivatedForest"), "cultivated", ANY, is_forest=True),
    ModelKind("bagged", "Bagged forest", "Trees of redrawn rows.",
              (s.BASE, trees(101), TREE_OF_FOREST, s.CRITERION_OF_TREES, s.VOTING,
               *GAPS_OF_TREES, LEFT_OUT, *FOREST_SETTINGS),
              estimators.forest_of("BaggedForest"), "thresholds", ANY, is_forest=True, former=FORMER_OF_BAGGED),
    ModelKind("root", "Root forest", "One tree for each question that a root can ask.",
              (s.BASE, TREE_OF_FOREST, *GAPS_OF_TREES, LEFT_OUT, *FOREST_SETTINGS),
              estimators.forest_of("RootForest"), "thresholds", CLASSES, is_forest=True),
    ModelKind("boosted", "Boosted forest", "Each tree minds the rows most that earlier ones got wrong.",
              (s.BASE, trees(101), TREE_OF_FOREST, *GAPS_OF_TREES, LEFT_OUT, *FOREST_SETTINGS),
              estimators.forest_of("BoostedForest"), "thresholds", CLASSES, is_forest=True),
    ModelKind("gradient", "Gradient boosting", "Each tree corrects the sum of the earlier ones by a small step.",
              (s.ROUNDS, s.RATE, s.LEAVES_OF_STEP, depth(None), s.LOSS, s.LEAF_OF_STEP, s.SUBSAMPLE, s.RIDGE,
               *COLUMN_SETTINGS, s.WEIGHTS, s.RANDOM_BOOSTING),
              estimators.estimator_of("GradientBoosting"), "forest", ANY, is_forest=True, is_sum=True),
)  # fmt: skip
OWN_MODEL = ModelKind(
    "own", "Your own model", "A file that you bring. Nothing is fitted.", (), estimators.ready, "forest", ANY
)
FORMER_KINDS = {  # the kind that takes the place of a former one, and what became of that
    "subspace": (
        "bagged",
        to_say("subspace forests grow in the library alone (SubspaceForestClassifier); this is a bagged forest"),
    ),
}  # by the names that links and saved sessions may still have
KIND_OF_NAME = {kind.name: kind for kind in (*KINDS, OWN_MODEL)}


def kinds_for(is_classification: bool | None = None) -> list[ModelKind]:
    """Return the kinds; optionally only those for classification (True) or regression (False)."""
    return [kind for kind in KINDS if is_classification is None or is_classification in kind.serves]


def find_kind(name: str) -> ModelKind:
    """Return the kind of this name, also that of models that are brought. Raises KeyError for an unknown one."""
    return KIND_OF_NAME[name]


# ---- the settings that a search tries

Space = Mapping[str, Sequence[Any]]  # values by the key of the setting

DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 14)
ROWS_IN_A_LEAF = (50, 20, 10, 5, 2, 1)
PRICES = (0.03, 0.01, 0.003, 0.001, 0.0)  # of a leaf; where the target is a number, in parts of its variance
COLUMNS = ("log2", OWN, "half", "all")
LEAVES_OF_STEPS = (4, 8, 16, 31, 63)
SPACES: Mapping[str, Space] = {
    "baseline": {},
    "cart": {"depth": DEPTHS, "leaf": ROWS_IN_A_LEAF, "alpha": PRICES},
    "cultivated": {
        "depth": DEPTHS,
        "hesitates": ("never", "threshold", "feature", "both"),
        "weight": (50.0, 20.0, 6.0),
        "alpha": PRICES,
    },
    "optimal": {"depth": (1, 2, 3, 4), "cuts": (3, 5, 10, 20)},
    "approximation": {"depth": (1, 2, 3, 4, 5, 6)},
    "model-tree": {"depth": (1, 2, 3, 4, 5, 6), "leaf": (50, 20, 10, 5), "shrinkage": (100.0, 10.0, 1.0, 0.1)},
    "oblique": {"depth": DEPTHS, "terms": (1, 2, 3, 5), "leaf": ROWS_IN_A_LEAF, "alpha": PRICES},
    "random": {"leaf": ROWS_IN_A_LEAF, "features": COLUMNS},
    "extra": {"leaf": ROWS_IN_A_LEAF, "features": COLUMNS},
    "cultivated-forest": {"depth": (2, 4, 8, None), "hesitates": ("never", "threshold", "feature", "both")},
    "bagged": {"depth": (1, 2, 3, 4, 5)},
    "root": {"depth": (1, 2, 3, 4, 5)},
    "boosted": {"depth": (1, 2, 3, 4, 5)},
    "gradient": {"leaves": LEAVES_OF_STEPS, "leaf": (50, 20, 5), "rate": (0.03, 0.1, 0.3)},
}  # by the name of the kind


# The spaces that are searched are the same for every table: the settings that decide most on the size of a
# model, with values that are about evenly spread by what they do. All other settings stay as a person has them.
def space_of(model: Model, variance: float | None = None) -> Space:
    """Return the space of settings to search for a model.

    `variance` is that of a target that is a number; None for classes. A price of leaves is in the unit of what
    splits reduce, so that it is tried only where that is the variance.

    >>> space_of(Model("optimal"))
    {'depth': (1, 2, 3, 4), 'cuts': (3, 5, 10, 20)}
    >>> space_of(Model("oblique"), variance=200.0)["alpha"]
    (6.0, 2.0, 0.6, 0.2, 0.0)
    """
    space = dict(SPACES[model.name])
    if variance is None or ALPHA.key not in space:
        return space
    if model.loss != "squared":
        del space[ALPHA.key]
        return space
    return space | {ALPHA.key: tuple(float(f"{price * variance:.2g}") for price in space[ALPHA.key])}


def combinations(model: Model, space: Space) -> list[Model]:
    """Return the model with each combination of the values in a space, the simplest first.

    >>> [one.settings for one in combinations(Model("cart", (("leaf", 7),)), {"depth": (1, 2)})]
    [(('leaf', 7), ('depth', 1)), (('leaf', 7), ('depth', 2))]
    """
    return [
        model.with_settings(**dict(zip(space, values, strict=True)))
        for values in itertools.product(*space.values())
    ]
