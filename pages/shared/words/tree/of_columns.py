"""Texts on what is asked of columns, of every model that keeps it: directions, and columns left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Directions of columns

NO_DIRECTIONS = "None: predictions may do both"
NOT_WITH_SURROGATES = "Not with surrogate splits"
DIRECTIONS_EXPECTED = "names of columns, each with one of :rising and :falling, such as age:rising"


def why_no_directions(n_classes: int, n_offered: int) -> str:
    """The reason for which no column may have a direction, or an empty text."""
    if n_classes > 2:
        return "Not with three classes or more"
    return "" if n_offered else "No columns of numbers"


def arrow(name: str, direction: int) -> str:
    """What predictions may do with a column, in a narrow list."""
    return f"{'↑' if direction > 0 else '↓'} {name}"


def direction(name: str, direction: int) -> str:
    """What predictions may do with a column."""
    return f"{'rises' if direction > 0 else 'falls'} with {name}"


def directions_in_force(directions: Mapping[str, int], of_class: str) -> str:
    """What predictions do with columns; `of_class` is the one of two that they are about, empty for numbers."""
    parts = [f"only {direction(name, one)}" for name, one in directions.items()]
    text = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"{f'The share of {of_class}' if of_class else 'The prediction'} {text}, if all else stays as it is."


def directions_in_short(directions: Mapping[str, int]) -> str:
    """The directions of columns in a few words, on a button and in a list of settings."""
    parts = [direction(name, one) for name, one in directions.items()]
    return f"prediction {', '.join(parts)}" if parts else "no monotone columns"


# Columns that no split may ask about

NONE_LEFT_OUT = "None: splits may ask about every column"
NAMES_EXPECTED = "names of columns, such as age,income"


def left_out_in_short(names: Sequence[str]) -> str:
    """Columns that no split may ask about in a few words, on a button and in a list of settings."""
    return f"without {', '.join(names)}" if names else "every column"


def left_out_in_force(names: Sequence[str]) -> str:
    """What holds of a model that was grown without some columns; they are Markdown.

    >>> left_out_in_force(["age", "income"])
    'No split asks about age or income.'
    """
    text = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"No split asks about {text}."


def date_alone(name: str) -> str:
    """A date that is left out while its month or its weekday are not."""
    return f"{name} (the date alone)"


# Splits that a tree begins with

NONE_GIVEN = "None: choose them by hand on the page Tree"
SPLITS_EXPECTED = "splits, each with the way to it, its column and its threshold, such as :age:40,L:income:3000"
SPLITS_ELSEWHERE = (
    "CART and optimal trees on other pages also begin with the splits chosen by hand and with the splits above "
    "them. Leaves made by hand and branches grown anew stay on this page."
)


def after(steps: Sequence[bool], question: str) -> str:
    """A split in words, with the answers that lead to it: True for yes.

    >>> after([True, False], "age ≤ 40")
    'yes, no: age ≤ 40'
    """
    return f"{', '.join('yes' if step else 'no' for step in steps)}: {question}" if steps else question


def is_one_of(column: str, categories: Sequence[str]) -> str:
    """The question whether a column has one of these categories."""
    return f"{column} is {' or '.join(categories)}"


def given_in_short(splits: Sequence[str]) -> str:
    """The splits that a tree begins with in a few words, on a button and in a list of settings."""
    if not splits:
        return "no given splits"
    more = f" and {len(splits) - 1} more" if len(splits) > 1 else ""
    return f"begins with the given split {splits[0]}{more}"


def no_room(splits: Sequence[str]) -> str:
    """Note on given splits that a tree of this size leaves out; they are Markdown.

    >>> no_room(["no: age ≤ 40"])
    'A tree of this size has no room for these given splits: no: age ≤ 40. Allow it more depth or more splits.'
    """
    said = f"A tree of this size has no room for these given splits: {'; '.join(splits)}."
    return f"{said} Allow it more depth or more splits."


def given_in_force(splits: Sequence[str]) -> str:
    """Which splits a tree was given to begin with; they are Markdown."""
    return f"The tree begins with these given splits: {'; '.join(splits)}."


# From the page Tree to others


def as_on_tree(asked: Sequence[str]) -> str:
    """Note on a model of another page that keeps what is asked of trees on the page Tree, each in a few words."""
    return f"As on the page *Tree*: {'; '.join(asked)}."


def asked_here(asked: Sequence[str]) -> str:
    """Note on a model of another page that keeps what was asked of it there."""
    return f"Set here: {'; '.join(asked)}."


def not_as_on_tree(asked: Sequence[str]) -> str:
    """Note on a model of another page that does not keep what is asked of trees on the page Tree."""
    return f"Set on the page *Tree*, but this model does not keep it: {'; '.join(asked)}."
