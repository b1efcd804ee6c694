"""What would change an answer: what may change, in the address, and the smallest change with its proof."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.language import Later, Texts, say
from espalier.reliability import curves, explanation_words
from espalier.reliability.changeable import Allowed, ChangeAim
from espalier.reliability.curves import ExplanationInputs
from espalier.reliability.explanation import RecoursePlane, recourse_plane, story
from pages.shared.app import links, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.app.links import one_of
from pages.shared.app.store import of_table

SIDES = {"greater": 1, "smaller": -1}
TOWARD, GOAL = "may-toward", "goal-of-change"  # of the session state: the answer to reach, and its widget
KEYS = {name: f"may-{name}" for name in ("keep", "up", "down")}  # of the session state, by name in the address
TABLE = "may-table"  # key of the session state: of the table that the choice is of, columns and classes
LABELS = Texts(
    {
        "keep": ("Stay as they are", "Such as an age or a place of birth."),
        "up": ("May only go up", "Such as years of experience."),
        "down": ("May only go down", "Such as debts."),
        "greater": "a greater number",
        "smaller": "a smaller number",
    }
)


def url_entries(dataset: Dataset) -> list[Entry]:
    """The columns that stay, only go up, and only down, counted from 1 between dots; and the answer to reach."""
    n = len(dataset.features)

    def read(text: str) -> str:
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})*", text) or not all(
            1 <= int(i) <= n for i in text.split(".")
        ):
            raise ValueError(say("numbers of columns from 1 to {n}, with dots between them", n=n))
        return text

    entries = [Entry(key, "", read, undo=False, name=name) for name, key in KEYS.items()]
    ranges = links.gone_entry("may-within", say("ranges of columns are gone; *What may change* has up and down"))
    toward = Entry(TOWARD, "", one_of(_goals(dataset)), undo=False, name="toward")
    return [*entries, ranges._replace(name="within"), toward]


def _goals(dataset: Dataset) -> tuple[str, ...]:
    """The answers that a change may be asked to lead to, as the address has them; empty for any other."""
    return ("", *(map(str, range(1, 1 + len(dataset.classes))) if dataset.is_classification else SIDES))


def follow(dataset: Dataset, linked: bool) -> list[str]:
    """Let go of the choice where the table has other columns or classes; a note on that.

    A link has brought its own for the table that is here.
    """
    table = [feature.name for feature in dataset.features], dataset.classes
    last, st.session_state[TABLE] = st.session_state.get(TABLE, table), table
    if linked or last == table or not key().strip():
        return []
    for one in (*KEYS.values(), TOWARD):
        st.session_state[one] = ""
    return [say("Limits on changes are gone: the table has other columns.")]


def allowed() -> Allowed:
    """The changes that the person allows."""
    return Allowed(_columns("keep"), _columns("up"), _columns("down"))


def toward() -> int | None:
    """The class that a change is to lead to; 1 for a greater number, -1 for a smaller one; None: any other."""
    text = st.session_state.get(TOWARD) or ""
    return SIDES.get(text, int(text) - 1 if text.isdigit() else None)


def _columns(name: str) -> tuple[int, ...]:
    return tuple(sorted({int(i) - 1 for i in (st.session_state.get(KEYS[name]) or "").split(".") if i}))


def key() -> str:
    """Key of the choice, for caches."""
    return " ".join(st.session_state.get(one) or "" for one in (*KEYS.values(), TOWARD))


# ---- the smallest change, and where another answer lies


# The story of a row, and where another answer lies over two columns; None: no two columns change it.
RowStory: TypeAlias = tuple[ExplanationInputs, RecoursePlane | None]


def tell(
    estimator: Any, dataset: Dataset, row: int, choice: tuple[Allowed, ChangeAim], axes: Sequence[int] = ()
) -> RowStory:
    """The story of a row: the search for the smallest change may take its time."""
    story_ = story(estimator, dataset, dataset.X[row], *choice)
    return ExplanationInputs(story_, dataset), recourse_plane(estimator, dataset, story_, axes)


def row_story(name: str, estimator: Any, dataset: Dataset, row: int, axes: Sequence[int] = ()) -> RowStory:
    """The story of a row, remembered; `name` is that of the estimator."""
    return _row_story(f"{name} {row} {axes} {key()}", estimator, dataset, row, axes)


@of_table(max_entries=64, show_spinner=Later(lambda: say("Looking for the smallest change …")))
def _row_story(key: str, _estimator: Any, _dataset: Dataset, row: int, axes: Sequence[int]) -> RowStory:
    return tell(_estimator, _dataset, row, (allowed(), ChangeAim(toward())), axes)


def draw(
    row: int, look: ExplanationInputs, plane: RecoursePlane | None, model: Any,
    longer: Callable[[], None] = lambda: None,
) -> None:  # fmt: skip
    """Draw the smallest change, what may change if there is a model of ours, and the way over two columns.

    `longer` draws what a longer search has to say.
    """
    data = look.dataset
    if model is not None:
        _draw_goal(data, str(int(look.story.answer) + 1) if data.is_classification else "")
    st.markdown(plain(explanation_words.counterfactual_words(look.story, data)))
    longer()
    if model is not None:
        _draw_limits(data)
    if plane is not None:
        pictures.draw(curves.recourse_picture(look, plane), curves.WIDTH, f"recourse-of-row-{row + 1}.svg")
        st.caption(
            say(
                "Full dot: this row, around it its answer; open one: its nearest change. Strong colours: another "
                "answer; faint: out of reach. *Term:* region of recourse."
            )
        )


def _draw_goal(dataset: Dataset, answer: str) -> None:
    """Draw the choice of the answer that a change is to lead to, where there is more than one other."""
    goals = [goal for goal in _goals(dataset) if goal != answer]
    if len(goals) < 3:
        return
    names = dict(LABELS) | {str(k + 1): name for k, name in enumerate(dataset.classes)}
    st.session_state[GOAL] = st.session_state.get(TOWARD) if st.session_state.get(TOWARD) in goals else ""
    st.selectbox(
        say("The change is to lead to"), goals, key=GOAL, width=260, on_change=callback(_keep_goal),
        format_func=lambda goal: names.get(goal, say("any other answer")),
    )  # fmt: skip


def _keep_goal() -> None:
    """Write the answer to reach into the address (a callback)."""
    st.session_state[TOWARD] = st.session_state[GOAL]


def _draw_limits(dataset: Dataset) -> None:
    """Draw the choice of the columns that stay, or only go one way."""
    features = dataset.features
    with st.expander(say("What may change"), expanded=any(allowed())):
        st.caption(say("Values stay within those of the table. *Smallest*: fewest columns, then moved least."))
        for name, column in zip(KEYS, st.columns(3), strict=True):
            offered = [f for f, one in enumerate(features) if name == "keep" or one.kind != "category"]
            st.session_state[f"{name}-features"] = [f for f in _columns(name) if f in offered]
            label, words = LABELS[name]
            column.multiselect(
                label, offered, key=f"{name}-features", format_func=lambda f: features[f].name, help=words,
                on_change=callback(_keep), args=(name,), placeholder=say("none", context="column"),
            )  # fmt: skip


def _keep(name: str) -> None:
    """Write a choice into the address (a callback)."""
    columns = [f for f in st.session_state[f"{name}-features"] if isinstance(f, int)]
    st.session_state[KEYS[name]] = ".".join(str(f + 1) for f in sorted(columns))
