"""Sentences that several parts of a page say."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from espalier.data.dataset import Dataset, Feature
from espalier.data.errors import number_text
from espalier.display.theme import number
from espalier.language import Texts, say, to_say
from espalier.reliability.changeable import TypedRange
from pages.shared.app.address import Entry
from pages.shared.app.frame import callback, plain

STEPS = to_say("The rows in ten steps of growing doubt. The steeper a line rises, the more its doubts say.")
JUDGED = to_say(
    "Judged on folds that did not choose the threshold; one that is promised for new rows is chosen on all rows, "
    "and its 90 % confidence takes that into account."
)
ANSWERED = to_say("Marks: at the goal. Bands: 95 % intervals.")
NOTHING_TO_HAND_OVER = to_say("At this goal the model answers every row: there is nothing to hand over.")
LEAVES = to_say(
    "A part for each leaf that it is in, as wide as its fraction, in the colour of what the leaf says."
)
CHANGE_HELP = Texts(
    {
        "keep": ("Stay as they are", "What nobody can change, such as an age or a place of birth."),
        "up": ("May only go up", "Such as years of experience: a change that makes them less is not offered."),
        "down": ("May only go down", "Such as debts: a change that makes them more is not offered."),
        "within": (
            "May only change within",
            "The least and the greatest number that it may become, in the column's own unit. A column may always "
            "stay as it is, and no value leaves the range of the table.",
        ),
        "toward": (
            "The change is to lead to",
            "Finds the smallest change that leads to this answer, and proves that no smaller one does; or proves "
            "that nothing that may change leads there.",
        ),
    }
)
AGAIN = to_say("**Would it say the same, had the data been drawn again?**")
AGAIN_MODELS = to_say("Each model has learned from rows drawn anew from the other folds. *Term:* bootstrap.")


def warning(in_groups: bool, in_time: bool) -> str:
    """Warning of rows that are not alike; empty if nothing is known against them."""
    if in_time:
        return say(
            "These rows follow each other in time: the promise holds only while later rows are like earlier ones."
        )
    if in_groups:
        return say(
            "These rows come in groups: the promise is for rows of new groups on average, not within each group."
        )
    return ""


def threshold_caption(is_classification: bool) -> str:
    """Caption of the curves against the threshold."""
    full = say("right, of the answered") if is_classification else say("average error, on the right axis")
    return say(
        "Full: {what}. Dashed: share answered. Upright: the goal. After Nalenz & Augustin (2021).", what=full
    )


def parts_caption(link: str) -> str:
    """Caption of the bars: what each column adds."""
    if link in ("logistic", "softmax"):
        counted = say("in log odds, the score that becomes the share")
    elif link == "log":
        counted = say("to the logarithm of the answer")
    else:
        counted = say("beside what the model says before it knows any column")
    return say(
        "What each column's value adds to the answer (right) or takes away (left), {counted}. All together lead "
        "to the answer. *Term:* Shapley values (SHAP).",
        counted=counted,
    )


def way_caption(is_cultivated: bool) -> str:
    """Caption of the way of a row through its tree."""
    most = say("What divides it most. ") * is_cultivated
    return say("{most}The dot is this row, on the range of the column; grey is where it is cut.", most=most)


def unused_columns_note(names: Sequence[str]) -> str:
    """Columns that are limited in the same way, and that the model of this page does not ask about; Markdown."""
    return say("Chosen, too, but not asked about by this model: {names}.", names=", ".join(names))


def recourse_caption(is_classification: bool) -> str:
    """Caption of the plane of the two columns that matter most for another answer."""
    strong = (
        say("another class would be said") if is_classification else say("a number far enough away would be said")
    )
    return say(
        "The full dot is this row, the open one its nearest change. Colours are strong where {strong}, weak "
        "where not, and almost gone where this row may not go. All else is held. *Term:* region of recourse.",
        strong=strong,
    )


def strips_caption(is_classification: bool) -> str:
    """Caption of the strips of answers."""
    colour = (
        say("in the colour of the class that would be said")
        if is_classification
        else say("the deeper the greater")
    )
    return say(
        "Along each column what would be said, all else held, {colour}; the mark is this row.", colour=colour
    )


# ---- the values to which columns may change, as a person types them; in the address as "3~10~20.5"

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
    label, words = CHANGE_HELP["within"]
    st.multiselect(
        label, offered, key=CHOSEN, format_func=lambda f: dataset.features[f].name, help=words,
        on_change=callback(_keep), args=(offered,), placeholder=say("none", context="column"),
    )  # fmt: skip
    if others := [dataset.features[f].name for f in known if f not in offered]:
        st.caption(unused_columns_note([plain(one) for one in others]))
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
