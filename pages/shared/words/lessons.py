"""Texts of lessons: the panel beside a page, and the list of all lessons."""

# The panel

ANSWER = "Answer"
A_NUMBER = "a number"
BACK = "Back"
NEXT = "Next"
SHOW = "Show me"
END = "To the result"
AGAIN = "Reset"
AGAIN_HELP = "The page as this step has it"
LEAVE = "End the lesson; the page stays as it is"
CHANGE = "Change it yourself."
NO_SUCH_LESSON = (
    "The link names a lesson that is not on this server. Its teacher may bring it again on the page Lessons."
)


def where(lesson: str, step: int, n_steps: int) -> str:
    """The lesson and the number of the step."""
    return f"{lesson} · step {step} of {n_steps}"


def sketch_alt(across: str, heights: str) -> str:
    """A sketch, for those who do not see it."""
    return f"Sketch with a point to drag at each of {across}; heights {heights}"


YOURS = "yours"
TRUE = "as it is"


# The list

TITLE = "Lessons"
INTRODUCTION = (
    "Short paths over the pages of this app. First you predict, then the page shows what happens, then you change "
    "it. The panel beside the page leads on; everything on the page can be used meanwhile."
)
BEGIN = "Begin"
GO_ON = "Go on"
ALL = "All lessons"


def size(minutes: int, n_steps: int) -> str:
    """The length of a lesson."""
    return f"{minutes} minutes · {n_steps} steps" if minutes else f"{n_steps} steps"


# A teacher's own lesson

BRING = "Bring a lesson of your own"
BRING_HELP = (
    "A lesson is a text file: steps, each with the address of a page and what to say beside it. Write one with "
    "any editor; a zip file may hold its German texts, too."
)
EXAMPLE = "A lesson to start from"


def brought(title: str) -> str:
    """A lesson that was just brought."""
    return f"**{title}** is here. The address of its first step opens it for others as long as this server runs."


def refused(problems: str) -> str:
    """What is wrong with a lesson, as a list in Markdown."""
    return f"This lesson cannot be opened yet:\n\n{problems}"


LINKS = "Looking whether every link is understood by its page"
UNDERSTOOD = "Every link is understood by its page."
LINKS_TOO_LONG = "Looking at the links took too long; `espalier lesson check` has no limit."


def misunderstood(problems: str) -> str:
    """What pages do not understand of a lesson's links, as a list in Markdown."""
    return f"The lesson runs, but its pages do not understand all of its links:\n\n{problems}"


# What a student hands in

RESULT = "Your answers"
HAND_IN = "The link to hand in: it opens this page with your answers."
NAME = "Your name, if it is to stand in the link"
NO_ANSWERS = "No question was answered yet."
COLUMNS = ("Step", "Question", "Answer", "Right answer", "")
RIGHT = "right"
WRONG = "not right"


def of_whom(name: str) -> str:
    """Heading of answers that were handed in."""
    return f"Answers of {name}" if name else "Answers"


def score(n_right: int, n_asked: int) -> str:
    """How many answers are right."""
    return f"**{n_right} of {n_asked}** questions are answered right."


# The command that checks lessons

PROGRAM = "espalier lesson check"
COMMAND = (
    "Say what in a lesson does not open: texts that are too long or not translated, links no page understands."
)
COMMAND_LESSONS = "folders of lessons, or single files"
COMMAND_DRAW = "draw the page of every link, and say what it notes"
COMMAND_LANGUAGE = "the language of what is said"
OPENS = "everything opens"


def at_practice(problem: str) -> str:
    """A problem with the link to the exercises."""
    return f"practice: {problem}"


def at_step(n: int, problem: str) -> str:
    """A problem with its place."""
    return f"step {n}: {problem}"


def no_effect(parameter: str, link: str) -> str:
    """A parameter that the page of a link does not read, or that has no effect beside the others."""
    return f"{parameter} has no effect in {link}"


def not_opened(link: str) -> str:
    """A link whose page did not open."""
    return f"the page of {link} does not open"
