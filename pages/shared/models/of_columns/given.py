"""Splits that a tree begins with, chosen by hand on the page Tree: a list from which some can be taken out.

The value under the setting's key is a text (`learners.catalogue.estimators.read_splits`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.theme import number
from espalier.language import say
from espalier.learners.catalogue import CommonTerms, Model, Setting
from espalier.learners.catalogue.estimators import (
    GivenSplit,
    fitting_splits,
    given_there,
    read_splits,
    splits_in_text,
)
from espalier.learners.catalogue.settings import FORCED_SPLITS
from pages.shared.app.frame import callback, plain
from pages.shared.data import library

LIMITED = "optimal"  # the learner whose limits hold for given splits, too


def reader() -> Callable[[str], str]:
    """Reader of splits in the address, as the text that a model has."""

    def read(text: str) -> str:
        try:
            return splits_in_text(read_splits(text))
        except ValueError:
            raise ValueError(
                say("splits, each with the way to it, its column and its threshold, such as :age:40,L:income:3000")
            ) from None

    return read


def draw(key: str, setting: Setting, **more: Any) -> None:
    """Draw the list of splits; one that is taken out takes those below it along."""
    given = read_splits(st.session_state.get(key, setting.default))
    widget = f"{key} columns"
    st.session_state[widget] = list(given)
    st.multiselect(
        say(setting.label),
        list(given),
        key=widget,
        format_func=lambda path: _in_words(path, given[path]),
        placeholder=say("None: choose them by hand on the page Tree"),
        disabled=not given,
        on_change=callback(_take),
        args=(key, widget),
        **{"help": say(setting.words), **more},
    )


def in_short(text: str) -> str:
    """Splits of a text in a few words."""
    given = read_splits(text)
    return _given_label([_in_words(path, split) for path, split in given.items()])


def among(text: str, dataset: Dataset) -> str:
    """The text without splits on columns that the data do not have, and those below them."""
    there, given = given_there(text, CommonTerms.of(dataset)), read_splits(text)
    return splits_in_text({path: given[path] for path in there})


def note_room(model: Model) -> None:
    """Say which given splits an optimal tree of these settings has no room for; other trees begin with all."""
    dataset = library.find(library.chosen_key())
    if model.name != LIMITED or dataset is None:
        return
    given = read_splits(among(model.value(FORCED_SPLITS.key) or "", dataset))
    kept = fitting_splits(given, model.value("depth"), model.value("splits"))
    beyond = [plain(_in_words(path, split)) for path, split in given.items() if path not in kept]
    if beyond:
        st.caption(_unused_splits_note(beyond))


def in_force(dataset: Dataset, forced: Mapping[str, tuple[int, Any]] | None) -> str:
    """Say which splits a tree begins with, by the numbers of their columns; empty without any."""
    if not forced:
        return ""
    said = [plain(_in_words(path, _named(dataset, *split))) for path, split in forced.items()]
    return say("The tree begins with these given splits: {splits}.", splits="; ".join(said))


def _named(dataset: Dataset, column: int, at: Any) -> GivenSplit:
    feature = dataset.features[column]
    return GivenSplit(feature.name, tuple(feature.categories[code] for code in at) if feature.categories else at)


def _in_words(path: str, split: GivenSplit) -> str:
    at = split.at
    question = (
        say("{column} is {categories}", column=split.column, categories=say(" or ").join(at))
        if isinstance(at, tuple)
        else f"{split.column} ≤ {number(at)}"
    )
    return _split_and_answers([step == "L" for step in path], question)


def _take(key: str, widget: str) -> None:
    """Write what is chosen, without splits that have lost the one above them."""
    given, kept = read_splits(st.session_state[key]), st.session_state[widget]
    whole = [path for path in given if all(path[:n] in kept for n in range(len(path) + 1))]
    st.session_state[key] = splits_in_text({path: given[path] for path in whole})


def _split_and_answers(steps: Sequence[bool], question: str) -> str:
    """A split in words, with the answers that lead to it: True for yes.

    >>> after([True, False], "age ≤ 40")
    'yes, no: age ≤ 40'
    """
    return (
        say(
            "{step}: {question}",
            step=", ".join(say("yes") if step else say("no") for step in steps),
            question=question,
        )
        if steps
        else question
    )


def _given_label(splits: Sequence[str]) -> str:
    """The splits that a tree begins with in a few words, on a button and in a list of settings."""
    if not splits:
        return say("no given splits")
    more = say(" and {len} more", len=len(splits) - 1) if len(splits) > 1 else ""
    return say("begins with the given split {splits}{more}", splits=splits[0], more=more)


def _unused_splits_note(splits: Sequence[str]) -> str:
    """Note on given splits that a tree of this size leaves out; they are Markdown.

    >>> no_room(["no: age ≤ 40"])
    'A tree of this size has no room for these given splits: no: age ≤ 40. Allow it more depth or more splits.'
    """
    said = say("A tree of this size has no room for these given splits: {splits}.", splits="; ".join(splits))
    return say("{said} Allow it more depth or more splits.", said=said)
