"""Texts on columns that say something of the rows themselves: weight, group, time and label."""

from __future__ import annotations

# The Data page: label and help of each control, and its words where no column is chosen

COLUMNS = {
    "weight": (
        "Weight: how much a row counts",
        "A column of numbers of at least 0: a row of weight 2 counts as two rows, a row of weight 0 is left out. "
        "Surveys have such a column, and tables in which a row stands for many. It then predicts nothing. "
        "*Term:* `sample_weight`.",
        "every row counts the same",
    ),
    "group": (
        "Group: which rows belong together",
        "Rows with the same value stay together: visits of a patient, pupils of a school. A model that has seen "
        "some of them knows the others, so whole groups are held out, dealt into folds and drawn, and scores say "
        "how well new groups are told. It then predicts nothing. *Term:* `groups`, grouped cross-validation.",
        "every row stands by itself",
    ),
    "time": (
        "Time: which rows come first",
        "A date, or a number that grows with time. The latest rows are then held out, and each fold is told from "
        "earlier rows alone, as it will be when the model is used. It then predicts nothing. *Term:* time series "
        "split, forward chaining.",
        "rows have no order",
    ),
    "label": (
        "Label: the name of each row",
        "Lists, hints and explanations then name rows by it, beside their numbers. It predicts nothing.",
        "rows have numbers only",
    ),
}
_OFFERS = {
    "group": "Several rows have the same value here. If they belong together, scores are honest only with it.",
    "time": "It holds dates. If later rows are to be told from earlier ones, scores are honest only with it.",
    "label": "Every row has a text of its own here: by it rows are recognised in every list.",
}
_TAKE = {"group": "Take *{}* as the group", "time": "Take *{}* as the time", "label": "Take *{}* as the label"}


def offer(role: str, name: str) -> tuple[str, str]:
    """Button that gives a column the role that it looks like, and the reason; the name is Markdown."""
    return _TAKE[role].format(name), _OFFERS[role]


def in_use(weight: str, group: str, time: str, label: str) -> str:
    """The roles of columns of the data set in use; the names are Markdown, and empty where there is no column."""
    said = [f"rows count by weight *{weight}*"] if weight else []
    said += [f"rows of one *{group}* stay together"] if group else []
    said += [f"in order of *{time}*"] if time else []
    said += [f"named by *{label}*"] if label else []
    return "".join(f" · {part}" for part in said)


# Every page

# by page: all that does not go by the weights of rows there, in the middle of a sentence
COUNTED_ALIKE = {
    "data": "",
    "tree": "numbers of rows, the bars on the cards, and limits such as the rows in a leaf",
    "forests": (
        "numbers of rows, limits such as the rows in a leaf, strength and correlation, the agreement of trees, "
        "and the rows on which the forests differ"
    ),
    "compare": "numbers of rows, and the folds, which hold equally many rows",
    "stability": "the redraws, which draw every row with the same chance, and the agreement of trees on rows",
    "reliability": "numbers of rows, the folds, and the rows that an explanation is compared with",
    "approximate": "made-up rows, which are drawn more often around a row of more weight, and then count the same",
    "questionnaire": "numbers of rows behind an answer, and made-up rows",
}


def rows_count_by(weight: str, page: str) -> str:
    """Note that rows count by a column, Markdown; `weight` is its name."""
    alike = COUNTED_ALIKE.get(page, "")
    note = f"Rows count by weight **{weight}**, in growing and in scores."
    return f"{note} Not by weight: {alike}." if alike else note


def together(what: str, group: str, time: str) -> str:
    """How groups and times are respected where rows are "held" out, in "folds", or "drawn"; names are Markdown."""
    if what == "drawn":
        unit = f"Whole groups of **{group}**" if group else f"Blocks of neighbours in the order of **{time}**"
        return f"{unit} are drawn in place of rows."
    if what == "held":
        return _held_out(group, time)
    if not time:
        return f"Folds are made of whole groups of **{group}**."
    others = f" of other groups of **{group}**" if group else ""
    return (
        f"Folds go forward in the order of **{time}**: each is told from earlier rows{others} alone. Repeats and "
        "the seed change nothing."
    )


def _held_out(group: str, time: str) -> str:
    if not time:
        return f"Whole groups of **{group}** are held out."
    latest = f"The groups of **{group}** that end last" if group else "The latest rows"
    return f"{latest} in the order of **{time}** are held out; the seed changes nothing."


def too_many_folds(n_folds: int, most: int, group: str, time: str) -> str:
    """Note on more folds than rows, groups or times allow."""
    if time:
        return f"{n_folds} folds need {n_folds + 1} different times of {time}; there are {most + 1}: choose fewer."
    unit = f"groups of {group}" if group else "rows"
    return f"{n_folds} folds cannot be made of {most} {unit}: choose fewer."
