"""Cost-complexity pruning: by hand, and against scikit-learn."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from espalier.learners import CartClassifier, CartRegressor
from espalier.learners.pruning import prune, pruning_path
from espalier.tree_checks import check_tree
from tests.tools.by_hand import admission


def test_the_weakest_link_by_hand():
    # Root 0.48; cut at node 2 leaves 0.6 * 4/9; whole tree 0. Node 2 saves 0.6 * 4/9 / 1 per leaf = 0.267;
    # the root saves 0.48 / 2 = 0.24 per leaf: it is the weakest link, and all goes at once.
    assert prune(admission(), 0.23).n_leaves == 3
    assert prune(admission(), 0.24).n_leaves == 1
    assert pruning_path(admission()).alpha.tolist() == pytest.approx([0, 0.24])


@pytest.mark.parametrize("seed", range(10))
def test_the_pruning_path_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4)).astype(np.float32).astype(float)
    y = X[:, 0] + rng.normal(size=150)  # continuous, and leaves of five: no ties, so both grow the same tree
    path = pruning_path(CartRegressor(min_samples_leaf=5).fit(X, y).tree_)
    rival = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
    theirs = rival.cost_complexity_pruning_path(X, y)
    distinct = np.append(np.diff(theirs.ccp_alphas) > 1e-12, True)  # theirs repeats an alpha for each link
    assert path.alpha == pytest.approx(theirs.ccp_alphas[distinct], abs=1e-12)
    assert path.impurity == pytest.approx(theirs.impurities[distinct], abs=1e-12)


def test_a_pruned_tree_is_a_tree_and_shrinks_with_alpha():
    rng = np.random.default_rng(0)
    tree = CartClassifier().fit(rng.normal(size=(200, 3)), rng.integers(0, 3, 200)).tree_
    sizes = []
    for alpha in (0, 0.001, 0.01, 0.1, 1):
        pruned = prune(tree, alpha)
        check_tree(pruned)
        sizes.append(pruned.n_leaves)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
