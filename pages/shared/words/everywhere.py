"""Texts that several pages show: the frame, the address, the axes of planes, and models with their rail."""

from __future__ import annotations

from collections.abc import Iterable

# The frame: faults, and links that were not understood

DOING = "doing what you asked"
DRAWING = "drawing this part of the page"
AFTER_A_FAULT = (
    "Your data are safe. Undo the last change with your browser's Back button, or start again with the defaults. "
    "The details are in the server's log."
)
START_AGAIN = "Start again"


def fault(while_: str) -> str:
    """Heading of a fault: `DOING` or `DRAWING`."""
    return f"**Something went wrong while {while_}.**"


def link_not_understood(parts: str) -> str:
    """Warning of parts of the link that could not be used."""
    return f"Part of the link was not understood, so the nearest value or the default is shown: `{parts}`."


# The server

NOT_FOUND = "Not found"
WIDE_PICTURE = "Picture that scrolls"
SCRIPT_LOST = "This picture could not be loaded. Reload the page; what you have set stays."
NO_HOST = "no host"


def refusal(host: str) -> str:
    """Answer to a request for another host."""
    return (
        f"This server does not answer to the name “{host}”. Open it by its IP address or as localhost, or "
        "start it with --server.allowedHosts and the name that it is to be known by.\n"
    )


# Values of the address


def should_be(parameter: str, text: str, expected: str) -> str:
    """Note on a value that could not be read."""
    return f"{parameter}={text} should be {expected}"


def misspelt(parameter: str, nearest: str) -> str:
    """Note on a parameter that the page does not have."""
    return f"{parameter}: this page has no such part of a link; perhaps {nearest} is meant"


def whole_number(low: int, high: int, optional: bool) -> str:
    """Whole numbers that a parameter accepts."""
    return f"a whole number from {low} to {high}" + (" or none" if optional else "")


def a_number(low: float, high: float) -> str:
    """Numbers that a parameter accepts."""
    return f"a number from {low:g} to {high:g}"


def one_of(options: Iterable[str]) -> str:
    """Words that a parameter accepts."""
    return "one of " + ", ".join(option for option in options if option)


def or_one_of(other: str, options: Iterable[str]) -> str:
    """Words that a parameter accepts beside other values."""
    return f"{other} or one of {', '.join(options)}"


def no_such_feature(key: str, name: str) -> str:
    """Note on an axis that the data do not have."""
    return f"{key}={name}: these data have no such column"


# The row that is chosen

ROW = "Row"
ROWS_COUNT_FROM_1 = "Rows are counted from 1, as in the tables."


def row_numbers(n: int) -> str:
    """Placeholder of the box for a row's number."""
    return f"1 to {n}"


def no_such_row(number: int, n: int) -> str:
    """Note on a row that the data do not have."""
    return f"row={number}: these data have rows 1 to {n}"


# The axes of a plane

NO_AXIS = "none"
NO_SECOND_AXIS = "↕ none"
AXES = {"x": "Horizontal axis", "y": "Vertical axis"}


def axis_by_itself(key: str, name: str) -> str:
    """An axis that the page chose."""
    return f"{'↔' if key == 'x' else '↕'} {name} (auto)"


# The first visit

WELCOME = "Grow a decision tree. Click a box or a point; drag Depth."
DISMISS = "Got it"

# The rail: data, Undo and Reset, rows held out (label and help of each control)

DATA = "Data"
OWN_TABLE = "Open your own table"
UNDO = "Undo"
UNDO_HELP = "Takes the last change of a control back."
REDO = "Redo"
REDO_HELP = "Makes the change again that was taken back last."
RESET = "Reset"
RESET_HELP = "Every control as at first; the data, and how the tree is grown, stay."
CONTROLS = {
    "held": (
        "Rows held out for testing",
        "These rows are not used to grow the tree; they show how well it does on rows it has not seen. "
        "*Term:* hold-out or test set. Classes keep their shares, and a number its spread.",
    ),
    "seed": ("Seed of the held-out rows", "Another number holds other rows out."),
}


# The ways of growing a tree

HOW_GROWN = "How the tree is grown"
NO_LIMIT = "no limit"
MORE = "More"
MORE_OF_CART = "Limits, missing values, columns, chance"
MORE_OF_CULTIVATED = "More ways, columns, and chance"
MORE_OF_OPTIMAL = "Size, thresholds, columns, time"
MORE_OF_OPTIMAL_NUMBERS = "Size, columns, time"
ONE_CATEGORY_AT_A_TIME = "Beside monotone columns, a split parts one category from all others."
ONE_CUT = "one cut"


def times(factor: float) -> str:
    """How many times worse a mistake is, on a slider."""
    return f"{factor:g} times"


def per_cent(share: int) -> str:
    """A share on a slider."""
    return f"{share} %"


def kinds(pairs: Iterable[tuple[str, str]]) -> str:
    """Titles and explanations, as a list in a help text; Markdown."""
    return "\n".join(f"- **{title}.** {text}" for title, text in pairs)


def other_target(learner: str, target: str, is_classification: bool) -> str:
    """Note that a learner does not serve the target; the target's name is Markdown."""
    kind, others = ("a class", "numbers") if is_classification else ("a number", "classes")
    return (
        f"**{learner} trees are for {others}**, and the target of these data, {target}, is {kind}. "
        "Grow another kind of tree, or choose other data."
    )


def grow_with(learner: str) -> str:
    """Button that chooses another learner."""
    return f"Grow a tree with {learner}"


# Why a tree is a lone root

LONE_BY_PRICE = "no split is worth its price; lower pruning α, or the decrease of impurity that a split needs"
LONE_BY_PRUNING = "no split is worth its price; lower pruning α"
LONE_OPTIMAL = "no tree of this size over these questions is better than no question at all"
LONE_OF_FOREST = "no split of the rows that it drew was worth while within the forest's limits"


def lone_by_rows(n_rows: int, needed: int) -> str:
    """Too few rows for a split."""
    return f"it was grown on {n_rows} rows, fewer than the {needed} that a split needs"


def lone_by_leaves(n_rows: int, leaf: int) -> str:
    """Too few rows for two leaves."""
    return f"{n_rows} rows do not make two leaves of {leaf} rows each"


def lone_by_weight(n_rows: int, weight: float) -> str:
    """Too little weight for a split."""
    return f"it was grown on {n_rows} rows, less than the weight of {weight:g} that a split needs"


# Cultivated trees

PRESETS = {
    "CRF-full": "CRF-full: both",
    "CRF-split": "CRF-split: thresholds only",
    "CRF-option": "CRF-option: features only",
    "CRF-shallow": "CRF-shallow: both, 6 deep",
}
NO_PRESET = "a mix of your own"
OF_CULTIVATED = {  # label and help of controls
    "preset-picker": (
        "As in the paper",
        "Sets the controls below to one of the four versions of Nalenz & Augustin (2021): with splits that "
        "hesitate about columns and thresholds, or about one of them; the shallow one has a depth of 6.",
    ),
}


# A tree of a forest

OF_A_FOREST = "Of a forest"
OF_A_FOREST_HELP = "One tree of a forest: grown on rows drawn for it."
TREE_NUMBER = {
    "number": (
        "Number of the tree",
        "Trees are counted from 1, in the order of their seeds. Where each drew rows of its own, those it did not "
        "draw count as held out here.",
    )
}
BACK_TO_FORESTS = "Back to the forests"


def of_forest(title: str, model: str) -> str:
    """The forest that a tree is of, and its settings in short."""
    return f"Of forest {title}: {model}."


# Forests


def forest(title: str) -> str:
    """Name of one of the two forests, at the beginning of a line."""
    return f"Forest {title}"


def for_forest(label: str, title: str) -> str:
    """The label of a setting, for one of the two forests."""
    return label.replace("the forest", f"forest {title}")


def with_seed(text: str, seed: int) -> str:
    """A forest in short, with the seed where it is not 0."""
    return text + (f", seed {seed}" if seed else "")


def in_short(label: str) -> str:
    """The label of a setting on a button."""
    return label.split(",")[0].lower()


def set_to(label: str, value: str) -> str:
    """A setting with its value, in the list of a forest's settings."""
    return f"{label.lower()}: {value}"


def switched(label: str, is_on: bool) -> str:
    """A setting that is on or off, in the list of a forest's settings."""
    return label.lower() if is_on else f"not: {label.lower()}"


# Places for models

MODEL = "Model"
FREE_PLACE = "This place is free."


def nothing(noun: str) -> str:
    """The choice of a place that is left empty."""
    return f"No {noun.lower()}"


def place(mark: str, noun: str, number: int) -> str:
    """Label of a place; the mark is that of its model in figures."""
    return f"{mark} {noun} {number}"


def place_of_twin(number: int) -> str:
    """The place of a model that stands in two places."""
    return f"model {number}"


def switch_in_short(name: str, is_on: bool) -> str:
    """A setting that is on or off, on a button."""
    return name if is_on else f"no: {name}"


def trees_in_short(name: str, n: int) -> str:
    """A number of trees or of rounds, on a button."""
    return f"{n} {name}"


def number_in_short(name: str, value: float | None) -> str:
    """A setting that is a number or has no limit, on a button."""
    return f"any {name}" if value is None else f"{name} {value}"


# Kinds of trees that a page does not offer


def not_offered(kinds: Iterable[tuple[str, str]]) -> str:
    """Kinds of trees that are not on a page, each with its reason.

    >>> not_offered([("Model tree", "whose leaves have formulas")])
    'Not offered here: model tree, whose leaves have formulas.'
    """
    return f"Not offered here: {'; '.join(f'{title.lower()}, {why}' for title, why in kinds)}."


# Targets that a model is not for; `target` is Markdown


def not_for(is_classification: bool, target: str) -> str:
    """Why a kind of model cannot learn this target."""
    kind, others = ("a class", "numbers") if is_classification else ("a number", "classes")
    return f"This kind is for {others} only, and the target, {target}, is {kind}. Choose another kind."


def poisson_of_negative(target: str, row: str, value: str) -> str:
    """Note that Poisson deviance is for numbers of at least 0."""
    return (
        f"**Poisson deviance is not for this target.** It is for counts, and the target *{target}* is {value} in "
        f"{row}. Choose squared or absolute error."
    )


def poisson_of_nothing(target: str) -> str:
    """Note that Poisson deviance takes some event."""
    return (
        f"**Poisson deviance is not for this target**: *{target}* is 0 in every row to learn from. Choose squared "
        "or absolute error."
    )


def all_classes(n: int) -> str:
    """The list of all classes of a legend."""
    return f"All {n} classes"
