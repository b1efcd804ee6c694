"""What several readers say of models that a forest here cannot be."""

from espalier.language import Refusal, to_say

OBJECTIVE = to_say("the model's objective is {name}, which a forest here cannot stand for")
CATEGORIES = to_say("the model splits a column of more than {n} categories, and a split here tells {n} apart")
SEVERAL_NUMBERS = to_say("the model predicts several numbers for a row; a forest here predicts one")
QUESTION = to_say("the model asks a question of the kind {name}, which no split here stands for")
MOST_CODES = 64  # categories that a split can tell apart
MANY_COLUMNS = to_say("the file says that its model takes {n} columns; up to {most} can be read")
MOST_COLUMNS = 100_000  # of a file, which may say any number of them without naming one


def check_width(n: int) -> None:
    """Raise Refusal for more columns than a file may say that it has."""
    if n > MOST_COLUMNS:
        raise Refusal(MANY_COLUMNS, n=n, most=MOST_COLUMNS)
