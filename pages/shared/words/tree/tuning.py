"""Texts of “Tune for me”, the search for settings."""

from __future__ import annotations

TUNE = "Tune for me"
HELP = (
    "Looks for the settings with the best score by cross-validation, and says honestly how good they are on rows "
    "that the search has not seen."
)
CLOSE = "Close"
TIME, TIME_HELP = "Time", "The search ends by then with the best so far; it can go on from there."
BY = "Best by"
BY_HELP = (
    "The score that settings are chosen by. Of classes of which one has most rows, accuracy tells little. "
    "*Terms:* as on the Compare page."
)
SEARCH = "Search"


def heading(learner: str) -> str:
    """Heading of its part of the page."""
    return f"#### Tune for me: {learner}"


def seconds(text: str) -> str:
    """A time to choose.

    >>> seconds("30"), seconds("300")
    ('30 s', '5 min')
    """
    n = int(text)
    return f"{n} s" if n < 100 else f"{n // 60} min"


def introduction(n_rows: int) -> str:
    """What the search will do."""
    return (
        f"Combinations of settings are tried on the {n_rows:,} rows that are not held out, by cross-validation: "
        "first many on a part of the rows, then the best third of them on three times as many, up to all "
        "(*successive halving*). The search is then repeated without each fifth of the rows in turn, and what it "
        "chose is scored there (*nested cross-validation*): an honest score, since these rows had no part in the "
        "choice. Groups and times are respected. Settings that are not searched stay as they are."
    )


# While it goes

SEARCHING = "**Looking for settings**"
STOPPED = "The search was stopped. Here is what it has found so far."
FAILED = "No settings were found."


def how_far(n_trials: int) -> str:
    """How many trials have ended."""
    return f"{SEARCHING}: {n_trials:,} trials so far"


def search_on(text: str) -> str:
    """The button that goes on."""
    return f"Search on for {seconds(text)}"


# What was found

RULES = {
    "now": "Where the search began",
    "simplest": "Simplest within one standard error",
    "best": "Best in the search",
}
ON_NEW_ROWS = (
    "The honest score: the mean over parts of the rows that had no part in the choice, each scored with what the "
    "search chose without it. *Term:* nested cross-validation."
)
USE, IN_USE = "Use these settings", "In use"
USE_HELP = "The controls on the left take these values. Undo takes it back."
KEYS = "Arrows go from size to size, Enter takes the settings."
BELOW_THE_PICTURE = (
    "Every dot is a combination of settings; small pale ones have seen a part of the rows. The line joins the "
    "best of each size: click it to take the settings. The dotted line is one standard error from the best; the "
    "dashed ones are the score of the best in the search, and that of such choices on rows that had no part in "
    "them."
)


def on_new_rows(score: str) -> str:
    """Label of the honest score."""
    return f"{score}, on new rows"


def in_the_search(score: str, spread: str) -> str:
    """The score that the search has seen."""
    return f"In the search: {score} ± {spread}"
