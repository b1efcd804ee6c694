"""Lessons from text: what is read, what is refused; and their numbers are those of the pages that they link to."""

import io
import zipfile
from functools import cache
from typing import Any

import numpy as np
import pytest

from espalier import lessons
from espalier.approximation import words as approximation_words
from espalier.data import HeldOut, samples
from espalier.data.folds import Folds, held_out, plan_for
from espalier.data.samples.generators import EXAMPLES
from espalier.display.theme import number
from espalier.forests import growth
from espalier.forests.agreement import strength_and_correlation
from espalier.forests.pictures import fit_bags
from espalier.grown import make_estimator
from espalier.language import LANGUAGES
from espalier.learners import (
    CartClassifier,
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    catalogue,
)
from espalier.learners.catalogue import CommonTerms
from espalier.learners.missing import WAYS
from espalier.lessons import BUNDLED, from_folder, lesson_in, reading
from espalier.lessons.questions import NumberQuestion, PageQuestion, SketchQuestion
from espalier.lessons.reading import problems_of
from espalier.predict import classes, fractions_in, leaves, shares, staged
from espalier.progress import Progress
from espalier.reliability.reliability import Goal, answered, ask, operate
from espalier.stability.resampling import Redraw, redrawn
from espalier.tree.rules import surrogate_tests
from espalier.trees import Tree
from pages.shared.approximation import fits as approximation_fits
from pages.shared.approximation import results
from pages.shared.basics.bagging import AT
from pages.shared.data import library
from pages.shared.lessons.opening import pages
from pages.shared.models import learners
from pages.shared.tree import growing, hesitation
from tests.tools.cases import case
from tests.tools.uneven import removed


class Grown:
    """A tree as the Tree page grows it."""

    def __init__(self, data, learner="cart", seed=0, **settings):
        dataset = library.find_whole(data)
        assert dataset is not None
        self.data, self.held = dataset, held_out(dataset, HeldOut(30, seed))
        self.tree = growing.Fit(dataset, HeldOut(30, seed), model(learner, dataset, settings))().tree

    def outputs(self, rows):
        return self.tree.value[leaves(self.tree, self.data.X[rows])]

    def errors(self, rows):
        return int((self.outputs(rows).argmax(axis=1) != self.data.y[rows]).sum())

    def squared_error(self, rows):
        return float(np.mean((self.outputs(rows)[:, 0] - self.data.y[rows]) ** 2))

    def r2(self, rows):
        return 1 - self.squared_error(rows) / float(np.var(self.data.y[rows]))

    def accuracy(self):
        """Share of the held-out rows that are right, in per cent."""
        return round(100 * (1 - self.errors(self.held) / int(self.held.sum())), 1)

    def question(self, node):
        assert isinstance(self.tree, Tree)
        return f"{self.data.features[self.tree.feature[node]].name} ≤ {self.tree.threshold[node]:g}"


def model(learner, dataset, settings):
    """The model of a learner with the page's own defaults but for these settings."""
    own = learners.SETTINGS[learner].of(dataset.target)
    keys = learners.SETTINGS[learner].keys
    values = {key: setting.default for key, setting in own.items()}
    return learners.SETTINGS[learner].model(
        dataset.target, values | {keys.get(k, k): v for k, v in settings.items()}
    )


@cache
def said(name):
    """All texts of a lesson."""
    return (BUNDLED / name / "lesson.toml").read_text("utf-8").replace("\\\n", "")


def gini(*counts):
    shares = np.array(counts) / sum(counts)
    return 1 - float((shares**2).sum())


def says(name, *texts):
    return [text for text in texts if text not in said(name)] == []


def test_the_sketch_the_scores_and_the_exercise_of_stopping_are_those_of_the_page():
    question = lesson_in(from_folder(BUNDLED / "stopping")).steps[1].question
    assert isinstance(question, SketchQuestion)
    for depth, height in zip(question.across, question.answer, strict=True):
        grown = Grown("sine", depth=int(depth))
        assert grown.squared_error(grown.held) == pytest.approx(height, abs=6e-4)
    assert says("stopping", *(f"{Grown('sine', depth=n).r2(Grown('sine').held):.3f}" for n in (2, 3)))
    whole = Grown("sine", depth=None)
    assert (whole.tree.n_leaves, f"{whole.r2(whole.held):.3f}") == (112, "0.894")
    by_leaf = {n: Grown("sine", depth=None, leaf=n) for n in (1, 5, 20)}
    assert says("stopping", *(f"{grown.r2(grown.held):.3f}" for grown in by_leaf.values()))
    assert (by_leaf[5].tree.n_leaves, Grown("sine", depth=5).tree.n_leaves) == (17, 31)
    best = max(by_leaf, key=lambda n: by_leaf[n].r2(by_leaf[n].held))
    assert best == 5
    scores = {n: Grown("sine~d2", depth=n).r2(Grown("sine~d2").held) for n in range(1, 15)}
    assert max(scores, key=scores.__getitem__) == 3


def test_the_node_of_seventy_flowers_has_fourteen_cuts_and_the_ginis_of_the_lesson():
    grown = Grown("iris", depth=2)
    rows = ~grown.held & (grown.data.X[:, 2] > 2.45)
    widths, y = grown.data.X[rows, 3], grown.data.y[rows]
    assert (rows.sum(), len(np.unique(widths))) == (70, 15)
    assert grown.question(2) == "petal width ≤ 1.7"
    assert says("threshold", f"{38 / 70 * gini(35, 3):.4f}", f"{0.5 - 38 / 70 * gini(35, 3):.3f}")
    assert np.bincount(y[widths <= 1.7].astype(int), minlength=3).tolist() == [0, 35, 3]
    below = grown.data.X[rows, 2] <= 4.75
    left, right = (np.bincount(y[part].astype(int), minlength=3) for part in (below, ~below))
    assert says("threshold", f"{below.mean() * gini(*left) + (~below).mean() * gini(*right):.4f}")


def test_entropy_changes_the_tree_below_its_root():
    by = {name: Grown("breast-cancer", depth=3, criterion=name) for name in ("gini", "entropy")}
    assert by["gini"].question(0) == by["entropy"].question(0) == "worst concave points ≤ 0.14655"
    assert [grown.data.features[grown.tree.feature[1]].name for grown in by.values()] == [
        "worst radius",
        "worst perimeter",
    ]
    wrong = {name: grown.errors(grown.held) for name, grown in by.items()}
    assert wrong["gini"] - wrong["entropy"] == 4
    assert says("purity", f"{1 - wrong['entropy'] / 171:.1%}".replace("%", " %"))


def test_greedy_trees_solve_xor_from_depth_4_on_save_no_error_of_a_monk_and_begin_twice_with_body_mass():
    grown = Grown("monks-2", depth=1)
    shares = grown.tree.value * grown.tree.n_samples[:, None]
    assert shares.round().astype(int).tolist() == [[203, 99], [70, 25], [133, 74]]
    assert round(gini(246, 27), 3) == 0.178
    left = [Grown("xor", depth=n) for n in (3, 4)]
    assert [grown.errors(~grown.held) for grown in left] == [1, 0]
    assert left[1].tree.n_leaves == 7
    assert left[0].question(0) == "x1 ≤ 0.6169"
    first = [Grown("diabetes", seed=seed, depth=2).question(0).split(" ≤")[0] for seed in range(8)]
    assert [seed for seed, name in enumerate(first) if name == "body mass index"] == [2, 7]
    sine, robots = Grown("sine", depth=4).tree, Grown("monks-1", depth=None).tree
    assert (sine.n_leaves, sine.depth) == (16, 4)
    assert (robots.n_leaves, robots.depth) == (31, 10)


@pytest.mark.parametrize(
    ("data", "depth", "greedy", "best"),
    [("xor", 2, 85, 0), ("monks-1", 4, 48, 0), ("tic-tac-toe", 3, 166, 139), ("moons", 3, 20, 5)],
)
def test_greedy_and_best_trees_make_as_many_errors_as_the_lesson_says(data, depth, greedy, best):
    errors = [Grown(data, learner, depth=depth) for learner in ("cart", "optimal")]
    assert [grown.errors(~grown.held) for grown in errors] == [greedy, best]
    if data == "tic-tac-toe":
        assert [grown.errors(grown.held) for grown in errors] == [75, 77]


@pytest.mark.parametrize(
    ("data", "kind", "depth", "n_structures", "most"),
    [("wine", "leave_out", 3, 10, 90), ("wine", "bootstrap", 3, 88, 4), ("wine", "bootstrap", 1, 5, 42),
     ("iris", "bootstrap", 1, 2, 92)],
)  # fmt: skip
def test_a_hundred_trees_have_as_many_structures_as_the_lesson_says(data, kind, depth, n_structures, most):
    dataset = samples.load(data)
    seen = {}
    for draw in range(100):
        drawn = redrawn(Redraw(kind, 1.0), dataset, seed=0, number=draw)
        estimator = make_estimator(model("cart", dataset, {"depth": depth}), dataset)
        tree = estimator.fit(drawn.X[drawn.rows], dataset.y[drawn.rows]).tree_
        structure = tuple(tree.feature)
        seen[structure] = seen.get(structure, 0) + 1
    assert (len(seen), max(seen.values())) == (n_structures, most)


def test_a_stretched_column_leaves_the_tree_slanted_stripes_need_stairs_and_clouds_one_question_after_a_turn():
    plain, stretched = (Grown(data, depth=4) for data in ("moons", "moons~s10"))
    assert plain.tree.feature.tolist() == stretched.tree.feature.tolist()
    assert [grown.accuracy() for grown in (plain, stretched)] == [94.2, 94.2]
    upright, slanted = "stripes~t60", "stripes"
    assert [Grown(data, depth=3).accuracy() for data in (upright, slanted)] == [96.7, 64.2]
    whole = [Grown(data, depth=None) for data in (upright, slanted)]
    assert [grown.tree.n_leaves for grown in whole] == [6, 43]
    assert [grown.accuracy() for grown in whole] == [99.2, 85.0]
    whole = Grown("two-gaussians", depth=None)
    assert (Grown("two-gaussians", depth=1).accuracy(), whole.accuracy(), whole.tree.n_leaves) == (93.3, 97.8, 8)
    turned = [f"two-gaussians~t{degrees}" for degrees in range(5, 91, 5)]
    exercise = lesson_in(from_folder(BUNDLED / "rotation")).steps[-1].question
    assert isinstance(exercise, PageQuestion)
    assert [one for one in turned if Grown(one, depth=1).accuracy() == 97.8] == list(exercise.answers)


@pytest.mark.parametrize(
    ("data", "features", "rho", "variance", "least"),
    [("breast-cancer", None, 0.432, 0.33, 0.142), ("breast-cancer", "sqrt", 0.346, 0.339, 0.117),
     ("wine", "sqrt", 0.15, 0.403, 0.0602)],
)  # fmt: skip
def test_the_trees_of_a_forest_are_as_alike_as_the_lesson_says(data, features, rho, variance, least):
    dataset = samples.load(data)
    kept = ~held_out(dataset, HeldOut(30, 0))
    X, y = dataset.X[kept], dataset.y[kept]
    forest = RandomForestClassifier(n_estimators=100, max_features=features, random_state=0).fit(X, y)
    fall = strength_and_correlation(forest.forest_, X, y, forest.in_bag()).fall
    found = fall.correlation, fall.variance, fall.correlation * fall.variance
    assert found == pytest.approx((rho, variance, least), abs=6e-4)


def clouds_by(learner, **settings) -> Any:
    """A tree of one split on all rows of the two clouds."""
    data = samples.load(hesitation.DATA)
    return growing.Fit(data, HeldOut(0), model(learner, data, {"depth": 1, **settings}))().tree


def test_splits_of_the_clouds_say_what_the_lesson_does_of_one_cut_of_37_and_of_both_columns():
    tree = clouds_by("cart")
    assert (tree.feature[0], round(tree.threshold[0], 4)) == (1, -0.0536)
    assert tree.value[1:, 0].round(2).tolist() == [0.06, 0.95]
    tree, X = clouds_by("cultivated", hesitates="threshold"), samples.load(hesitation.DATA).X
    cuts, row = tree.cuts.value, X[[92]]
    assert (len(cuts), (cuts < row[0, 1]).sum(), round(row[0, 1], 3)) == (37, 28, 0.157)
    assert tree.cuts.weight[[0, -1]] == pytest.approx(1 / 3, abs=0.02)
    to_first = fractions_in(tree, X, 1)
    assert ((to_first > 0) & (to_first < 1)).sum() == 36
    assert (to_first[92].round(2), shares(tree, row)[0, 0].round(2)) == (0.77, 0.73)
    assert tree.value[1:, 0] == pytest.approx([0.93, 0.085], abs=2e-3)
    tree = clouds_by("cultivated")
    assert tree.decisions.feature.tolist() == [1, 0]
    assert tree.decisions.impurity.round(3).tolist() == [0.140, 0.187]
    assert np.diff(tree.cuts.start).tolist() == [37, 36]
    assert shares(tree, np.array([[-2.0, 2.0], [2.0, -2.0]]))[:, 0].round(2).tolist() == [0.51, 0.51]


def test_a_wide_neighbourhood_is_as_right_as_the_best_border_and_less_sure():
    X, y = hesitation.clouds(np.random.default_rng(hesitation.SEED), hesitation.N_FRESH)
    widths = (0, 1, 2, 5, 10, "sqrt", 20, 50, 100, 200, "all")
    trees = {k: clouds_by("cultivated", k=k) for k in widths}
    right = {k: round(100 * float(np.mean(classes(tree, X) == y)), 1) for k, tree in trees.items()}
    assert [k for k in widths if right[k] == max(right.values())] == [100]
    assert (right["sqrt"], right[100], right["all"]) == (94.7, 97.0, 96.4)
    assert round(100 * hesitation.BEST) == 97
    deep = [shares(trees[k], np.array([[2.0, 2.0]]))[0, 0].round(2) for k in ("sqrt", 100)]
    assert deep == [0.91, 0.82]


def parted(data):
    """Rows grown on, and rows held out, with their targets."""
    dataset = samples.load(data)
    held = held_out(dataset, HeldOut(30, 0))
    return dataset.X[~held], dataset.y[~held], dataset.X[held], dataset.y[held]


def out_of_bag(kind, data):
    """Error of one tree and of all together on the rows that they have not drawn, in per cent."""
    X, y, _, _ = parted(data)
    forest = kind(n_estimators=100, bootstrap=True, random_state=0).fit(X, y)
    alone = growth.own_errors(forest.forest_, X, y, forest.in_bag()).mean()
    together = growth.judge(forest.forest_, X, y, forest.in_bag()).errors[-1]
    return round(100 * float(alone), 1), round(100 * float(together), 1)


@cache
def errors_by_round(data, rate):
    """Root mean square error of gradient boosting before the first round and after each: grown on, held out."""
    X, y, X_held, y_held = parted(data)
    forest = GradientBoostingRegressor(n_estimators=100, learning_rate=rate).fit(X, y).forest_
    pairs = (X, y), (X_held, y_held)
    return [
        [float(np.sqrt(np.mean((said - truth) ** 2))) for said in [forest.start[0], *sums_of(forest, rows)]]
        for rows, truth in pairs
    ]


def sums_of(forest, X):
    return [said.ravel() for said in staged(forest, X)]


@pytest.mark.parametrize(
    ("data", "least_alike", "leaves_of_a_tree"),
    [("breast-cancer", (0.286, 0.343, 0.0982), 36.5), ("wine", (0.14, 0.45, 0.063), 21.3)],
)
def test_random_thresholds_make_trees_less_alike_and_larger(data, least_alike, leaves_of_a_tree):
    X, y, _, _ = parted(data)
    forest = ExtraTreesClassifier(n_estimators=100, bootstrap=True, random_state=0).fit(X, y)
    fall = strength_and_correlation(forest.forest_, X, y, forest.in_bag()).fall
    assert (fall.correlation, fall.variance, fall.correlation * fall.variance) == pytest.approx(
        least_alike, abs=6e-4
    )
    assert np.mean([tree.n_leaves for tree in forest.forest_.trees]) == pytest.approx(leaves_of_a_tree, abs=0.06)


def test_trees_of_random_thresholds_are_worse_alone_on_the_wines_and_better_together_on_the_tumours():
    forests = RandomForestClassifier, ExtraTreesClassifier
    alone = {data: [out_of_bag(kind, data)[0] for kind in forests] for data in ("breast-cancer", "wine")}
    assert alone == {"breast-cancer": [9.5, 9.5], "wine": [13.2, 15.3]}
    assert [out_of_bag(kind, "breast-cancer")[1] for kind in forests] == [5.5, 4.3]


def test_a_round_of_boosting_leaves_the_residuals_of_the_lesson_and_errors_fall_here_and_rise_there():
    assert np.round(errors_by_round("sine", 1.0)[0][:3], 3).tolist() == [0.708, 0.288, 0.267]
    assert np.round(errors_by_round("sine", 0.1)[0][1], 3) == 0.649
    grown_on, held = (np.round(errors, 1) for errors in errors_by_round("diabetes", 0.1))
    assert (held[0], held[-1], grown_on[18], grown_on[-1]) == (78.1, 62.7, 42.5, 19.8)


@pytest.mark.parametrize(("rate", "best", "least"), [(1.0, 1, 63.7), (0.1, 18, 59.4), (0.05, 44, 58.7)])
def test_the_held_out_error_of_boosting_is_least_after_the_round_of_the_lesson(rate, best, least):
    held = errors_by_round("diabetes", rate)[1]
    assert (int(np.argmin(held)), round(min(held), 1)) == (best, least)


def test_red_jackets_are_all_members_and_stand_against_three_other_colours():
    grown = Grown("monks-1", depth=1)
    jacket = grown.data.features[4]
    assert (jacket.name, len(jacket.categories)) == ("jacket", 4)
    assert grown.tree.value[grown.tree.right[0]].tolist() == [0, 1]
    assert grown.tree.n_samples.tolist() == [302, 228, 74]
    red = grown.data.X[:, 4] == jacket.categories.index("red")
    assert int((red & ~grown.held).sum()) == 74


@pytest.mark.parametrize(
    ("data", "column", "threshold", "agreement"),
    [("wine", "flavanoids", 2.685, 0.84), ("iris", "petal width", 0.8, 1)],
)
def test_the_best_surrogates_at_the_roots_are_those_of_the_lesson(data, column, threshold, agreement):
    grown = Grown(data, depth=3, missing="surrogate")
    assert isinstance(grown.tree, Tree)
    kept: Any = grown.tree.surrogates
    assert len(surrogate_tests(grown.tree, 0)) == {"wine": 5, "iris": 3}[data]
    assert grown.data.features[kept.feature[0]].name == column
    assert (kept.threshold[0], kept.agreement[0]) == pytest.approx((threshold, agreement))
    assert not kept.reversed[0]


def error_with_gaps(data, way, share, seed):
    """Share of wrong classes, in per cent, where values are missing in rows that grow the tree and in others."""
    tested, X = held_out(data, HeldOut(30, seed)), removed(data.X, share, seed)
    tree = CartClassifier(max_depth=3, missing=way).fit(X[~tested], data.y[~tested])
    return 100 * np.mean(tree.predict(X[tested]) != data.y[tested])


def test_surrogates_bear_gaps_in_the_wines_better_than_other_ways():
    data = Grown("wine", depth=1).data
    means = {
        share: [
            round(float(np.mean([error_with_gaps(data, way, share, seed) for seed in range(10)])), 1)
            for way in WAYS
        ]
        for share in (0.0, 0.3)
    }
    assert list(WAYS) == ["side", "category", "impute", "surrogate"]
    assert means == {0.0: [9.4] * 4, 0.3: [24.7, 23.0, 24.5, 15.5]}


LESSON = (BUNDLED / "bagging" / "lesson.toml").read_text("utf-8").replace("\\\n", "")


def seen(rows, model):
    """The errors and the last row's influences that the page shows, of one fit and of the mean of 200 bags."""
    here = EXAMPLES[rows]()
    fit = fit_bags(model, here.x, here.y, AT, 200)
    errors = [float(np.sqrt(np.mean((said - here.truth(AT)) ** 2))) for said in (fit.one, fit.mean)]
    return errors, [float(fit.influence_in_one[-1]), float(fit.influence_in_mean[-1])]


@pytest.mark.parametrize(
    ("rows", "model", "errors", "influences"),
    [
        ("wave", "mean", (2.12, 2.12), (0.025, 0.025)),
        ("far", "line", (1.77, 1.26), (0.54, 0.4)),
        ("central", "line", (0.259, 0.293), (0.067, 0.073)),
        ("right", "line", (0.374, 0.759), (0.76, 0.51)),
    ],
)
def test_the_lesson_on_bagging_says_the_numbers_of_its_figure(rows, model, errors, influences):
    found = seen(rows, model)
    assert found[0] == pytest.approx(errors, rel=5e-3)
    assert found[1] == pytest.approx(influences, rel=1.2e-2)
    for value in (*errors, *influences):
        assert number(value) in LESSON


def test_the_mean_of_trees_on_the_wave_is_nearer_to_it_and_the_exercise_on_bagging_is_right_for_trees_alone():
    errors, _ = seen("wave", "tree")
    assert [number(error) for error in errors] == ["0.878", "0.658"]
    assert "0.878" in LESSON
    assert "0.658" in LESSON
    here = EXAMPLES["wave"]()
    fit = fit_bags("tree", here.x, here.y, AT, 200)
    assert (fit.influence_in_one[0], round(fit.influence_in_mean[0], 2)) == (1, 0.63)
    question = lesson_in(from_folder(BUNDLED / "bagging")).steps[-1].question
    assert isinstance(question, NumberQuestion)
    errors, influences = seen("central", "tree")
    assert question.is_right(f"{errors[1]:.2f}")
    assert [round(errors[0], 1), *(round(one, 1) for one in influences)] == [1.8, 1.0, 0.6]
    others = [*errors[:1], *seen("central", "line")[0], *seen("central", "mean")[0]]
    assert not any(question.is_right(f"{error:.2f}") for error in others)


@cache
def approximated(data, **settings):
    """A black box and its tree, as the page Approximate has both."""
    dataset = library.find_whole(data)
    assert dataset is not None
    model = catalogue.model(catalogue.find_kind("approximation"), {"samples": "100000", **settings})
    made: Any = approximation_fits.maker(dataset, HeldOut(30), model)
    one = approximation_fits.ApproximationJob(repr((data, settings)), dataset, HeldOut(30), model, made[1])(
        Progress()
    )
    assert one is not None
    return one


def fidelities(one):
    """Agreement with the black box at each depth, in per cent."""
    return [100 * level.fidelity.agreement for level in results.levels(one)]


def in_per_cent(one):
    """Accuracy of the black box and of its tree on the held-out rows."""
    truth: Any = results.truth(one)
    return round(100 * truth.model, 1), round(100 * truth.tree, 1)


def test_the_sketch_of_fidelity_is_that_of_the_wines_and_a_faithful_tree_is_as_wrong_as_its_model_on_xor():
    question = lesson_in(from_folder(BUNDLED / "trust")).steps[0].question
    assert isinstance(question, SketchQuestion)
    forest = approximated("wine")
    assert [round(share) for share in fidelities(forest)] == list(question.answer)
    assert in_per_cent(forest) == (100, 92.5)
    assert forest.held.sum() == 53
    one = approximated("xor", box="linear")
    assert round(fidelities(one)[-1], 1) == 96.5
    assert in_per_cent(one) == (61.7, 60)


@pytest.mark.parametrize(
    ("samples", "fidelity", "n_sure", "n_columns_open"), [("100000", 96, 8, 2), ("1000", 95.8, 1, 9)]
)
def test_fewer_made_up_cases_decide_fewer_splits_though_the_tree_is_as_faithful(
    samples, fidelity, n_sure, n_columns_open
):
    one = approximated("breast-cancer", samples=samples)
    states = [approximation_words.status(results.split_facts(one), node) for node in range(one.tree.n_nodes)]
    assert (states.count(approximation_words.SURE), states.count("")) == (n_sure, 14)
    assert states.count(approximation_words.COLUMN) == n_columns_open
    assert round(fidelities(one)[-1], 1) == fidelity


def answers_of(data, learner, goal):
    """Shares answered and right of these, in per cent, rows answered, and errors in them: as on Reliability."""
    dataset = library.find_whole(data)
    assert dataset is not None
    model = catalogue.model(catalogue.find_kind(learner), {})
    plan = plan_for(dataset, Folds(10, 1, 0))
    answers = answered(ask(model.make(CommonTerms.of(dataset, n_jobs=1)), dataset, plan))
    point = operate(answers, goal, plan)
    given = ~point.handed_over
    shares = round(100 * point.coverage, 1), round(100 * (1 - point.risk), 1)
    return *shares, int(given.sum()), int(answers.loss[given].sum())


def test_models_that_may_leave_rows_to_an_expert_answer_as_the_lesson_says():
    for data, learner, goal, right in [
        ("breast-cancer", "random", Goal("answer", 1.0), (100, 96, 569, 23)),
        ("breast-cancer", "random", Goal("answer", 0.8), (80.1, 99.3, 456, 3)),
        ("breast-cancer", "random", Goal("risk", 0.01), (88.4, 99, 503, 5)),
        ("breast-cancer", "cart", Goal("answer", 1.0), (100, 93, 569, 40)),
        ("breast-cancer", "cart", Goal("risk", 0.01), (3.2, 94.4, 18, 1)),
        ("moons", "random", Goal("risk", 0.01), (89.5, 98.6, 358, 5)),
        ("moons", "cart", Goal("risk", 0.01), (66.5, 98.5, 266, 4)),
    ]:
        with case((data, learner, goal, right)):
            assert answers_of(data, learner, goal) == right


PAGES = ["", "forests"]
SMALL = """
title = "Trees"
teaches = "What a tree is."

[[step]]
title = "One"
text = "Look at the **root**."
link = "http://localhost:8501/?data=iris&depth=1&lesson=x&step=4"

[step.question]
kind = "choice"
ask = "How many leaves?"
choices = ["one", "two"]
answer = 2
right = "Yes."
wrong = "No."

[step.reveal]
text = "Two."
link = "/forests?data=iris"
change = "Drag."
"""
GERMAN = """
title = "Bäume"
teaches = "Was ein Baum ist."
[[step]]
title = "Eins"
text = "Sehen Sie die **Wurzel** an."
link = "/nirgendwo"
[step.question]
kind = "number"
ask = "Wie viele Blätter?"
choices = ["eines", "zwei"]
answer = 1
right = "Ja."
wrong = "Nein."
[step.reveal]
text = "Zwei."
change = "Ziehen."
"""


def test_a_step_has_the_page_and_its_settings_but_not_the_lesson_that_the_address_was_copied_from():
    (step,) = lessons.lesson_in({"en": SMALL}).steps
    assert step.link == reading.Link("", {"data": "iris", "depth": "1"})
    assert [link.page for link in step.links()] == ["", "forests"]
    assert step.change == "Drag."


def test_another_language_changes_texts_alone_what_it_lacks_is_said_with_its_place_and_a_zip_holds_both():
    english, german = (lessons.lesson_in({"en": SMALL, "de": GERMAN}, code) for code in ("en", "de"))
    assert (german.title, german.steps[0].text) == ("Bäume", "Sehen Sie die **Wurzel** an.")
    assert german.steps[0].link == english.steps[0].link
    question = german.steps[0].question
    assert question
    assert question.is_right("2")
    assert question.solution() == "zwei"
    assert problems_of({"en": SMALL, "de": GERMAN}, PAGES) == []
    found = problems_of({"en": SMALL, "de": GERMAN.replace('text = "Zwei."', "")}, PAGES)
    assert found == ["de: step 1 reveal text is not translated"]
    texts = lessons.from_zip(packed(mine__lesson_toml=SMALL, mine__lesson_de_toml=GERMAN))
    assert problems_of(texts, PAGES) == []
    assert lessons.lesson_in(texts, "de").title == "Bäume"


def test_what_is_wrong_is_said_with_its_place():
    for old, new, problem in [
        ('title = "Trees"', "", "the lesson needs a title"),
        ('title = "Trees"', "title = 3", "the lesson has a title that should be a text in quotes"),
        ("[step.reveal]", "[step.revael]", "step 1 has “revael”, which means nothing; did you mean reveal?"),
        ("answer = 2", "answer = 3", "step 1: the question has the answer 3, which is not among its 2 choices"),
        ("answer = 2", "", "step 1: the question needs a answer"),
        ('kind = "choice"', 'kind = "guess"', "step 1: the question needs a kind: one of choice, number,"),
        ('title = "Trees"', 'title = "a"\npractice = "/woods"', "practice leads to a page “woods”; it should be"),
        ("/forests", "/woods", "step 1 leads to a page “woods”; there are /, /forests"),
        ("Look at", "word " * 81, "step 1: text has 83 words; at most 80 are read"),
        ("the **root**", "[a](http://b)", "step 1: text has a link, a picture or HTML"),
        ("[[step]]", "[[step]", "lesson.toml is no TOML: "),
    ]:
        with case((old, new, problem)):
            found = problems_of({"en": SMALL.replace(old, new, 1)}, PAGES)
            assert any(one.startswith(problem) for one in found), found


@pytest.mark.parametrize(
    ("kind", "answers", "rights"),
    [
        ('kind = "number"\nanswer = 0.5\ntolerance = 0.01', ["0.49", "0,51", "0.52", "half", "nan", ""], "rrwwww"),
        ('kind = "slider"\nanswer = 3\nhigh = 5', ["3", "4"], "rw"),
        ('kind = "page"\nparameter = "node"\nanswers = ["2", "5"]', ["2", "5", "3", ""], "rrww"),
        ('kind = "page"\nparameter = "depth"\nlow = 2\nhigh = 4\nunset = "3"', ["2", "5", "none", ""], "rwww"),
        (
            'kind = "sketch"\nacross = ["1", "2"]\nanswer = [0, 1]\nhigh = 1\ntolerance = 0.1',
            ["0~1", "0.2~1", "0.2~0.8", "0", "0~x", ""],
            "rrwwww",
        ),
    ],
)
def test_answers_are_right_or_wrong_and_never_an_error(kind, answers, rights):
    text = SMALL.replace('kind = "choice"', kind).replace('choices = ["one", "two"]\nanswer = 2', "")
    question: Any = lessons.lesson_in({"en": text}).steps[0].question
    assert "".join("r" if question.is_right(answer) else "w" for answer in answers) == rights


def packed(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in files.items():
            file.writestr(name.replace("__", "/").replace("_toml", ".toml").replace("_de", ".de"), text)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no zip", "cannot be opened"),
        (packed(other_toml=SMALL), "there is no lesson.toml in the packed file"),
        (packed(lesson_toml="#" * 300_000), "at most 200 kB"),
    ],
    ids=["no zip", "no lesson", "too long"],  # a zip has the time, and each process its own
)
def test_a_zip_that_is_none_is_refused(content, said):
    with pytest.raises(lessons.LessonError, match=said):
        lessons.from_zip(content)


@pytest.mark.parametrize(("content", "said"), [(b"\xff\xfe\x00", "UTF-8"), (b"#" * 300_000, "at most 200 kB")])
def test_a_file_that_is_no_text_is_refused(content, said):
    with pytest.raises(lessons.LessonError, match=said):
        lessons.from_text(content)


def test_a_folder_without_a_lesson_is_refused(tmp_path):
    with pytest.raises(lessons.LessonError, match=r"there is no lesson\.toml"):
        lessons.from_folder(tmp_path)


def test_bundled_lessons_have_nothing_wrong_and_stand_in_the_order_of_a_course():
    for name in lessons.names():
        with case(name):
            texts = lessons.from_folder(lessons.BUNDLED / name)
            assert texts.keys() == LANGUAGES.keys()
            assert problems_of(texts, pages()) == []
    numbers = [lessons.lesson_in(lessons.from_folder(lessons.BUNDLED / name)).number for name in lessons.names()]
    assert numbers == sorted(set(numbers))


def test_a_bundled_lesson_predicts_first_and_ends_with_an_exercise_that_is_checked():
    for name in lessons.names():
        with case(name):
            lesson = lessons.lesson_in(lessons.from_folder(lessons.BUNDLED / name))
            assert lesson.number
            assert lesson.minutes
            assert lesson.source
            assert lesson.steps[-1].question, "a lesson ends with an exercise"
            asked = [step for step in lesson.steps if step.question]
            assert len(asked) >= len(lesson.steps) - 1
            for step in asked:
                assert step.question
                assert not step.question.is_right("")
