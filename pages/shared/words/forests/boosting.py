"""Texts on gradient boosting: the tab "Round by round", and the notes where a boosted sum has no votes.

`side` is always a forest's letter, such as "A".
"""

from __future__ import annotations

from espalier.views.theme import count, number

TAB = "Round by round"

# A sum among forests that vote

STEPS = f"Each is a step that corrects the sum before it: leaves say how far. See *{TAB}*."
NOT_MEASURED = "Not measured: there are no rows that its trees did not see. Hold some rows out."
NOT_AVERAGED = (
    "Nothing is averaged here, so the formula does not apply. A tree does not vote; it corrects the sum of the "
    "earlier ones. That lowers the bias, and too many rounds follow the noise: the error may rise again."
)


MEAN_OF_LOG_ODDS = (
    "Its trees say log odds, whose mean over the trees is made into shares: each counts as much as any other, and "
    "none of them votes."
)


def of_forest(side: str) -> str:
    """Whose trees a sentence is about."""
    return f"Forest {side}:"


def trees_and_error(n: int, error: str) -> str:
    """Number of trees whose mean answers, and the error on held-out rows."""
    return f"All {n} trees together: error **{error}** on held-out rows."


def no_votes(side: str) -> str:
    """Why a forest has no votes to show, and where its trees are shown instead."""
    return (
        f"Forest {side} adds its trees up: each is a step that corrects the sum of the earlier ones and says "
        f"nothing alone. So it has no votes to show here. *{TAB}* shows its steps."
    )


def not_alone(side: str) -> str:
    """Why a tree of a sum is not shown on the page of single trees."""
    return (
        f"A tree of forest {side} is no tree by itself: it is a step of gradient boosting, which corrects the "
        f"sum of the earlier ones. The page of forests shows it, under *{TAB}*."
    )


def not_out_of_bag(sides: list[str]) -> str:
    """Why there is no out-of-bag error of sums."""
    return f"The trees of {' and '.join(sides)} are added up: without some there is no sum to judge out of bag."


def rounds_and_error(n: int, trees_a_round: int, error: str) -> str:
    """Number of rounds, and the error on held-out rows."""
    each = f", each of {trees_a_round} trees, one for a class" if trees_a_round > 1 else ""
    return f"{rounds(n)}{each}: error **{error}** on held-out rows."


def rounds(n: int) -> str:
    """A number of rounds."""
    return f"{n} round{'s' * (n > 1)}"


def round_of(number_: int, of_class: str) -> str:
    """Round and class of a tree, among the small trees."""
    return f"Round {number_}, {of_class}" if of_class else f"Round {number_}"


def size(n: int, n_trees: int, n_leaves: float) -> str:
    """Size of a sum; `n_leaves` of a tree on average."""
    leaves = f"{number(n_leaves)} {'leaf' if n_leaves == 1 else 'leaves'}"
    return f"{rounds(n)}: {n_trees} tree{'s' * (n_trees > 1)} with {leaves} on average"


def answer(text: str) -> str:
    """Answer of a sum to a row."""
    return f"Says **{text}**."


def how_far(side: str, n: int, most: int | None) -> str:
    """Number of rounds so far."""
    return f"**Forest {side}**: {n} of {most} rounds"


def stopped(side: str, n: int, most: int | None) -> str:
    """Note on a sum that was stopped."""
    return f"Forest {side} was stopped: it has {n} of {most} rounds."


def save_forest(side: str, kilobytes: str) -> str:
    """Label of the button that saves a whole forest, in a file of about so many kilobytes."""
    return f"Forest {side} (.json, {kilobytes} kB)"


def no_single_trees(side: str) -> str:
    """Why the trees of a sum are not saved one by one."""
    return f"The trees of forest {side} are steps: each alone says nothing."


NOT_EXACT = (
    "Not exactly: what gradient boosting says of classes, and of counts, is no sum over its trees, since a link "
    "bends it."
)

# Round by round

NONE = (
    "Neither forest is boosted by gradients. Choose *Gradient boosting* for forest A or B in the bar on the "
    "left, and its rounds stand here one by one: the residuals, the tree that learns them, and the sum."
)
ADDING = "Adding up the rounds …"
FOREST, ROUND, CLASS = "Forest", "Round", "Class"
LOSS = {  # by the estimator's name
    "log_loss": "log loss",
    "squared_error": "root mean squared error",
    "absolute_error": "mean absolute error",
    "poisson": "half Poisson deviance",
}
MOVES = {"log_loss": "the score of the class", "poisson": "the logarithm of the prediction"}
RESIDUAL_OF = {
    "log_loss": "The residual of a row is 1 for its class and 0 for the others, minus the share that the sum "
    "gives the class: the slope of the log loss.",
    "squared_error": "The residual of a row is its true number minus the sum: the slope of the squared error.",
    "absolute_error": "The residual of a row is its true number minus the sum. The tree is grown on the signs "
    "alone, the slopes of the absolute error; a leaf's full step is the median of its residuals.",
    "poisson": "The residual of a row is its true number minus the prediction: the slope of half the Poisson "
    "deviance. The sum is the logarithm of the prediction.",
}
GROWN_ON, HELD_OUT = "grown on", "held out"
SUM_BEFORE, SUM_AFTER, BEFORE, AFTER = "sum before", "sum after", "before", "after"
STEP, FULL_STEP, RESIDUAL, RESIDUAL_BEFORE = "step", "full step", "residual", "residual before"
SHARE, OF_CLASS, OTHERS = "share of the class", "rows of the class", "other rows"
RESIDUALS_AND_STEP, STEP_OF_TREE, RESIDUALS = "Residuals and step", "Step of the tree", "Residuals"
THE_SUM, SUM_AGAINST_TRUTH, SHARE_OF_CLASS = "The sum", "Sum against truth", "Share of the class"
LOSS_OF_GROWN_ON = (
    "On rows grown on it can only fall. Hold some rows out to see from where on it follows the noise."
)


def tree_of_round(number_: int, of_class: str) -> str:
    """Heading of the tree."""
    text = f"**The tree of round {number_}**"
    return f"{text}, for {of_class}" if of_class else text


def how_to_read(loss: str, rate: float, depth: int | None) -> str:
    """Caption of the tree; `depth` where it is drawn only so far."""
    moves = MOVES.get(loss, "the prediction")
    cut = f" It is drawn to depth {depth}." if depth else ""
    return (
        f"It learns the residuals. Its leaves say how far {moves} moves there: the full step times the learning "
        f"rate ν = {number(rate)}. A row that answers yes goes up.{cut}"
    )


def loss_heading(loss: str) -> str:
    """Heading of the curve of the loss."""
    return f"**The {loss} after each round**"


def least_loss(loss: str, best: int, n: int, value: float) -> str:
    """Caption of the curve: the round of least loss on held-out rows, where early stopping ends."""
    text = f"On held-out rows the {loss} is least after **round {best}** of {n}: {number(value)}."
    if best == n:
        return f"{text} More rounds may still improve it."
    return f"{text} Early stopping keeps the rounds up to there; later ones follow the noise of the rows grown on."


def formula(i: int, before: float, after: float) -> str:
    """The formula of round i, and the root mean square of the residuals before and after it."""
    return (
        f"$f_{{{i}}} = f_{{{i - 1}}} + \\nu\\,h_{{{i}}}$, where $h_{{{i}}}$ is the tree. The root mean square of "
        f"the residuals on rows grown on is **{number(before)}** before the round and **{number(after)}** after "
        "it."
    )


def heading(text: str) -> str:
    """Heading of a picture."""
    return f"**{text}**"


def steps_over(n: int, column: str) -> str:
    """Alt text of the steps along a column."""
    return f"The tree adds {n} different steps along {column}."


def sum_over(column: str) -> str:
    """Alt text of the sum along a column."""
    return f"The sum over {column}, before the round and after it."


def steps_between(low: float, high: float) -> str:
    """Alt text of the surface of steps."""
    return f"Steps from {number(low)} to {number(high)}."


def spread(before: float, after: float) -> str:
    """Alt text of the histogram of residuals."""
    return f"Standard deviation of the residuals: {number(before)} before the round, {number(after)} after it."


def correlation(value: float) -> str:
    """Alt text of predictions against the truth."""
    return f"Correlation of the sum with the truth: {number(value)}."


def mean_shares(own: float | None, others: float | None) -> str:
    """Alt text of the histogram of shares."""
    on_own, on_others = ("none" if mean is None else number(mean) for mean in (own, others))
    return f"Mean share of the class: {on_own} on its rows, {on_others} on others."


def residual(loss: str) -> str:
    """Meaning of a residual."""
    return RESIDUAL_OF[loss]


def some_rows(n: int, n_rows: int) -> str:
    """Note where not all rows are looked at."""
    return f"Only {count(n)} of {count(n_rows)} rows are looked at, evenly chosen."
