"""Accuracy of the models as they abstain: the curves, the outcome of the goal, and calibration."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from espalier.comparison import figures, tables
from espalier.comparison.scores import Rates
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.display.parts import Picture
from espalier.display.tables import to_csv
from espalier.language import say
from espalier.reliability import curves, words
from espalier.reliability.reliability import Goal, baseline_answers, curve, operate, rates_of, validation_of
from espalier.reliability.words import ReliabilitySummary
from pages.shared.app import pictures
from pages.shared.app.frame import plain
from pages.shared.app.pictures import file_name
from pages.shared.app.table_results import of_table
from pages.shared.comparison import folds as comparison_sentences
from pages.shared.reliability import goal as goals
from pages.shared.reliability import sentences
from pages.shared.reliability.models import AnsweredModel


def summaries_of(models: Sequence[AnsweredModel], goal: Goal) -> list[ReliabilitySummary]:
    """The models with the outcome of the goal; of classes with the accuracy by class, and with the baseline."""
    return [_summary(one, goal)._replace(title=one.title, slot=one.trial.slot) for one in models]


@of_table(max_entries=64)
def _summary(one: AnsweredModel, goal: Goal) -> ReliabilitySummary:
    answers, data, plan = one.answers, one.trial.dataset, one.fold_models.plan
    point = operate(answers, goal, plan)
    summary = ReliabilitySummary("", 0, one.measure, one.curve, one.area, point, len(answers.row))
    if not data.is_classification:
        return summary
    baseline = curve(baseline_answers(answers, data), plan)
    return summary._replace(rates=rates_of(answers, data, ~point.handed_over), baseline=baseline)


def draw(dataset: Dataset, models: Sequence[AnsweredModel]) -> list[ReliabilitySummary]:
    """Summaries of the models at the goal; drawn are accuracy against the share answered, and the goal."""
    is_classes = dataset.is_classification
    left, right = st.columns([3, 2], gap="medium")
    with right, st.container(border=True, key="goal box"):
        goal = goals.draw(dataset)
        summaries = summaries_of(models, goal)
        if blind := tables.blind_words(
            _rates(summaries), dataset.target, plain, say("of the rows that it answers itself")
        ):
            st.markdown(f":material/warning: {blind}")
        for one in summaries:
            st.markdown(f"{words.point_words(one, goal, is_classes)}{_beside(one, dataset)}")
        thresholds = [(one.title, words.threshold_words(one.point)) for one in summaries]
        is_promised, roles = goal.confidence is not None, dataset.roles
        beware = sentences.warning(roles.groups is not None, roles.times is not None) if is_promised else ""
        st.caption(" ".join(filter(None, [sentences.outcomes_caption(thresholds, is_promised), beware])))
    with left:
        st.markdown(sentences.answered_heading(is_classes))
        _chart(curves.answered_picture(summaries, is_classes), "answered-figure")
        st.caption(sentences.answered_caption(is_classes))
    _by_threshold(summaries, is_classes)
    return summaries


def _rates(summaries: Sequence[ReliabilitySummary]) -> list[tuple[str, Rates]]:
    """Accuracy by class of the models that answer any row, with their titles."""
    return [(one.title, one.rates) for one in summaries if one.rates is not None and one.rates.n_rows]


def _beside(one: ReliabilitySummary, dataset: Dataset) -> str:
    """The baseline on the rows answered, and the accuracy by class, in words."""
    if one.rates is None or not one.rates.n_rows:
        return ""
    baseline = tables.baseline_words(one.rates, dataset.target, plain)
    return f" {baseline} {tables.class_rates_words(one.rates, dataset.target, plain)}"


def _by_threshold(summaries: Sequence[ReliabilitySummary], is_classes: bool) -> None:
    """Draw both shares against the threshold, a panel for each model, as in the paper."""
    st.markdown(say("**By the threshold on the doubt**"))
    for column, one in zip(st.columns(len(summaries), gap="medium"), summaries, strict=True):
        with column:
            st.markdown(one.title)
            _chart(curves.threshold_picture(one, is_classes), f"threshold-figure-{one.slot}")
    st.caption(sentences.threshold_caption(is_classes))
    with st.expander(say("How well do they know what they do not know? How is doubt measured?")):
        st.markdown(words.headline(summaries, is_classes))
        st.caption(
            say("The first number is the area under the curve of risk and coverage (AURC). Less is better.")
        )
        st.markdown(say(words.HOW))


def draw_calibration(
    dataset: Dataset, models: Sequence[AnsweredModel], summaries: Sequence[ReliabilitySummary]
) -> None:
    """Draw whether shares are true; of numbers, whether more doubt means more error."""
    st.markdown(
        say(comparison_sentences.ARE_SHARES_TRUE)
        if dataset.is_classification
        else say("#### Does more doubt mean more error?")
    )
    if not dataset.is_classification:
        pairs = [(one, known.steps) for one, known in zip(summaries, models, strict=True)]
        _chart(curves.steps_picture(pairs), "steps-figure")
        st.caption(say(sentences.STEPS))
        return
    contestants = [Contestant(one.title, one.trial.slot, validation_of(one.fold_models)) for one in models]
    _chart(figures.calibration_picture(contestants, dataset.y, None), "calibration-figure")
    st.caption(say(sentences.CALIBRATION))


def save(dataset: Dataset, summaries: Sequence[ReliabilitySummary]) -> None:
    """Draw the button that saves the curves."""
    save_table(
        say("Curves (.csv)"), words.curves_table(summaries, dataset.is_classification), dataset, "abstaining"
    )


def save_table(label: str, table: pd.DataFrame, dataset: Dataset, what: str) -> None:
    """Draw a button that saves a table."""
    name = file_name(dataset.name)
    st.download_button(
        label, to_csv(table), f"{name}-{what}.csv", "text/csv", on_click="ignore",
        icon=":material/download:", key=f"save {what}",
    )  # fmt: skip


def _chart(picture: Picture, key: str) -> None:
    pictures.plot(picture._replace(alt=plain(picture.alt)), key)
