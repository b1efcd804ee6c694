"""Sentences that several parts of a page say."""

from __future__ import annotations

from espalier.display.theme import count
from espalier.language import Texts, say

CONTROLS = Texts(
    {
        "asking": (
            "Questions made from",
            "- **Full model.** One tree that stands in for a model nobody can read, as on the page Approximate.\n"
            "- **CART**, **Optimal.** The tree of the page Tree, with the settings that it has there.",
        ),
        "questions": (
            "Ask at most",
            "A shorter questionnaire leaves the last questions out and answers with what all who come so far "
            "have in "
            "common. *Term:* depth of the tree.",
        ),
        "sure": (
            "Sure enough from",
            "Where the likeliest answer is less likely than this, the questionnaire says that it is not sure, and "
            "names the two likeliest. *Term:* abstention, or reject option.",
        ),
    }
)


def number_of_questions(n: int) -> str:
    """A number of questions on the slider."""
    return say("{n} question" if n == 1 else "{n} questions", n=n)


def length_warning(n: int, most: int) -> str:
    """Note in place of a sheet with too many questions."""
    return say(
        "This questionnaire has {n} questions, too many for paper (at most {most}). Ask fewer: “Ask at most” on "
        "the left.",
        n=count(n),
        most=most,
    )


def sheet_title(target: str) -> str:
    """Title of the sheet."""
    return say("Questionnaire: {target}", target=target)


def sheet_length(n: int) -> str:
    """Length of the sheet."""
    return say("At most {n}.", n=number_of_questions(n))
