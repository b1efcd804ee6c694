"""Texts of trees as good as the optimal one: their number, their cards, and a tree built by hand among them."""

from __future__ import annotations

from collections.abc import Sequence

TOO_MANY = (
    "There are too many trees to count here. Allow fewer errors more, a smaller depth, or fewer questions a "
    "column."
)


def cards(n_functions: str, n_cards: str, n_listed: str) -> str:
    """Number of functions and cards; `n_listed` of the trees that were listed, empty for all."""
    there = f"{n_functions} function{'s' * (n_functions != '1')} on {n_cards} card{'s' * (n_cards != '1')}"
    return f"The first {n_listed} are at least {there}." if n_listed else f"They are {there}."


def of_card(number: int, facts: Sequence[str]) -> str:
    """Line below the picture of a card: errors, splits, functions and more of its trees."""
    return f"**{number}** · {' · '.join(facts)}"


def apart(n: int, number: str) -> str:
    """The most rows that a tree of a card answers otherwise than its best tree."""
    if not n:
        return "every row answered alike"
    return f"at most {number} row{'s' * (n != 1)} answered differently"


GLANCE = "**At a glance: what differs from the tree shown above**"


def glance_caption(n_drawn: str, n: str) -> str:
    """What the marks of the small multiple are; `n_drawn` of the cards are drawn, empty for all."""
    which = f"The first {n_drawn} of {n} cards" if n_drawn else f"All {n} cards"
    return (
        f"{which}. Dots are questions, bars leaves; what has no sign is as in the tree shown. Δ: another "
        "threshold. ≠: another question, or another answer. +: a question that the tree shown does not ask. −: "
        "one that is missing here. The button shows the tree."
    )


def cell(number: int, errors: str) -> str:
    """Label of the button below a small tree."""
    return f"{number} · {errors}"


def functions(n: int, number: str) -> str:
    """A number of functions."""
    return f"{number} function{'s' * (n != 1)}"


# Build your own

OWN = "#### Build your own"
OWN_CAPTION = (
    "Decide node by node. Beside each choice stands how many of the trees above agree with it and with all that "
    "you have decided, and the best of them. The numbers are exact, and count trees: a function may be several."
)
NODE = "Node"
ROOT = "root"
ANSWER = "Answer at once"
ASK = "Ask about"
WHERE = "Question"
CLOSED = "Not possible here any more"
TAKE_BACK = "Take back"
TAKE_BACK_HELP = "Opens a node again, with all below it."
ANEW = "Start anew"
FINISH = "Finish for me"
FINISH_HELP = "Fills in the rest with the best tree that agrees with what you have decided."
SHOW = "Show it above"
SHOW_HELP = "Shows your tree in place of the optimal one, with its surface, its scores and its exports."
ONLY_ANSWERS = "No question leads to a tree as good here."
NO_DEPTH = "The greatest depth is reached here: only an answer is left."
FORM = "what was decided in building a tree"
OWN_LOST = "own: no tree as good agrees with what was decided there"
NO_STABLE = (
    "there is no stable tree here any more, so this is the optimal one; the page Stability compares trees of "
    "redrawn rows"
)
NOTHING_TO_PART = "They part none of the rows here"


def left(trees: str, errors: str) -> str:
    """Number of trees that agree with what is decided, and the best of them."""
    return f"**{trees}** left; the best has {errors}."


def finished(errors: str, splits: str) -> str:
    """Line about a tree that is finished."""
    return f":material/check_circle: Your tree is finished: {errors}, {splits}."


def shown(errors: str, splits: str) -> str:
    """Note that the tree that was built is shown in place of the optimal one."""
    return f"This is the tree that you have built: {errors}, {splits}."


def choice(what: str, trees: str, errors: str) -> str:
    """A choice, with the trees that it leaves, and the errors of the best of them."""
    return f"{what} · {trees} · {errors}"


def ask(name: str, trees: str, errors: str) -> str:
    """A column to ask about."""
    return f"{name} · {trees} · best {errors}"


def too_dear(name: str, errors: str, more: str) -> str:
    """Reason why a column is not possible; `more` is how much more than allowed."""
    return f"- **{name}**: the best tree with it has {errors}, {more} more than allowed."


def answer_too_dear(name: str, errors: str, more: str) -> str:
    """Reason why an answer is not possible; `more` is how much more than allowed."""
    return f"- Answering **{name}** at once: the best such tree has {errors}, {more} more than allowed."


def same_answer(name: str) -> str:
    """Reason why an answer is not possible: the split above would not matter."""
    return f"- Answering **{name}** at once: both sides of the question above would answer the same."


def instead_of(decision: str) -> str:
    """What would make it possible: a decision taken back."""
    return f" It is possible again without the decision at “{decision}”."


def allow(slack: str) -> str:
    """What would make it possible: more slack."""
    return f" Allow {slack} more than the best tree has, and it is possible."


def not_below(slack: str) -> str:
    """The slack below which it stays impossible, where only a bound is known."""
    return f" For that, at least {slack} more than the best tree has must be allowed."


def parting_none(names: str) -> str:
    """Columns that part none of the rows."""
    return f"- {NOTHING_TO_PART}: {names}."


def at_least(errors: str) -> str:
    """A lower bound of the errors, or the cost."""
    return f"at least {errors}"


# What the trees say together

TOGETHER = "#### What these trees say together"
ALL_SETTLED = "Every training row gets the same class from all of them."
OPEN_ROWS = "The rows whose class is not settled"
IS_OPEN = "the class is not settled"
ROW = "row"
TRUE = "in truth"
WHERE_OPEN = "**Where these trees agree**"
WHERE_OPEN_CAPTION = (
    "Full colours: all of them give this class. Grey and mixed colours: some give one class, some another; all of "
    "them are asked. Other columns are held at typical values, or at those of the selected row."
)


def ambiguity(n: str, n_rows: str, share: str) -> str:
    """Number of rows on which the trees disagree. *Term:* ambiguity."""
    share_of = f"{n} of {n_rows} training rows ({share})"
    return f"**{share_of} are not settled**: some of these trees give them another class."


def discrepancy(n: str) -> str:
    """The most rows that one tree answers otherwise than the optimal one."""
    return (
        f"One tree alone answers at most {n} of them otherwise than the optimal one. "
        "*Terms:* ambiguity, discrepancy (Marx, Calmon & Ustun 2020)."
    )


def possible(name: str) -> str:
    """Head of a column: the errors of the best tree that gives a row this class."""
    return f"{name}, from"


def first_rows(n: str) -> str:
    """Note on a table that has only the first rows."""
    return f"The first {n} rows."


# How much the trees rely on each column

RELIANCE = "errors more if swapped"


def to(low: str, high: str) -> str:
    """A range."""
    return f"{low} to {high}"


def reliance(n_drawn: int) -> str:
    """What the ranges of the columns are; `n_drawn` of the trees were drawn for them, 0: all were asked."""
    whose = f"{n_drawn} trees drawn from them all: other trees may reach further" if n_drawn else "all these trees"
    return (
        "How many errors more (how much more cost) it makes on average if each training row gets the column's "
        f"value of another row: the least and the most of {whose}. *Term:* model class reliance (Fisher, Rudin & "
        "Dominici 2019)."
    )


def span(low: str, high: str) -> str:
    """A range, or its one value."""
    return low if low == high else to(low, high)
