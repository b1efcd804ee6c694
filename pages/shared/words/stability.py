"""Texts of the Stability page."""

from __future__ import annotations

from espalier.views.theme import number, percent

# The page

TITLE = "Would we get the same tree again?"
INTRODUCTION = (
    "The data are drawn again and again, and each learner grows a tree every time. The more alike the trees, the "
    "more their questions can be relied on. Deep trees have more to differ in, so compare learners of like depth; "
    "and trees that ask other questions may still answer alike: see Agreement, below."
)
CHOOSE_A_LEARNER = "Choose at least one learner above; a second one to compare it with."
TABS = ("Columns", "Thresholds", "Agreement", "Surface")
LEARNER = "Learner"
WHY_TREES = (
    "\n\nOnly single trees can be had here: stability asks whether the same *structure* comes out again, the same "
    "columns and thresholds, and a forest or the sum of gradient boosting has no one structure to compare."
)


def heading(symbol: str, title: str) -> str:
    """A learner, with its symbol."""
    return f"**{symbol} {title}**"


# The draws: label and help of each control; lists of choices are added to the help

CHANCE = "Chance"
DRAW_HELP = {
    "redraw": (
        "How the data are drawn again",
        "For an approximation tree *New seeds* draws new made-up cases from one and the same black box.",
    ),
    "draws": (
        "How often",
        "So many trees are grown by each learner, each on data drawn anew. *Term:* replicates. The more, the "
        "surer are the shares; the number of structures grows with it.",
    ),
    "chance": ("Seed of the draws", "Another number draws the data otherwise."),
    "same": ("Two trees are the same", ""),
    "near": (
        "Thresholds may be apart by",
        "In percent of a column's span, from its least value to its greatest. *Term:* tolerance.",
    ),
    "down": ("Levels of questions", "How many are compared: the root's question alone, or those below it too."),
}


def tolerance(is_neighbourhood: bool, widths: list[tuple[float, str]], has_more: bool) -> str:
    """The distance of two thresholds that count as the same, by feature."""
    of_plain = "Plain trees get half the width of the neighbourhood that such a tree's root has:"
    parts = ", ".join(f"{number(width, 2)} for {name}" for width, name in widths)
    return f" {of_plain if is_neighbourhood else 'Apart by at most'} {parts}{' and so on' * has_more}."


# Growing the replicates

GROW = "Grow them"


def much_to_do(n_trees: int, n_rows: int) -> str:
    """How much there is to do, before it is begun."""
    return f"{n_trees:,} trees have to grow on about {n_rows:,} rows each. Fewer draws are faster."


def stopped(n: int, most: int, megabytes: int | None) -> str:
    """Note on a learner that was stopped; of one without room for more trees, with the limit of the memory."""
    text = f"Stopped after {n:,} of {most:,} trees"
    if megabytes is None:
        return f"{text}."
    return f"{text}: all that are kept may take {megabytes:,} MB. Ask for fewer draws, or limit the depth."


def stopped_repetition(run: int) -> str:
    """The repetition, before such a note."""
    return f"Repetition {run}: "


def job(name: str, run: int) -> str:
    """Name of a job: the learner, and the repetition if it is one."""
    return f"**{name}**" + (f", repetition {run}" if run else "")


def how_far(title: str, n: int, most: int) -> str:
    """Number of trees so far."""
    return f"{title}: {n:,} of {most:,} trees"


# The histograms

FIRST_BARS = "The first bars come with the first trees."
REPEAT = "Repeat with other draws"
REPEAT_HELP = "One set of draws can be lucky: the same again with another seed, shown below the first"
ONLY_FIRST = "Only the first draws"
ALL_LEVELS = "All levels in numbers"
ALL_LEVELS_ALT = "Structures by learner and level"
ALL_LEVELS_TERMS = (
    "*95 % interval*: of the share, by Wilson. *Entropy*: 0 for one structure, one bit for two equally frequent "
    "ones. *Chance of a new one*: share of the trees whose structure came out once only."
)


def small(text: str) -> str:
    """A line in small type, in Markdown."""
    return f":small[{text}]"


def seed(value: int) -> str:
    """The seed of the draws of one histogram."""
    return f"Draws of seed {value}"


def histogram(same: str, draws: str) -> str:
    """Caption of the histograms: the equality of trees in words, and the draws in words."""
    return (
        "Each group of bars compares the trees down to one level, from the root on. A bar is a structure (*kinds* "
        "counts them), and its height the share of trees that have it; the deep-coloured bar is the most frequent "
        f"one. *When two trees are alike:* {same} *Draws:* {draws} Intervals say what more draws would change, "
        "not what another table would."
    )


def draws(n_trees: int, kind: str, n_rows: int, n_runs: int) -> str:
    """The draws in words; `kind` is their title."""
    again = f", {n_runs} times over" if n_runs > 1 else ""
    return f"each histogram stands on {n_trees:,} trees ({kind}) of one table of {n_rows:,} rows{again}."


def picture_title(title: str, n_trees: int) -> str:
    """Title of a saved histogram."""
    return f"{title}, {n_trees} trees"


def save_picture(symbol: str) -> str:
    """Label of the button that saves a histogram."""
    return f"SVG {symbol}"


# The chosen tree

CLICK_A_BAR = ":material/touch_app: Click a bar to see its tree."
CLOSE = "Close"
THIS_ONE = ":small[**This one**]"
MOST_FREQUENT = ":small[**The most frequent one**]"
FORM_OF_BAR = "four numbers with points between: learner, repetition, depth and tree"


def structure(learner: str, rank: int, levels: str) -> str:
    """The structure of a bar: its rank from 1 on, and its levels in words."""
    place = "the most frequent structure" if rank == 1 else f"structure {rank}"
    return f"**{learner}: {place} {levels}**"


def trees_of_bar(n: int, n_trees: int, number_: int) -> str:
    """The number of trees of a bar, and which of them is drawn."""
    return f"{n} of {n_trees} trees ({percent(n / n_trees)}); this is tree {number_}."


# Features


def features(n_left_out: int) -> str:
    """Caption of the tables of features."""
    more = f" Not shown: {n_left_out} more column{'s' * (n_left_out > 1)}." if n_left_out else ""
    return (
        "Percent of the trees that ask the column anywhere at that depth; a depth has several questions, so a "
        f"column may sum to more than 100 %. Of a split that hesitates about its column, the first counts.{more}"
    )


# Thresholds

THRESHOLDS_OF = "Thresholds at the root, on"
NO_NEIGHBOURHOOD = "No number gains anything at the root of these data, so that there is no neighbourhood to draw."
WINDOWS = {"neighbourhood": "Neighbourhood T(t₀)", "cube root": "∛N", "square root": "√N"}
THRESHOLDS = (
    "Bars: share of the trees with a threshold there. Grey: the neighbourhood of the best cut t₀ that a "
    "cultivated tree has at the root of the whole data. Thresholds of bagged trees without replacement lie within "
    "∛N rows of the best one (Bühlmann & Yu 2002); Nalenz & Augustin (2021) take √N, since the cuts that are "
    "found are not quite the best."
)


def most_often(name: str) -> str:
    """The feature that is chosen at first."""
    return f"{name} (most often at the root)"


def not_at_root(n_trees: int, name: str) -> str:
    """Note on a feature that no tree asks at its root."""
    return f"None of the {n_trees} trees asks {name} at its root."


def at_root(n: int, n_trees: int) -> str:
    """The number of trees that ask the feature at their root, before the coverage."""
    return f"Asked at the root by {n} of {n_trees} trees. Of these thresholds are covered by:"


# Agreement

TWO_TREES = "Two trees of a learner are needed to see whether they agree."
AGREE_ON = "Two trees agree on"
DIFFER_BY = "Two trees differ by"
DIFFER_HELP = "Root mean square over pairs of trees and rows"
AGREEMENT = (
    "Up: share of the rows. Trees of different structure may well say the same; where they do not, the answer "
    "depends on the luck of the draw. Rows that a tree has grown on are among them."
)
LEAST_ALIKE = "Rows on which they agree least"
LEAST_ALIKE_ALT = "Rows on which the trees agree least"
MEASURE = {True: "agreement", False: "difference"}  # of classes, of numbers


def of_rows(share: float) -> str:
    """A share of the rows."""
    return f"{percent(share)} of the rows"


def measure_of(is_classification: bool, learner: str) -> str:
    """Heading of a learner's agreement in a table."""
    return f"{MEASURE[is_classification]}: {learner}"


# Surface

ASKING = "Asking all trees …"
SHARES = "shares"


def deviation(of: str, most: float) -> str:
    """Heading of the scale of the maps; `of` is what the trees predict."""
    return f":small[Standard deviation of the {of} that the trees tell, from none to {number(most)}]"


def scale_alt(most: float) -> str:
    """Alt text of the scale."""
    return f"From 0 to {number(most)}"


def spread(deviation: float, is_classification: bool) -> str:
    """How much the answers of redrawn trees vary, below the bars of their structures, in Markdown."""
    of = "shares" if is_classification else "answers"
    return f":small[Standard deviation of the {of} over the trees: **{number(deviation)}**]"


def mean_variance(value: float) -> str:
    """Caption of a map."""
    return f"Mean variance {number(value)}, standard deviation {number(value**0.5)}"


def maps(most_trees: int, is_classification: bool) -> str:
    """Caption of all maps."""
    of_classes = " Of classes: the root of half the summed variances of the shares." * is_classification
    return (
        f"The stronger the tone, the more the answer depends on the draw. At most {most_trees} trees of each "
        f"learner are asked; columns on no axis have their median or most frequent value.{of_classes}"
    )
