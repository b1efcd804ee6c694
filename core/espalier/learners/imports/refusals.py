"""What several readers say of models that a forest here cannot be."""

from espalier.language import to_say

OBJECTIVE = to_say("the model's objective is {name}, which a forest here cannot stand for")
CATEGORIES = to_say("the model splits a column of more than {n} categories, and a split here tells {n} apart")
SEVERAL_NUMBERS = to_say("the model predicts several numbers for a row; a forest here predicts one")
QUESTION = to_say("the model asks a question of the kind {name}, which no split here stands for")
MOST_CODES = 64  # categories that a split can tell apart
