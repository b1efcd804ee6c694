"""Widgets that correct the kinds of a table's columns, and notes on the table."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.data.columns.cells import apply_unit
from espalier.data.columns.kinds import (
    KINDS,
    TARGET_KINDS,
    TIME_KINDS,
    ColumnPlan,
    RoleNames,
    guess_task,
    guessed_roles,
    number_form,
)
from espalier.data.dataset import Dataset
from espalier.data.errors import TableError, counted
from espalier.data.options import DATE_PARTS
from espalier.display.column_pictures import many_levels_words
from espalier.display.tables import MOST_FEATURES
from espalier.display.theme import count
from espalier.language import Texts, say
from pages.shared.app.frame import callback, plain
from pages.shared.data.draft import Draft

BASE = "shown-columns"  # key of the session state: the editor's input, which must not change under it
FOLD = "kinds"  # key of the fold
ALWAYS = ("name", "kind", "values", "missing", "distinct")  # columns of the editor; then what few tables need
MOST_LINES = 15  # of the editor; of more, half a line says that it scrolls
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
    """Draw the fold with the kinds of the columns, to be corrected. The plans as they stand now."""
    fold = st.expander(say("Kinds of the columns"), icon=":material/category:", key=FOLD, on_change="rerun")
    if not fold.open:
        return draft.plans
    key, kinds, n = editor_key(draft), {plan.kind for plan in draft.plans}, len(draft.plans)
    if key not in st.session_state or BASE not in st.session_state:
        st.session_state[BASE] = draft.plans
    rare = [name for name, kind in (("order", "ordered"), ("parts", "date")) if kind in kinds]
    with fold:
        shown = st.data_editor(
            editor_frame(st.session_state[BASE], draft),
            key=key,
            hide_index=True,
            width="stretch",
            height=38 + 36 * n if n <= MOST_LINES else 38 + 36 * MOST_LINES - 18,
            row_height=36,
            disabled=["name", "missing", "distinct", "values", "example", "note"],
            column_config=_column_config(),
            column_order=(*ALWAYS, *rare, "example", "note"),
        )
        if n > MOST_LINES:
            st.caption(say("{n} columns: the table scrolls.", n=count(n)))
    return plans_of(shown, draft)


def editor_key(draft: Draft) -> str:
    """Key of the editor of a draft; without its state, it begins with the plans of the draft."""
    return f"columns {draft.number} {draft.content.digest}"


def editor_frame(plans: tuple[ColumnPlan, ...], draft: Draft) -> pd.DataFrame:
    """A row per column of the table, as the editor shows it."""
    n_rows = len(draft.content.frame)
    return pd.DataFrame(
        {
            "name": [plan.name for plan in plans],
            "kind": [plan.kind for plan in plans],
            "values": [[bar / max(one.bars) for bar in one.bars] for one in draft.summaries],
            "missing": [summary.n_missing for summary in draft.summaries],
            "distinct": [summary.n_distinct for summary in draft.summaries],
            "order": [" < ".join(plan.categories) if plan.kind == "ordered" else "" for plan in plans],
            "parts": [list(plan.parts) if plan.kind == "date" else [] for plan in plans],
            "example": [summary.example for summary in draft.summaries],
            "note": [
                _note(plan, one.n_distinct, n_rows - one.n_missing)
                for plan, one in zip(plans, draft.summaries, strict=True)
            ],
        }
    )


def _note(plan: ColumnPlan, n_distinct: int, n_known: int) -> str:
    """Why the column has its kind; of categories that are many for the rows, first a warning."""
    if plan.kind == "ordered":
        return ""
    many = many_levels_words(n_distinct, n_known) if plan.kind == "category" else ""
    return f"{many} {plan.reason}".strip()


def plans_of(shown: pd.DataFrame, draft: Draft) -> tuple[ColumnPlan, ...]:
    """Plans by the edited rows; one that is unchanged stays as it was."""
    rows, marks = zip(shown["kind"], shown["order"], shown["parts"], draft.plans, strict=True), draft.content.marks
    return tuple(
        _plan(kind, order or "", tuple(parts or ()), plan, marks[plan.name]) for kind, order, parts, plan in rows
    )


def pick_target(draft: Draft) -> tuple[str, str]:
    """Name and task of the target."""
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
    plan = next(plan for plan in draft.plans if plan.name == target)
    values = apply_unit(draft.content.frame[target], plan.unit, plan.form)  # as numbers where they are in a unit
    if values.dtype != "float64":
        return target, CLASSES
    titles = {CLASSES: say("as classes"), NUMBER: say("as a number")}
    key = f"task {draft.number} {target}"
    if st.session_state.get(key) not in titles:
        st.session_state[key] = draft.task if draft.task and target == draft.target else guess_task(values)
    task = st.radio(say("Predict it"), list(titles), key=key, format_func=titles.__getitem__, horizontal=True)
    return target, task


def preview(draft: Draft) -> None:
    """The first rows as they were read."""
    frame = draft.content.frame
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


def _plan(kind: Any, order: str, parts: tuple[str, ...], plan: ColumnPlan, mark: str) -> ColumnPlan:
    if kind == "date":
        dates = plan if plan.kind == "date" else ColumnPlan(plan.name, "date")
        return dates._replace(parts=parts) if set(parts) != set(dates.parts) else dates
    categories = tuple(word.strip() for word in order.split("<") if word.strip()) if kind == "ordered" else ()
    if kind == plan.kind and (kind != "ordered" or categories == plan.categories):
        return plan
    reason = "" if kind in (*TARGET_KINDS, *TIME_KINDS) else say("by your choice")
    return ColumnPlan(plan.name, kind, categories, reason, form=number_form(mark) if kind == "number" else "")


def _column_config() -> dict[str, Any]:
    config = st.column_config
    return {
        "name": config.TextColumn(say("Column"), pinned=True, width=140),
        "kind": config.SelectboxColumn(
            say("Kind"),
            options=list(KINDS),
            required=True,
            width=110,
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
        "example": config.TextColumn(say("First values"), width=150),
        "note": config.TextColumn(say("Why"), width=300),
    }


COLUMNS = Texts(
    {
        "weight": (
            "Weight: how much a row counts",
            "A column of numbers of at least 0: a row of weight 2 counts as two rows, a row of weight 0 is left "
            "out. Surveys have such a column, and tables in which a row stands for many. It then predicts "
            "nothing. *Term:* `sample_weight`.",
            "every row counts the same",
        ),
        "group": (
            "Group: which rows belong together",
            "Rows with the same value stay together: visits of a patient, pupils of a school. A model that has "
            "seen some of them knows the others, so whole groups are held out, dealt into folds and drawn, and "
            "scores say how well new groups are told. It then predicts nothing. *Term:* `groups`, grouped "
            "cross-validation.",
            "every row stands by itself",
        ),
        "time": (
            "Time: which rows come first",
            "A date, or a number that grows with time. The latest rows are then held out, and each fold is told "
            "from earlier rows alone, as it will be when the model is used. It then predicts nothing. *Term:* "
            "time series split, forward chaining.",
            "rows have no order",
        ),
        "label": (
            "Label: the name of each row",
            "Lists, hints and explanations then name rows by it, beside their numbers. It predicts nothing.",
            "rows have numbers only",
        ),
    }
)
OFFERS = Texts(
    {
        "group": "Several rows have the same value here. If they belong together, scores are honest only with it.",
        "time": "It holds dates. If later rows are to be told from earlier ones, scores are honest only with it.",
        "label": "Every row has a text of its own here: by it rows are recognised in every list.",
    }
)
TAKE = Texts(
    {"group": "Take *{}* as the group", "time": "Take *{}* as the time", "label": "Take *{}* as the label"}
)

ABREAST = 2
NO_COLUMN = ""


def pick(draft: Draft, target: str, offers: DeltaGenerator) -> dict[str, Any]:
    """The fields `weight` and `roles` of the draft as they are chosen now; what columns look like is offered."""
    roles = {"weight": draft.weight, **draft.roles._asdict()}
    with st.expander(say("Weight, group, time, label"), icon=":material/group_work:"):
        for place, role in zip([*st.columns(ABREAST), *st.columns(ABREAST)], roles, strict=True):
            with place:
                roles[role] = _pick(draft, target, role, roles[role])
    with offers:
        _offer(draft, target, roles)
    return {"weight": roles.pop("weight"), "roles": RoleNames(**roles)}


def size_line(dataset: Dataset) -> str:
    """Size and target of a data set, and its columns that say something of its rows, Markdown."""
    weight, roles = dataset.row_weights, dataset.roles
    columns = [weight, roles.groups, roles.times, roles.labels]
    return say(
        "**{rows}** × {columns} · predicts *{target}*{roles}",
        rows=counted(len(dataset.y), "row"),
        columns=counted(len(dataset.features), "column"),
        target=plain(dataset.target.name),
        roles=_roles_line(*("" if column is None else plain(column.name) for column in columns)),
    )


def _pick(draft: Draft, target: str, role: str, now: str) -> str:
    """The column with this role; empty where there is none."""
    frame, key = draft.content.frame, key_of(draft, role)
    able = (plan.name for plan in draft.plans if role != "weight" or frame[plan.name].dtype == "float64")
    names = [NO_COLUMN, *(name for name in able if name != target)]
    if st.session_state.get(key) not in names:
        st.session_state[key] = now if now in names else NO_COLUMN
    label, text, without = COLUMNS[role]
    return st.selectbox(label, names, key=key, help=text, format_func=lambda name: name or without)


def _offer(draft: Draft, target: str, chosen: dict[str, str]) -> None:
    """Draw a button for each column that looks as if it had a role which no column has yet."""
    guesses = guessed_roles(draft.content.frame, draft.guessed, draft.summaries)._asdict()
    offers = {role: name for role, name in guesses.items() if name not in ("", target) and not chosen[role]}
    if not offers:
        return
    with st.container(horizontal=True, key="roles offered"):
        for role, name in offers.items():
            label, text = (TAKE[role].format(plain(name)), OFFERS[role])
            st.button(
                label, key=f"offer {role}", help=text, icon=":material/lightbulb:", type="tertiary",
                on_click=callback(st.session_state.update), args=({key_of(draft, role): name},),
            )  # fmt: skip


def key_of(draft: Draft, role: str) -> str:
    """Key of the widget with which a column of a draft gets this role."""
    return f"{role} {draft.number}"


def _roles_line(weight: str, group: str, time: str, label: str) -> str:
    """The roles of columns of the data set in use; the names are Markdown, and empty where there is no column."""
    said = [say("rows count by weight *{weight}*", weight=weight)] if weight else []
    said += [say("rows of one *{group}* stay together", group=group)] if group else []
    said += [say("in order of *{time}*", time=time)] if time else []
    said += [say("named by *{label}*", label=label)] if label else []
    return "".join(f" · {part}" for part in said)
