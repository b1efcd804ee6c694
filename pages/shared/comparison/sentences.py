"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.language import Texts, say, to_say

FOLD_HELP = Texts(
    {
        "folds": (
            "Folds",
            "The rows are dealt into so many parts; each model learns from all but one, is tested on that one, "
            "and so "
            "on in turn. All models have the same folds. *Term:* k-fold cross-validation, stratified.",
        ),
        "repeats": (
            "Repeats",
            "How often the rows are dealt anew: steadier means, but from the same rows, so there is a limit to "
            "what "
            "repeats can show. *Term:* repeated cross-validation.",
        ),
        "deal": ("Seed of the folds", "Another number deals the rows otherwise."),
        "limit": (
            "Seconds for a search, at most",
            "A search for the best tree of a fold that takes longer ends with the best tree so far. "
            "*Term:* `time_limit`.",
        ),
    }
)
MORE_FOLDS = to_say("What more folds would change, and how this is tested")
NO_DOUBT = to_say("Nothing here is in doubt: more folds would only make it surer.")
DOTS = to_say(
    "A dot is a fold; a line joins the same fold of all models. Beside the dots stand "
    "the mean and its 95 % interval."
)
COLOURS = to_say("Blue: the row is clearly better; orange: worse. Grey: it could be noise.")
MEANS = to_say("Mean ± standard deviation over the folds; ↑ more is better, ↓ less. Sizes: least to most.")
ARE_SHARES_TRUE = to_say("#### When it says 80 %, is it right 8 times in 10?")
CALIBRATION_DOTS = to_say(
    "On the dotted line shares are true: of the rows given 80 %, 80 % are of the class. "
    "Large dots have many rows, pale ones fewer than 10; bars are 95 % intervals."
)
ROC = to_say(
    "Further to the right, a smaller share is enough for the model to say yes. The "
    "legend has the area under each curve, of the rows of all folds together, so that it "
    "may differ from the mean over the folds."
)


def dots_heading(score: str) -> str:
    """Heading of the dots; `score` is its name, with an arrow."""
    return say("**Fold by fold: {score}**", score=score)


def calibration_heading(name: str) -> str:
    """Heading of the calibration curves of a class."""
    return say("**Calibration: {name}**", name=name)


def roc_heading(name: str) -> str:
    """Heading of the ROC curves of a class."""
    return say("**ROC: {name}**", name=name)
