"""Texts of the Forests page: the frame, growing, the errors, and the trees one by one.

`side` is always a forest's letter, such as "A". Texts on the forests' answers stand in `answers`.
"""

from __future__ import annotations

from espalier.views.text.trees import join
from espalier.views.theme import count, number, percent

TABS = ("Error", "Trees", "Round by round", "One row", "Agreement", "Importance", "Surface", "Film", "Differences")


def forest(side: str) -> str:
    """Name of a forest."""
    return f"Forest {side}"


def heading(side: str) -> str:
    """Name of a forest as a heading."""
    return f"**{forest(side)}**"


# Growing


def limited(side: str, depth: int | None, most: int) -> str:
    """Note on a forest whose depth follows from the memory; `most` is in MB."""
    return (
        f"{forest(side)}: trees end at depth {depth}. Without an end so many rows could take more than the "
        f"{most:,} MB that this server has for forests; choose a depth to have another."
    )


def too_large(megabytes: float, most: int) -> str:
    """Why a forest is not grown: an estimate of its memory, and the limit, in MB."""
    return (
        f"it may take {megabytes:,.0f} MB, and this server allows {most:,} MB; ask for fewer trees, limit their "
        "depth, or hold more rows out"
    )


def failed(side: str) -> str:
    """Note on a forest that could not be grown; the reason follows."""
    return f"{forest(side)} could not be grown."


def stopped(side: str, n: int, most: int | None) -> str:
    """Note on a forest that was stopped; `most` is None where the data decide."""
    if not n:
        return f"{forest(side)} was stopped before it had a tree."
    of = f" of {most}" if most else ""
    return f"{forest(side)} was stopped: it has {n}{of} trees."


def how_far(side: str, n: int, most: int | None) -> str:
    """Number of trees so far; `most` is None where the data decide."""
    return f"{heading(side)}: {n} of {most} trees" if most else f"{heading(side)}: {n} trees so far"


def out_of_bag(side: str) -> str:
    """Name of a curve of the error out of bag."""
    return f"{side}, out of bag"


def held_out(side: str) -> str:
    """Name of a curve of the error on held-out rows."""
    return f"{side}, held out"


# The two forests in short

ERROR_OUT_OF_BAG = "error out of bag"
ERROR_HELD_OUT = "error held out"
ERROR_OF_BASELINE = "error of the baseline"
ERROR_OF_ONE = "error of one tree"
ERROR_HELP = {
    ERROR_OUT_OF_BAG: "Every row judged by the trees that did not draw it: what to expect of new rows.",
    ERROR_HELD_OUT: "On rows that no tree of it has seen: what to expect of new ones.",
    ERROR_OF_BASELINE: "On rows held out, else out of bag: always answering the most frequent class.",
    ERROR_OF_ONE: "The mean error of a tree alone on rows new to it: those out of bag if there are any, else held "
    "out.",
}
EXPORT = "Export"
LINK = "Link to this page, with everything that is set and chosen:"


def data(name: str, n_rows: int, target: str, n_classes: int) -> str:
    """Name and size of the data, in Markdown; without classes the target is a number."""
    goal = f"{n_classes} classes" if n_classes else "a number"
    return f"#### Forests: {name}\n:small[:gray[{n_rows:,} rows · target {target}, {goal}]]"


def in_short(side: str, kind: str, size: str) -> str:
    """Name, kind and size of a forest, in Markdown."""
    return f"{heading(side)} · {kind}  \n:small[{size}]"


def size(n: int, asked_for: int | None, n_leaves: float) -> str:
    """Size of a forest; `asked_for` where it has fewer trees than that, `n_leaves` of a tree on average."""
    fewer = f" (of {asked_for} asked for; then there was nothing more to grow)" if asked_for else ""
    return f"{n} tree{'s' * (n > 1)}{fewer} with {number(n_leaves)} {_leaves(n_leaves)} on average"


def _leaves(n: float) -> str:
    return "leaf" if n == 1 else "leaves"


def save_code(side: str, ending: str, kilobytes: str) -> str:
    """Label of the button that saves a forest as code, in a file of about so many kilobytes."""
    kinds = {"py": "Python function", "sql": "SQL expressions", "onnx": "ONNX file"}
    return f"{kinds[ending]} of forest {side} (.{ending}, {kilobytes} kB)"


def save_trees(side: str, kilobytes: str) -> str:
    """Label of the button that saves all trees, in a file of about so many kilobytes."""
    return f"Trees of forest {side} (.zip of .json, {kilobytes} kB)"


# Error

WHY_TITLE = "**Why averaging helps, and what limits it**"
WHY = """
Any two trees of a forest answer alike to the degree ρ (their *correlation*), and each alone varies by σ². The mean
of *B* trees varies by

$$\\rho\\,\\sigma^2 + \\frac{1-\\rho}{B}\\,\\sigma^2$$

**More trees** take the second part away, and nothing else: on average the error falls and then stays. The curve of
one table moves up and down around that, the more the fewer rows it is tested on.
**Trees less alike** lessen the first part: hence the redrawn rows, and the few columns that a split may try.
"""
UNEQUAL = "The formula is of trees whose votes count the same; those of this forest do not."
NOT_MEASURED = "Not measured: every tree saw every row. Hold some rows out."
GAINS_LITTLE = "On these data one tree is nearly as good as many: there is little to average away."
OTHER_DATA = "Data where it helps more"
OUT_OF_BAG = (
    "*Out of bag*: every row is judged only by the trees that did not draw it (Breiman 2001), so that with few "
    "trees only some rows are judged."
)
NO_ERROR = "Hold some rows out to see an error at all."


def measured(side: str) -> str:
    """Heading of a forest's measures."""
    return f"**{forest(side)}, measured**"


TREES, ROUNDS, TREES_OR_ROUNDS = "trees", "rounds", "trees, or rounds"  # that error curves count


def error_drawn(is_classification: bool) -> str:
    """The error that the curves show."""
    error = "the share of wrong classes" if is_classification else "the root mean squared error"
    return f"Error: {error} of the first 1, 2, … trees together."


def all_seen(sides: list[str]) -> str:
    """Note on forests whose trees saw every row."""
    return f"Every tree of {' and '.join(sides)} saw every row, so there is no out-of-bag error of it."


def held_out_rows(n: int, are_few: bool) -> str:
    """The curve on held-out rows; of few rows with classes, the step of one."""
    step = f": one row of {n} is {percent(1 / n)}, and smaller wiggles are chance" if are_few else ""
    return f"*Held out*: rows that no tree saw{step}."


UNSEEN = "that it has not seen"


def one_and_all(one: str, n: int, together: str, rows: str) -> str:
    """Error of one tree alone, and of all n together; `rows` says which rows they are about."""
    rest = f"; all {n} together: **{together}**" if n > 1 else ""
    return f"One tree alone: error **{one}** on rows {rows}{rest}."


def strength(value: float) -> str:
    """Breiman's strength."""
    return f"*Strength* s = **{number(value)}**: the lead of the right class's votes over the next."


def correlation(value: float, variance: str, n: int, limit: str) -> str:
    """Correlation of two trees, and what n of them leave of their variance; the latter as below."""
    alike = f"Two trees are alike to the degree ρ = **{number(value)}**, measured pair by pair."
    return f"{alike} Of {variance}, {n} trees leave {limit}."


def variance(value: float, is_classification: bool) -> str:
    """The variance of one tree."""
    of = "the variance of a tree's lead" if is_classification else "the squared error of a tree"
    return f"σ² = **{number(value)}**, {of}"


def limit(left: float, floor: float) -> str:
    """The variance that is left, and the least that any number of trees leaves."""
    return f"**{number(left)}**; however many there are, at least ρσ² = **{number(floor)}** is left"


# Trees

ORDERS = {"grown": "As they grew", "best": "The best first"}
FOREST, ORDER = "Forest", "Order"
HOW_TO_READ = "Questions from left to right; a row that answers yes goes up. Names are shortened to fit."
NO_QUESTION = "No tree asks anything: each is a lone root."
OPEN_HELP = "Graph, surface and every split of this tree"


def more_trees(n: int, left: int) -> str:
    """Label of the button that shows n more."""
    return f"Show {n} more of {left}"


def roots(names: list[str], counts: list[int], n_others: int, n_trees: int) -> str:
    """Features at the roots, each with its number of trees."""
    parts = [f"**{name}** {n} ×" for name, n in zip(names, counts, strict=True)]
    parts += [f"{n_others} other column{'s' * (n_others > 1)}"] if n_others else []
    return f"Of {n_trees} tree{'s' * (n_trees > 1)}, the first question is about {join(parts, 'and')}."


def open_tree(number_: int) -> str:
    """Label of the link to a tree."""
    return f"Open tree {number_}"


def tree_size(n_leaves: int, depth: int, drawn_depth: int) -> str:
    """Size of a tree, and the depth down to which it is drawn."""
    text = f"{n_leaves} {_leaves(n_leaves)}, depth {depth}"
    return f"{text} · drawn to depth {drawn_depth}" if depth > drawn_depth else text


def error(text: str) -> str:
    """The error of a tree, or of the first trees."""
    return f"error {text}"


def vote_weight(weight: float) -> str:
    """Weight of a tree's vote, where votes count differently."""
    return f"its vote counts {number(weight)}"


# A tree of a forest, on the Tree page


def tree_of_forest(number_: int, n_trees: int, side: str, is_last: bool, kind: str) -> str:
    """Which tree this is; `is_last` where a greater number was asked for."""
    last = ", the last one" if is_last else ""
    return f"**Tree {number_} of {n_trees} of forest {side}**{last} ({kind})."


def rows_drawn(n: int, n_rows: int) -> str:
    """The rows that a tree drew, and those that count as held out from it."""
    return f"It drew {count(n)} of {count(n_rows)} rows, some several times; all others count as held out from it."
