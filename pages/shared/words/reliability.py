"""Texts of the Reliability page."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import number

# The page

TITLE = "When should a model rather not answer?"
INTRODUCTION = (
    "A model that knows what it does not know leaves its doubtful rows to an expert, and is right more often on "
    "the rest. Each model is asked about rows that it has not seen."
)
CHOOSE_A_MODEL = "Choose at least one model above."
NONE_COULD_BE_ASKED = "None of these models could be asked; each place above says why."
BEGIN = "Ask them"
TO_NEW_ROWS = "What a model says of new rows"


# How doubt is measured

DOUBT = (
    "Doubt is measured by",
    "- **What it is made of.** A cultivated tree's spread σ, a forest's votes, the leaf of a single tree.\n"
    "- **The share of its answer.** 1 − the share that the model gives the class that it says: the usual way, to "
    "compare with.",
)
DOUBT_OWN = "what it is made of"
DOUBT_SHARE = "the share of its answer"

# The goal: label and help of each control

GOAL_ANSWER, GOAL_RISK, GOAL_RISK_OF_NUMBERS, GOAL_COST = "answer a share", "be right", "be close", "cost least"
EVERY_UNIT = "Every unit off costs"
GOAL_HELP = {
    "goal": (
        "The goal",
        "Where to stop answering and hand the row to an expert. The threshold is chosen on some folds and judged "
        "on another one, so that it does not flatter itself. *Term:* operating point.",
    ),
    "answer": ("Share of rows to answer, in percent", "The rows that are doubted least. *Term:* coverage."),
    "right": (
        "Right, of the answered, at least (in percent)",
        "As many rows are answered as this allows on the folds that choose.",
    ),
    "confident": (
        "Promise it for new rows, with 90 % confidence",
        "Without it, the threshold is only just good enough for the rows at hand, and new rows may miss the goal "
        "about half the time. With it, fewer rows are answered, and on average at least nine of ten such promises "
        "are kept, if new rows are like these. *Terms:* risk control, learn then test.",
    ),
    "off": (
        "Average error, at most",
        "In the target's unit. As many rows are answered as this allows on the folds that choose.",
    ),
    "wrong": ("A wrong answer costs", "In whatever unit, such as euros or hours; the same for every error."),
    "expert": ("Asking an expert costs", "In the same unit; the expert is taken to be right."),
}

# The curves

AMONG_ANSWERED = "of the rows that it answers itself"
BY_THRESHOLD = "**By the threshold on the doubt**"
DO_THEY_KNOW = "How well do they know what they do not know? How is doubt measured?"
AURC = "The first number is the area under the curve of risk and coverage (AURC). Less is better."
SAVE_CURVES = "Curves (.csv)"


def judged(thresholds: Sequence[tuple[str, str]], is_promised: bool) -> str:
    """Caption of the outcomes of the goal; each threshold with the title of its model."""
    parts = "; ".join(f"{title}: {threshold}" for title, threshold in thresholds)
    how = "Judged on folds that did not choose the threshold; in brackets the 95 % interval"
    if is_promised:
        how = (
            "The threshold is chosen on all rows and judged on the same ones. The 90 % confidence takes that into "
            "account; the 95 % interval in brackets does not"
        )
    return f"{how}. For new rows: {parts}."


def answered(is_classification: bool) -> str:
    """Heading of the curves against the share answered."""
    what = "Right, of what is answered" if is_classification else "Average error of what is answered"
    return f"**{what}, when the most doubted rows are left to an expert**"


def answered_curves(is_classification: bool) -> str:
    """Caption of the curves against the share answered."""
    dotted = (
        " Dotted lines, each in its model's colour: the share of the same rows that one would get right by always "
        "saying the most frequent class."
    )
    return (
        "Further to the left, more rows are left to an expert. The larger marks are where the goal leads; bands "
        "are 95 % intervals, as the folds differ." + dotted * is_classification
    )


def threshold_curves(is_classification: bool) -> str:
    """Caption of the curves against the threshold."""
    of_classes = "right, of the answered (dotted: always the most frequent class)"
    of_numbers = "average error of the answered (axis on the right)"
    return (
        f"Full line: {of_classes if is_classification else of_numbers}. Dashed: share answered. A row is answered "
        "if its doubt is at most the threshold; the upright line is the threshold for the goal. After figure 4 of "
        "Nalenz & Augustin (2021)."
    )


# Whether doubts are true

MORE_DOUBT = "#### Does more doubt mean more error?"
STEPS = "The rows in ten steps of growing doubt. The steeper a line rises, the more its doubts say."
CALIBRATION = (
    "Of the rows that a model gives 80 % to the class that it says, 80 % should be of that class: on the dotted "
    "line they are. Large dots have many rows, pale ones fewer than 10; bars are 95 % intervals."
)

# Rows for an expert

EXPERTS = "#### Rows for an expert"
WHOSE_ROWS = ("Whose rows", "The model whose doubts are listed, and whose story is told below.")
THE_MODEL = "The model"
NOTHING_TO_HAND_OVER = "At this goal the model answers every row: there is nothing to hand over."
SAVE_EXPERTS = "Rows for an expert (.csv)"
EXPERTS_ALT = "Rows that the model would hand to an expert, with reasons"


def still_at_work(title: str) -> str:
    """Note on a model whose rows are to come."""
    return f"{title} is still at work; its rows come when it is done."


TICK = " Tick one to read its story."


def rows_for_experts(n: int, most: int, is_repeated: bool, on_paper: bool = False) -> str:
    """Caption of the list; at most so many of n rows are listed, and on paper none can be ticked."""
    rows = f"The {most} most doubted of {n} rows" if n > most else f"{n} row{'s' * (n != 1)}"
    return (
        f"{rows}, the most doubted first{', in the first of the repeats' * is_repeated}."
        f"{'' if on_paper else TICK} The truth is known here, since these are rows of the table; of new rows it "
        "would not be."
    )


# Rows whose class is not settled

UNSETTLED = "The rows whose class is not settled"
AS_GOOD_NOT_COUNTED = (
    "Whether other trees as good answer otherwise was not counted: for that the search must be proved, without "
    "directions of columns, and the trees must not be too many. A smaller depth or fewer questions a column help."
)


def all_settled(n_rows: str, within: str) -> str:
    """Line where all trees as good agree; `within` is how many more errors these may make, as a share."""
    return (
        f":material/check_circle: On all {n_rows} rows the trees as good as the optimal one agree (at most "
        f"{within} of the training rows more wrong)."
    )


def unsettled(n: str, n_rows: str, share: str, within: str) -> str:
    """Number of rows on which trees as good disagree. *Term:* ambiguity."""
    return (
        f":material/call_split: **The class of {n} of {n_rows} rows ({share}) is not settled**: of the trees as "
        f"good as the optimal one (at most {within} of the training rows more wrong) some give them another "
        "class. The training rows do not tell which of these trees is right; an expert may."
    )


def wrong_of_unsettled(share: str, share_of_others: str) -> str:
    """How often the model is wrong on rows that are not settled, and on the others."""
    return f"The model is wrong on {share} of them, and on {share_of_others} of the settled ones."


def unsettled_caption(is_cut: bool, most: str) -> str:
    """Caption of the list; at most so many are listed."""
    return (
        f"{f'The first {most} rows. ' * is_cut}Each row is put to all trees as good that were grown without "
        "it. They may ask any question of the search, or only about ten of each column where there are too many "
        "of these trees or leaves have a least size. Tick a row to read its story. *Term:* predictive "
        "multiplicity (Marx, Calmon & Ustun 2020)."
    )


# One row's story

STORY = "#### One row's story"
MOST_DOUBTED = "Most doubted"
MOST_DOUBTED_HELP = "The row that it doubts most"
CHOOSE_A_ROW = "Tick a row in the list above, or give its number, to read why the model says what it says of it."
NOT_ASKED = "The model was stopped before it was asked about this row."
LOOKING = "Looking for the smallest change …"
ASKING = "Asking the model along each column …"
WHY = "**Why**"
LEAVES = "A part for each leaf that it is in, as wide as its fraction, in the colour of what the leaf says."
NEARLY_WON = "**What nearly won**"
CAME_SECOND = "**What came second**"
CELLS = "A cell for each tree, in its class's colour; underlined where it is wrong."
DOTS = "A dot for each tree."


def parts(link: str) -> str:
    """Caption of the bars: what each column adds."""
    if link in ("logistic", "softmax"):
        counted = "in log odds, the score that becomes the share"
    elif link == "log":
        counted = "to the logarithm of the answer"
    else:
        counted = "beside what the model says before it knows any column"
    return (
        f"What each column's value adds to the answer (right) or takes away (left), {counted}. All together lead "
        "to the answer. *Term:* Shapley values (SHAP)."
    )


def headline(row: str, model: str, answer: str, truth: str) -> str:
    """The model's answer for a row, and the truth; the row begins the sentence."""
    return f"{row}: **{model}** says **{answer}**; in truth it is **{truth}**."


def doubt(value: float, measure: str) -> str:
    """The doubt, and its definition."""
    return f"Its doubt is {number(value)} ({measure}). The model has not seen this row."


def way(is_cultivated: bool) -> str:
    """Caption of the way of a row through its tree."""
    most = "What divides it most. " * is_cultivated
    return f"{most}The dot is this row, on the range of the column; grey is where it is cut."


# Changes of the answer

CHANGES = "**What would change the answer**"
MAY_CHANGE = "What may change"
BY_FEATURE = "Column by column"
BY_FEATURE_ALT = "For each column the smallest change that does it alone"
NONE = "none"
CHANGES_OF_ROW = "What would change the answer to this row?"
NO_PLANE = "The region of recourse needs a change, two columns, and values of both in this row."
ANY_OTHER = "any other answer"
SIDES = {"greater": "a greater number", "smaller": "a smaller number"}
FROM, TO, NO_LIMIT = "from", "to", "no limit"
SEARCH = "The search for the smallest change"
SEARCH_STOPPED = "The search was stopped: what it had found is shown."
CHANGE_HELP = {
    "keep": ("Stay as they are", "What nobody can change, such as an age or a place of birth."),
    "up": ("May only go up", "Such as years of experience: a change that makes them less is not offered."),
    "down": ("May only go down", "Such as debts: a change that makes them more is not offered."),
    "within": (
        "May only change within",
        "The least and the greatest number that it may become, in the column's own unit. A column may always "
        "stay as it is, and no value leaves the range of the table.",
    ),
    "toward": (
        "The change is to lead to",
        "Finds the smallest change that leads to this answer, and proves that no smaller one does; or proves that "
        "nothing that may change leads there.",
    ),
}
PLAUSIBLE = (
    "Only values that the table has room for are offered: numbers between the least and the greatest that stand "
    "there, whole numbers as whole ones, categories among those seen. The smallest change is that of the fewest "
    "columns; of those, the one that moves them least, each as a part of its range."
)


def not_asked_here(names: Sequence[str]) -> str:
    """Columns that are limited in the same way, and that the model of this page does not ask about; Markdown."""
    them = "it" if len(names) == 1 else "them"
    return f"Chosen, too, but this model does not ask about {them}: {', '.join(names)}."


def no_longer_limited(names: Sequence[str]) -> str:
    """Note on columns whose changes were limited, and that the table does not have any more; Markdown."""
    return f"Limits on changes are gone, because the table no longer has these columns: {', '.join(names)}."


def form_of_ranges(n: int) -> str:
    """The form of ranges of columns in a link, of n features."""
    return f"a column from 1 to {n}, its least and its greatest value, as 3~10~20.5, with * between columns"


def empty_range(name: str, low: float, high: float) -> str:
    """Error of a range that ends before it begins."""
    return (
        f"**{name}**: from {number(low)} to {number(high)} there is no number, so this range is not used. Let "
        "the first number be the smaller one."
    )


def search_longer(seconds: int) -> str:
    """Button of a longer search."""
    return f"Search for up to {seconds} seconds"


def searching(seconds: float, most: int) -> str:
    """How far the longer search is."""
    return f"Ruling out smaller changes, {seconds:.0f} s of at most {most} so far"


def recourse(is_classification: bool) -> str:
    """Caption of the plane of the two columns that matter most for another answer."""
    strong = "another class would be said" if is_classification else "a number far enough away would be said"
    return (
        f"The full dot is this row, the open one its nearest change. Colours are strong where {strong}, weak "
        "where not, and almost gone where this row may not go. All else is held. *Term:* region of recourse."
    )


def strips(is_classification: bool) -> str:
    """Caption of the strips of answers."""
    colour = "in the colour of the class that would be said" if is_classification else "the deeper the greater"
    return f"Along each column what would be said, all else held, {colour}; the mark is this row."


def form_of_features(n: int) -> str:
    """The form of such a choice in a link, of n features."""
    return f"numbers of columns from 1 to {n}, with dots between them"


# Models on redrawn data

AGAIN = "**Would it say the same, had the data been drawn again?**"
AGAIN_MODELS = "Each model has learned from rows drawn anew from the other folds. *Term:* bootstrap."
NOT_GROWN_AGAIN = "The model could not be grown again."
THE_STORY = "The story"


def stopped(n: int, most: int) -> str:
    """Note on models on redrawn data that were stopped."""
    return f"Stopped after {n} of {most} models on redrawn data."


def growing(seconds: float) -> str:
    """Note on the model of the fold, which is being grown."""
    return f"Growing the model that has not seen this row, {seconds:.0f} s so far"


def redrawing(n: int, most: int) -> str:
    """The number of the model on redrawn data that is being grown."""
    return f"Drawing the data again: model {n} of {most}"
