"""The section on decisions: rates by class with intervals, the cost curve, and rates by group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from espalier.comparison.scores import Subgroups
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset, columns_of
from espalier.decisions import figures
from espalier.decisions.decision import (
    CostCurve,
    Decided,
    Decision,
    GroupRates,
    JudgedRows,
    cost_curve,
    decided,
    rates_by_group,
    rows_held_out,
    rows_of_folds,
    rows_validated,
    unweight_shares,
)
from espalier.decisions.figures import CostSummary
from espalier.grown import GrownTree
from espalier.language import say, to_say
from pages.shared.app import address, frame, links, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import fold, plain, plain_table
from pages.shared.app.store import of_table
from pages.shared.canvas.components import data_table
from pages.shared.comparison import results
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.decisions import controls
from pages.shared.reliability.models import AnsweredModel
from pages.shared.tree import results as tree_results

GROUPS = "rate-groups"  # the column, in the session state; the page *Tree* grows trees for groups of another
PARAMETER = "groups"  # in the address, where there is no other
OPENED = "decisions-of-tree"  # key of the fold of one tree
LONGEST_NAME = 200
WHAT_ERRORS_COST, EVERY_GROUP = to_say("What errors cost"), to_say("Every group alike?")


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


def of_tree(grown: GrownTree) -> DecidingModel:
    """A tree, with the rows held out."""

    def rows() -> JudgedRows:
        held = np.flatnonzero(grown.held)
        shares = unweight_shares(tree_results.answers(grown)[held], weight_of(grown))
        return rows_held_out(grown.table, held, shares)

    return DecidingModel(grown.key, say("The tree"), 0, rows)


def weight_of(grown: GrownTree) -> np.ndarray | None:
    """(n_classes,) how much a row of each class counted as the tree grew; None: the same."""
    return None if grown.class_weight is None else tree_results.prices(grown).weight


def group_entries(dataset: Dataset, parameter: str = PARAMETER) -> list[Entry]:
    """The column of the groups, as part of the address; and the cuts of one of numbers of earlier versions."""
    there = _columns(dataset)

    def read(text: str) -> str:
        if text and text not in there:
            raise ValueError(say("the name of a column"))
        return text

    cuts = links.gone_entry("group-cuts", say("a column of numbers is cut at its quartiles"))
    return [Entry(GROUPS, "", read, name=parameter), cuts]


def tree_entries(dataset: Dataset) -> list[Entry]:
    """Threshold, prevalence and groups of one tree; its costs are there as settings of trees."""
    if not dataset.is_classification:
        return []
    return [*(share.entry for share in controls.SHARES), *group_entries(dataset, GROUPS)]


def _columns(dataset: Dataset) -> list[str]:
    return [name for name in columns_of(dataset) if name != dataset.target.name and len(name) <= LONGEST_NAME]


# ---- where it stands: below several models, and below one


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
    is_asked = address.are_set(controls.url_entries(dataset))
    with frame.figure_part(shares):
        is_other = state["about"] != results.PREDICTED
        title = say(results.ARE_SHARES_TRUE)
        fold(title, "are-shares-true", lambda: results.draw_shares(dataset, contestants), is_other)
    with frame.figure_part("decisions"):
        fold(say(WHAT_ERRORS_COST), "what-errors-cost", lambda: _draw_costs(dataset, models), is_asked)
        fold(say(EVERY_GROUP), "every-group", lambda: _draw_groups(dataset, models), bool(state[GROUPS]))


def draw_held_out(model: DecidingModel, dataset: Dataset, held: np.ndarray, has_costs: bool) -> None:
    """Draw it for one model and the rows (n_samples,) that were held out from it.

    `has_costs`: costs are settings of its learner.
    """
    if not held.any():
        st.info(say("No rows are held out to judge it by: hold some out under More settings."))
        return
    has_controls = not has_costs or controls.code_of(dataset) is not None
    left, right = st.columns([2, 3], gap="medium") if has_controls else (st.container(), st.container())
    with left:
        if not has_costs:
            controls.draw_costs(dataset)
        controls.draw_shares(dataset)
    with right:
        _draw_costs(dataset, [model])
    _draw_groups(dataset, [model])


def is_asked(dataset: Dataset) -> bool:
    """Whether threshold, prevalence or groups were chosen: the section is then open, and a report has it."""
    return address.are_set(tree_entries(dataset))


def is_open(dataset: Dataset) -> bool:
    """Whether the section was opened, or something in it was chosen."""
    return dataset.is_classification and (bool(st.session_state.get(OPENED)) or is_asked(dataset))


# ---- what it has


def _draw_costs(dataset: Dataset, models: Sequence[DecidingModel]) -> None:
    """Draw the rule, the rates by class, and the curve of costs."""
    decision = controls.decision(dataset)
    st.markdown(figures.rule_words(decision, dataset.target, plain))
    table = figures.rates_table(
        [(one.title, decided_of(one, decision)) for one in models], dataset.classes, decision.code
    )
    # No data frame: on a phone that would hide columns, where the cells of a table wrap.
    st.table(
        plain_table(table), border="horizontal",
        alt=say("How often each model's decisions are right, by class, and what their errors cost"),
    )  # fmt: skip
    st.caption(say("In brackets the 95 % interval. *Found* is recall, *right, of those answered* precision."))
    if decision.code is None:
        return
    st.markdown(say("**What 100 rows would cost**"))
    picture = figures.cost_picture(cost_summaries(models, decision), dataset.classes[decision.code])
    pictures.plot(picture._replace(alt=plain(picture.alt)), "cost-figure")


def cost_summaries(models: Sequence[DecidingModel], decision: Decision) -> list[CostSummary]:
    """What the models' decisions cost, by the threshold."""
    free = decision._replace(threshold=None)
    return [CostSummary(one.title, one.slot, _curve_of(one, free), decision.cut) for one in models]


@of_table(max_entries=64)
def decided_of(one: DecidingModel, decision: Decision) -> Decided:
    """The decisions of a model."""
    return decided(one.rows(), decision)


@of_table(max_entries=64)
def _curve_of(one: DecidingModel, decision: Decision) -> CostCurve:
    return cost_curve(one.rows(), decision)


def _draw_groups(dataset: Dataset, models: Sequence[DecidingModel]) -> None:
    """Draw the choice of the column, and the rates of each model in its groups."""
    there = _columns(dataset)
    if st.session_state[GROUPS] not in there:
        st.session_state[GROUPS] = ""
    st.selectbox(
        say("Groups by"), ["", *there], key=GROUPS, width=320, format_func=lambda name: name or say("no column"),
        help=say("*Terms:* equal opportunity (found), equalised odds, demographic parity (answered)."),
    )  # fmt: skip
    if not st.session_state[GROUPS]:
        return
    decision = controls.decision(dataset)
    name = "" if decision.code is None else dataset.classes[decision.code]
    left_out = 0
    for one in models:
        groups = groups_of(one, decision, dataset)
        left_out = groups.n_others
        st.markdown(f"**{one.title}**")
        data_table(
            figures.groups_table(groups, name), hide_index=True, key=f"groups {one.title}",
            alt=say("Rates of {title} by group, with intervals", title=one.title),
        )  # fmt: skip
    signs = say("▲ ▼: higher or lower than all other rows by more than chance. Ask why before you judge.")
    st.caption(f"{signs} {say('{n} smaller groups are left out.', n=left_out)}" if left_out else signs)


def groups_of(one: DecidingModel, decision: Decision, dataset: Dataset) -> Subgroups[GroupRates]:
    """The rates of a model's decisions in the groups of the column that is chosen."""
    return _groups_of(one, decision, st.session_state[GROUPS], dataset)


@of_table(max_entries=64)
def _groups_of(one: DecidingModel, decision: Decision, column: str, _dataset: Dataset) -> Subgroups[GroupRates]:
    rows = one.rows()
    return rates_by_group(rows, decided(rows, decision).answer, _dataset, column, decision.code)
