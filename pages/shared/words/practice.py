"""Texts of practice."""

LESSONS = "Lessons"
PRACTICE = "Practice"
PRACTISE = "Exercises that fit this lesson"
VIEW = "What is shown"
INTRODUCTION = (
    "Ten exercises for paper and pencil, checked at once. The address has their kinds, level and seed: whoever "
    "opens it gets the same ones. Your answers are not in it."
)
KINDS_LABEL = "Kinds of exercises"
KINDS = {
    "impurity": "Impurity of a node", "gain": "Gain of a split", "split": "The split that wins",
    "node": "What a leaf answers", "route": "Path of a row", "region": "Part of the plane",
    "surface": "Surface of a tree", "drawing": "Tree of a surface",
    "pruning": "Pruning", "errors": "Fewest errors", "surrogate": "Surrogate split", "votes": "Votes of a forest",
    "variance": "Variance of a mean",
}  # fmt: skip
LEVEL = "Level"
LEVELS = ("easy", "middle", "hard")
SEED = "Seed of the exercises"
SEED_HELP = "The same number gives everyone the same exercises; another one gives others."
OTHERS = "Other exercises"
UPPER_IS_YES = "If the condition holds, follow the upper branch."
CHECK = "Check"
NO_NUMBER = "Write a number, such as 0.48."
NO_CHOICE = "Choose an answer."
NO_QUESTION = "Choose the first question."
LEAF = "no question: a leaf"
THIS_TREE = "This tree"
NEXT = "Next"
SAVE = "Save your results"
SAVE_HELP = "A small file with your answers, to hand in. The server keeps nothing."
NAME = "Your name, if it is to stand in the file"
FILE = "practice.json"
COLLECT = "For teachers: collect files of results"
COLLECT_HELP = (
    "One table of who answered what. Answers are checked anew, and a file that was changed by hand says so; who "
    "answered, and with what help, no file can prove."
)
TABLE = "Save the table"


def accepted_kinds(kinds: str) -> str:
    """The kinds of exercises that an address may have."""
    return f"kinds with commas between them: {kinds}"


def where(n: int, n_exercises: int, kind: str, n_right: int) -> str:
    """The place in the series, and the answers that were right so far."""
    return f"{kind} · exercise {n} of {n_exercises} · {n_right} right so far"


def question_where(conditions: list[str]) -> str:
    """Label of the choice of a question: the root's, or that of the rows that fulfil these conditions."""
    return f"Question where {', '.join(conditions)}" if conditions else "First question"


def right(answer: str) -> str:
    """The verdict on a right answer."""
    return f"{answer} is right."


def wrong(answer: str, mistake: str) -> str:
    """The verdict on a wrong answer, with the mistake behind it where that is known."""
    return f"{answer} is not right. {mistake}"


def score(n_right: int, n_asked: int) -> str:
    """How many answers are right."""
    return f"**{n_right} of {n_asked}** exercises are answered right."


def refused(file: str, problem: str) -> str:
    """A file that cannot be read."""
    return f"{file}: {problem}."
