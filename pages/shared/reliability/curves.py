"""What the models get right as they abstain: the figures, what comes of the goal, and whether doubts are true."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from espalier.analysis.comparison.rates import Rates
from espalier.analysis.reliability.abstention import Goal, operate
from espalier.analysis.reliability.reliability import curve, of_baseline, rates_of, validated
from espalier.data.dataset import Dataset
from espalier.views.comparison import figures, rates_words
from espalier.views.comparison.tables import Contestant
from espalier.views.reliability import curves, tables
from espalier.views.reliability import words as reliability_words
from espalier.views.reliability.words import ReliabilitySummary
from espalier.views.spreadsheet import to_csv
from pages.shared.app.frame import is_dark, plain
from pages.shared.app.table_results import of_table
from pages.shared.reliability import goal as goals
from pages.shared.reliability.models import AnsweredModel
from pages.shared.tree.node_data import PLAIN

ANSWERED = "of the rows that it answers itself"


def judged(models: Sequence[AnsweredModel], goal: Goal) -> list[ReliabilitySummary]:
    """The models with what comes of the goal; of classes with what is right of each, and with the baseline."""
    return [_judged(one.key, goal, one)._replace(title=one.title, slot=one.trial.slot) for one in models]


@of_table(max_entries=64)
def _judged(key: str, goal: Goal, _one: AnsweredModel) -> ReliabilitySummary:
    found, data, plan = _one.answers, _one.trial.dataset, _one.questioned.plan
    point = operate(found, goal, plan)
    told = ReliabilitySummary("", 0, _one.measure, _one.curve, _one.area, point, len(found.row))
    if not data.is_classification:
        return told
    baseline = curve(of_baseline(found, data), plan)
    return told._replace(rates=rates_of(found, data, ~point.handed_over), baseline=baseline)


def draw(dataset: Dataset, models: Sequence[AnsweredModel]) -> list[ReliabilitySummary]:
    """Share right against share answered, and beside it the goal; what came of it is given back."""
    is_classes = dataset.is_classification
    left, right = st.columns([3, 2], gap="medium")
    with right, st.container(border=True, key="goal box"):
        goal = goals.draw(dataset)
        found = judged(models, goal)
        if blind := rates_words.blind_words(_rates(found), dataset.target, plain, ANSWERED):
            st.markdown(f":material/warning: {blind}")
        for one in found:
            st.markdown(f"{reliability_words.point_words(one, goal, is_classes)}{_beside(one, dataset)}")
        st.caption(
            "Judged on folds that did not choose the threshold; in brackets the 95 % interval. For new rows: "
            + "; ".join(f"{one.title}: {reliability_words.threshold_words(one.point)}" for one in found)
            + "."
        )
    with left:
        what = "Right, of what is answered" if is_classes else "Average error of what is answered"
        st.markdown(f"**{what}, when the most doubted rows are left to an expert**")
        _chart(
            curves.answered_figure(found, is_classes, is_dark()),
            curves.answered_alt(found, is_classes),
            "answered figure",
        )
        st.caption(
            "From right to left ever more rows are left to an expert. The larger mark is where the goal leads; "
            "bands are 95 % intervals, as the folds differ." + _dotted(is_classes)
        )
    _by_threshold(found, is_classes)
    return found


def _rates(found: Sequence[ReliabilitySummary]) -> list[tuple[str, Rates]]:
    """What is right of each class, of the models that answer anything."""
    return [(one.title, one.rates) for one in found if one.rates is not None and one.rates.n_rows]


def _beside(one: ReliabilitySummary, dataset: Dataset) -> str:
    """What always the same answer gets of the rows answered, and what is right of each class."""
    if one.rates is None or not one.rates.n_rows:
        return ""
    words = (rates_words.baseline_words, rates_words.by_class_words)
    return " ".join(["", *(told(one.rates, dataset.target, plain) for told in words)])


def _dotted(is_classes: bool) -> str:
    if not is_classes:
        return ""
    return (
        " Dotted, in the colour of a model and with its mark: what always the most frequent class would get "
        "right of the rows that this model answers."
    )


def _by_threshold(found: Sequence[ReliabilitySummary], is_classes: bool) -> None:
    """Both shares against the threshold, a panel for each model, as in the paper."""
    st.markdown("**By the threshold on the doubt**")
    for column, one in zip(st.columns(len(found), gap="medium"), found, strict=True):
        with column:
            st.markdown(one.title)
            _chart(
                curves.threshold_figure(one, is_classes, is_dark()),
                curves.threshold_alt(one, is_classes),
                f"threshold figure {one.slot}",
            )
    full = (
        "right, of the answered (dotted: always the most frequent class)"
        if is_classes
        else "average error of the answered (axis on the right)"
    )
    st.caption(
        f"Full line: {full}. Dashed: share answered. Every row is answered whose doubt is at most the threshold; "
        "upright: the threshold for the goal. As figure 4 of Nalenz & Augustin (2021)."
    )
    with st.expander("How well do they know what they do not know? How is doubt measured?"):
        st.markdown(reliability_words.headline(found, is_classes))
        st.caption("The first number is the area under the curve of risk and coverage (AURC). Less is better.")
        st.markdown(reliability_words.HOW)


def draw_calibration(
    dataset: Dataset, models: Sequence[AnsweredModel], found: Sequence[ReliabilitySummary]
) -> None:
    """Whether shares are true; of numbers, whether more doubt means more error."""
    are_shares = "#### When it says 80 %, is it right 8 times in 10?"
    st.markdown(are_shares if dataset.is_classification else "#### Does more doubt mean more error?")
    if not dataset.is_classification:
        pairs = [(one, known.steps) for one, known in zip(found, models, strict=True)]
        _chart(curves.steps_figure(pairs, is_dark()), curves.steps_alt(pairs), "steps figure")
        st.caption("The rows in ten steps of growing doubt. The steeper a line rises, the more its doubts say.")
        return
    told = [Contestant(one.title, one.trial.slot, validated(one.questioned)) for one in models]
    figure = figures.calibration_figure(told, dataset.y, None, is_dark())
    _chart(figure, figures.calibration_alt(told, dataset.y, None), "calibration figure")
    st.caption(
        "Of the rows that a model gives 80 % to the class that it says, 80 % should be of that class: on the "
        "dotted line they are. Large dots have many rows, pale ones fewer than 10; bars are 95 % intervals."
    )


def save(dataset: Dataset, found: Sequence[ReliabilitySummary]) -> None:
    """The curves as a file."""
    save_table("Curves (.csv)", tables.curves(found, dataset.is_classification), dataset, "abstaining")


def save_table(label: str, table: pd.DataFrame, dataset: Dataset, what: str) -> None:
    """A button that saves a table."""
    name = "".join(c if c.isalnum() else "-" for c in dataset.name.lower())[:40].strip("-") or "data"
    st.download_button(
        label, to_csv(table), f"{name}-{what}.csv", "text/csv", on_click="ignore",
        icon=":material/download:", key=f"save {what}",
    )  # fmt: skip


def _chart(figure: go.Figure, alt: str, key: str) -> None:
    st.plotly_chart(figure, theme=None, key=key, config=PLAIN, alt=plain(alt))
