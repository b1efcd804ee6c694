"""The table that a person brings in, before it is taken into use: its columns, their kinds, target and roles."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.data import Dataset
from espalier.data.columns.cells import apply_unit
from espalier.data.columns.convert import TableRecipe
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
from espalier.data.errors import TableError, counted
from espalier.display.column_pictures import many_levels_words
from espalier.display.tables import MOST_FEATURES, left_off
from espalier.language import Texts, say
from pages.shared.app.frame import callback, plain
from pages.shared.data import columns, draft, intake, library, reading_options
from pages.shared.data.draft import Draft

BESIDE = "draft-beside"  # key of the session state: number of the draft, and the data in use when it was looked at
BASE = "shown-columns"  # key of the session state: the editor's input, which must not change under it
FOLD = "kinds"  # key of the fold
PREVIEW_ROWS = 50
TASKS = Texts({"classification": "as classes", "regression": "as a number"})
ROLES = Texts(  # by role: label, help, and what no column means
    {
        "weight": (
            "Weight: how much a row counts",
            "A row of weight 2 counts as two rows. *Term:* `sample_weight`.",
            "every row counts the same",
        ),
        "group": (
            "Group: which rows belong together",
            "Whole groups, such as the visits of a patient, are held out and drawn. *Term:* `groups`.",
            "every row stands by itself",
        ),
        "time": (
            "Time: which rows come first",
            "The latest rows are held out; folds are told from earlier rows. *Term:* time series split.",
            "rows have no order",
        ),
        "label": ("Label: the name of each row", "Lists and hints name rows by it.", "rows have numbers only"),
    }
)
TAKE = Texts(
    {"group": "Take *{}* as the group", "time": "Take *{}* as the time", "label": "Take *{}* as the label"}
)


def current() -> Draft | None:
    """The draft, unless other data were taken into use since it was looked at; then a button leads back to it."""
    draft.finish()
    new, key = draft.current(), library.chosen_key()
    if new and st.session_state.get(BESIDE, (0, ""))[0] != new.number:
        st.session_state[BESIDE] = new.number, key
    return new if new and st.session_state[BESIDE][1] == key else None


def way_back() -> None:
    """Draw the button that leads back to the draft, where there is one (a part of the page below the upload)."""
    if (new := draft.current()) is not None:
        st.button(
            say("Back to {file}", file=plain(new.filename)), icon=":material/undo:", type="tertiary",
            on_click=callback(st.session_state.update), args=({BESIDE: (new.number, library.chosen_key())},),
        )  # fmt: skip


def draw(new: Draft) -> None:
    """Draw the new table: the way to its tree, what the file leaves open, its columns, and how it was read."""
    head = st.container(horizontal=True, vertical_alignment="center", key="table in use")
    goes_on = new.is_urgent and new.target == new.wish
    dataset = None
    if new.reading:
        intake.wait()
    else:
        if new.error:
            show_error(new.error)
        dataset = _columns(draft.update(is_urgent=False) or new) if new.table else None
        reading_options.edit_options(new)
        if new.table:
            rows = counted(len(new.table.frame), "row")
            with st.expander(say("First rows of {n_rows}", n_rows=rows), icon=":material/table_rows:"):
                shown = new.table.frame.iloc[:PREVIEW_ROWS, :MOST_FEATURES]
                st.dataframe(shown, hide_index=True, height=280)
                if words := left_off(len(new.table.frame.columns)):
                    st.caption(words)
    with head:
        st.markdown("" if dataset is None else size_line(dataset), width="stretch")
        st.button(say("Discard"), icon=":material/close:", on_click=callback(draft.discard), type="tertiary")
        if dataset is None:
            return
        if st.button(say("Grow its tree"), type="primary", icon=":material/account_tree:", key="use") or goes_on:
            page, parameters = intake.page_of(library.choose(dataset))
            st.switch_page(page, query_params=parameters)


def _columns(new: Draft) -> Dataset | None:
    """Draw what the file leaves open, target, columns and notes; the data set that they make, if they make one."""
    reading_options.show_choices(new.content.choices, new.number, draft.read_again)
    reading_options.show_dates(new)
    if new.wish and new.wish not in new.content.frame:
        words = say("There is no column “{name}”: choose the target below.", name=plain(new.wish))
        st.warning(words, icon=":material/track_changes:")
    aim = st.container(horizontal=True, vertical_alignment="bottom", key="aim")
    offers, figure, notes = st.container(), st.container(), st.container()
    new = draft.update(plans=edit_columns(new)) or new
    with aim:
        target, task = _pick_target(new)
    new = draft.update(target=target, task=task, **_pick_roles(new, target, offers)) or new
    try:
        dataset, remarks = draft.dataset(new)
    except TableError as error:
        with notes:
            show_error(error)
            show_notes(new.content.notes)
        return None
    recipe = TableRecipe(new.filename, new.content.options, new.plans, new.target_plan)
    st.session_state.setdefault(library.RECIPES, {})[dataset.digest] = recipe
    with figure:
        columns.show(columns.card(dataset, dataset, dataset), len(dataset.features))
    with notes:
        show_notes((*new.content.notes, *remarks))
    return dataset


def size_line(dataset: Dataset) -> str:
    """Size and target of a data set, and its columns that say something of its rows, Markdown."""
    roles = dataset.roles
    by_role = {"weight": dataset.row_weights, "group": roles.groups, "time": roles.times, "label": roles.labels}
    words = say(
        "**{rows}** × {columns} · predicts *{target}*",
        rows=counted(len(dataset.y), "row"),
        columns=counted(len(dataset.features), "column"),
        target=plain(dataset.target.name),
    )
    titles = {role: ROLES[role][0].partition(":")[0] for role in by_role}
    return words + "".join(f" · {titles[role]} *{plain(one.name)}*" for role, one in by_role.items() if one)


def show_error(error: TableError) -> None:
    """Draw the error: the fault, its place, and the remedy."""
    st.error(f"**{plain(error.what)}** {plain(error.where)}\n\n{plain(error.todo)}", icon=":material/error:")


def show_notes(notes: tuple[str, ...]) -> None:
    """Draw notes on changes and on strange values, all in one place."""
    if notes:
        lines = "\n".join(f"- {plain(note)}" for note in notes)
        st.info(f"{say('**Worth knowing about this table**')}\n{lines}", icon=":material/info:")


# ---- the kinds of the columns


def edit_columns(new: Draft) -> tuple[ColumnPlan, ...]:
    """Draw the fold with the kinds of the columns, to be corrected. The plans as they stand now."""
    fold = st.expander(say("Kinds of the columns"), icon=":material/category:", key=FOLD, on_change="rerun")
    if not fold.open:
        return new.plans
    key = f"columns {new.number} {new.content.digest}"
    if key not in st.session_state or BASE not in st.session_state:
        st.session_state[BASE] = new.plans
    order = ["order"] if any(plan.kind == "ordered" for plan in new.plans) else []
    config = st.column_config
    with fold:
        shown = st.data_editor(
            editor_frame(st.session_state[BASE], new), key=key, hide_index=True, width="stretch", row_height=36,
            disabled=["name", "missing", "example", "note"],
            column_order=("name", "kind", "missing", *order, "example", "note"),
            column_config={
                "name": config.TextColumn(say("Column"), pinned=True, width=200),
                "kind": config.SelectboxColumn(say("Kind"), options=list(KINDS), required=True, width=110),
                "missing": config.NumberColumn(say("Missing"), width=70),
                "order": config.TextColumn(say("Order"), width=110, help=say("Such as low < medium < high.")),
                "example": config.TextColumn(say("First values"), width=150),
                "note": config.TextColumn(say("Why"), width=300),
            },
        )  # fmt: skip
    return plans_of(shown, new)


def editor_frame(plans: tuple[ColumnPlan, ...], new: Draft) -> pd.DataFrame:
    """A row per column of the table, as the editor shows it."""
    return pd.DataFrame(
        {
            "name": [plan.name for plan in plans],
            "kind": [plan.kind for plan in plans],
            "missing": [summary.n_missing for summary in new.summaries],
            "order": [" < ".join(plan.categories) if plan.kind == "ordered" else "" for plan in plans],
            "example": [summary.example for summary in new.summaries],
            "note": [
                _note(plan, one.n_distinct, len(new.content.frame) - one.n_missing)
                for plan, one in zip(plans, new.summaries, strict=True)
            ],
        }
    )


def _note(plan: ColumnPlan, n_distinct: int, n_known: int) -> str:
    """Why the column has its kind; of categories that are many for the rows, first a warning."""
    many = many_levels_words(n_distinct, n_known) if plan.kind == "category" else ""
    return "" if plan.kind == "ordered" else f"{many} {plan.reason}".strip()


def plans_of(shown: pd.DataFrame, new: Draft) -> tuple[ColumnPlan, ...]:
    """Plans by the edited rows; one that is unchanged stays as it was."""
    rows, marks = zip(shown["kind"], shown["order"], new.plans, strict=True), new.content.marks
    return tuple(_plan(kind, order or "", plan, marks[plan.name]) for kind, order, plan in rows)


def _plan(kind: Any, order: str, plan: ColumnPlan, mark: str) -> ColumnPlan:
    categories = tuple(word.strip() for word in order.split("<") if word.strip()) if kind == "ordered" else ()
    if kind == plan.kind and (kind != "ordered" or categories == plan.categories):
        return plan
    reason = "" if kind in (*TARGET_KINDS, *TIME_KINDS) else say("by your choice")
    return ColumnPlan(plan.name, kind, categories, reason, form=number_form(mark) if kind == "number" else "")


# ---- the target, and the columns that say something of the rows


def _pick_target(new: Draft) -> tuple[str, str]:
    """Name and task of the target."""
    names = [plan.name for plan in new.plans if plan.kind in TARGET_KINDS]
    if not names:
        return "", ""
    target = _choose("target", new, say("Target: the column to predict"), names, new.target, names[-1])
    plan = next(plan for plan in new.plans if plan.name == target)
    values = apply_unit(new.content.frame[target], plan.unit, plan.form)  # as numbers where they are in a unit
    if values.dtype != "float64":
        return target, "classification"
    key = f"task {new.number} {target}"
    if st.session_state.get(key) not in TASKS:
        st.session_state[key] = new.task if new.task and target == new.target else guess_task(values)
    task = st.radio(say("Predict it"), list(TASKS), key=key, format_func=TASKS.__getitem__, horizontal=True)
    return target, task


def _choose(what: str, new: Draft, label: str, names: list[str], now: str, usual: str, **options: Any) -> str:
    """Draw the choice of a column of the draft."""
    key = f"{what} {new.number}"
    if st.session_state.get(key) not in names:
        st.session_state[key] = now if now in names else usual
    return st.selectbox(label, names, key=key, **options)


def _pick_roles(new: Draft, target: str, offers: DeltaGenerator) -> dict[str, Any]:
    """Draw the columns with roles, and offer those that look so; the fields `weight` and `roles` of the draft."""
    frame, roles = new.content.frame, {"weight": new.weight, **new.roles._asdict()}
    with st.expander(say("Weight, group, time, label"), icon=":material/group_work:"):
        for place, (role, (label, words, empty)) in zip(
            [*st.columns(2), *st.columns(2)], ROLES.items(), strict=True
        ):
            names = [plan.name for plan in new.plans if role != "weight" or frame[plan.name].dtype == "float64"]
            names = ["", *(name for name in names if name != target)]
            with place:
                roles[role] = _choose(
                    role, new, label, names, roles[role], "", help=words,
                    format_func=lambda name, empty=empty: name or empty,
                )  # fmt: skip
    with offers.container(horizontal=True, key="roles offered"):
        for role, name in guessed_roles(frame, new.guessed, new.summaries)._asdict().items():
            if name not in ("", target) and not roles[role]:
                st.button(
                    TAKE[role].format(plain(name)), key=f"offer {role}", icon=":material/lightbulb:",
                    type="tertiary", on_click=callback(st.session_state.update),
                    args=({f"{role} {new.number}": name},),
                )  # fmt: skip
    return {"weight": roles.pop("weight"), "roles": RoleNames(**roles)}
