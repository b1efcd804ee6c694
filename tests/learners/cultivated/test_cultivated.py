"""The estimators of cultivated trees: parameters, answers, and the manners of scikit-learn."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_iris

from espalier.learners import CartClassifier, CultivatedClassifier, CultivatedForestClassifier, CultivatedRegressor
from espalier.trees import is_leaf
from tests.tools.same_trees import are_same


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=150) > 0).astype(int)


def n_decisions(tree):
    return np.diff(tree.decisions.start)[~is_leaf(tree)]


def n_cuts(tree):
    return np.diff(tree.cuts.start)


def test_presets_are_the_papers_and_an_unknown_one_is_refused_with_those_there_are(table):
    tree, preset = (m.fit(*table).tree_ for m in (CultivatedClassifier(), CultivatedClassifier.preset("CRF-full")))
    assert are_same(tree, preset)
    assert n_decisions(tree).max() > 1
    assert n_cuts(tree).max() > 1
    with pytest.raises(
        ValueError, match="no preset 'CRF-deep'; there are CRF-full, CRF-split, CRF-option, CRF-sh"
    ):
        CultivatedClassifier.preset("CRF-deep")


def test_the_presets_switch_the_modules_one_by_one(table):
    split = CultivatedClassifier.preset("CRF-split").fit(*table).tree_
    assert n_decisions(split).max() == 1
    assert n_cuts(split).max() > 1
    option = CultivatedClassifier.preset("CRF-option").fit(*table).tree_
    assert n_decisions(option).max() > 1
    assert n_cuts(option).max() == 1
    shallow = CultivatedRegressor.preset("CRF-shallow", eta=0.1)
    assert (shallow.max_depth, shallow.eta) == (6, 0.1)
    assert shallow.fit(*table).tree_.depth == 6


def test_the_class_with_the_greatest_share_is_predicted_by_its_label(table):
    X, _ = table
    labels = np.array(["setosa", "größe", "a b"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = CultivatedClassifier(max_depth=4).fit(X, labels)
    assert model.classes_.tolist() == ["a b", "größe", "setosa"]
    shares = model.predict_proba(X)
    assert shares.shape == (150, 3)
    assert shares.sum(axis=1) == pytest.approx(np.ones(150))
    assert np.array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])
    assert model.tree_.value.sum(axis=1) == pytest.approx(np.ones(model.tree_.n_nodes))
    assert model.score(X, labels) > 0.9


def test_the_numbers_of_two_classes_may_be_any(table):
    X, y = table
    one = CultivatedClassifier(max_depth=4).fit(X, y)
    other = CultivatedClassifier(max_depth=4).fit(X, np.where(y, 1000, -3))
    assert are_same(one.tree_, other.tree_)
    assert set(other.predict(X).tolist()) == {-3, 1000}


def test_the_spread_is_none_in_a_single_leaf_and_at_most_one_half(table):
    X, y = table
    model = CultivatedClassifier().fit(X, y)
    spread = model.predict_spread(X)
    assert spread.shape == (150,)
    assert 0 < spread.max() <= 0.5
    hard = CultivatedClassifier(robust_splits=False, options=False).fit(X, y)
    assert not hard.predict_spread(X).any()


def test_no_prediction_is_beyond_what_was_seen(table):
    X, _ = table
    y = np.exp(X[:, 0])
    model = CultivatedRegressor().fit(X, y)
    far = model.predict(X * 1000)
    assert y.min() - 1e-12 <= far.min() <= far.max() <= y.max() + 1e-12
    assert model.score(X, y) > 0.8


def test_class_weights_weigh_the_samples_of_a_class_and_weights_that_leave_nothing_are_refused(table):
    X, y = table
    model = CultivatedClassifier(max_depth=4, class_weight={0: 2, 1: 1}).fit(X, y)
    weighted = CultivatedClassifier(max_depth=4).fit(X, y, sample_weight=np.where(y, 1, 2))
    assert are_same(model.tree_, weighted.tree_)
    with pytest.raises(ValueError, match=r"at least one (non-zero number|a positive)"):  # scikit-learn's, ours
        CultivatedClassifier().fit(*table, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="every sample has weight zero; give at least one a positive"):
        CultivatedClassifier(class_weight={0: 0, 1: 0}).fit(*table)


def test_few_samples_are_a_lone_leaf():
    model = CultivatedClassifier().fit(np.arange(5.0)[:, None], [0, 0, 1, 1, 1])
    assert model.tree_.n_nodes == 1
    assert model.predict_proba([[0.0]]).tolist() == [[0.4, 0.6]]


def test_categories_need_no_order_and_what_is_unseen_or_missing_is_divided_as_what_was_seen(table):
    x = np.tile(np.arange(6.0), 20)
    y = np.isin(x, [0, 3, 4]).astype(int)
    model = CultivatedClassifier(categorical_features=[0], k=0).fit(x[:, None], y)
    assert model.tree_.n_leaves == 2
    assert model.predict(np.arange(6.0)[:, None]).tolist() == [1, 0, 0, 1, 1, 0]
    x = np.repeat([0.0, 1.0], [10, 30])
    model = CultivatedClassifier(categorical_features=[0], k=0).fit(x[:, None], x)
    assert model.predict_proba([[7.0], [np.nan], [64.0], [-1.0]])[:, 1].tolist() == [0.75] * 4
    X = np.array([[1.0]] * 10 + [[2.0]] * 30)
    y = X[:, 0] - 1
    model = CultivatedClassifier(k=0).fit(X, y)
    assert model.predict_proba([[np.nan]]).tolist() == [[0.25, 0.75]]
    assert model.predict_spread([[np.nan]])[0] ** 2 == pytest.approx(0.25 * 0.75)
    X, y = table
    model = CultivatedClassifier(max_depth=4).fit(np.column_stack([np.full(150, np.nan), X]), y)
    assert 0 not in model.tree_.decisions.feature
    assert CultivatedClassifier().fit(np.full((20, 1), np.nan), [0, 1] * 10).tree_.n_nodes == 1


def test_the_same_seed_draws_the_same_features(table):
    def tree(seed):
        return CultivatedClassifier(max_features=2, random_state=seed).fit(*table).tree_

    assert are_same(tree(1), tree(1))
    assert not are_same(tree(1), tree(2))
    assert n_decisions(tree(1)).max() == 2


def test_pruning_gives_ever_smaller_trees_and_in_the_end_the_root(table):
    sizes = []
    for alpha in (0, 0.001, 0.01, 0.05, 1):
        model = CultivatedClassifier(ccp_alpha=alpha).fit(*table)
        assert model.predict_proba(table[0]).sum(axis=1) == pytest.approx(np.ones(150))
        sizes.append(model.tree_.n_leaves)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > sizes[-1] == 1


def test_a_least_fraction_keeps_samples_out_of_children_and_changes_little(table):
    X, y = table
    full, sparse = (CultivatedClassifier(min_fraction=m).fit(X, y) for m in (0, 0.2))
    assert sparse.tree_.n_samples.sum() < full.tree_.n_samples.sum()
    assert np.abs(full.predict_proba(X) - sparse.predict_proba(X)).mean() < 0.1


def test_no_limit_of_depth_is_none_at_all():
    x = np.arange(60)  # every other sample of the other class: splits peel off one after the other
    limited, free = (CultivatedClassifier(max_depth=d, k=0, eta=0, min_node_weight=2) for d in (14, None))
    trees = [model.fit(x[:, None], x % 2).tree_ for model in (limited, free)]
    assert trees[0].depth == 14
    assert trees[1].depth > 14
    assert trees[1].n_leaves == 60


def test_it_hesitates_where_cart_does_not():
    # A class that changes at 0: CART jumps there, the cultivated tree climbs.
    x = np.linspace(-1, 1, 200)[:, None]
    y = (x[:, 0] > 0).astype(int)
    cart, soft = CartClassifier(max_depth=1).fit(x, y), CultivatedClassifier(max_depth=1).fit(x, y)
    assert np.unique(cart.predict_proba(x)[:, 1]).tolist() == [0, 1]
    climb = soft.predict_proba(x)[:, 1]
    assert (np.diff(climb) >= 0).all()
    assert len(np.unique(climb)) > 20


@pytest.mark.parametrize("share_power", [0.0, 1.0, 2.0])
def test_the_shares_of_every_module_sum_to_one(share_power):
    X, y = load_iris(return_X_y=True)
    tree = CultivatedClassifier(k="all", eta=1.0, share_power=share_power).fit(X, y).tree_
    shares = [tree.decisions.share[a:b] for a, b in itertools.pairwise(tree.decisions.start) if b > a]
    assert len(shares) == tree.n_nodes - tree.n_leaves
    np.testing.assert_allclose([share.sum() for share in shares], 1)


@pytest.mark.parametrize("kind", [CultivatedClassifier, CultivatedForestClassifier])
def test_limits_that_let_heavy_samples_be_divided_on_and_on_are_refused(kind):
    X, y = np.arange(60.0).reshape(20, 3), np.arange(20) % 2
    heavy = np.full(20, 1e6)
    with pytest.raises(ValueError, match=r"weigh 2e\+07.*Divide sample_weight by its mean"):
        kind(max_depth=None).fit(X, y, sample_weight=heavy)
    for few in (kind(max_depth=3), kind(max_depth=None, min_node_weight=6e6), kind(max_depth=None, k=0, eta=0)):
        few.fit(X, y, sample_weight=heavy)
