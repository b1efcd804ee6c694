"""Texts of the Approximate page: its rail, a person's own model, and progress; the rest in `approximate_tabs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from espalier.views.theme import number
from pages.shared.words import everywhere

# The rail: the black box, and how its tree is grown

ADVANCED = "Advanced"
CHANGE_FOREST = "Change it on its page"
NOT_EXACT = "Only a tree or forest of ours can be asked exactly."
OWN_MODEL = "Your own model (a file)"
_WITH_ARTICLE = ("forest", "svm", "network", "cultivated")  # black boxes


def boxes(offered: Iterable[tuple[str, str]]) -> str:
    """Help of the choice of a black box, from titles and meanings of those that learn here; Markdown."""
    return (
        "The model that the tree is to stand in for. It learns from the rows that are not held out.\n"
        f"{everywhere.kinds(offered)}"
        "\n- **Forest A, forest B.** As they are set on the Forests page."
        "\n- **Your own model.** Trees of XGBoost, LightGBM, CatBoost or R, or an ONNX file. Nothing is "
        "trained here."
    )


def forest(title: str) -> str:
    """A forest as a black box."""
    return f"Forest {title}"


def forest_of_page(title: str) -> str:
    """The same in the list of black boxes."""
    return f"Forest {title} of the Forests page"


def in_sentence(box: str, title: str) -> str:
    """Name of a black box in the middle of a sentence."""
    name = f"{title[0].lower()}{title[1:]}"
    return f"the {name}" if box in _WITH_ARTICLE else name


# Progress

THE_TREE = "**The tree**"
NOT_ASKED = "The model could not be asked."
STOPPED_PART = "Growing was stopped: this is the part of the tree that was there."


def learns(title: str, is_own: bool, seconds: float) -> str:
    """The black box is fitted, or a person's own is looked at."""
    return f"{title} {'is being asked' if is_own else 'learns'} ({seconds:.0f} s so far)"


def compares(n: int, of: int) -> str:
    """The tree is there, and other rows are asked about."""
    return f"**The tree is grown.** To compare both, {n:,} of {of:,} other rows are asked about"


def begins(seconds: float) -> str:
    """A slow model is timed."""
    return f"**The tree begins**, {seconds:.0f} s so far"


def asks(title: str, n: int, of: int, seconds: float) -> str:
    """The table's rows are asked about."""
    return f"{title} is asked about {n:,} of the {of:,} rows of the table, {seconds:.0f} s so far"


def grows_exactly(seconds: float, left: str) -> str:
    """The tree grows by the exact method."""
    return f"**The tree grows**: {seconds:.0f} s so far, {left}"


def grows(n: int, most: int, seconds: float, left: str) -> str:
    """The tree grows by made-up cases."""
    return f"**The tree grows**: {n:,} of at most {most:,} made-up cases asked, {seconds:.0f} s so far, {left}"


def at_most(time: str) -> str:
    """An upper limit of the time that is left."""
    return f"at most {time}"


def asking(who: str) -> str:
    """A model is asked about more rows."""
    return f"Asking {who}"


def asking_stopped(who: str) -> str:
    """The same, stopped."""
    return f"Asking {who} was stopped."


def rows_asked(title: str, n: int, of: int) -> str:
    """Rows that a model has been asked about."""
    return f"{title} is asked about {n:,} of {of:,} rows"


def too_large(n: int, n_columns: int, megabytes: float, most: int) -> str:
    """Made-up cases that would take too much memory."""
    return (
        f"{n:,} made-up cases of {n_columns:,} columns may take {megabytes:,.0f} MB, and this server allows "
        f"{most:,} MB; allow fewer of them"
    )


def stopped(who: str) -> str:
    """No tree, since a person stopped it."""
    return f"Growing was stopped before there was a tree for {who}."


def no_tree(who: str) -> str:
    """No tree, before the reason."""
    return f"There is no tree for {who}."


def late(seconds: float, is_exact: bool) -> str:
    """A part of a tree, since the time was over."""
    fewer = "fewer questions" if is_exact else "fewer made-up cases or fewer questions"
    return (
        f"**Growing was stopped after {seconds:.0f} s**, the most that this server allows: this is the part of "
        f"the tree that was there. For a whole tree allow {fewer}, or take a black box that answers faster."
    )


def slow(milliseconds: float, parts: Sequence[str]) -> str:
    """Note on a slow model."""
    return f"The model takes {number(milliseconds)} ms a row, so {' and '.join(parts)}."


def fewer_cases(n: float, of: int) -> str:
    """A smaller number of cases to grow on."""
    return f"{n:,.0f} made-up cases at most are asked about instead of {of:,}"


def fewer_fresh(n: int, of: int) -> str:
    """A smaller number of cases to compare on."""
    return f"both are compared on {n:,} fresh ones instead of {of:,}"
