"""Texts of the Tree page: its heading, exports, search, gallery and canvases; `nodes` has the inspector's."""

from __future__ import annotations

from collections.abc import Sequence

# The heading: numbers and their help


def heading(name: str, size: str) -> str:
    """Name and size of the data, in Markdown."""
    return f"#### Tree: {name}\n:small[:gray[{size}]]"


ACCURACY = {"accuracy": "accuracy", "r2": "R²"}
ERROR = "error"
ROWS = {"held-out": "held-out", "training": "training"}  # that a score is measured on
BASELINE = "baseline"
LEAVES = "leaves"
DEPTH = "depth"
MODULES = "modules"
STANDS_FOR = "stands for"
NUMBERS = {
    "held-out": "On rows that the tree has not seen: what to expect of new ones.",
    "training": "On the rows that the tree was grown on; a deep tree learns them by heart.",
    BASELINE: "What one gets without any question: the training rows' most frequent class, or mean.",
    LEAVES: "Each is a region of the decision surface, and one rule.",
    DEPTH: "Questions on the longest way from the root to a leaf.",
    MODULES: "Nodes that hesitate: they ask several columns, or keep several thresholds of one. "
    "*Term:* ensemble module (option, robust split).",
    STANDS_FOR: "One cultivated tree answers as the average of all trees that decide for one column and one "
    "threshold in each of its nodes; so many there are. *Symbol:* |D×|, the size of the Cartesian product of all "
    "modules (Nalenz & Augustin 2021, equation 1).",
}


def one_in(step: int) -> str:
    """Note on a score that is measured on some of the rows; empty for 1."""
    if step == 1:
        return ""
    return f" Measured on one in {step} of them; the scores at the foot of the page have all."


def size(n_rows: int, n_features: int, target: str, n_classes: int) -> str:
    """Size of the data; the target's name is Markdown, and a number has no classes."""
    features = "1 column" if n_features == 1 else f"{n_features} columns"
    return f"{n_rows:,} rows · {features} · target {target}, {f'{n_classes} classes' if n_classes else 'a number'}"


def trees(number: str) -> str:
    """A number of trees."""
    return f"{number} tree{'s' * (number != '1')}"


# Notes above the tree

THE_TREE = "The tree"
ONE_TARGET = "all rows that it was grown on have the same target, so there is nothing to tell apart"
ALL_LEFT_OUT = "every column is in the list of columns that no split may ask about"
NO_GAIN = "no split of any column lowers the impurity"
COSTS = "Percentages in the tree count a row as often as mistaking it costs more than another."


def pruned_into_one(n_leaves: int) -> str:
    """Reason for a lone root that pruning made."""
    return f"all {n_leaves} leaves were pruned into one"


def lone_root(why: str) -> str:
    """Note on a tree without splits."""
    return f"The tree is a lone root: {why}. It says the same of every row."


def warning(text: str) -> str:
    """A line of warning."""
    return f":material/warning: {text}"


# Scores

HOW_GOOD = "How good is this tree?"
WHOSE = {"tree": "tree", "baseline": "baseline"}
SCORES_ALT = "Scores of the tree and of the baseline"


def scores_of(rows: str, whose: str) -> str:
    """Head of a column of scores, such as "held-out: tree"."""
    return f"{ROWS[rows]}: {WHOSE[whose]}"


def scores(brier: str) -> str:
    """Note below the table; with a sentence on the Brier score, or none."""
    return f"↑ more is better, ↓ less is better. The baseline asks no question.{f' {brier}' if brier else ''}"


def confusion(rows: str) -> str:
    """Title of a confusion matrix of training or held-out rows."""
    return f"**Confusion matrix, {rows} rows**"


# Tree and surface

TREE = "**Tree**"
DRAWING = "Drawing"
GRAPHS = {"cards": "Cards", "film": "Film", "classical": "Classical"}
SHOWN = {
    True: {"probability": "Probability", "class": "Class", "uncertainty": "Uncertainty"},
    False: {"probability": "Value", "uncertainty": "Spread"},
}
HESITATION = {"spread": "Hesitation σ"}  # of cultivated trees, beside the others
OTHERS = {
    "average": "each row's own values: the answer is the average over the rows",
    "typical": "their median or most frequent value",
    "row": "the selected row's values",
}
OPTIONS = "What the colours show, and where the other columns are held"
COLOURS = "Colours show"
OTHER_FEATURES = "Columns not on an axis have"
CLASSICAL_ALT = "Classical drawing of the tree"
MOST_USE = "first those that the tree has most use for"


def is_cut(depth: int) -> str:
    """Note on a drawing that does not have the whole tree."""
    return f"Drawn down to depth {depth}; the DOT export has the whole tree."


def chosen_axis(arrow: str, name: str, is_pinned: bool) -> str:
    """The axis that the page takes by itself, marked where a person has chosen the same.

    The blank before the name is one that does not break: no choice of a person has the same text, so that a late
    answer of the browser is not taken for one.
    """
    return f"{arrow}\N{NO-BREAK SPACE}{name}{' (auto)' * is_pinned}"


def no_axis(arrow: str) -> str:
    """The choice of no second axis."""
    return f"{arrow} step curve"


def no_such_node(node: int, most: int) -> str:
    """Note on a link to a node that the tree does not have."""
    return f"node={node}: this tree has nodes 0 to {most}"


# Exports

EXPORT = "Export"
FORMATS = {
    "py": "Python function",
    "sql": "SQL expression",
    "txt": "Rules in words",
    "json": "JSON, reads back",
    "dot": "Graphviz DOT",
}
PICTURES = "The tree graph and the surface have a button of their own for a picture."
REPORT = "Report of this tree, to read and print (.html)"
SCRIPT = "Python that grows this tree again (.py)"
NOTEBOOK = "Notebook that grows this tree again (.ipynb)"
PREDICTIONS = "Predictions of all rows (.csv)"
LINK = "Link to this page, with everything that is set and selected:"
DIALECT = "SQL for"
DIALECT_HELP = "Databases quote names and texts, and read numbers, in ways of their own."
ROW = "row"
HELD_OUT = "held out"
TARGET = "target"
PREDICTED = "predicted"
SPREAD = "spread"


def no_source(why: str) -> str:
    """Comment in place of a tree that a format cannot hold."""
    return f"This tree cannot be written here: {why}"


def too_many_sums(n_sums: int, n_rows: int, megabytes: str, most: int) -> str:
    """Note that an oblique tree has more sums than the page can keep a column for."""
    return (
        f"**This oblique tree is too large to be shown.** It weighs columns in {n_sums:,} splits; a sum for "
        f"each of {n_rows:,} rows would take {megabytes} MB, and the page has {most} MB. Choose a smaller depth."
    )


def weight_of(name: str) -> str:
    """Title of the column of the rows' weights, from the data's column of this name."""
    return f"weight: {name}"


def share_of(name: str) -> str:
    """Heading of the shares of a class."""
    return f"share of {name}"


# Growing and searching

GROWING = "**Growing the tree**"
GROWING_NOW = "Growing the tree …"
TRYING = "Trying every threshold …"
STOPPED = "Growing was stopped before there was a tree."
STOPPED_PART = "Growing was stopped: this is the part of the tree that was there."
NOT_GROWN = "The tree could not be grown."
SEARCHING = "**Searching for the best tree**"
RACE = "**Best tree found, and the bound that none can beat**"
BEST_SO_FAR = "**Best tree so far**"
STILL_SEARCHED = "best tree so far"


def growing_on(n_rows: int) -> str:
    """Progress of a tree that grows row by row."""
    return f"{GROWING} on {n_rows:,} rows"


def searching(best_and_bound: str) -> str:
    """Progress of a search."""
    return f"{SEARCHING}: {best_and_bound}"


# The proof, and the greedy tree beside the optimal one

WHY_NOT_EVERY = (
    "Automatic: about ten thresholds of each number, since every threshold could take long at this depth and "
    "size, or with these limits. *Questions a column* asks for every one."
)
GO_ON = "Go on"
GO_ON_HELP = "Goes on with the search from where it was, for as many seconds again."
DIFFER = "the trees differ"
BESIDE = "#### Greedy beside optimal"
OPTIMAL = "Optimal"
BEST_FOUND = "Best found"


def greedy(depth: int | None) -> str:
    """Title of the greedy tree."""
    return f"Greedy: CART of depth {depth}"


def mean_error(amount: str, n_rows: str, kind: str) -> str:
    """The error of a tree on rows of a kind."""
    return f"{amount} on {n_rows} {kind} rows"


def beside(title: str, n_leaves: int, errors: str) -> str:
    """Line above one of the two surfaces."""
    return f"**{title}**, {n_leaves} leaves  \n:small[{errors}]"


# Other trees as good

LOOKING = "**Looking for trees that are as good**"
ASKED = "trees that ask about it"
FEATURE = "column"
AS_GOOD = "#### Other trees as good"
NOT_PROVED = "Which other trees are as good can be told only of a tree that is proved to be the best."
NOT_FOR_NUMBERS = "They are looked for only where the target is a class: of numbers hardly two trees are as good."
NOT_WITH_DIRECTIONS = "They are looked for only where no columns are monotone."
OVER_SOME_THRESHOLDS = (
    "Over every threshold there are too many of these trees to count here, or it would take too long. Those shown "
    "ask what the optimal tree asks, and about ten other questions of each column. To see all trees, allow fewer "
    "more errors, a smaller depth, or fewer questions per column."
)
LOOKING_STOPPED = "Stopped: there may be other trees as good."
NO_OTHERS = "There are no other trees."
FEATURES_ALT = "How many of the trees ask about each column"
GALLERY = (
    "Questions from left to right; a row that answers yes goes up. A card has trees with the same columns and the "
    "same answers in the same places, which answer at most 2 % of the rows differently from its best tree; a "
    "range has all thresholds that they ask there. Trees that give every possible row the same answer count as "
    "one function. *Open* shows the best tree of a card."
)
BACK_TO_OPTIMAL = "Back to the optimal tree"
OPEN = "Open"
SLACK = {
    "slack": (
        "How much worse than the best, at most",
        "0: only trees as good as the optimal one. With more, also those that make so many errors more (cost so "
        "much more, where errors differ). *Term:* `optimal_trees(slack=…)`.",
    )
}


def looking(n: int) -> str:
    """Progress of the search for other trees."""
    return f"{LOOKING} {n} so far"


def no_such_tree(number: int, n: int) -> str:
    """Note on a link to a tree that the gallery does not have."""
    return f"tree={number}: there are {n} trees as good as that"


def of_gallery(number: int, facts: Sequence[str]) -> str:
    """Note on the tree that is shown in place of the optimal one: its errors and splits."""
    return f"This is tree {number} of the gallery below: {', '.join(facts)}."


def splits(n: int) -> str:
    """A number of splits."""
    return f"{n} split{'s' * (n != 1)}"


def more(n: int, left: int) -> str:
    """Button that shows more trees."""
    return f"Show {n} more of {left}"


def open_help(number: int) -> str:
    """Help of the button of a tree."""
    return f"Show tree {number} above, in place of the optimal one"
