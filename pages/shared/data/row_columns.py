"""Widgets for columns that say something of the rows themselves: weight, group, time and label."""

from __future__ import annotations

import functools
from typing import Any

import streamlit as st

from espalier.data.columns.kinds import RoleNames, guessed_roles
from espalier.data.dataset import Dataset
from espalier.language import Texts, say
from pages.shared.app.frame import callback, plain
from pages.shared.data.draft import Draft

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


def pick(draft: Draft, target: str) -> dict[str, Any]:
    """The fields `weight` and `roles` of the draft as they are chosen now; what columns look like is offered."""
    chosen = {"weight": draft.weight, **draft.roles._asdict()}
    for start in range(0, len(chosen), ABREAST):
        places = zip(st.columns(ABREAST), list(chosen)[start : start + ABREAST], strict=True)
        for place, role in places:
            with place:
                chosen[role] = _pick(draft, target, role, chosen[role])
    _offer(draft, target, chosen)
    return {"weight": chosen.pop("weight"), "roles": RoleNames(**chosen)}


def in_use(dataset: Dataset) -> str:
    """The columns of a data set that say something of its rows; empty where there is none."""
    weight, roles = dataset.row_weights, dataset.roles
    columns = [weight, roles.groups, roles.times, roles.labels]
    return _roles_line(*("" if column is None else plain(column.name) for column in columns))


def _pick(draft: Draft, target: str, role: str, now: str) -> str:
    """The column with this role; empty where there is none."""
    assert draft.table is not None
    frame, key = draft.table.frame, _key(draft, role)
    able = (plan.name for plan in draft.plans if role != "weight" or frame[plan.name].dtype == "float64")
    names = [NO_COLUMN, *(name for name in able if name != target)]
    if st.session_state.get(key) not in names:
        st.session_state[key] = now if now in names else NO_COLUMN
    label, text, without = COLUMNS[role]
    return st.selectbox(label, names, key=key, help=text, format_func=functools.partial(_title, without))


def _title(without: str, name: str) -> str:
    return name or without


def _offer(draft: Draft, target: str, chosen: dict[str, str]) -> None:
    """Draw a button for each column that looks as if it had a role which no column has yet."""
    assert draft.table is not None
    guesses = guessed_roles(draft.table.frame, draft.guessed, draft.summaries)._asdict()
    offers = {role: name for role, name in guesses.items() if name not in ("", target) and not chosen[role]}
    if not offers:
        return
    with st.container(horizontal=True, key="roles offered"):
        for role, name in offers.items():
            label, text = (TAKE[role].format(plain(name)), OFFERS[role])
            st.button(
                label, key=f"offer {role}", help=text, icon=":material/lightbulb:", type="tertiary",
                on_click=callback(_take), args=(_key(draft, role), name),
            )  # fmt: skip


def _take(key: str, name: str) -> None:
    st.session_state[key] = name


def _key(draft: Draft, role: str) -> str:
    return f"{role} {draft.number}"


def _roles_line(weight: str, group: str, time: str, label: str) -> str:
    """The roles of columns of the data set in use; the names are Markdown, and empty where there is no column."""
    said = [say("rows count by weight *{weight}*", weight=weight)] if weight else []
    said += [say("rows of one *{group}* stay together", group=group)] if group else []
    said += [say("in order of *{time}*", time=time)] if time else []
    said += [say("named by *{label}*", label=label)] if label else []
    return "".join(f" · {part}" for part in said)
