"""Forests of any trees, bagged, boosted, of roots or of subspaces: by hand, naive versions, and laws."""

from collections.abc import Callable
from itertools import combinations
from threading import Thread

import numpy as np
import pytest

from espalier import learners
from espalier.kernels.cultivated.fractions import predict
from espalier.kernels.forest.packed import pack_forest
from espalier.kernels.route import leaf_of
from espalier.kinds import asked_by
from espalier.learners import BoostedForestClassifier, CartClassifier, OptimalClassifier, RootForestClassifier
from espalier.learners.forests import ensemble as rules
from espalier.learners.forests.boosted import UNIT, boost
from espalier.learners.forests.ensemble import by_accuracy, by_error, half_of, soft_chances, softer_chances
from espalier.learners.forests.predictor import ForestPredictor
from espalier.progress import Progress
from espalier.tree_checks import check_tree
from espalier.trees import make_forest
from tests.tools import forests as tables
from tests.tools.forests import MIXED, NUMBERS, NUMBERS_X, X, bagged, of_subspaces, same_tree, trees_of, voted, y
from tests.tools.naive import optimal as naive_optimal

LINE = np.arange(5.0)[:, None]
LABELS = np.array([0, 0, 1, 1, 0])


def test_adaboost_on_stumps_by_hand():
    """Five samples on a line, of classes 0 0 1 1 0, and three stumps of the least gini.

    1. All weigh 1/5. The stump at 1.5 says 0 0 1 1 1: wrong is the last, the error 1/5, its say log 4. Four
       times as heavy, and scaled to one: 1/8 1/8 1/8 1/8 1/2.
    2. The stump at 3.5 has the least gini, 1/2 * 1/2. On its left both classes weigh 1/4, and it votes for the
       first: 0 0 0 0 0. Wrong are the two in the middle, the error is 1/4, its say log 3. Now the weights are
       1/12 1/12 1/4 1/4 1/3.
    3. At 3.5 again, 2/3 * 3/8; now it says 1 1 1 1 0. Wrong are the first two, the error is 1/6, its say log 5.
    """
    forest = BoostedForestClassifier(n_estimators=3).fit(LINE, LABELS)
    trees = trees_of(forest)
    assert [tree.threshold[0] for tree in trees] == [1.5, 3.5, 3.5]
    assert [voted(tree, LINE).tolist() for tree in trees] == [[0, 0, 1, 1, 1], [0] * 5, [1, 1, 1, 1, 0]]
    assert forest.forest_.weight == pytest.approx(np.log([4, 3, 5]) / np.log(60))
    # Of the third tree: 1/6 of class 0 and 1/2 of class 1 on the left.
    assert trees[2].value[1] == pytest.approx([1 / 4, 3 / 4])
    # The first two samples have log 4 + log 3 for class 0 against log 5.
    assert forest.predict_proba(LINE)[:, 0] == pytest.approx(np.log([12, 12, 3, 3, 15]) / np.log(60))
    assert forest.score(LINE, LABELS) == 1


def test_weights_after_each_round_by_hand():
    weight, factor = np.ones(5), np.ones(5)
    says = []
    for wrong, after in [
        ([0, 0, 0, 0, 1], np.array([1, 1, 1, 1, 4]) / 8),
        ([0, 0, 1, 1, 0], np.array([1, 1, 3, 3, 4]) / 12),
        ([1, 1, 0, 0, 0], np.array([5, 5, 3, 3, 4]) / 20),
    ]:
        say, factor = boost(weight, factor, np.array(wrong, dtype=bool), 2)
        says.append(say)
        assert factor == pytest.approx(5 * after)
        assert (factor % UNIT == 0).all()
    assert says == pytest.approx(np.log([4, 3, 5]))


def test_weights_for_more_classes_are_those_of_samme():
    """Half of the weight is wrong, which for three classes is better than chance: the say is log 1 + log 2."""
    say, factor = boost(np.array([2.0, 1, 1, 2, 1, 1]), np.ones(6), np.array([1, 1, 1, 0, 0, 0], bool), 3)
    assert say == pytest.approx(np.log(2))
    assert factor == pytest.approx(np.array([2, 2, 2, 1, 1, 1]) * 8 / 12)


def test_first_tree_without_error_is_the_forest():
    forest = BoostedForestClassifier(CartClassifier()).fit(X, y)
    assert forest.forest_.n_trees == 1
    same_tree(trees_of(forest)[0], CartClassifier().fit(X, y).tree_)


def test_later_tree_without_error_ends_boosting_and_decides_alone():
    ended = 0
    for seed in range(60):
        forest = BoostedForestClassifier(CartClassifier(splitter="random", max_depth=3), 9, random_state=seed)
        forest.fit(LINE, LABELS)
        right = [np.array_equal(voted(tree, LINE), LABELS) for tree in trees_of(forest)]
        assert not any(right[:-1])
        if right[-1]:
            assert forest.forest_.weight.tolist() == [0.0] * (len(right) - 1) + [1.0]
            ended += 1 < len(right) < 9
    assert ended > 0


def test_no_stump_is_better_than_chance_at_exclusive_or():
    corners, labels = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    forest = BoostedForestClassifier(OptimalClassifier(max_depth=1)).fit(corners, labels)
    assert forest.forest_.n_trees == 1
    assert forest.forest_.weight.tolist() == [1]
    assert BoostedForestClassifier(OptimalClassifier(max_depth=2)).fit(corners, labels).score(corners, labels) == 1


def test_trees_are_those_of_the_weighted_samples():
    weight, estimator = np.linspace(0.5, 1.5, len(X)), CartClassifier(max_depth=2)
    forest = BoostedForestClassifier(estimator, 5).fit(X, y, weight)
    factor = np.ones(len(X))
    for tree, share in zip(trees_of(forest), forest.forest_.weight, strict=True):
        same_tree(tree, estimator.fit(X, y, weight * factor).tree_)
        say, factor = boost(weight, factor, voted(tree, X) != y, 3)
        assert share == pytest.approx(say / sum(forest._say.values()))


def cases():
    return [naive_optimal.random_case(seed, weights=[1, 1, 2] if seed % 2 else None) for seed in range(12)]


def sides_of(tree, table) -> tuple[np.ndarray, np.ndarray]:
    """The rows on the left and on the right of the root."""
    left = leaf_of(tree, table) < tree.right[0]
    return np.flatnonzero(left), np.flatnonzero(~left)


def least_below(case, rows, depth, splits=None):
    part = case._replace(X=case.X[rows], y=case.y[rows], weight=case.weight[rows])
    return naive_optimal.least(naive_optimal.problem(part.X == 0, part, depth, splits)).objective


@pytest.mark.few(14)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("case", cases())
def test_every_question_is_asked_first_once_and_both_sides_are_optimal(case, depth):
    forest = RootForestClassifier(OptimalClassifier(max_depth=depth)).fit(case.X, case.y, case.weight)
    n_roots = naive_optimal.distinct(case.X == 0).shape[1]
    assert forest.forest_.n_trees == max(n_roots, 1)
    if not n_roots:
        return
    firsts = []
    for tree in trees_of(forest):
        check_tree(tree)
        assert tree.depth <= depth
        left, right = sides_of(tree, case.X)
        firsts.append({frozenset(left), frozenset(right)})
        objective = naive_optimal.objective_of(naive_optimal.labels_of(tree, case.X), case)
        assert objective == pytest.approx(sum(least_below(case, rows, depth - 1) for rows in (left, right)))
    assert all(one != other for one, other in combinations(firsts, 2))
    assert [int(tree.feature[0]) for tree in trees_of(forest)] == forest.questions_.feature.tolist()


@pytest.mark.few(7)
@pytest.mark.parametrize("most", [1, 2, 4])
@pytest.mark.parametrize("case", cases()[:6])
def test_limit_of_splits_holds_for_the_whole_tree(case, most):
    estimator = OptimalClassifier(max_depth=3, max_splits=most)
    forest = RootForestClassifier(estimator, 3, random_state=0).fit(case.X, case.y, case.weight)
    for tree in trees_of(forest):
        assert tree.n_leaves - 1 <= most
        if tree.n_leaves > 1:
            left, right = sides_of(tree, case.X)
            best = min(
                least_below(case, left, 2, some) + least_below(case, right, 2, most - 1 - some)
                for some in range(most)
            )
            objective = naive_optimal.objective_of(naive_optimal.labels_of(tree, case.X), case)
            assert objective == pytest.approx(best)


def test_sides_of_a_greedy_tree_are_greedy_trees_of_their_samples():
    cart = CartClassifier(max_depth=3, categorical_features=[4])
    forest = RootForestClassifier(cart, random_state=0).fit(MIXED, y)
    below = CartClassifier(max_depth=2, categorical_features=[4])
    for tree in trees_of(forest):
        check_tree(tree)
        for rows in sides_of(tree, MIXED):
            alone = below.fit(MIXED[rows], y[rows]).predict(MIXED[rows])
            assert np.array_equal(voted(tree, MIXED)[rows], alone)
        assert tree.value[0] == pytest.approx([1 / 3] * 3)
        assert tree.n_samples[0] == tree.n_samples[1] + tree.n_samples[tree.right[0]] == len(X)
    assert {4} < set(forest.questions_.feature)


def test_sides_of_a_cultivated_tree_are_cultivated_trees_of_their_samples():
    forest = RootForestClassifier(learners.CultivatedClassifier(max_depth=3), 9, random_state=0).fit(X, y)
    below = learners.CultivatedClassifier(max_depth=2)
    for tree, feature, threshold in zip(trees_of(forest), *forest.questions_[:2], strict=True):
        for rows in (X[:, feature] <= threshold, X[:, feature] > threshold):
            alone = predict(below.fit(X[rows], y[rows]).tree_, X[rows])[0]
            assert predict(tree, X[rows])[0][:, np.unique(y[rows])] == pytest.approx(alone, abs=1e-12)


def test_order_of_the_roots_is_the_seeds_and_a_limit_keeps_the_first():
    orders = [RootForestClassifier(random_state=seed).fit(X, y).questions_ for seed in (0, 0, 1)]
    assert np.array_equal(orders[0].threshold, orders[1].threshold)
    assert not np.array_equal(orders[0].threshold, orders[2].threshold)
    few = RootForestClassifier(n_estimators=4, random_state=0).fit(X, y)
    assert few.forest_.n_trees == len(few.questions_.feature) == 4


@pytest.mark.parametrize("draw", ["uniform", "soft", "softer", "hard"])
def test_tree_of_a_subspace_is_that_of_its_columns_alone(draw):
    estimator = CartClassifier(max_depth=2, categorical_features=[4])
    forest = of_subspaces(estimator, draw=draw).fit(MIXED, y)
    for tree, features in zip(trees_of(forest), forest.subspaces(), strict=True):
        categorical = np.flatnonzero(features == 4)
        alone = CartClassifier(max_depth=2, categorical_features=categorical).fit(MIXED[:, features], y).tree_
        assert set(asked_by(tree)) <= set(features)
        same_tree(tree, rules.of_table(alone, features))
        assert np.array_equal(leaf_of(tree, MIXED), leaf_of(alone, MIXED[:, features]))


def test_cultivated_tree_of_a_subspace_asks_about_its_features_alone():
    forest = of_subspaces(learners.CultivatedClassifier(max_depth=3), draw="soft").fit(MIXED, y)
    asked = [set(asked_by(tree)) for tree in trees_of(forest)]
    assert all(some <= set(features) for some, features in zip(asked, forest.subspaces(), strict=True))
    assert len(set().union(*asked)) > 3
    votes = [np.eye(3)[predict(tree, MIXED)[0].argmax(axis=1)] for tree in trees_of(forest)]
    assert forest.predict_proba(MIXED) == pytest.approx(np.average(votes, axis=0, weights=forest.forest_.weight))


def test_uniform_subspaces_have_half_of_the_features_each_as_often():
    forest = of_subspaces(CartClassifier(max_depth=1), n_estimators=400).fit(MIXED, y)
    spaces = forest.subspaces()
    assert all(len(features) == len(set(features)) == 3 for features in spaces)
    assert np.bincount(np.concatenate(spaces)) == pytest.approx(np.full(6, 200), abs=5 * 10)


def test_hard_draws_never_ask_about_a_feature_twice_and_end():
    forest = of_subspaces(CartClassifier(max_depth=1), draw="hard").fit(MIXED[:, :4], y)
    asked = [asked_by(tree).tolist() for tree in trees_of(forest)]
    assert sorted(feature for some in asked for feature in some) == [0, 1, 2, 3]
    assert [len(features) for features in forest.subspaces()] == [4, 3, 2, 1]
    useless = np.column_stack([X[:, 0], np.ones(len(X))])
    assert of_subspaces(draw="hard").fit(useless, y).forest_.n_trees == 1


def test_softer_chances_by_hand():
    # 1, 1/2 and 1/4 are 4, 2 and 1 of seven.
    assert soft_chances(np.array([0, 1, 3])) == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    drawn = [rules.subspace(seed, soft_chances(np.array([0, 1, 3])), 2).tolist() for seed in range(4000)]
    both = np.mean([features == [0, 1] for features in drawn])
    assert both == pytest.approx(4 / 7 * 2 / 3 + 2 / 7 * 4 / 5, abs=5 * 0.5 / np.sqrt(4000))
    # Of seven, all but 1, 2 and 4: 6, 5 and 3 of fourteen.
    assert softer_chances(np.array([0, 1, 3])) == pytest.approx([6 / 14, 5 / 14, 3 / 14])
    assert softer_chances(np.array([4])).tolist() == [1]


@pytest.mark.parametrize(("draw", "chances"), [("soft", soft_chances), ("softer", softer_chances)])
def test_soft_draws_follow_from_how_often_features_are_used(draw, chances: Callable):
    forest = of_subspaces(CartClassifier(max_depth=2), draw=draw).fit(MIXED, y)
    for number, features in enumerate(forest.subspaces()):
        earlier = trees_of(forest)[:number]
        used = np.array([sum(feature in asked_by(tree) for tree in earlier) for feature in range(6)])
        assert np.array_equal(rules.uses(earlier, 6), used)
        assert np.array_equal(features, rules.subspace(forest._seeds[number], chances(used), 3))


@pytest.mark.parametrize("make", [bagged, of_subspaces])
@pytest.mark.parametrize("slack", [0, 2])
def test_decorrelated_trees_agree_least_with_the_earlier_ones(make: Callable, slack):
    bits = (np.random.default_rng(1).random((60, 6)) < 0.5) / 1.0
    labels = (bits[:, 0] + bits[:, 1] * bits[:, 2] + bits[:, 3] > 1) ^ (np.random.default_rng(2).random(60) < 0.1)
    forest = make(OptimalClassifier(max_depth=2), decorrelated=True, slack=slack).fit(bits, labels)
    said, n_choices = [], []
    for number, (tree, seen) in enumerate(zip(trees_of(forest), forest.in_bag(), strict=True)):
        rows, features = np.repeat(np.arange(60), seen), np.arange(6)
        if make is of_subspaces:
            features = forest.subspaces()[number]
        learner = OptimalClassifier(max_depth=2).fit(bits[rows][:, features], labels[rows])
        near = learner.optimal_trees(slack, 100)
        rivals = [sum(np.mean(voted(other.tree, bits[:, features]) == vote) for vote in said) for other in near]
        said.append(voted(tree, bits))
        assert sum(np.mean(said[-1] == vote) for vote in said[:-1]) == pytest.approx(min(rivals))
        assert np.sum(said[-1][rows] != labels[rows]) <= learner.proof_.objective + slack
        n_choices.append(len(rivals))
    assert max(n_choices) > 1


@pytest.mark.parametrize("estimator", [
    CartClassifier(max_depth=3, categorical_features=[4], random_state=0),
    learners.CultivatedClassifier(max_depth=2, categorical_features=[4]), tables.SMALL_OPTIMAL,
])  # fmt: skip
def test_tree_of_a_forest_is_that_of_its_samples_written_out(estimator):
    forest = bagged(estimator).fit(MIXED, y)
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        rows = np.repeat(np.arange(len(X)), seen)
        assert len(rows) == len(X)
        same_tree(tree, estimator.fit(MIXED[rows], y[rows]).tree_)


def test_regression_tree_is_that_of_its_samples_written_out_and_the_forest_their_mean():
    forest = learners.BaggedForestRegressor(learners.CartRegressor(max_depth=3), 4, random_state=0).fit(
        NUMBERS_X, NUMBERS
    )
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        rows = np.repeat(np.arange(len(NUMBERS)), seen)
        same_tree(tree, learners.CartRegressor(max_depth=3).fit(NUMBERS_X[rows], NUMBERS[rows]).tree_)
    subspaces = learners.SubspaceForestRegressor(
        learners.CartRegressor(max_depth=3), 5, draw="soft", random_state=0
    )
    for some in (forest, subspaces.fit(NUMBERS_X, NUMBERS)):
        means = np.mean([tree.value[leaf_of(tree, NUMBERS_X), 0] for tree in trees_of(some)], axis=0)
        assert some.predict(NUMBERS_X) == pytest.approx(means)


def test_class_that_a_tree_was_not_drawn_still_has_its_place():
    labels = np.where(np.arange(len(X)) == 0, "alone", np.where(y > 0, "b", "c"))
    forest = bagged().fit(X, labels)
    without = [tree for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True) if not seen[0]]
    assert without
    assert all(tree.value.shape[1] == 3 and not tree.value[:, 0].any() for tree in without)
    assert set(forest.predict(X[1:])) == {"b", "c"}


def test_classes_weigh_as_the_estimator_says():
    few = np.flatnonzero((y > 0) | (np.arange(len(y)) < 10))
    random = learners.RandomForestClassifier(60, random_state=0, class_weight="balanced")
    for forest in (bagged(CartClassifier(class_weight="balanced"), n_estimators=60), random):
        forest.fit(X[few], y[few])
        roots = np.mean([tree.value[0] for tree in trees_of(forest)], axis=0)
        assert roots == pytest.approx(np.full(3, 1 / 3), abs=0.06)
        assert forest.forest_.prior == pytest.approx(np.full(3, 1 / 3))


def test_each_tree_has_one_vote_for_the_greatest_share():
    forest = bagged(CartClassifier(max_depth=2)).fit(tables.GAPS, y)
    votes = np.stack([voted(tree, tables.GAPS) for tree in trees_of(forest)])
    shares = [[np.mean(votes[:, row] == label) for label in range(3)] for row in range(len(X))]
    assert forest.predict_proba(tables.GAPS) == pytest.approx(np.array(shares))


@pytest.mark.parametrize(("counts", "winner"), [((3, 2), "a"), ((2, 3), "b"), ((3, 3), "a")])
def test_of_tied_classes_the_more_frequent_wins_then_the_first(counts, winner):
    labels = np.repeat(["a", "b"], counts)
    forest = bagged().fit(np.zeros((len(labels), 1)), labels)
    leaf = CartClassifier().fit([[0.0], [0.0]], [0, 1]).tree_
    opposed = [leaf._replace(value=np.array([share])) for share in ([1.0, 0.0], [0.0, 1.0])]
    forest.predictor_ = ForestPredictor(pack_forest(make_forest(opposed, [1, 1], "votes", forest.forest_.prior)))
    assert forest.predict([[0.0]]) == winner


def naive_accuracy(tree, rows, weight) -> float:
    right = sum(weight[row] for row in rows if voted(tree, X[[row]])[0] == y[row])
    return right / sum(weight[row] for row in rows)


@pytest.mark.parametrize("make", [bagged, tables.of_subspaces])
def test_votes_by_validation_are_the_accuracies_on_the_half_set_aside(make: Callable):
    weight = np.linspace(0.5, 1.5, len(X))
    forest = make(CartClassifier(max_depth=1), voting="validation").fit(X, y, weight)
    expected = []
    for tree, seed, seen in zip(trees_of(forest), forest._seeds, forest.in_bag(), strict=True):
        grows = half_of(seed, y)
        assert not seen[~grows].any()
        assert seen.sum() == grows.sum() == tree.n_samples[0] == 75
        expected.append(naive_accuracy(tree, np.flatnonzero(~grows), weight))
    assert len(set(expected)) > 1
    assert forest.forest_.weight == pytest.approx(np.array(expected) / sum(expected))


def test_half_of_every_class_is_set_aside_and_each_half_another():
    labels = np.repeat([0, 1, 2], [10, 31, 5])
    halves = np.stack([half_of(seed, labels) for seed in range(200)])
    for label, count in enumerate([10, 31, 5]):
        grown = halves[:, labels == label].sum(axis=1)
        assert set(grown) <= {count // 2, -(-count // 2)}
    assert (halves.sum(axis=1) == 23).all()
    assert halves.mean(axis=0) == pytest.approx(np.full(46, 0.5), abs=0.2)


def test_votes_by_the_bag_are_inverse_to_the_error_outside_of_it():
    forest = bagged(CartClassifier(max_depth=1), voting="oob").fit(X, y)
    inverse = []
    for tree, seen in zip(trees_of(forest), forest.in_bag(), strict=True):
        inverse.append(1 / (1 - naive_accuracy(tree, np.flatnonzero(seen == 0), np.ones(len(X)))))
    assert len(set(inverse)) > 1
    assert forest.forest_.weight == pytest.approx(np.array(inverse) / sum(inverse))


def test_votes_of_trees_without_error_or_judges_by_hand():
    # No error among 4 counts as 1/8; 1/2 is 1/2; the third, of which nobody knows, has their mean, 5/16.
    votes = by_error(np.array([1.0, 0.5, np.nan]), np.array([4, 10, 0]))
    assert votes == pytest.approx([8, 2, 16 / 5])
    assert by_accuracy(np.array([0.5, np.nan, 1.0])) == pytest.approx([0.5, 0.75, 1])
    assert by_accuracy(np.array([0.0, 0.0])).tolist() == [1, 1]
    assert by_error(np.array([np.nan, np.nan]), np.zeros(2)).tolist() == [1, 1]


def test_out_of_bag_error_is_that_of_the_votes_of_trees_that_did_not_see_a_sample():
    forest = bagged(CartClassifier(max_depth=1), oob_score=True, n_estimators=40).fit(X, y)
    wrong = []
    for row in range(len(X)):
        trees = [tree for tree, seen in zip(trees_of(forest), forest.in_bag()[:, row], strict=True) if not seen]
        votes = np.bincount([voted(tree, X[[row]])[0] for tree in trees], minlength=3)
        assert forest.oob_decision_function_[row] == pytest.approx(votes / votes.sum())
        wrong.append(votes.argmax() != y[row])
    assert forest.oob_errors_[-1] == pytest.approx(np.mean(wrong))


@pytest.mark.parametrize("kind", [learners.RandomForestClassifier, learners.RandomForestRegressor])
@pytest.mark.parametrize("n", [2, 30, 700, 5000])
def test_stopped_before_it_begins_a_forest_is_one_root_with_the_mean_of_its_bag(kind, n):
    rng = np.random.default_rng(n)
    target = np.arange(n) % 2 if kind is learners.RandomForestClassifier else rng.normal(size=n)
    for rows in (rng.normal(size=(n, 3)), rng.integers(0, 5, (n, 3)).astype(float)):
        forest = kind(n_estimators=20, random_state=0, n_jobs=2)
        (tree,) = forest.fit(rows, target, progress=Progress(is_stopped=True)).forest_.trees
        bag = forest.in_bag()[0]
        assert tree.n_nodes == 1
        assert tree.value[0, -1] == pytest.approx(np.average(target, weights=bag), abs=1e-12)
        assert np.ptp(forest.predict(rows)) == 0


def test_stopped_on_the_way_a_forest_keeps_the_complete_trees():
    forest, progress = bagged(n_estimators=100_000, n_jobs=2), Progress()
    growing = Thread(target=forest.fit, args=(X, y), kwargs={"progress": progress})
    growing.start()
    while len(forest.trees_so_far()) < 3:
        pass
    progress.stop()
    growing.join()
    kept = forest.trees_so_far()
    assert 3 <= forest.forest_.n_trees == len(kept) < 100_000
    again = bagged(n_estimators=max(kept) + 1).fit(X, y).forest_.trees
    for number, tree in kept.items():
        same_tree(tree, again[number])
