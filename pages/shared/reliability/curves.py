"""Accuracy of the models as they abstain: the curves, and the outcome of the goal."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.comparison.class_rates import blind_words
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.display.parts import Picture
from espalier.language import say, to_say
from espalier.reliability import curves, words
from espalier.reliability.reliability import Goal, baseline_answers, curve, operate, rates_of, validation_of
from espalier.reliability.words import ReliabilitySummary
from pages.shared.app import pictures
from pages.shared.app.frame import plain, plain_table
from pages.shared.app.store import of_table
from pages.shared.comparison.results import BASELINE
from pages.shared.reliability import goal as goals
from pages.shared.reliability.models import AnsweredModel

BY_THRESHOLD = to_say("By threshold")
ANSWERED = to_say("Marks: at the goal. Bands: 95 % intervals.")


def summaries_of(models: Sequence[AnsweredModel], goal: Goal) -> list[ReliabilitySummary]:
    """The models with the outcome of the goal; of classes with the accuracy by class, and with the baseline."""
    return [_summary(one, goal)._replace(title=one.title, slot=one.trial.slot) for one in models]


@of_table(max_entries=64)
def _summary(one: AnsweredModel, goal: Goal) -> ReliabilitySummary:
    answers, data, plan = one.answers, one.trial.dataset, one.fold_models.plan
    point = operate(answers, goal, plan)
    summary = ReliabilitySummary("", 0, one.measure, one.curve, point, len(answers.row))
    if not data.is_classification:
        return summary
    baseline = curve(baseline_answers(answers, data), plan)
    return summary._replace(rates=rates_of(answers, data, ~point.handed_over), baseline=baseline)


def draw(dataset: Dataset, models: Sequence[AnsweredModel]) -> list[ReliabilitySummary]:
    """Summaries of the models at the goal; drawn are accuracy against the share answered, and the goal."""
    left, right = st.columns([3, 2], gap="medium")
    with right:
        goal = goals.draw(dataset)
        summaries = summaries_of(models, goal)
        alt = say("What each model answers at the goal, and how well")
        st.table(plain_table(words.points_table(summaries, goal, dataset)), border="horizontal", alt=alt)
        for text in notes(models, summaries, goal, dataset):
            st.markdown(text)
    with left:
        _chart(curves.answered_picture(summaries, dataset.is_classification), "answered-figure")
        st.caption(say(ANSWERED))
    return summaries


def notes(
    models: Sequence[AnsweredModel], summaries: Sequence[ReliabilitySummary], goal: Goal, dataset: Dataset
) -> list[str]:
    """What to beware of at the goal, Markdown; often nothing. The baseline is blind by its nature."""
    learning = [one for model, one in zip(models, summaries, strict=True) if model.trial.model.name != BASELINE]
    rates = [(one.title, one.rates) for one in learning if one.rates is not None and one.rates.n_rows]
    blind = blind_words(rates, dataset.target, plain)
    texts = [f":material/warning: {blind}"] if blind else []
    there = [(one.title, words.point_notes(one, goal, dataset.is_classification)) for one in summaries]
    texts += [f"**{title}**: {text}" for title, text in there if text]
    return [*texts, warning(dataset)] if goal.confidence is not None and warning(dataset) else texts


def warning(dataset: Dataset) -> str:
    """Warning of rows that are not alike; empty if nothing is known against them."""
    if dataset.roles.times is not None:
        return say("The promise holds only while later rows are like earlier ones.")
    if dataset.roles.groups is not None:
        return say("The promise is for rows of new groups on average, not within each group.")
    return ""


def draw_by_threshold(summaries: Sequence[ReliabilitySummary], is_classes: bool) -> None:
    """Draw both shares against the threshold, a panel for each model."""
    for column, one in zip(st.columns(len(summaries), gap="medium"), summaries, strict=True):
        with column:
            st.markdown(f"**{one.title}**")
            _chart(curves.threshold_picture(one, is_classes), f"threshold-figure-{one.slot}")
    right = say("right, of the answered") if is_classes else say("average error, on the right axis")
    st.caption(say("Full: {what}. Dashed: share answered. Upright: the goal.", what=right), help=say(words.HOW))


def contestants(models: Sequence[AnsweredModel]) -> list[Contestant]:
    """The models as those that Compare has, for what both pages ask of them."""
    return [Contestant(one.title, one.trial.slot, validation_of(one.fold_models)) for one in models]


def _chart(picture: Picture, key: str) -> None:
    pictures.plot(picture._replace(alt=plain(picture.alt)), key)
