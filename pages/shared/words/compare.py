"""Texts of the Compare page, and of the folds, which the Reliability page has, too."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.language import to_say
from espalier.views.text.trees import join

# The page

TITLE = "Which is better, and is it really?"
INTRODUCTION = "Up to four models learn from the same rows and are tested on the same others, fold by fold."
CHOOSE_A_MODEL = "Choose at least one model above; a second one to compare it with."
CHOOSE_A_SECOND = "Choose a second model to compare this one with."
NONE_COULD_BE_TRIED = "None of these models could be tried; each place above says why."


# The folds: label and help of each control

CHANCE_AND_TIME = "Chance, and time"
FOLD_HELP = {
    "folds": (
        "Folds",
        "The rows are dealt into so many parts; each model learns from all but one, is tested on that one, and so "
        "on in turn. All models have the same folds. *Term:* k-fold cross-validation, stratified.",
    ),
    "repeats": (
        "Repeats",
        "How often the rows are dealt anew: steadier means, but from the same rows, so there is a limit to what "
        "repeats can show. *Term:* repeated cross-validation.",
    ),
    "deal": ("Seed of the folds", "Another number deals the rows otherwise."),
    "limit": (
        "Seconds for a search, at most",
        "A search for the best tree of a fold that takes longer ends with the best tree so far. "
        "*Term:* `time_limit`.",
    ),
}

# Models at work

BEGIN = "Compare"


def much_to_do(n_fits: int, n_rows: int) -> str:
    """How much there is to do, before it is begun."""
    return f"{n_fits} models have to learn from about {n_rows:,} rows each. Fewer folds are faster."


def how_far(title: str, fold: int, n_folds: int, seconds: float) -> str:
    """The fold that a model is at, in Markdown."""
    return f"**{title}**: fold {fold} of {n_folds}, {seconds:.0f} s so far"


def stopped(n: int, n_folds: int) -> str:
    """Note on a model that was stopped."""
    return f"Stopped after {n} of {n_folds} folds."


def no_verdict(awaited: Sequence[str]) -> str:
    """Note on models, by title, that are still at work."""
    verb = "is" if len(awaited) == 1 else "are"
    return f"**No verdict yet:** {join(awaited, 'and')} {verb} still to come. Here is what there is by now."


# The critical look

COMPARE_BY = "Compare by"
CRITICAL_LOOK = "#### A critical look"
OTHER_SCORES = "Compare by AUC or balanced accuracy."
MORE_FOLDS = "What more folds would change, and how this is tested"
NO_DOUBT = "Nothing here is in doubt: more folds would only make it surer."

# Fold by fold

DOTS = (
    "A dot is a fold; a line joins the same fold of all models. Beside the dots stand the mean and its 95 % "
    "interval."
)
DIFFERENCES = "**Row minus column**"
COLOURS = "Blue: the row is clearly better; orange: worse. Grey: it could be noise."


def fold_by_fold(score: str) -> str:
    """Heading of the dots; `score` is its name, with an arrow."""
    return f"**Fold by fold: {score}**"


# The table

ALL_SCORES = "**All scores, size and time**"
ALL_SCORES_ALT = "Scores, size and time of the models"
SAVE_TABLE = "Table (.csv)"
SAVE_FOLDS = "Every fold (.csv)"
MEANING_OF_ROWS = "What the rows mean"
ROWS = {
    to_say("calibration error"): "Average gap between the share that a model gave to the class it predicts "
    "and how often it was right; over all rows out of fold, in ten bins.",
    to_say("right, of a class"): "Of the rows of that class out of fold, the share that the model "
    "gives it to (recall).",
    "rules": "Leaves, two under one split that predict the same class counted once; of a forest all.",
    to_say(
        "trees represented"
    ): "One for a sharp tree. A cultivated tree answers for every tree that decides for one "
    "column and one threshold in each of its nodes; a forest for those of its trees together. "
    "The file has the decimal logarithm.",
}
ROWS_OF_CLASSES = ("calibration error", "right, of a class")
MEANS = "Mean ± standard deviation over the folds; ↑ more is better, ↓ less. Sizes: least to most."

# Shares: calibration and ROC

SHARES_OF = (
    "Shares of which class",
    "Calibration asks whether, of the rows that a model gives 80 %, 80 % are of that class. The class predicted "
    "is another one from row to row.",
)
CLASS_PREDICTED = "the class predicted"
ARE_SHARES_TRUE = "#### When it says 80 %, is it right 8 times in 10?"
CALIBRATION_DOTS = (
    "On the dotted line shares are true: of the rows given 80 %, 80 % are of the class. Large dots have "
    "many rows, pale ones fewer than 10; bars are 95 % intervals."
)
CHOOSE_A_CLASS = "Choose a class above to see what each model catches of it, and how many false alarms that takes."
ROC = (
    "Further to the right, a smaller share is enough for the model to say yes. The legend has the area under each "
    "curve, of the rows of all folds together, so that it may differ from the mean over the folds."
)


def it_counts(name: str, by: str) -> str:
    """Why the curve is of this class, where none was asked for; the name is Markdown."""
    why = {"choice": "as chosen", "name": "by its name", "rarity": "the rarer one"}[by]
    return f" *{name}* is the class that counts, {why}; the Data page has the choice."


def calibration(name: str) -> str:
    """Heading of the calibration curves of a class."""
    return f"**Calibration: {name}**"


def roc(name: str) -> str:
    """Heading of the ROC curves of a class."""
    return f"**ROC: {name}**"
