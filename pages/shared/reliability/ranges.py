"""The values to which columns may change, as a person types them; in the address as "3~10~20.5"."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from espalier.data.columns.exact_text import number_text
from espalier.data.dataset import Dataset, Feature
from espalier.display.theme import number
from espalier.language import say
from espalier.reliability.changeable import TypedRange
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain
from pages.shared.models.rail import Help
from pages.shared.reliability import sentences

KEY, CHOSEN = "may-within", "within-features"  # of the session state: the text, and the columns that have a range
BETWEEN, END = "*", "~"
NUMBER = r"(-?[0-9]{1,15}(\.[0-9]{1,15})?(e-?[0-9]{1,3})?)?"
FORM = re.compile(rf"([0-9]{{1,6}})~{NUMBER}~{NUMBER}")
WIDTH = 150  # pixels of a number


def url_entry(n_features: int) -> Entry:
    """The ranges as a part of the address; columns count from 1."""
    return Entry(KEY, "", _reader(n_features), undo=False, name="within")


def _reader(n: int) -> Callable[[str], str]:
    def read(text: str) -> str:
        found = [FORM.fullmatch(part) for part in text.split(BETWEEN)]
        if not all(one is not None and 1 <= int(one[1]) <= n for one in found):
            raise ValueError(
                say(
                    "a column from 1 to {n}, its least and its greatest value, as 3~10~20.5, with * between "
                    "columns",
                    n=n,
                )
            )
        return text

    return read


def typed() -> tuple[TypedRange, ...]:
    """The ranges that hold something: one that ends before it begins is told on the page, and does not count."""
    return tuple(one for one in _all() if one.low <= one.high)


def _all() -> list[TypedRange]:
    parts = [part.split(END) for part in (st.session_state.get(KEY) or "").split(BETWEEN) if part]
    return [TypedRange(int(f) - 1, float(low or -math.inf), float(high or math.inf)) for f, low, high in parts]


def has_range(feature: Feature) -> bool:
    """Whether a person can say between which numbers a column may change."""
    return feature.kind == "number" and feature.moment is None


def draw(dataset: Dataset, asked: Sequence[int]) -> None:
    """Draw the choice among these features, and two numbers for each that is chosen."""
    known, offered = {one.feature: one for one in _all()}, [f for f in asked if has_range(dataset.features[f])]
    st.session_state[CHOSEN] = [f for f in known if f in offered]
    control = Help(*sentences.CHANGE_HELP["within"])
    st.multiselect(
        control.label, offered, key=CHOSEN, format_func=lambda f: dataset.features[f].name, help=control.text,
        on_change=callback(_keep), args=(offered,), placeholder=say("none", context="column"),
    )  # fmt: skip
    if others := [dataset.features[f].name for f in known if f not in offered]:
        st.caption(sentences.unused_columns_note([plain(one) for one in others]))
    for f in st.session_state[CHOSEN]:
        _ends(dataset.features[f], known[f], offered)


def follow(there: Mapping[int, int]) -> None:
    """Let the ranges go with their columns, from the numbers that these had to those that they have now."""
    kept = [one._replace(feature=there[one.feature]) for one in _all() if one.feature in there]
    st.session_state[KEY] = BETWEEN.join(_of(one.feature, one.low, one.high) for one in kept)


def _ends(feature: Feature, one: TypedRange, offered: Sequence[int]) -> None:
    """Draw both ends of a range, and an error if the first is above the last."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.markdown(plain(feature.name), width=WIDTH, help=feature.meaning or None)
        for end, label, value in (("low", say("from"), one.low), ("high", say("to"), one.high)):
            key, known = f"within-{one.feature}-{end}", value if math.isfinite(value) else None
            st.session_state[key] = int(known) if known is not None and feature.is_whole else known
            st.number_input(
                label, key=key, step=1 if feature.is_whole else None, width=WIDTH, placeholder=say("no limit"),
                on_change=callback(_keep), args=(offered,),
            )  # fmt: skip
    if one.low > one.high:
        st.error(
            say(
                "**{name}**: from {low} to {high} there is no number, so this range is not used. Let the first "
                "number be the smaller one.",
                name=plain(feature.name),
                low=number(one.low),
                high=number(one.high),
            )
        )


def _keep(offered: Sequence[int]) -> None:
    """Write the choice, and the numbers typed, into the address, beside what was not offered here (a callback)."""
    parts = [_of(one.feature, one.low, one.high) for one in _all() if one.feature not in offered]
    for f in (f for f in st.session_state[CHOSEN] if isinstance(f, int)):
        parts.append(_of(f, *(st.session_state.get(f"within-{f}-{end}") for end in ("low", "high"))))
    st.session_state[KEY] = BETWEEN.join(parts)


def _of(feature: int, low: object, high: object) -> str:
    return f"{feature + 1}{END}{_written(low)}{END}{_written(high)}"


def _written(value: object) -> str:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return number_text(value).replace("e+", "e")
