"""The word before an impurity."""

from __future__ import annotations

from espalier.language import say, to_say

CRITERIA = {
    "gini": to_say("gini"),
    "entropy": to_say("entropy"),
    "log_loss": to_say("log loss"),
    "gain_ratio": to_say("gain ratio"),
    "misclassification": to_say("misclassification"),
    "squared_error": to_say("squared error"),
    "friedman_mse": to_say("friedman mse"),
    "absolute_error": to_say("absolute error"),
    "poisson": to_say("poisson"),
    "impurity": to_say("impurity"),
}


def criterion_words(criterion: str) -> str:
    """Return the criterion of a learner as it stands before an impurity; one that is not ours as it is.

    >>> criterion_words("squared_error")
    'squared error'
    """
    return say(CRITERIA[criterion]) if criterion in CRITERIA else criterion.replace("_", " ")
