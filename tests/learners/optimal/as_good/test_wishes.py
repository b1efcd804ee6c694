"""Trees as good that are as a person wishes: against a list of all of them."""

import random

import pytest
from scipy.stats import chisquare

from espalier.learners.optimal import OptimalClassifier, trees_as_good
from espalier.learners.optimal.as_good.nodes import shape_of, splits_of
from espalier.learners.optimal.as_good.wishes import MOST_FEATURES, Wish, WishedTrees
from tests.tools.naive.optimal import random_case


def as_good(seed, slack=1, **parameters):
    case = random_case(seed, max_columns=4, n_classes=2 + seed % 2)
    model = OptimalClassifier(max_depth=3 if seed < 2 else 2, **parameters).fit(case.X, case.y)
    return trees_as_good(model, model.prepare(case.X, case.y), slack), case.X.shape[1]


def asked(trees, tree):
    return [trees.questions.feature[split.place] for split in splits_of(tree)]


def broken(features, wish):
    """How many wishes a tree breaks that asks about these features, in preorder."""
    missing, there = set(wish.asked) - set(features), set(wish.avoided) & set(features)
    return len(missing) + len(there) + (wish.first is not None and wish.first not in features[:1])


def random_wish(source, n_features):
    features = source.sample(range(n_features), source.randint(0, n_features))
    n_asked = source.randint(0, len(features))
    first = source.choice([None, *range(n_features)])
    return Wish(tuple(features[:n_asked]), tuple(features[n_asked:]), first, source.choice([None, 1, 2, 3]))


@pytest.mark.parametrize("seed", range(5))
def test_the_trees_of_a_wish_are_those_that_break_the_fewest_of_its_parts_each_once_in_order(seed):
    trees, n_features = as_good(seed, max_splits=2 if seed == 4 else None)
    every, source = [trees.tree(number) for number in range(trees.n_trees)], random.Random(seed)
    for _ in range(15):
        wish = random_wish(source, n_features)
        allowed = [tree for tree in every if wish.splits is None or len(asked(trees, tree)) <= wish.splits]
        least = min((broken(asked(trees, tree), wish) for tree in allowed), default=0)
        expected = [shape_of(tree) for tree in allowed if broken(asked(trees, tree), wish) == least]
        found = WishedTrees(trees, wish)
        of_wish = [shape_of(found.tree(number)) for number in range(found.n_trees)]
        assert found.n_unmet == least
        assert len(of_wish) == len(set(of_wish)) == sum(size.n_trees for size in found.sizes)
        assert set(of_wish) == set(expected)
        places = {shape_of(tree): place for place, tree in enumerate(every)}
        sizes = [(trees.near(places[shape]).objective, trees.near(places[shape]).n_splits) for shape in of_wish]
        assert sizes == sorted(sizes)


def test_without_a_wish_all_trees_are_there_and_the_first_is_the_optimal_one():
    trees, _ = as_good(0)
    found = WishedTrees(trees, Wish())
    assert (found.n_trees, found.n_unmet) == (trees.n_trees, 0)
    assert found.sizes == trees.sizes


def test_the_smallest_has_the_fewest_splits_and_of_those_the_least_cost():
    trees, _ = as_good(1, slack=2)
    found = WishedTrees(trees, Wish(asked=(0,)))
    sizes = [(len(asked(trees, found.tree(n))), n) for n in range(found.n_trees)]
    assert found.smallest == min(sizes)[1]


def test_trees_of_a_wish_are_drawn_with_the_same_chance():
    trees, _ = as_good(1, slack=2)
    found = WishedTrees(trees, Wish(asked=(0,)))
    assert 3 < found.n_trees < 500
    drawn = [found.draw(seed) for seed in range(20 * found.n_trees)]
    counts = [drawn.count(number) for number in range(found.n_trees)]
    assert chisquare(counts).pvalue > 0.001


def test_of_a_number_that_is_not_there_the_error_says_how_many_there_are():
    found = WishedTrees(as_good(0)[0], Wish())
    for number in (-1, found.n_trees):
        with pytest.raises(IndexError, match=f"there are {found.n_trees} trees"):
            found.tree(number)


@pytest.mark.parametrize("wish", [Wish(asked=(0,), avoided=(0,)), Wish(asked=tuple(range(MOST_FEATURES + 1)))])
def test_a_wish_that_contradicts_itself_or_names_too_many_features_is_refused(wish):
    with pytest.raises(ValueError, match="each once"):
        WishedTrees(as_good(0)[0], wish)
