"""Texts of the Questionnaire page, and of the sheet to print."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.views.theme import percent

# The page


def question_of_all(name: str, target: str) -> str:
    """The question that the questionnaire answers; both names are Markdown."""
    return f"**{name}**: what is the {target}?"


# The rail: label and help of each control

HOW_GROWN = "**How the tree behind it is grown**"
SOURCES = {"approximation": "Full model", "cart": "CART", "optimal": "Optimal"}
QUESTIONNAIRE = "The questionnaire"
CONTROLS = {
    "asking": (
        "Questions made from",
        "- **Full model.** One tree that stands in for a model nobody can read, as on the page Approximate.\n"
        "- **CART**, **Optimal.** The tree of the page Tree, with the settings that it has there.",
    ),
    "questions": (
        "Ask at most",
        "A shorter questionnaire leaves the last questions out and answers with what all who come so far have in "
        "common. *Term:* depth of the tree.",
    ),
    "sure": (
        "Sure enough from",
        "Where the likeliest answer is less likely than this, the questionnaire says that it is not sure, and "
        "names the two likeliest. *Term:* abstention, or reject option.",
    ),
}


def so_many_questions(n: int) -> str:
    """A number of questions on the slider."""
    return f"{n} question{'s' * (n != 1)}"


def all_questions(n: int) -> str:
    """The end of the slider."""
    return f"all {n}"


def tree_in_sentence(title: str) -> str:
    """A tree of the page Tree in the middle of a sentence: its learner is CART or another."""
    return f"the {title if title == 'CART' else title.lower()} tree"


# Answers in the address

ANSWERS = "answers as this page writes them, of columns that these data have"


def most_answers(most: int) -> str:
    """The number of answers that an address may have."""
    return f"at most {most} answers"


# A question

DO_NOT_KNOW = "I do not know"
TYPE_IT = "If you know it, type it and press Enter"
CHOOSE_IT = "Choose, if you know it"
ANSWERS_LATER = "Later questions on it are then answered too."
BACK = "Back"
START_AGAIN = "Start again"
SO_FAR = "**Said so far**"
NOTHING_YET = "Nothing yet. Your answers are kept in the link of this page: whoever opens it sees them."
CHANGE = "Change"
CHANGE_HELP = "Takes this answer back, and all after it."


def you_said(answer: str) -> str:
    """An earlier answer on the same column."""
    return f"You said: {answer}."


def stands_in(name: str) -> str:
    """Note on a question that is asked because another one could not be answered; Markdown."""
    return f"You do not know {name}. This question tells most nearly the same."


def stood_in(names: Sequence[str]) -> str:
    """Note on unknown values in whose place other columns decided."""
    return f"Not known: {', '.join(names)}. Another column stood in, which mostly leads the same way."


def progress(number: int, left: str) -> str:
    """Number of the question, and how many are left."""
    return f"Question {number}: {left}"


def or_choose(name: str) -> str:
    """Label of the list of a column's categories; the name is Markdown."""
    return f"Or choose: {name}"


def or_value(name: str, unit: str) -> str:
    """Label of the box for a column's number; name and unit are Markdown."""
    return f"Or the value of {name}" + (f", in {unit}" if unit else "")


# The answer

MODEL_WOULD_SAY = "The model would say"
ANSWER_IS = "The answer is"
BECAUSE = "**Because**"
NO_REASONS = "- nothing needs to be asked: the answer is the same for everybody."
HOW_SURE = "**How sure is that?**"
EVERY_QUESTION = "How sure is every question?"
NOT_TESTED = "not tested"


def few_rows(behind: str) -> str:
    """Warning of an answer that few rows stand behind."""
    return f":material/warning: {behind}"


def class_share(name: str, share: float) -> str:
    """Text beside the bar of a class; the name is Markdown."""
    return f"{name}: {percent(share)}"


def shares_of_model(who: str) -> str:
    """Meaning of the bars, where a model stands behind them; its name is Markdown."""
    return f"How likely {who} finds each in such cases, on average."


def shares_of_rows(is_assumed: bool) -> str:
    """Meaning of the bars, where rows of the table stand behind them."""
    where = "that go the way taken, with what is assumed below" if is_assumed else "that led here"
    return f"Shares of the rows of the table {where}."


def strange_value(name: str) -> str:
    """Warning of a value outside of all rows."""
    return f"No row of the table has such a value of {name}: the answer is a guess."


def learned(names: Sequence[str]) -> str:
    """Note on unknown values that the tree has learned to deal with."""
    return f"Not known: {', '.join(names)}. The tree has learned what to make of that."


def assumed(names: Sequence[str], is_settled: bool) -> str:
    """Note on unknown values in whose place others are assumed."""
    weak = "" if is_settled else ", so the answer is **less sure**"
    return f"Not known: {', '.join(names)}. Assumed is what most rows have that come as far{weak}."


def if_known(n: int, could_be: str) -> str:
    """The answers that could come of it if these n values were known."""
    return f"If {'it were' if n == 1 else 'they were'} known, {could_be}."


def tested(demand: str, chance: str) -> str:
    """A question of the way, and the chance that another would have been the right one."""
    return f"{demand}: {chance or NOT_TESTED}."


# The full model

ASK_IT = "Ask it about this very case"
FIELDS = (
    "It needs a value of every column. What you did not say stands here as it is typical of the rows that led "
    "to the same answer (the middle value, or the most frequent one). Change what you know better."
)
NOT_KNOWN = "not known"
OTHER_ANSWER = "That is another answer than the questionnaire's, which knows only what it asked."
IT_SAYS = "it says"


def itself(who: str) -> str:
    """Heading of the full model's answer; its name is Markdown."""
    return f"**What would {who} itself have said?**"


def other_columns(n: int) -> str:
    """Note on columns that have no field."""
    return f"The other {n} columns stay as they are typical."


def model_says(who: str) -> str:
    """Beginning of the model's answer."""
    return f"{who} says"


def questionnaire_says(number: str) -> str:
    """The questionnaire's number beside the model's."""
    return f"The questionnaire says {number}."


def no_fit(elsewhere: str) -> str:
    """Warning of values that contradict the answers."""
    return f"These values do not fit your answers: with them, the questionnaire ends elsewhere ({elsewhere})."


# The sheet

PRINT = "Print the questionnaire"
SAVE = "Save as a web page (.html)"
SAVE_HELP = "It opens in every browser and prints on A4."
BEHIND_TREE = "how often that was right among the rows of the table that led there, and how many these were"


def too_many(n: int, most: int) -> str:
    """Note in place of a sheet with too many questions."""
    return (
        f"This questionnaire has {n:,} questions, too many for paper (at most {most}). Ask fewer: "
        "“Ask at most” on the left."
    )


def behind_model(who: str) -> str:
    """Meaning of the numbers behind an answer on the sheet."""
    return f"how likely {who} takes such a case for that, and how many rows of the table led there"


def sheet_title(target: str) -> str:
    """Title of the sheet."""
    return f"Questionnaire: {target}"


def origin(who: str, is_model: bool, n: int, name: str) -> str:
    """The model or tree that the sheet comes from, and its rows."""
    start = f"Stands in for {who}" if is_model else f"Asks what {who} asks"
    return f"{start}, made from {n:,} rows of “{name}” by Espalier."


def at_most(n: int) -> str:
    """Length of the sheet."""
    return f"At most {so_many_questions(n)}."


# What a length is worth

HOW_MANY = "How many questions are enough?"
LENGTHS_ALT = "What the questionnaire is worth by its length"
TESTED_ROWS = "rows kept for testing"
SHEET_ROWS = "the rows that it was made from"
GROWN_ROWS = "the rows that the tree was grown on"
TARGET = "the target"
QUESTIONS = "questions, at most"
MEAN_ASKED = "asked on average"
ENDINGS = "endings"
EXPLAINED = "variation explained"
SAME = "same as the full model"
RIGHT = "right"


def model_answers(who: str) -> str:
    """The answers of a model, as a thing that varies."""
    return f"what {who} says"


def explains(share: float, whose: str) -> str:
    """Worth of a questionnaire about a number."""
    return f"It explains {percent(share)} of how {whose} varies."


def follows(share: float, who: str) -> str:
    """Worth of a questionnaire that stands in for a model."""
    return f"It answers as {who} does in {percent(share)} of made-up cases."


def is_right(share: float, rows: str, rates: Sequence[str]) -> str:
    """Worth of a questionnaire about classes, with sentences on the baseline and on each class."""
    return f"It is right on {percent(share)} of {rows}. {' '.join(rates)}"


def on_made_up_cases(who: str) -> str:
    """The cases that the table of lengths is measured on; the model's name is Markdown."""
    return f"Measured on fresh made-up cases that {who} was asked about."


def measured_on(rows: str) -> str:
    """The rows that the table of lengths is measured on."""
    return f"Measured on {rows}."


def by_costs(name: str, cut: float, said: str) -> str:
    """What to do by the costs, beside the verdict; names are Markdown."""
    rule = f"By what errors cost, “{name}” is the answer from a share of {percent(cut)} on"
    return f"{rule}: here act as for **{said}**."
