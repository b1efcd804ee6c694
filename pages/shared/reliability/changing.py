"""Changes of a row that are allowed in the search for another answer: a person's choice, in the address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.language import Texts, say
from espalier.reliability.changeable import Allowed
from espalier.reliability.counterfactuals import asked_by
from espalier.reliability.explanation import Story
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links.readers import one_of
from pages.shared.reliability import sentences

SIDE_LABELS = Texts({"greater": "a greater number", "smaller": "a smaller number"})

SIDES = {"greater": 1, "smaller": -1}
TOWARD, GOAL = "may-toward", "goal-of-change"  # of the session state: the answer to reach, and its widget
KEYS = {name: f"may-{name}" for name in ("keep", "up", "down")}  # of the session state, by name in the address
TABLE = "may-table"  # key of the session state: of the table that the choice is of, columns and classes


def url_entries(dataset: Dataset) -> list[Entry]:
    """The features that stay, that only go up, and only down: their numbers, counted from 1, between dots.

    Also what a change is to lead to, a class counted from 1 or a side, and the values that features may have.
    """
    n = len(dataset.features)
    read = _numbers(n)
    entries = [Entry(key, "", read, undo=False, name=name) for name, key in KEYS.items()]
    goals = Entry(TOWARD, "", one_of(_goals(dataset)), undo=False, name="toward")
    return [*entries, sentences.url_entry(n), goals]


def _goals(dataset: Dataset) -> tuple[str, ...]:
    """The answers that a change may be asked to lead to, as the address has them; empty for any other."""
    if dataset.is_classification:
        return ("", *(str(k + 1) for k in range(len(dataset.classes))))
    return ("", *SIDES)


def follow(dataset: Dataset, linked: bool) -> list[str]:
    """Let the choice go with its columns, by their names, where the table has changed; a note on those lost.

    A link has brought its own for the table that is here.
    """
    columns, classes = [feature.name for feature in dataset.features], dataset.classes
    last, st.session_state[TABLE] = st.session_state.get(TABLE), (columns, classes)
    if linked or last is None or last == (columns, classes):
        return []
    chosen = {f for name in KEYS for f in _chosen(name)} | {one.feature for one in sentences.typed()}
    lost = [last[0][f] for f in sorted(chosen) if f < len(last[0]) and last[0][f] not in columns]
    there = {f: columns.index(name) for f, name in enumerate(last[0]) if name in columns}
    for name, key in KEYS.items():
        st.session_state[key] = _text(there[f] for f in _chosen(name) if f in there)
    sentences.follow(there)
    if last[1] != classes:
        st.session_state[TOWARD] = ""
    return [lost_limits_note([plain(name) for name in lost])] if lost and there else []


def _text(numbers: Iterable[int]) -> str:
    return ".".join(str(f + 1) for f in sorted(numbers))


def _numbers(n: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})*", text) or not all(
            1 <= int(i) <= n for i in text.split(".")
        ):
            raise ValueError(say("numbers of columns from 1 to {n}, with dots between them", n=n))
        return text

    return read


def allowed() -> Allowed:
    """The changes that the person allows."""
    return Allowed(_chosen("keep"), _chosen("up"), _chosen("down"), sentences.typed())


def toward() -> int | None:
    """The class that a change is to lead to; 1 for a greater number, -1 for a smaller one; None: any other."""
    text = st.session_state.get(TOWARD) or ""
    return SIDES.get(text, int(text) - 1 if text.isdigit() else None)


def _chosen(name: str) -> tuple[int, ...]:
    return tuple(sorted({int(i) - 1 for i in (st.session_state.get(KEYS[name]) or "").split(".") if i}))


def key() -> str:
    """Key of the choice, for caches."""
    keys = KEYS | {"within": sentences.KEY, "toward": TOWARD}
    return " ".join(f"{name}={st.session_state.get(key) or ''}" for name, key in keys.items())


def draw_goal(dataset: Dataset, story: Story) -> None:
    """Draw the choice of the answer that a change is to lead to, where there is more than one other."""
    said = str(int(story.answer) + 1) if dataset.is_classification else None
    goals = [goal for goal in _goals(dataset) if goal != said]
    if len(goals) < 3:
        return
    names = SIDE_LABELS | {str(k + 1): name for k, name in enumerate(dataset.classes)}
    st.session_state[GOAL] = st.session_state.get(TOWARD) if st.session_state.get(TOWARD) in goals else ""
    label, words = sentences.CHANGE_HELP["toward"]
    st.selectbox(
        label, goals, key=GOAL, format_func=lambda goal: names.get(goal, say("any other answer")),
        help=words, on_change=callback(_keep_goal), width=260,
    )  # fmt: skip


def _keep_goal() -> None:
    """Write the answer to reach into the address (a callback)."""
    st.session_state[TOWARD] = st.session_state[GOAL]


def draw(dataset: Dataset, model) -> None:
    """Draw the choice among the features that the model asks, and the limits that hold anyway."""
    asked = [f for f, is_asked in enumerate(asked_by(model, len(dataset.features))) if is_asked]
    with st.expander(say("What may change"), expanded=any(allowed())):
        st.caption(
            say(
                "Only values that the table has room for are offered: numbers between the least and "
                "the greatest that stand there, whole numbers as whole ones, categories among those "
                "seen. The smallest change is that of the fewest columns; of those, the one that "
                "moves them least, each as a part of its range."
            )
        )
        for name, column in zip(KEYS, st.columns(3), strict=True):
            offered = [f for f in asked if name == "keep" or dataset.features[f].kind != "category"]
            widget = f"{name}-features"
            st.session_state[widget] = [f for f in _chosen(name) if f in offered]
            label, words = sentences.CHANGE_HELP[name]
            column.multiselect(
                label,
                offered,
                key=widget,
                format_func=lambda f: dataset.features[f].name,
                help=words,
                on_change=callback(_keep),
                args=(name, widget, offered),
                placeholder=say("none", context="column"),
            )
            if others := [dataset.features[f].name for f in _chosen(name) if f not in offered]:
                column.caption(sentences.unused_columns_note([plain(one) for one in others]))
        sentences.draw(dataset, asked)


def _keep(name: str, widget: str, offered: Sequence[int]) -> None:
    """Write a choice into the address, beside what another page's model was offered (a callback)."""
    chosen = [f for f in st.session_state[widget] if isinstance(f, int)]
    st.session_state[KEYS[name]] = _text({*chosen, *(f for f in _chosen(name) if f not in offered)})


def lost_limits_note(names: Sequence[str]) -> str:
    """Note on columns whose changes were limited, and that the table does not have any more; Markdown."""
    return say(
        "Limits on changes are gone, because the table no longer has these columns: {names}.",
        names=", ".join(names),
    )
