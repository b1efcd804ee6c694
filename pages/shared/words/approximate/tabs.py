"""Texts of the Approximate page: its heading and its tabs."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import percent

# The tabs

TABS = ("Tree", "Side by side", "Fidelity", "Splits")

# The heading: numbers and their help, with {n} for the number of fresh cases

AGREES = "agrees with the model"
R2_TO_MODEL = "R² to the model"
AVERAGE_GAP = "average gap"
DIFFERENCE = "difference"
MODEL = "model"
TREE = "tree"
BASELINE = "baseline"
MADE_UP = "made-up cases"
ACCURACY = "accuracy"
R2 = "R²"
NUMBERS = {
    AGREES: "Of {n} fresh made-up cases, how many the tree takes for the same class as the black box does. "
    "*Term:* fidelity.",
    R2_TO_MODEL: "How much of the black box's variation over {n} fresh made-up cases the tree has. 1: the same "
    "answers.",
    AVERAGE_GAP: "By how much the chances that both give to the classes differ on average over fresh made-up "
    "cases: half the sum of the differences, 0 if they are the same, 1 at most. *Paper:* L1 (section 4).",
    DIFFERENCE: "By how much both answers differ on average over fresh made-up cases, in the target's unit.",
    MODEL: "On rows that neither has seen: what to expect of new ones.",
    TREE: "On the same rows: what is lost by the tree, if anything.",
    BASELINE: "On the same rows: always the most frequent class of the rows learned from, or their mean.",
    MADE_UP: "Rows drawn around those of the table to find all splits together. Nodes that the test decides early "
    "need few. *Paper:* pseudo-samples.",
}


def title(box: str, data: str, n_rows: int, target: str) -> str:
    """The black box and the data; all names are Markdown."""
    return f"**{box} and one tree**  \n:small[:gray[{data} · {n_rows:,} rows · target {target}]]"


def score_of(score: str, whose: str) -> str:
    """Label of a score of the model, the tree or the baseline."""
    return f"{score}, {whose}"


def asked(depth: int, n_leaves: int) -> str:
    """Size of the tree at the beginning of a sentence."""
    if depth == 0:
        return "Without any question"
    leaves = f"{n_leaves} lea{'f' if n_leaves == 1 else 'ves'}"
    return f"With at most {depth} question{'s' * (depth != 1)} ({leaves})"


def agrees(size: str, who: str, share: float) -> str:
    """Fidelity of a tree of classes; the model's name is Markdown."""
    return f"{size} the tree agrees with {who} **{percent(share)}** of the time."


def all_the_same(who: str) -> str:
    """The model gives one answer only; its name is Markdown."""
    return f"To {who} all made-up cases are the same."


def explains(size: str, who: str, share: float) -> str:
    """Fidelity of a tree of numbers; the model's name is Markdown."""
    return f"{size} the tree explains **{percent(share)}** of the variation in the answers of {who}."


def learnt_from_some(box: str, n: int) -> str:
    """Note on a black box that learnt from some rows."""
    return f" {box} learnt from {n:,} of the rows: more would take too long or too much room."


# Tree

SHARES = (
    "Shares and impurities are of what the black box says of made-up cases; bars are rows of the table "
    "by their true target. **?** marks a split that the test did not decide."
)
CLICK = "Every row starts here. Click a node to see how sure its split is."
GAIN = "gain"
CHANCE = "chance"
ASKS = "asks"
IN_THE_RUNNING = "still in the running"
TRIED = "tried"


def how_sure(node: int) -> str:
    """Heading of a node's split."""
    return f"**How sure is the split of node {node}?**"


def closest_alt(node: int) -> str:
    """Description of the table of rivals."""
    return f"Splits of node {node} that came closest"


def best_of(n: int, is_open: bool, shown: int) -> str:
    """Note on rivals that are not listed; empty where there are none."""
    return f" Of {n:,} {IN_THE_RUNNING if is_open else TRIED} the {shown} best are listed." if n > shown else ""


def exact_columns(more: str) -> str:
    """Meaning of the table's columns, by the exact method."""
    return f"✓ is what the tree asks. *Gain*: by how much the split lowers the impurity, exactly.{more}"


def sampled_columns(more: str) -> str:
    """Meaning of the table's columns, by made-up cases."""
    return (
        "✓ is what the tree asks. *Gain*: by how much the split lowers the impurity. *Chance*: how likely as many "
        f"other made-up cases would put it before the best (Zhou & Hooker 2016, equation 4).{more}"
    )


# Side by side

BOTH = "Both over the same plane, and how far apart they are"
THE_TREE_ALONE = "The tree"
DIFFER = "Where they differ"
DEEPER = "The deeper the colour, the greater the number."
APART = "In the third picture: the stronger the colour, the further apart."
APART_OF_CLASSES = (
    "In the third picture: the stronger the colour, the further apart; full where the class is another."
)


def colours(classes: Sequence[str]) -> str:
    """Description of the legend."""
    return f"A colour for each class: {', '.join(classes)}."


def dots(most: int, is_plane: bool) -> str:
    """Note on the dots."""
    by_chance = "" if is_plane else "; up and down they stand by chance"
    return (
        f"Dots are rows of the data, {most} at most{by_chance}. Columns on no axis have their median or most "
        "frequent value."
    )


# Fidelity

CASES = "made-up cases"
HELD_OUT_ROWS = "held-out rows"
GAPS_OF_CLASSES = (
    "*Average gap in the chances*: half the sum of the differences between what both give to the classes "
    "(L1 in the paper). *Agrees with the model*: how often both say the same class."
)
GAPS_OF_NUMBERS = (
    "*Mean difference*: in the target's unit; *R²*: how much of the black box's variation the tree has."
)
DEPTH = "depth"
LEAVES = "leaves"
BOX_SAYS = "the black box says"
BY_CLASS = "**By class**"
BY_CLASS_ALT = "How often the tree agrees, by what the black box says"
ROWS = "Rows on which they differ most"
ROWS_ALT = "Rows on which the black box and the tree differ most"
GAP = "gap"
ROW = "row"
HELD_OUT = "held out"


def stop_at(depth: int) -> str:
    """Button that makes the tree smaller."""
    return f"Stop at depth {depth}"


def allow(n: int) -> str:
    """Button that makes the tree larger."""
    return f"Allow {n} questions"


def by_depth(n: int, measures: str) -> str:
    """Meaning of the curves."""
    return (
        f"The tree cut off after 0, 1, 2, … questions, held against the black box on {n:,} fresh "
        f"made-up cases and, where there are any, on held-out rows. {measures}"
    )


def tree_agrees(rows: str) -> str:
    """Heading of a column by class."""
    return f"tree agrees, {rows}"


# Splits

LONE_ROOT = "The tree is a lone root: no split changes what the black box says on average."
NODE = "node"
SUM_OF_P = "sum of p"
AHEAD_BY = "ahead by"
SPLITS_ALT = "How sure every split of the tree is"
SURENESS = {
    "sampled": "**decided**: the test found the best split. **threshold open**: the made-up cases allowed did "
    "not tell the best splits apart, which ask the same column. **column open**: they ask different columns, so "
    "that others may well ask something else here. More made-up cases decide more. *Sum of p*: the chances of "
    "all rivals to win, added up (so that it may exceed 1); decided is what is below α.",
    "exact": "**exact**: the split that sampling without end would find. *Ahead by*: how much less the closest "
    "rival lowers the impurity.",
}
WHO = ("the model", "the tree")


def tick(method: str) -> str:
    """Note below the table."""
    return f"{SURENESS[method]} Tick a split to see its rivals."
