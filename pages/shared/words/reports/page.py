"""Texts of the reports of pages."""

from __future__ import annotations

REPORT = "Report"
ABOUT = (
    "What this page shows as it is set now, with the data, the settings and what the models should not be used "
    "for: one file that opens without the internet, to read, to print and to keep."
)
SCRIPT = "Python that makes the models again (.py)"
NOTEBOOK = "Notebook that makes the models again (.ipynb)"
WRITING = "Writing the report …"
CASE = "The answer to this case"
QUESTIONS = "The questions"
SHARE = "share"
HESITATION = "Three answers to the same rows"
ORIGIN = "What the table is about"
NEW_ROWS = "What the model says of new rows"
MATCHED_COLUMNS = "How the columns were matched"
BY_DEPTH = "By how many questions it may ask"
SPLITS = "Every split, and how sure it is"
ALONG = "Along a column"
SELECTED_NODE = "The selected node"
FIRST_QUESTION = "Why it asks this first"
STORY = "The story of one row"
FOR_EXPERTS = "Rows for an expert"
COMPARED = "Models compared"
WHEN_TO_ANSWER = "When models should rather not answer"
TWO_FORESTS = "Two forests"
SAME_AGAIN = "Would the same tree grow again?"
CRITICAL_LOOK = "A critical look"
DECISIONS = "Decisions and their costs"
PROMISES = "Promises"
ERRORS = "How good the forests are"
SURFACES = "What the forests answer"
IMPORTANCE = "What the forests rely on"
STRUCTURES = "How many different trees"
COLUMNS = "What they ask about"
BOTH = "The model and the tree that stands in for it"
SURFACE = "What it answers"
AGREEMENT = "How far the trees agree"
TREE = "The tree"
TREES = "The first trees"
STANDS_IN = "Can one tree stand in for a model?"
NUMBER, VALUE = "measure", "value"
MANY_TREES = "What do many trees do that one cannot?"
INTERVALS = "95 % intervals"


def interval(low: str, high: str) -> str:
    """Ends of an interval."""
    return f"{low} to {high}"


def save(kilobytes: str) -> str:
    """Label of the button, with the size of the file."""
    return f"Save the report (.html, {kilobytes} kB)"


def about(question: str, models: str, data: str) -> str:
    """First sentence of a report: the question of the page, the models, and the table."""
    return f"{question} {models}, on the rows of “{data}”."


def next_question(text: str) -> str:
    """The question that is still open; Markdown."""
    return f"Asked next: {text}"


def about_table(name: str, target: str) -> str:
    """First sentence of the report of a table."""
    return f"The table “{name}”, in which trees are to predict {target}."


def scikit_forest(seed: int) -> str:
    """Which forest stands beside the trees of ours."""
    return f"The random forest is scikit-learn's: 500 trees, all other settings at their defaults, seed {seed}."


def votes_on(row: str) -> str:
    """Heading of what each tree says of a row."""
    return f"What the trees say of {row}"


def in_truth(answer: str) -> str:
    """The truth of a row."""
    return f"In truth it is {answer}."


def explained(name: str) -> str:
    """Which class the parts of answers are about."""
    return f"Shown for the share of “{name}”:"


def answer_to(row: str, answer: str, truth: str) -> str:
    """The answer of a tree to a row, whose name begins the sentence, and the truth."""
    return f"{row}: the tree says {answer}; in truth it is {truth}."
