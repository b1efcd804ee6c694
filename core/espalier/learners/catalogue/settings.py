"""The settings of all kinds of models: each with its label, meaning, values, and the estimator's parameter.

A setting stands here once, whichever kinds have it. Pages make widgets and addresses of it, estimators its value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from espalier.language import say
from espalier.learners.black_boxes.models import BLACK_BOXES

ANY, CLASSES, NUMBERS = (True, False), (True,), (False,)  # kinds of targets, as in `ModelKind.serves`
COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS = (
    "directions",
    "names",
    "splits",
)  # of columns, in a value that is a text


class Need(NamedTuple):
    """The value of another setting of the same kind, without which a setting has no effect."""

    key: str  # of the other setting, which stands before it
    value: str


class Setting(NamedTuple):
    """One setting: one of `options`; yes or no; or a number from `low` to `high`, decimal where its default is.

    Where there are both options and numbers, a value is one of the options or a whole number.

    >>> leaf = Setting("leaf", "Rows in a leaf, at least", 1, "*Term:* `min_samples_leaf`.", 1, 100)
    >>> leaf.is_number, leaf.is_decimal
    (True, False)
    """

    key: str  # its name in addresses
    label: str
    default: Any
    words: str  # its meaning, with the estimator's parameter
    low: float = 0
    high: float = 0
    step: float = 0.0  # of the widget of a decimal number
    no_number: str = ""  # meaning of None, where a number is optional
    options: tuple[tuple[str, str], ...] = ()  # the possible values, with their words
    of_classes: bool = False  # whether the options are the target's classes, and an empty text for none of them
    of_columns: str = (
        ""  # what a value, a text, says of columns: COLUMN_DIRECTIONS, COLUMN_NAMES, COLUMN_SPLITS or nothing
    )
    parameter: str = ""  # of the estimator; empty: the kind works out its parameters from several settings
    values: tuple[tuple[str, Any], ...] = ()  # the parameter's values, for options that have other names
    serves: tuple[bool, ...] = ANY  # True: classification; False: regression
    basic: bool = True  # whether pages of several models show it; the others belong to the full set of one model
    stays: bool = False  # whether its value stays when another kind that has it is chosen
    need: Need | None = None  # None: it always has an effect

    @property
    def is_number(self) -> bool:
        """Whether a value may be a number."""
        return self.high > self.low

    @property
    def is_decimal(self) -> bool:
        """Whether its numbers are decimal ones."""
        return isinstance(self.default, float)

    def said(self, value: Any) -> str:
        """Return a value in words; a number, or the name of a class, as it is."""
        words = self.no_number if value is None else dict(self.options).get(value, "")
        return say(words) if words else str(value)

    def value(self, chosen: Any) -> Any:
        """Return what the estimator's parameter is where this value is chosen."""
        if self.of_columns:
            return chosen or None
        return dict(self.values).get(chosen, chosen) if isinstance(chosen, str) else chosen


def effective_settings(settings: Sequence[Setting], values: Mapping[str, Any]) -> list[Setting]:
    """Return the settings that have an effect beside these values, by key; those not there have their defaults.

    >>> from espalier.learners.catalogue.settings import IMPUTE_WITH, MAX_SURROGATES, MISSING
    >>> some = effective_settings((MISSING, IMPUTE_WITH, MAX_SURROGATES), {"missing": "impute"})
    >>> [setting.key for setting in some]
    ['missing', 'impute-with']
    """
    effective: list[Setting] = []
    here: dict[str, Any] = {}  # the values of those found
    for setting in settings:
        if setting.need is None or here.get(setting.need.key) == setting.need.value:
            effective.append(setting)
            here[setting.key] = values.get(setting.key, setting.default)
    return effective


def needs(setting: Setting, settings: Sequence[Setting]) -> list[Need]:
    """Return all that a setting needs among the settings of its kind: its own need, that one's, and so on.

    >>> from espalier.learners.catalogue.settings import IMPUTE_WITH, MISSING
    >>> needs(IMPUTE_WITH, (MISSING, IMPUTE_WITH))
    [Need(key='missing', value='impute')]
    """
    if setting.need is None:
        return []
    other = next(other_setting for other_setting in settings if other_setting.key == setting.need.key)
    return [setting.need, *needs(other, settings)]


# ---- all settings

OWN = "own"  # an option: the learner's own default
MOST_TREES = 1_000
DEEPEST, DEEPEST_OPTIMAL, DEEPEST_APPROXIMATION = 30, 6, 8  # on every page, on sliders and in links
BIG = 1_000_000
FREE = 1e12  # greatest value of a decimal number that has no natural limit


def depth(default: int | None, high: int = DEEPEST, no_number: str = "no limit", more: str = "") -> Setting:
    """Return the setting of a tree's depth; `more` is the end of what it says."""
    words = "How many questions lead from the root to a leaf. *Term:* `max_depth`" + (more or ".")
    return Setting("depth", "Depth, at most", default, words, 1, high, no_number=no_number, parameter="max_depth")


def trees(default: int, high: int = MOST_TREES) -> Setting:
    """Return the setting of a forest's number of trees."""
    words = "How many trees have a say. *Term:* `n_estimators`."
    return Setting("trees", "Trees", default, words, 1, high, parameter="n_estimators")


# ---- of trees

LEAF = Setting(
    "leaf", "Rows in a leaf, at least", 1, "A split must leave so many rows on each side. *Term:* "
    "`min_samples_leaf`.", 1, BIG, parameter="min_samples_leaf",
)  # fmt: skip
CRITERION = Setting(
    "criterion", "What a good split reduces", "gini",
    "The impurity *i(t)* of a node *t*, by the share *p* of each class: Gini 1 − Σ p², entropy −Σ p log₂ p, "
    "misclassification 1 − max p. *Term:* `criterion`.",
    options=(("gini", "Gini impurity"), ("entropy", "Entropy"), ("gain_ratio", "Gain ratio (C4.5)"),
             ("misclassification", "Misclassification")),
    parameter="criterion", serves=CLASSES, basic=False,
)  # fmt: skip
CRITERION_OF_NUMBERS = CRITERION._replace(
    default="squared",
    words="The mean squared distance from the mean, or the mean absolute distance from the median; for counts, "
    "half the Poisson deviance. *Term:* `criterion`.",
    options=(("squared", "Squared error"), ("absolute", "Absolute error"), ("poisson", "Poisson deviance")),
    values=(("squared", "squared_error"), ("absolute", "absolute_error")),
    serves=NUMBERS,
    basic=True,
)
LEAVES = Setting(
    "leaves", "Leaves, at most", None, "The tree then grows where the impurity falls most, not level by "
    "level. *Term:* `max_leaf_nodes`.", 2, BIG, no_number="no limit", parameter="max_leaf_nodes", basic=False,
)  # fmt: skip
SPLIT = Setting(
    "split", "Rows to split, at least", 2, "A node with fewer rows becomes a leaf. *Term:* `min_samples_split`.",
    2, BIG, parameter="min_samples_split", basic=False,
)  # fmt: skip
GAIN = Setting(
    "gain", "Decrease of impurity, at least", 0.0, "How much a split must lower the tree's impurity: that of "
    "its node, times the node's share of the rows, *n(t)/n · Δi(t)*. *Term:* `min_impurity_decrease`.",
    0, FREE, 0.005, parameter="min_impurity_decrease", basic=False,
)  # fmt: skip
SPLITTER = Setting(
    "splitter", "Threshold of each column", "best", "The one that gains most, or one at random, as in extremely "
    "randomised trees; the best column wins either way. *Term:* `splitter`.",
    options=(("best", "The best one"), ("random", "One at random")),
    parameter="splitter", basic=False,
)  # fmt: skip
MISSING = Setting(
    "missing", "Missing values", "side",
    "Where a row goes whose value is missing. A surrogate split asks another column, and parts the rows nearly "
    "alike. *Term:* `missing`.",
    options=(("side", "To the better side"), ("category", "As a category of their own"),
             ("impute", "Mean or most frequent"), ("surrogate", "By surrogate splits")),
    parameter="missing",
)  # fmt: skip
IMPUTE_WITH = Setting(
    "impute-with", "Numbers are filled in with", "mean", "What stands in for a missing number; for a category "
    "it is the most frequent one. A few extreme values hardly move the median. *Term:* `impute_with`.",
    options=(("mean", "the mean"), ("median", "the median")), parameter="impute_with",
    need=Need("missing", "impute"),
)  # fmt: skip
MAX_SURROGATES = Setting(
    "surrogates", "Surrogate splits, at most", 5, "How many questions of other columns a node keeps for rows "
    "without a value, the best ones. With 0 all go to the larger side. *Term:* `max_surrogates`; rpart keeps 5.",
    0, 100, parameter="max_surrogates", need=Need("missing", "surrogate"),
)  # fmt: skip
CATEGORIES = Setting(
    "categories", "A split on categories parts", "subset", "Any set parts rows better; one category is easier to "
    "read, and for three classes or more all of its splits are tried. *Term:* `categories`.",
    options=(("subset", "Any set of them"), ("one-vs-rest", "One from all others")),
    parameter="categories", basic=False,
)  # fmt: skip
ALPHA = Setting(
    "alpha", "Pruning α", 0.0, "Branches that lower the training error by less than α per leaf are cut off "
    "again. *Term:* minimal cost-complexity pruning, `ccp_alpha`; *R_α(T) = R(T) + α·leaves(T)*.",
    0, FREE, 0.005, parameter="ccp_alpha", basic=False, stays=True,
)  # fmt: skip
FEATURES_OF_TREE = Setting(
    "features", "Columns tried at each split", "all", "Random forests try a random few, so that their trees "
    "differ. *Term:* `max_features`.",
    options=(("all", "All columns"), ("sqrt", "√ of them, at random"),
             ("log2", "log₂ of them, at random"), ("half", "Half of them, at random"),
             ("one", "One at random")),
    parameter="max_features", values=(("all", None), ("half", 0.5), ("one", 1)), basic=False, stays=True,
)  # fmt: skip
WEIGHTS = Setting(
    "weights", "Weight of the classes", "none", "Balanced: a rare class weighs as much as a frequent one. "
    "*Term:* `class_weight`.",
    options=(("none", "Rows count the same"), ("balanced", "Classes count the same")),
    parameter="class_weight", values=(("none", None),), serves=CLASSES, basic=False, stays=True,
)  # fmt: skip
RANDOM = Setting(
    "random", "Seed of the tree", 0, "Chance draws columns and thresholds, and decides between equally good "
    "splits. The same number gives the same tree again. *Term:* `random_state`.", 0, BIG,
    parameter="random_state", basic=False, stays=True,
)  # fmt: skip

# ---- of cultivated trees

HESITATES = Setting(
    "hesitates", "A split may hesitate", "both",
    "About its threshold: a row near the best cut goes partly left and partly right. About its column: a node "
    "asks all columns nearly as good as the best one. *Terms:* robust split module, option module.",
    options=(("both", "about threshold and column"), ("threshold", "about its threshold"),
             ("feature", "about its column"), ("never", "never")),
)  # fmt: skip
K = Setting(
    "k", "Width of the neighbourhood, k", "sqrt",
    "How many rows on either side of the best cut a robust split hesitates over; with 0 it is sharp. √W, the "
    "root of the node's weight, is the paper's. *Symbol:* k.",
    0, BIG, options=(("sqrt", "√W"), ("all", "all")), parameter="k", basic=False,
)  # fmt: skip
ETA = Setting(
    "eta", "Tolerance of the options, η₀", 0.3,
    "How much worse than the best column one that joins it may be, in Gini impurity; at depth s it is η₀ / s³. "
    "With 0 only the best column counts. *Symbol:* η₀.", 0, 1, 0.05, parameter="eta", basic=False,
)  # fmt: skip
WEIGHT = Setting(
    "weight", "Weight to split, at least", 6.0, "A node of less weight becomes a leaf. A row weighs its fraction "
    "in the node. *Term:* `min_node_weight`; the paper has 6.", 0, BIG, 1.0, parameter="min_node_weight",
    basic=False,
)  # fmt: skip
FRACTION = Setting(
    "fraction", "Smallest fraction while growing", 0.0,
    "A row of which less than this would go to one side goes wholly to the other. Saves time; predictions "
    "always use all fractions. *Term:* `min_fraction`; the paper has 0.", 0, 0.5, 0.01,
    parameter="min_fraction", basic=False,
)  # fmt: skip
PLACEMENT = Setting(
    "placement", "Cuts lie", "midpoint",
    "Midway between two values, as in CART, or on the lower one, as in the paper. *Term:* `thresholds`.",
    options=(("midpoint", "Midway between values"), ("data", "On the values, as the paper has it")),
    parameter="thresholds", basic=False,
)  # fmt: skip
SHARING = Setting(
    "sharing", "Options share a module", "equal",
    "What part of the pooled answer each column has: the same, as in the paper, or more for the better "
    "ones. *Term:* `share_power`.",
    options=(("equal", "Equally"), ("gain", "By their gain"), ("gain2", "By the square of their gain")),
    parameter="share_power", values=(("equal", 0.0), ("gain", 1.0), ("gain2", 2.0)), basic=False,
)  # fmt: skip

# ---- of optimal trees

CUTS = Setting(
    "cuts", "Questions a column, at most", "auto",
    "How many thresholds of a number the tree may ask about, chosen beforehand. Automatic: every one where the "
    "table is small for its depth, else about 10. *Term:* `max_thresholds`.", 1, 50,
    no_number="every threshold", options=(("auto", "automatic"),), parameter="max_thresholds",
)  # fmt: skip
SPLITS = Setting(
    "splits", "Splits, at most", None, "How many questions the tree may have. Of equally good trees the "
    "smallest is taken anyway. *Term:* `max_splits`.", 1, 2**DEEPEST_OPTIMAL - 1, no_number="no limit",
    parameter="max_splits", basic=False,
)  # fmt: skip
SOURCE = Setting(
    "source", "Where the thresholds are", "boosting",
    "Those that many small trees, boosted or of a random forest, split on most; or those between classes, "
    "spread evenly. *Term:* `binarisation`.",
    options=(("boosting", "Chosen by boosted trees"), ("forest", "Chosen by a random forest"),
             ("quantiles", "Between classes, spread evenly")),
    parameter="binarisation", serves=CLASSES, basic=False,
)  # fmt: skip
COSTLY = Setting(
    "costly", "Which error is worse?", "",
    "The class that it costs most to miss: say, ill patients. *Term:* `misclassification_cost`, or else "
    "`class_weight`.",
    options=(("", "all errors are alike"),), of_classes=True, serves=CLASSES, basic=False, stays=True,
)  # fmt: skip
TIMES = Setting("times", "How many times worse", 5.0, "1: as bad as any other error.", 1, 20, 0.5,
                serves=CLASSES, basic=False, stays=True)  # fmt: skip
SECONDS = Setting(
    "seconds", "Seconds, at most", 20, "The search then ends with the best tree so far, and a bound on how good "
    "a tree can be; it can go on from there. *Term:* `time_limit`.", 1, 300, basic=False,
)  # fmt: skip

# ---- of forests

FEATURES = Setting(
    "features", "Columns tried at each split", OWN, "A random few, so that the trees differ: usually the square "
    "root of their number for classes, a third for a number. *Term:* `max_features`.",
    options=((OWN, "the usual number"), ("log2", "log₂ of their number"),
             ("one", "one of them"), ("half", "half of them"), ("all", "all of them")),
    parameter="max_features", values=(("one", 1), ("half", 0.5), ("all", None)),
)  # fmt: skip
FEATURES_OF_EXTRA = FEATURES._replace(
    words="A random few with one random threshold each, so that the trees differ: usually the square root of "
    "their number for classes, all for a number. *Term:* `max_features`."
)
BOOTSTRAP = Setting(
    "bootstrap", "Each tree redraws the rows", False,
    "As many as there are, with replacement; those that a tree has not drawn measure its error. Without, each "
    "tree grows on all. *Term:* `bootstrap`.", parameter="bootstrap",
)  # fmt: skip
BASE = Setting(
    "base", "Its trees are", "cart", "What every tree of the forest is grown by. *Term:* `estimator`.",
    options=(("cart", "CART"), ("cultivated", "cultivated"), ("optimal", "optimal")),
)  # fmt: skip
MISSING_OF_TREES = MISSING._replace(
    words="Where a row goes whose value is missing. Trees of a forest have no surrogate splits. *Term:* "
    "`missing`.",
    options=MISSING.options[:3], need=Need("base", "cart"),
)  # fmt: skip
CRITERION_OF_TREES = CRITERION_OF_NUMBERS._replace(need=Need("base", "cart"))
VOTING = Setting(
    "voting", "A tree's vote counts", "equal", "A better tree can have more say, judged on rows set aside or on "
    "those that it has not drawn. *Term:* `voting`.",
    options=(("equal", "the same for each"), ("validation", "by rows set aside"), ("oob", "by rows not drawn")),
    parameter="voting", serves=CLASSES,
)  # fmt: skip
RANDOM_FOREST = RANDOM._replace(
    label="Seed of the forest",
    words="Decides what rows and columns are drawn, and ties. With the same seed both forests draw the same "
    "rows: only their kinds differ. *Term:* `random_state`.",
)

# ---- of model trees

LEAF_OF_MODELS = LEAF._replace(
    default=5, words="A split must leave so many rows on each side, counted by their weights. *Term:* "
    "`min_leaf_weight`.", parameter="min_leaf_weight",
)  # fmt: skip
SHRINKAGE = Setting(
    "shrinkage", "Shrinkage of the slopes", 0.1, "Flattens the slopes of formulas, those of few rows most, as "
    "if so many more rows were there in which columns vary and the target does not. *Term:* ridge regression.",
    0, FREE, 0.1, parameter="shrinkage", basic=False,
)  # fmt: skip

# ---- of oblique trees

TERMS = Setting(
    "terms", "Columns in a split, at most", 3, "How many columns of numbers a split may weigh; each must tell "
    "enough about the target. With 1 the splits are CART's. *Term:* `max_terms`.", 1, 64,
    no_number="no limit", parameter="max_terms",
)  # fmt: skip
CRITERION_OF_OBLIQUE = CRITERION._replace(
    key="purity",  # CART has more to choose from, under its own key
    words="The impurity *i(t)* of a node *t*, by the share *p* of each class: Gini 1 − Σ p², entropy −Σ p log₂ p. "
    "*Term:* `criterion`.",
    options=(("gini", "Gini impurity"), ("entropy", "Entropy")), values=(),
)  # fmt: skip
CRITERION_OF_OBLIQUE_NUMBERS = CRITERION_OF_NUMBERS._replace(
    key="purity",
    words="The mean squared distance from the mean, or the mean absolute distance from the median. "
    "*Term:* `criterion`.",
    options=CRITERION_OF_NUMBERS.options[:2],
)

# ---- of gradient boosting

ROUNDS = Setting(
    "trees", "Rounds", 100, "Steps down the gradient of the loss, each a tree; with three classes or more, a "
    "tree for each class. *Term:* `n_estimators`.", 1, MOST_TREES, parameter="n_estimators",
)  # fmt: skip
LOSS = CRITERION_OF_NUMBERS._replace(
    key="loss",
    label="Loss",
    words="What the trees together reduce: the squared error, starting at the mean; the absolute one, at the "
    "median, which extreme values hardly change; or, for counts, half the Poisson deviance. *Term:* `loss`.",
    parameter="loss",
)
RATE = Setting(
    "rate", "Learning rate ν", 0.1, "How much of its full step a tree takes. Smaller steps need more rounds, "
    "and mostly end with less error. *Term:* shrinkage, `learning_rate`; *f_m = f_(m-1) + ν · tree_m*.",
    0.001, 1, 0.05, parameter="learning_rate",
)  # fmt: skip
LEAVES_OF_STEP = LEAVES._replace(
    default=31, words="A tree grows where the loss falls most. *Term:* `max_leaf_nodes`.", basic=True
)
LEAF_OF_STEP = LEAF._replace(default=20, basic=False)
SUBSAMPLE = Setting(
    "subsample", "Share of the rows a round", 1.0, "Below 1 each round grows on rows drawn anew, without "
    "replacement (stochastic gradient boosting). *Term:* `subsample`.", 0.05, 1, 0.05, parameter="subsample",
    basic=False,
)  # fmt: skip
RIDGE = Setting(
    "ridge", "Ridge λ", 0.0, "Shortens the steps of leaves with few rows. *Term:* `l2_regularization`; a leaf's "
    "step is *−ν Σg / (Σh + λ)*, of the loss's first and second derivatives *g* and *h*.", 0, FREE, 0.5,
    parameter="l2_regularization", basic=False,
)  # fmt: skip
RANDOM_BOOSTING = RANDOM._replace(
    label="Seed of the rounds", words="Of the rows that rounds draw. *Term:* `random_state`."
)

# ---- of approximation trees

BOX = Setting(
    "box", "Black box", BLACK_BOXES[0].name, "The model that the tree imitates; it is fitted first. *Term:* "
    "black box.", options=tuple((box.name, box.title.lower()) for box in BLACK_BOXES),
)  # fmt: skip
SAMPLES = Setting(
    "samples", "Made-up cases a split, at most", "10000",
    "Cases are made up around the table's rows, and the black box answers them, until a test is sure of the "
    "best split. *Term:* `max_samples`; the paper's pseudo-samples, N_ps (section 2.4).",
    options=(("1000", "1k"), ("10000", "10k"), ("100000", "100k"), ("1000000", "1M")),
    parameter="max_samples", values=(("1000", 1_000), ("10000", 10_000), ("100000", 100_000),
                                     ("1000000", 1_000_000)),
)  # fmt: skip
METHOD = Setting(
    "method", "Splits are found", "sampled",
    "Exactly: by integrals, as endless sampling would find them. Only where the black box is a tree or a "
    "forest of ours with one leaf for every row. *Term:* `method`.",
    options=(("sampled", "By made-up cases"), ("exact", "Exactly")), parameter="method", basic=False,
)  # fmt: skip
LEVEL = Setting(
    "level", "Doubt that is allowed, α", 0.1,
    "How likely other made-up cases may be to prefer another split. Less doubt takes more of them. *Symbol:* "
    "α, the level of the better-split test (equation 4).", 0.001, 0.49, 0.01, parameter="alpha", basic=False,
)  # fmt: skip
RANDOM_CASES = RANDOM._replace(
    label="Seed of the made-up cases", words="Another number draws others: a stable tree stays the same."
)
RANDOM_BOX = Setting(
    "box-random", "Seed of the black box", 0, "Of what it leaves to chance while it learns.", 0, BIG, basic=False
)


# ---- of columns

MONOTONE = Setting(
    "monotone", "Monotone columns", "",
    "With these columns the prediction may only rise (↑) or fall (↓), all else equal: a number, or the share of "
    "the second of two classes or of the one that counts. *Term:* `monotonic_cst`.",
    of_columns=COLUMN_DIRECTIONS,
    parameter="monotonic_cst",
)  # fmt: skip
LEFT_OUT = Setting(
    "without", "Columns that no split may ask about", "",
    "The model grows as if the table did not have them; you still see their values. *Term:* "
    "`forbidden_features`.",
    of_columns=COLUMN_NAMES, parameter="forbidden_features", stays=True,
)  # fmt: skip
LEFT_OUT_OF_APPROXIMATION = LEFT_OUT._replace(
    words="The tree does not ask about them; the model that it imitates still does. *Term:* `forbidden_features`."
)
FORCED_SPLITS = Setting(
    "given", "Splits that the tree begins with", "",
    "Splits chosen by hand on the page *Tree*, and those above them; below, the tree grows as usual. An optimal "
    "tree keeps as many as fit into its size. *Term:* `forced_splits`.",
    of_columns=COLUMN_SPLITS, parameter="forced_splits", need=Need("monotone", ""),
)  # fmt: skip
