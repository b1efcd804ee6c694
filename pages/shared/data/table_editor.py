"""Widgets that correct the kinds of a table's columns, and notes on the table."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from espalier.data.columns.kinds import KINDS, TARGET_KINDS, TIME_KINDS, ColumnPlan, number_form
from espalier.data.errors import TableError, counted
from espalier.data.options import DATE_PARTS
from espalier.display.column_pictures import many_levels_words
from espalier.display.tables import MOST_FEATURES
from espalier.display.theme import count
from espalier.language import say
from pages.shared.app.frame import plain
from pages.shared.data.draft import Draft

BASE = "shown-columns"  # key of the session state: the editor's input, which must not change under it
WITHOUT_DATES = (
    "name",
    "kind",
    "values",
    "missing",
    "distinct",
    "order",
    "example",
    "note",
)  # where there are none
PREVIEW_ROWS = 50
CLASSES, NUMBER = "classification", "regression"


def show_error(error: TableError) -> None:
    """Draw the error: the fault, its place, and the remedy; and that the table in use is still the one before."""
    st.error(f"**{plain(error.what)}** {plain(error.where)}\n\n{plain(error.todo)}", icon=":material/error:")
    st.caption(say("The data set in use has not changed."))


def show_notes(notes: list[str]) -> None:
    """Draw notes on changes and on strange values, all in one place."""
    if notes:
        lines = "\n".join(f"- {plain(note)}" for note in notes)
        st.info(f"{say('**Worth knowing about this table**')}\n{lines}", icon=":material/info:")


def edit_columns(draft: Draft) -> tuple[ColumnPlan, ...]:
    """The columns with their kinds, to be corrected. The plans as they stand now."""
    assert draft.table is not None
    key = f"columns {draft.number} {draft.table.digest}"
    if key not in st.session_state or BASE not in st.session_state:
        st.session_state[BASE] = draft.plans
    shown = st.data_editor(
        editor_frame(st.session_state[BASE], draft),
        key=key,
        hide_index=True,
        width="stretch",
        height=min(38 + 36 * len(draft.plans), 470),
        row_height=36,
        disabled=["name", "missing", "distinct", "values", "example", "note"],
        column_config=_column_config(),
        column_order=None if any(plan.kind == "date" for plan in draft.plans) else WITHOUT_DATES,
    )
    return plans_of(shown, draft)


def editor_frame(plans: tuple[ColumnPlan, ...], draft: Draft) -> pd.DataFrame:
    """A row per column of the table, as the editor shows it."""
    return pd.DataFrame(
        {
            "name": [plan.name for plan in plans],
            "kind": [plan.kind for plan in plans],
            "values": [_heights(summary.bars) for summary in draft.summaries],
            "missing": [summary.n_missing for summary in draft.summaries],
            "distinct": [summary.n_distinct for summary in draft.summaries],
            "order": [" < ".join(plan.categories) if plan.kind == "ordered" else "" for plan in plans],
            "parts": [list(plan.parts) if plan.kind == "date" else [] for plan in plans],
            "example": [summary.example for summary in draft.summaries],
            "note": [_note(plan, *pair) for plan, pair in zip(plans, _counts(draft), strict=True)],
        }
    )


def _counts(draft: Draft) -> list[tuple[int, int]]:
    """Distinct values and known cells of each column."""
    n_rows = 0 if draft.table is None else len(draft.table.frame)
    return [(summary.n_distinct, n_rows - summary.n_missing) for summary in draft.summaries]


def _note(plan: ColumnPlan, n_distinct: int, n_known: int) -> str:
    """Why the column has its kind; of categories that are many for the rows, first a warning."""
    if plan.kind == "ordered":
        return ""
    many = many_levels_words(n_distinct, n_known) if plan.kind == "category" else ""
    return f"{many} {plan.reason}".strip()


def plans_of(shown: pd.DataFrame, draft: Draft) -> tuple[ColumnPlan, ...]:
    """Plans by the edited rows; one that is unchanged stays as it was."""
    assert draft.table is not None
    rows, marks = zip(shown["kind"], shown["order"], shown["parts"], draft.plans, strict=True), draft.table.marks
    return tuple(
        _plan(kind, order or "", tuple(parts or ()), plan, marks[plan.name]) for kind, order, parts, plan in rows
    )


def pick_target(draft: Draft) -> tuple[str, str]:
    """Name and task of the target."""
    assert draft.table is not None
    names = [plan.name for plan in draft.plans if plan.kind in TARGET_KINDS]
    if not names:
        return "", ""
    key = f"target {draft.number}"
    if st.session_state.get(key) not in names:
        st.session_state[key] = draft.target if draft.target in names else names[-1]
    target = st.selectbox(
        say("Target: the column to predict"),
        names,
        key=key,
        help=say("A tree predicts it from all other columns."),
    )
    return target, _pick_task(draft, target)


def preview(draft: Draft) -> None:
    """The first rows as they were read."""
    assert draft.table is not None
    frame = draft.table.frame
    with st.expander(
        say("First rows of {n_rows}", n_rows=counted(len(frame), "row"), n_rows_2=count(len(frame))),
        icon=":material/table_rows:",
    ):
        st.dataframe(frame.iloc[:PREVIEW_ROWS, :MOST_FEATURES], hide_index=True, height=280)
        if frame.shape[1] > MOST_FEATURES:
            st.caption(
                say(
                    "The first {most} of {n_columns} columns.", most=MOST_FEATURES, n_columns=count(frame.shape[1])
                )
            )


def _pick_task(draft: Draft, target: str) -> str:
    assert draft.table is not None
    if _target_values(draft, target).dtype != "float64":
        return CLASSES
    suggested = _suggested_task(draft, target)
    titles = {CLASSES: say("as classes"), NUMBER: say("as a number")}
    key = f"task {draft.number} {target}"
    if st.session_state.get(key) not in titles:
        st.session_state[key] = draft.task if draft.task and target == draft.target else suggested
    return st.radio(say("Predict it"), list(titles), key=key, format_func=titles.__getitem__, horizontal=True)


def _suggested_task(draft: Draft, target: str) -> str:
    from espalier.data.columns.kinds import guess_task

    return guess_task(_target_values(draft, target))


def _target_values(draft: Draft, target: str) -> Any:
    """The cells of the target, as numbers where they are in a unit."""
    from espalier.data.columns.cells import apply_unit

    assert draft.table is not None
    plan = next(plan for plan in draft.plans if plan.name == target)
    return apply_unit(draft.table.frame[target], plan.unit, plan.form)


def _plan(kind: Any, order: str, parts: tuple[str, ...], plan: ColumnPlan, mark: str) -> ColumnPlan:
    if kind == "date":
        dates = plan if plan.kind == "date" else ColumnPlan(plan.name, "date")
        return dates._replace(parts=parts) if set(parts) != set(dates.parts) else dates
    categories = tuple(word.strip() for word in order.split("<") if word.strip()) if kind == "ordered" else ()
    if kind == plan.kind and (kind != "ordered" or categories == plan.categories):
        return plan
    reason = "" if kind in (*TARGET_KINDS, *TIME_KINDS) else say("by your choice")
    return ColumnPlan(plan.name, kind, categories, reason, form=number_form(mark) if kind == "number" else "")


def _heights(bars: tuple[int, ...]) -> list[float]:
    return [bar / max(bars) for bar in bars]


def _column_config() -> dict[str, Any]:
    config = st.column_config
    return {
        "name": config.TextColumn(say("Column"), pinned=True, width=150),
        "kind": config.SelectboxColumn(
            say("Kind (change it here)"),
            options=list(KINDS),
            required=True,
            width=150,
            help=say(
                "number: asked as “x ≤ 3”. category: asked as “is red or blue”. ordered: categories "
                "with an order, asked as “at most medium”. date, time of day, duration: asked as "
                "“before 2021-03-01”, “in December”, “longer than 3 days”. Identifiers and ignored "
                "columns are not used."
            ),
        ),
        "values": config.BarChartColumn(
            say("Values"), width="small", y_min=0, y_max=1, help=say("How often each value or range occurs.")
        ),
        "missing": config.NumberColumn(say("Missing"), width=70, help=say("Cells without a value.")),
        "distinct": config.NumberColumn(say("Distinct"), width=70, help=say("Different values.")),
        "order": config.TextColumn(
            say("Order"), width=110, help=say("For the kind “ordered”: its values as low < medium < high.")
        ),
        "parts": config.MultiselectColumn(
            say("Parts of dates"),
            options=DATE_PARTS,
            width=210,
            help=say(
                "For the kind “date”: what a tree may ask about. date: before or after a day, or a "
                "time. The others are as in the calendar; months and weekdays are asked for in sets, "
                "as “in December or January”. Empty: the usual ones."
            ),
        ),
        "example": config.TextColumn(say("First values"), width=170),
        "note": config.TextColumn(say("Why"), width=360),
    }
