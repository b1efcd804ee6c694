"""The learners keep scikit-learn's manners: its own checks pass."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from core.learners import CartClassifier, CartRegressor, CultivatedClassifier, CultivatedRegressor


@parametrize_with_checks(
    [
        CartClassifier(),
        CartRegressor(),
        CartClassifier(splitter="random", max_features="sqrt", random_state=0),
        CultivatedClassifier(),
        CultivatedRegressor(),
        CultivatedClassifier(max_features="sqrt", random_state=0, k="all"),
    ]
)
def test_scikit_learns_own_checks_pass(estimator, check):
    check(estimator)
