"""Approximation trees: one stable tree for any model.

Zhou & Hooker 2016, "Interpreting models via single tree approximation", arXiv:1610.09036.
"""

from __future__ import annotations

import copy
import math
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from espalier.kernels.approximation.density import Region, Smoothing, everywhere, make_region
from espalier.learners.approximation.asking import Asking, alarm, check_kind, has_same_terms, presenting, within
from espalier.learners.approximation.grow import (
    ApproximationParameters,
    Growth,
    Integral,
    SmoothedSamples,
    grow,
    integral_of,
)
from espalier.learners.approximation.oracle import (
    Oracle,
    class_asking,
    class_oracle,
    fit_model,
    number_asking,
    number_oracle,
)
from espalier.learners.approximation.sampling import (
    DistinctRows,
    SampleSource,
    discrete_mask,
    distinct_rows,
    pace,
    pseudo_samples,
    rounded_down,
    smoothing_of,
)
from espalier.learners.approximation.split_test import (
    Considered,
    Rule,
    StoppedGrowing,
    TestOutcome,
    UndecidedSplits,
    decide_by_test,
)
from espalier.learners.base import (
    Classifier,
    Learner,
    Regressor,
    check_jobs,
    check_numbers,
    check_weights,
    check_whole,
    is_number,
    n_threads_of,
    weights_of,
)
from espalier.learners.conventions import OneTree, Paths
from espalier.learners.frames import Choice
from espalier.progress import Progress
from espalier.trees import Tree

N_CODES = 64
FOR_ASKING = 0.75  # of the time limit: what the pseudo-samples of a slow model may take
LEAST_FOR_ROWS = 10.0  # seconds that asking about X may take, however short the time limit is


class Approximation(OneTree, Paths, Learner):
    """Base of the classifier and the regressor; parameters are described in `ApproximationClassifier`."""

    model_: Any
    tree_: Tree
    considered_: Considered
    oracle_: Oracle
    smoothing_: Smoothing
    table_: DistinctRows
    asking_: Asking
    seconds_: float
    seconds_a_row_: float
    budget_: float
    growth_: Growth
    timed_out_: bool

    def __init__(
        self, model=None, *, max_depth=5, alpha=0.1, max_samples=100_000, method="sampled", initial_samples=10_000,
        min_samples_split=6, bandwidth: Any = 0.05, jump=0.2, variance="full", discard=0.02, at_limit="best",
        discrete_features: Any = "auto", time_limit: float | None = None, n_jobs=None, random_state=None,
        categorical_features: Choice = "from_dtype", forbidden_features=None,
    ):  # fmt: skip
        self.model = model
        self.max_depth = max_depth
        self.alpha = alpha
        self.max_samples = max_samples
        self.method = method
        self.initial_samples = initial_samples
        self.min_samples_split = min_samples_split
        self.bandwidth = bandwidth
        self.jump = jump
        self.variance = variance
        self.discard = discard
        self.at_limit = at_limit
        self.discrete_features = discrete_features
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.forbidden_features = forbidden_features

    def fit(self, X, y=None, sample_weight=None, progress: Progress | None = None):
        """Grow the tree on X (n_samples, n_features); pseudo-samples are drawn around the rows of X.

        X is an array or a DataFrame (see `categorical_features`); missing values are nan. `y` (n_samples,) is only
        used to fit a model that is not fitted yet. `sample_weight` (n_samples,) is the relative frequency at which
        pseudo-samples are drawn around a row. `progress` is shared with another thread: growing counts up to
        n_samples, and ends early with a smaller tree once it is stopped. Raises ValueError for parameters, data or
        a model that cannot be used, with the reason, and StoppedAsking if it is stopped before the model has
        predicted the rows of X.
        """
        began = time.perf_counter()
        self._check_parameters()
        self.table_ = self._table(X, y, sample_weight)
        progress = progress or Progress()
        self.asking_ = self._asking()
        with self.asking_.heeding(progress):
            limit = None if self.time_limit is None else max(self.time_limit, LEAST_FOR_ROWS)
            with within(limit, progress, self.asking_, len(self.table_.X)):
                sample_data = self._sample_data(self.table_)
            self._grow(sample_data, progress)
        if not self.timed_out_:
            self._warn_of_open_splits()
        else:
            warnings.warn(
                f"growing was stopped after {self.time_limit:g} seconds (time_limit), with {self.tree_.n_leaves} "
                "leaves; allow more time, fewer pseudo-samples (max_samples), or fewer questions (max_depth)",
                StoppedGrowing,
                stacklevel=2,
            )
        self.seconds_ = time.perf_counter() - began
        return self

    def _grow(self, sample_data: SmoothedSamples, progress: Progress) -> None:
        with ThreadPoolExecutor(self._n_threads()) as pool, alarm(self.time_limit, progress) as late:
            source = SampleSource(self.oracle_, sample_data.smoothing, pool.map, progress, self.asking_.heeding)
            self.budget_ = self._budget(source)
            decide, least = self._decider(sample_data, source), self.min_samples_split
            limits = self.method == "sampled", self.budget_, self.max_samples
            habit = ApproximationParameters(self.max_depth, least, decide, *limits)
            self._n_before, self.growth_ = self._n_answered(), Growth(habit)
            self.tree_, self.considered_ = grow(sample_data, habit, self._seed(), progress, self.growth_)
            self.timed_out_ = late.is_set()

    @property
    def n_asked_(self) -> int:
        """Number of pseudo-samples that the model was asked about to grow the tree: so far, while it grows."""
        return self._n_answered() - self._n_before

    def _n_answered(self) -> int:
        # The oracle counts after a whole chunk, the asking after every batch, but nothing on a forest's fast path.
        return max(self.oracle_.n_asked, self.asking_.n_answered)

    def _budget(self, source: SampleSource) -> float:
        """Return how many pseudo-samples fit into the time limit; inf if all that may be drawn do."""
        self.seconds_a_row_, limit = self.oracle_.seconds / max(self.oracle_.n_asked, 1), self.time_limit
        most = self.max_samples * (2**self.max_depth - 1)
        if self.method == "exact" or limit is None or self.seconds_a_row_ * most <= limit * FOR_ASKING:
            return math.inf
        self.seconds_a_row_ = pace(source, self._region(), self._n_threads())
        budget = limit * FOR_ASKING / self.seconds_a_row_
        return math.inf if budget >= most else rounded_down(budget)

    def pseudo_samples(self, n: int, seed: int = 0) -> np.ndarray:
        """Draw (n, n_features) float64 new rows from the density over the whole table (section 3.1)."""
        return pseudo_samples(self.smoothing_, self._region(), n, np.uint64(seed))

    def _region(self) -> Region:
        table = self.table_
        return make_region(self.smoothing_, table.X, table.weight, everywhere(table.X.shape[1]))

    def _table(self, X, y, sample_weight) -> DistinctRows:
        """Return the rows of positive weight, with unknown categories as missing; sets `model_`."""
        check_kind(self.model, "classifier" if isinstance(self, Classifier) else "regressor")
        input_, (X, y) = X, self._check_data(X, y)
        self.model_ = fit_model(self.model, input_ if hasattr(input_, "columns") else X, y, sample_weight)
        n_expected = getattr(self.model_, "n_features_in_", X.shape[1])
        if n_expected != X.shape[1]:
            raise ValueError(f"X has {X.shape[1]} features, but the model was fitted on {n_expected}")
        weight = weights_of(sample_weight, X)
        check_weights(weight)
        X, categorical = X[weight > 0], self.is_categorical_
        codes = X[:, categorical]
        X[:, categorical] = np.where((codes >= 0) & (codes < N_CODES), np.floor(codes), np.nan)
        return distinct_rows(X, weight[weight > 0])

    def _sample_data(self, table: DistinctRows) -> SmoothedSamples:
        categorical, names = self.is_categorical_, getattr(self, "feature_names_in_", None)
        discrete = discrete_mask(self.discrete_features, table.X, categorical, names)
        self.smoothing_ = smoothing_of(table, categorical, discrete, self.bandwidth, self.jump)
        began = time.perf_counter()
        answers = self.asking_(table.X)
        seconds = time.perf_counter() - began
        self.oracle_ = self._oracle(table, answers)
        labels, coding = self.oracle_.labels_of(answers, seconds), self.oracle_.coding
        if has_same_terms(self.model_, self.frame_):
            labels = self.oracle_.shortcut(self.model_, table.X, labels)
        elif self.method == "exact":
            raise ValueError(
                "method is 'exact', which looks into the model, and this one has other columns or codes than X: "
                "give X the order of its feature_names_in_ and the same categories, or fit the model to X"
            )
        is_classes, features = isinstance(self, Classifier), self.allowed_features()
        return SmoothedSamples(table, labels, categorical, self.smoothing_, coding, is_classes, features)

    def _decider(self, sample_data: SmoothedSamples, source: SampleSource):
        if self.method == "exact":
            smoothing, coding = sample_data.smoothing, sample_data.coding
            return partial(
                _test_by_integral, integral_of(self.model_, smoothing, coding, source.map, source.progress)
            )
        return partial(decide_by_test, source, self.rule())

    def rule(self) -> Rule:
        """Return the parameters of the test at each node."""
        first = min(self.initial_samples, self.max_samples)
        is_fixed, is_by_order = self.variance == "fixed", self.at_limit == "order"
        return Rule(self.alpha, first, self.max_samples, is_fixed, self.alpha * self.discard, is_by_order)

    def _warn_of_open_splits(self) -> None:
        n = self.considered_.n_splits
        if n and not self.considered_.n_decided and self.method == "sampled":
            warnings.warn(
                f"0 of {n} splits of this approximation were decided by {self.max_samples:,} pseudo-samples: "
                "others do about as well, and another random_state may give another tree. Allow more "
                "(max_samples), fewer questions (max_depth), or look at considered_ for what is open",
                UndecidedSplits,
                stacklevel=3,
            )

    def _n_threads(self) -> int:
        return n_threads_of(self.n_jobs)

    def _asking(self) -> Asking:
        present = presenting(self.model_, self.frame_, self.model_ is not self.model)
        return (class_asking if isinstance(self, Classifier) else number_asking)(self.model_, present)

    def _oracle(self, table: DistinctRows, answers: Any) -> Oracle:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        for name, least in (
            ("max_depth", 1),
            ("max_samples", 1),
            ("initial_samples", 1),
            ("min_samples_split", 2),
        ):
            check_whole(name, getattr(self, name), least=least)
        for name, most in (("alpha", 0.5), ("jump", 1.0), ("discard", 1.0)):
            value = getattr(self, name)
            if not (is_number(value) and 0 <= value <= most) or (name == "alpha" and not 0 < value < most):
                raise ValueError(f"{name} is {value!r}; it must be a number between 0 and {most}")
        for name, among in CHOICES.items():
            if getattr(self, name) not in among:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {' or '.join(among)}")
        if self.time_limit is not None:
            check_numbers(self, ("time_limit",))
        check_jobs(self.n_jobs)

    def __sklearn_clone__(self):
        """Return a copy that approximates the same model object: a fitted model is an input here."""
        parameters = self.get_params(deep=False)
        model = parameters.pop("model")
        make: Any = type(self)
        return make(model, **{name: clone(value, safe=False) for name, value in parameters.items()})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


CHOICES = {"method": ("sampled", "exact"), "variance": ("full", "fixed"), "at_limit": ("best", "order")}


def _test_by_integral(integral: Integral, prospects, region, _seed, _allowance) -> TestOutcome:
    return integral.outcome(prospects, region)


class ApproximationClassifier(Classifier, Approximation):
    """One tree that approximates a model of class shares, with splits that new pseudo-samples would choose again.

    Parameters
    ----------
    model : model to approximate: anything with `predict_proba` or `predict`, or a function of rows (n, n_features)
        that returns class shares (n, n_classes), the probability of the second class (n,), or labels. An
        unfitted one is copied and fitted to X and y. A copy (`clone`) of this estimator keeps the very same model.
        Where X is a DataFrame, a model that was fitted to columns with names gets them by name, and one that
        takes text or categories gets a DataFrame of X's own types (numbers between whole ones as float64)
    max_depth : most splits on the way to a leaf (the paper's 5 layers "including the root" are 4)
    alpha : level of the test at each node: how likely other pseudo-samples may be to prefer another split
        (section 2.4)
    max_samples : N_ps, most pseudo-samples at a node, after which the best split so far is taken (section 2.4)
    method : "sampled": the paper's; "exact": for forests and trees of this project, the tree that sampling
        without end would give, from integrals over the kernel density, without chance and without a test
    initial_samples : pseudo-samples before a node's first test
    min_samples_split : rows of X in a node that is split, each as often as its weight says
    bandwidth : standard deviation of the Gaussian kernel (section 3.1): a share of each feature's span (that of
        its central 90 %, divided by 0.9), "normal" for the normal reference rule, or one number a feature
    jump : chance that a discrete value moves: half of it to the next lower and half to the next higher one that
        occurs, so that at an end of its scale it moves with half the chance (the paper's section 3.1 says only
        that it moves to a neighbour, and has no half); for categories without order, to any other
    variance : of the difference of two splits: "full": all means estimated, the shares of the sides too;
        "fixed": these shares taken for known, as in section 2.1
    discard : level of Benjamini and Hochberg's procedure, in parts of alpha, at which far worse splits are given
        up between two tests (section 2.5); 0: none are
    at_limit : what is taken where max_samples decide nothing: the "best" split so far (section 2.4), or by
        "order" (section 2.3) the first by feature and threshold that is not found to be worse than it
    discrete_features : mask or column numbers of numbers that jump instead of being smoothed; "auto": whole
        numbers with at most 12 different values; None: none
    time_limit : seconds, at least 0, after which growing stops with the tree so far and the warning
        StoppedGrowing; None: it is never stopped. Fitting a model that is not fitted does not count. Asking it
        about X comes before and may take as long, or 10 s; after that `fit` raises ValueError. A model that is too
        slow for all pseudo-samples that may be drawn, such as a support vector machine, is timed, and asked about
        as many as fit into the limit (`budget_`): every level of the tree has the same part of them. `n_asked_`
        and `growth_.most` say how far it is meanwhile
    n_jobs : threads that draw and ask; None for one, -1 for all processors; the tree does not depend on it
    random_state : seed
    categorical_features : which columns are categories, split as sets; as in `CartClassifier`
    forbidden_features : columns, by name or number from 0 on, of the model that the tree does not ask about

    The samples of section 2 accumulate within a node. Every node draws its own, around the original rows that
    reached it and inside its box; the order and repetition of rows do not matter. The p-value of a rival is the
    probability of equation (4), summed over the remaining rivals; the next sample size is that of equation (5).
    Missing values stay missing in pseudo-samples; every split is tried with them on either side.

    Attributes
    ----------
    tree_ : Tree; values are the mean class shares of pseudo-samples (a leaf at the end of `max_depth` has those
        of its parent's that fall to it), n_samples and weight those of the rows of X
    considered_ : Considered: what was tested at each node, with how many samples, and how sure it is; of its
        `n_splits` the test decided `n_decided`. Where that is none, `fit` gives the warning UndecidedSplits
    classes_ : (n_classes,) the labels, in order: the model's own
    model_ : the model that was asked
    table_ : Table: the rows that are smoothed
    smoothing_ : Smoothing: the kernel around each of them
    oracle_ : Oracle, with `n_asked`, the rows it was asked, and `seconds`, summed over the threads
    seconds_ : time that `fit` took
    seconds_a_row_ : time that the model takes for a row, about; where it is slow, with all threads asking
    budget_ : pseudo-samples that fit into `time_limit`; inf where all that may be drawn do
    growth_ : Growth, with `most`, the pseudo-samples that the tree takes at most
    n_asked_ : pseudo-samples that the model was asked about to grow it; both may be read while it grows
    timed_out_ : whether `time_limit` ended it: the tree is then the part that was there, and `fit` gives the
        warning StoppedGrowing

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from espalier.data import samples
    >>> iris = samples.load("iris")
    >>> forest = RandomForestClassifier(10, random_state=0).fit(iris.X, iris.y)
    >>> ApproximationClassifier(forest, max_depth=2, random_state=0).fit(iris.X).tree_.n_leaves
    4
    """

    def _check_data(self, X, y):
        return (self._validate(X, "no_validation"), None) if y is None else self._validate(X, y)

    def _oracle(self, table, answers):
        oracle, self.classes_ = class_oracle(self.asking_, answers)
        return oracle


class ApproximationRegressor(Regressor, Approximation):
    """One tree that approximates a model of numbers; parameters as in `ApproximationClassifier`.

    The Gini index of soft labels becomes the variance: both are mean squared distances, and the test is the same.
    With `variance="fixed"` the mean label over X is subtracted first, because that form depends on the position of
    zero.

    Attributes
    ----------
    tree_ : Tree, whose values are the mean answers over pseudo-samples; others as in `ApproximationClassifier`

    Examples
    --------
    >>> from espalier.data import samples
    >>> from espalier.learners import CartRegressor
    >>> sine = samples.load("sine")
    >>> tree = CartRegressor(max_depth=3)
    >>> ApproximationRegressor(tree, max_depth=2, random_state=0).fit(sine.X, sine.y).tree_.n_leaves
    4
    """

    def _check_data(self, X, y):
        return (self._validate(X, "no_validation"), None) if y is None else super()._check_data(X, y)

    def _oracle(self, table, answers):
        return number_oracle(self.asking_, answers, table.weight)


# ---- grow an approximation tree again with other pseudo-samples; everything else is shared


class ReplicationData(NamedTuple):
    """Inputs that all trees of one model and table share."""

    sample_data: SmoothedSamples
    rule: Rule
    oracle: Oracle
    model: Any
    max_depth: int
    min_split: float

    @property
    def n_samples(self) -> int:
        """Number of rows of the table, repeated ones counted one by one; the final count of progress."""
        return int(self.sample_data.table.n_equal.sum())


def inputs_of(fitted: Approximation) -> ReplicationData:
    """Return the inputs of a fitted approximation. Raises NotFittedError for an unfitted one."""
    check_is_fitted(fitted, "tree_")
    table, oracle = fitted.table_, fitted.oracle_
    sample_data = SmoothedSamples(
        table,
        oracle.labels(table.X),
        fitted.is_categorical_,
        fitted.smoothing_,
        oracle.coding,
        isinstance(fitted, Classifier),
        fitted.allowed_features(),
    )
    return ReplicationData(
        sample_data, fitted.rule(), oracle, fitted.model_, fitted.max_depth, fitted.min_samples_split
    )


def regrow(inputs: ReplicationData, seed: int, progress: Progress) -> tuple[Tree, Considered]:
    """Grow the tree of another seed by sampling on this thread; `progress` as in `ApproximationClassifier.fit`."""
    source = SampleSource(copy.copy(inputs.oracle), inputs.sample_data.smoothing, map, progress)
    decide = partial(decide_by_test, source, inputs.rule)
    return grow(
        inputs.sample_data,
        ApproximationParameters(inputs.max_depth, inputs.min_split, decide, True),
        seed,
        progress,
    )
