"""Columns of dates whose day could also be the month: both readings side by side, one click takes the other."""

from __future__ import annotations

import numpy as np
import streamlit as st

from espalier.data.columns.dates import most_dates
from espalier.data.columns.kinds import ColumnPlan
from pages.shared.app.frame import callback, plain
from pages.shared.data import draft as drafts
from pages.shared.data.draft import Draft
from pages.shared.words import data as words

SHOWN = 3  # cells of each reading


def show(draft: Draft) -> None:
    """Draw both readings of every such column."""
    for place, plan in enumerate(draft.plans):
        if draft.table is None or plan.kind != "date" or not plan.rival:
            continue
        cells = draft.table.frame[plan.name].dropna().drop_duplicates().iloc[:SHOWN]
        with st.container(border=True):
            st.markdown(words.left_open(plain(words.which_date(plan.name, cells.iloc[0]))))
            for column, form in zip(st.columns(2, vertical_alignment="bottom"), words.ORDERS, strict=True):
                with column:
                    _reading(plan, form, f"{form} {place} {draft.number}")
                    read = most_dates(cells, form)
                    days = np.array([], "M8[D]") if read is None else np.floor(read.days).astype("M8[D]")
                    st.dataframe({words.IN_FILE: cells.tolist(), words.READ_AS: days.astype(str)}, hide_index=True)


def _reading(plan: ColumnPlan, form: str, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.ORDERS[form], width="stretch")
        if form == plan.form:
            st.badge(words.READ_SO_NOW, icon=":material/check:")
        else:
            st.button(words.READ_IT_SO, key=f"order {key}", on_click=callback(_take), args=(plan.name,))


def _take(name: str) -> None:
    """Read the column in its other order (a callback)."""
    draft = drafts.current()
    if draft is not None:
        turned = (p._replace(form=p.rival, rival=p.form) if p.name == name else p for p in draft.plans)
        drafts.update(plans=tuple(turned))
