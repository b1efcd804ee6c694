"""The section on decisions: rates by class with intervals, the cost curve, and rates by group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset, columns_of
from espalier.data.errors import number_text
from espalier.decisions import figures
from espalier.decisions.decision import (
    CostCurve,
    Decided,
    Decision,
    JudgedRows,
    RatesByGroup,
    cost_curve,
    decided,
    rates_by_group,
    rows_of_folds,
    rows_validated,
)
from espalier.decisions.figures import CostSummary
from espalier.display.tables import to_csv
from espalier.language import Texts, english, say, to_say
from pages.shared.app import embedding, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import fold, plain, plain_table
from pages.shared.app.table_results import of_table
from pages.shared.canvas.data_table import data_table
from pages.shared.comparison import results
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.decisions import controls
from pages.shared.models.drawer import pick
from pages.shared.reliability.models import AnsweredModel


class DecidingModel(NamedTuple):
    """A model whose answers are decided on."""

    key: str  # names its answers, for caches
    title: str
    slot: int
    rows: Callable[[], JudgedRows]  # its answers to rows that it has not seen


def of_reliability(one: AnsweredModel) -> DecidingModel:
    """A model of the page Reliability."""
    return DecidingModel(one.key, one.title, one.trial.slot, lambda: rows_of_folds(one.fold_models))


def of_comparison(dataset: Dataset, trial: ComparisonJob, one: Contestant) -> DecidingModel:
    """A model of the page Compare, with the rows of its first repeat."""
    key = f"{trial.key} {len(one.validated.tried)}"
    return DecidingModel(key, one.title, one.slot, lambda: rows_validated(one.validated, dataset))


EVERY_GROUP = to_say("Every group alike?")
TABLE_NOTES = to_say(
    "In brackets the 95 % interval. *Found*: recall; *right, of those answered*: precision. An error costs 1."
)
CURVE_NOTES = to_say(
    "The mark is the decision as it is; bands are 95 % intervals. Clearly lower elsewhere: shares are not true."
)
GROUPS_NOTES = to_say(
    "Each group against all other rows. A group may differ for good reasons: ask why before you judge."
)


# ---- the section on decisions: rates by class with intervals, the cost curve, and rates by group

GROUPS_HELP = Texts(
    {
        "rate-groups": (
            "Groups by",
            "Every rate of the decisions, for each group of this column: each category, or four ranges of a "
            "number with about as many rows each, or ranges that you cut. The models may use the column or not. "
            "*Terms:* equal opportunity (found), equalised odds, demographic parity (answered).",
        )
    }
)
CUTS_HELP = Texts(
    {
        "group-cuts": (
            "Cut at",
            "Numbers such as 18, 65: the groups are then up to 18, above 18 up to 65, and above 65. Empty: at "
            "the "
            "quartiles of the column.",
        )
    }
)
CUTS_EXPECTED = to_say("up to seven numbers with commas between them, such as 18, 65")

GROUPS = "rate-groups"  # the column, in the session state; the page *Tree* grows trees for groups of another
PARAMETER = "groups"  # in the address, where there is no other
CUTS, MOST_CUTS = "group-cuts", 7  # where a column of numbers is cut, in the address; how often at most
LONGEST_NAME = 200


def group_entries(dataset: Dataset, parameter: str = PARAMETER) -> list[Entry]:
    """The column of the groups, and where one of numbers is cut: their widgets stand in the section."""
    return [
        _column_entry(dataset, parameter),
        Entry(CUTS, "", lambda text: ", ".join(map(number_text, cuts_of(text)))),
    ]


def cuts_of(text: str) -> tuple[float, ...]:
    """The numbers of a text such as "18, 65", ascending. Raises ValueError for any other text."""
    try:
        cuts = sorted({float(one) for one in text.replace(";", ",").split(",") if one.strip()})
    except ValueError:
        raise ValueError(say(CUTS_EXPECTED)) from None
    if len(cuts) > MOST_CUTS or not np.isfinite(cuts).all():
        raise ValueError(say(CUTS_EXPECTED))
    return tuple(cuts)


def cuts(dataset: Dataset) -> tuple[float, ...]:
    """Where the chosen column is cut; nothing for its quartiles, for categories, and where the text is wrong."""
    column = columns_of(dataset).get(st.session_state[GROUPS])
    if column is None or column.categories:
        return ()
    try:
        return cuts_of(st.session_state.get(CUTS, ""))
    except ValueError:
        return ()


def _column_entry(dataset: Dataset, parameter: str) -> Entry:
    there = _columns(dataset)

    def read(text: str) -> str:
        if text and text not in there:
            raise ValueError(say("the name of a column"))
        return text

    return Entry(GROUPS, "", read, name=parameter)


def _columns(dataset: Dataset) -> list[str]:
    return [name for name in columns_of(dataset) if name != dataset.target.name and len(name) <= LONGEST_NAME]


def draw(
    dataset: Dataset, models: Sequence[DecidingModel], contestants: Sequence[Contestant], shares: str
) -> None:
    """Draw, folded, what Compare and Reliability ask of models that answer with classes.

    Whether shares are true, what errors cost, and whether all groups are served alike. `shares` is what a frame
    calls the first of these.
    """
    if not dataset.is_classification or not models:
        return
    state = st.session_state
    is_asked = any(state[one.key] != one.default for one in controls.url_entries(dataset))
    with embedding.part(shares):
        is_other = state["about"] != results.PREDICTED
        title = say(results.ARE_SHARES_TRUE)
        fold(title, "are-shares-true", lambda: results.draw_shares(dataset, contestants), is_other)
    with embedding.part("decisions"):
        decision = controls.decision(dataset)
        fold(say("What errors cost"), "what-errors-cost", lambda: _draw_costs(dataset, models, decision), is_asked)
        groups = bool(state[GROUPS])
        fold(say(EVERY_GROUP), "every-group", lambda: _draw_groups(dataset, models, decision), groups)


def _draw_costs(dataset: Dataset, models: Sequence[DecidingModel], decision: Decision) -> None:
    """Draw the rule, the rates by class, and the curve of costs."""
    st.markdown(figures.rule_words(decision, dataset.target, plain))
    _draw_rates(dataset, models, decision)
    _draw_curve(dataset, models, decision)


def draw_results(dataset: Dataset, models: Sequence[DecidingModel]) -> None:
    """Draw the rule, the rates by class, the curve of costs, and the rates by group."""
    decision = controls.decision(dataset)
    _draw_costs(dataset, models, decision)
    st.markdown(f"**{say(EVERY_GROUP)}**")
    _draw_groups(dataset, models, decision)


@of_table(max_entries=64)
def decided_of(one: DecidingModel, decision: Decision) -> Decided:
    """The decisions of a model."""
    return decided(one.rows(), decision)


def _draw_rates(dataset: Dataset, models: Sequence[DecidingModel], decision: Decision) -> None:
    pairs = [(one.title, decided_of(one, decision)) for one in models]
    table = figures.rates_table(pairs, dataset.classes, decision.code)
    # No data frame: on a phone that would hide columns, where the cells of a table wrap.
    st.table(
        plain_table(table),
        border="horizontal",
        alt=say("How often each model's decisions are right, by class, and what their errors cost"),
    )
    st.caption(say(TABLE_NOTES))


def _draw_curve(dataset: Dataset, models: Sequence[DecidingModel], decision: Decision) -> None:
    if decision.code is None:
        st.caption(
            say("Choose under *More settings* which error is worse, to see what other thresholds would cost.")
        )
        return
    name = dataset.classes[decision.code]
    free = decision._replace(threshold=None)
    curves = [CostSummary(one.title, one.slot, curve_of(one, free), decision.cut) for one in models]
    st.markdown(say("**What 100 rows would cost**"))
    picture = figures.cost_picture(curves, name)
    pictures.plot(picture._replace(alt=plain(picture.alt)), "cost-figure")
    st.caption(say(CURVE_NOTES))


@of_table(max_entries=64)
def curve_of(one: DecidingModel, decision: Decision) -> CostCurve:
    """What a model's decisions cost, by the threshold."""
    return cost_curve(one.rows(), decision)


def _draw_groups(dataset: Dataset, models: Sequence[DecidingModel], decision: Decision) -> None:
    """Draw the choice of the column, and the rates of each model in its groups."""
    there = _columns(dataset)
    if st.session_state[GROUPS] not in there:
        st.session_state[GROUPS] = ""
    pick(
        GROUPS_HELP, GROUPS, st.selectbox, options=["", *there], width=320,
        format_func=lambda name: name or say("no column"),
    )  # fmt: skip
    column = st.session_state[GROUPS]
    if not column:
        return
    if not columns_of(dataset)[column].categories:
        _pick_cuts()
    name = "" if decision.code is None else dataset.classes[decision.code]
    found = [(one.title, groups_of(one, decision, column, cuts(dataset), dataset)) for one in models]
    for title, its in found:
        st.markdown(figures.standing_out(title, its, name, plain))
        data_table(
            figures.groups_table(its, name),
            hide_index=True,
            alt=say("Rates of {title} by group, with intervals", title=title),
            key=f"groups {title}",
        )
    few = figures.few_words(found[0][1])
    left_out = say("{n} smaller groups are left out.", n=found[0][1].n_others) if found[0][1].n_others else ""
    st.caption(" ".join(filter(None, [say(GROUPS_NOTES), few, left_out])))
    with english():
        file = to_csv(figures.groups_file(found))
    st.download_button(
        say("Rates by group (.csv)"),
        file,
        "groups.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="save groups",
    )


def _pick_cuts() -> None:
    """Draw where the column is cut, and what is wrong with the text."""
    pick(CUTS_HELP, CUTS, st.text_input, width=320, placeholder=say("its quartiles"))
    try:
        cuts_of(st.session_state[CUTS])
    except ValueError:
        st.warning(
            say(
                "“{text}” should be {CUTS_EXPECTED}. Until then the column is cut at its quartiles.",
                text=plain(st.session_state[CUTS]),
                CUTS_EXPECTED=say(CUTS_EXPECTED),
            )
        )


@of_table(max_entries=64)
def groups_of(
    one: DecidingModel, decision: Decision, column: str, cuts: tuple[float, ...], _dataset: Dataset
) -> RatesByGroup:
    """The rates of a model's decisions in the groups of a column."""
    rows = one.rows()
    return rates_by_group(rows, decided(rows, decision).answer, _dataset, column, decision.code, cuts)
