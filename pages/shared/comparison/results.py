"""Results of a comparison: the folds, the differences of pairs, the table, and whether shares can be believed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier.comparison import figures, tables
from espalier.comparison import words as comparison_words
from espalier.comparison.class_rates import blind_words
from espalier.comparison.cross_validation import Compared, rescore
from espalier.comparison.scores import LABELS, LOSS_OF_SCORE, for_losses
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.display.tables import to_csv
from espalier.display.text.trees import join
from espalier.language import say, to_say
from pages.shared.app import frame, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import fold, plain, plain_table
from pages.shared.app.links import one_of
from pages.shared.canvas.components import data_table
from pages.shared.comparison import runs
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.jobs import note
from pages.shared.jobs.run import Outcome
from pages.shared.models.drawer import pick
from pages.shared.own_models import orders, uploads
from pages.shared.own_models import trained as own_models_sentences

DOTS = to_say("A dot is a fold; beside them mean and 95 % interval.")
DIFFERENCES = to_say("Row minus column. Bold: clear; all else may be noise.")
MEANS = to_say("Mean ± standard deviation over the folds; ↑ more is better, ↓ less.")
TERMS = to_say(
    "*Calibration error*: average gap between the share a model gives its answer and how often it is right. "
    "*Right, of a class*: recall. *Rules*: leaves; of a forest all. *Trees represented*: sharp trees that one "
    "answer stands for."
)
ARE_SHARES_TRUE = to_say("When it says 80 %")
CALIBRATION_DOTS = to_say("On the dotted line shares are true. Pale: fewer than 10 rows; bars: 95 % intervals.")
ROC = to_say("In the legend the area under each curve, over the rows of all folds.")
PREDICTED = "predicted"  # of the class asked about: whichever the model predicts
LEAST_FOLDS = 2  # of a model that was stopped
SYMBOLS = ("●", "■", "▲", "◆")  # of the places, as in the figures
BASELINE = "baseline"
FIRST_SCORE = "first-score"  # key of the session state


def url_entries(dataset: Dataset) -> list[Entry]:
    """The score compared by and the class asked about, as parts of the address."""
    names = tables.score_names(dataset.is_classification)
    entries = [Entry("by", tables.first_score(dataset), one_of(names))]
    if dataset.is_classification:
        entries.append(Entry("about", PREDICTED, one_of([PREDICTED, *dataset.classes])))
    return entries


def drop_invalid(dataset: Dataset) -> None:
    """Drop choices that these data do not have, and the score that was the first one of the data before."""
    by, first = st.session_state.get("by"), tables.first_score(dataset)
    before, st.session_state[FIRST_SCORE] = st.session_state.get(FIRST_SCORE, first), first
    if (by == before != first) or by not in (None, *tables.score_names(dataset.is_classification)):
        st.session_state["by"] = first
    if st.session_state.get("about") not in (None, PREDICTED, *dataset.classes):
        st.session_state["about"] = PREDICTED


def draw_outcomes(trials: Sequence[ComparisonJob], outcomes: Sequence[Outcome], places: Sequence[Any]) -> None:
    """Say in a model's place that it was stopped or failed; of models that are the same, in the first one's."""
    first = {trial.key: trial for trial in reversed(trials)}
    for trial, outcome in zip(trials, outcomes, strict=True):
        if first[trial.key] is not trial:
            continue
        with places[trial.slot]:
            if trial.is_own and not uploads.file_of(trial.model).digest:
                st.info(trial.why_not)  # nothing is wrong yet: a file is asked for
                continue
            n = 0 if outcome.value is None else len(outcome.value.tried)
            stopped = say("Stopped after {n} of {n_folds} folds.", n=n, n_folds=trial.n_tasks)
            note.ended(trial.key, outcome, stopped)
            if trial.is_own and outcome.value is not None:
                st.caption(uploads.judged_on(trial.model, trial.dataset))


def contestants(
    trials: Sequence[ComparisonJob], titles: Sequence[str], outcomes: Sequence[Outcome]
) -> list[tuple[ComparisonJob, Contestant]]:
    """Models with scores, each with its trial."""
    return [
        (trial, Contestant(title, trial.slot, outcome.value))
        for trial, title, outcome in zip(trials, titles, outcomes, strict=True)
        if outcome.value is not None and len(outcome.value.tried) >= (1 if trial.is_own else LEAST_FOLDS)
    ]


def draw(
    trials: Sequence[ComparisonJob],
    titles: Sequence[str],
    outcomes: Sequence[Outcome],
    entrants: Sequence[tuple[ComparisonJob, Contestant]],
) -> None:
    """Draw the folds beside the differences of pairs; and below, folded, all else of the models with scores."""
    dataset, models = trials[0].dataset, [one for _, one in entrants]
    waiting = [title for title, outcome in zip(titles, outcomes, strict=True) if outcome.is_awaited]
    on_folds = [one for trial, one in entrants if not trial.is_own]
    names = _score_names(dataset, {trial.model.loss for trial, _ in entrants}, bool(waiting))
    score, compared = st.session_state["by"], []
    with st.container(key="trust-stage"), frame.figure_part("folds"):
        left, right = st.columns([3, 2], gap="medium")
        with right:
            if models:
                _pick_score(names)
                score = st.session_state["by"]
                # What is clear depends on how many models are compared.
                compared = [] if waiting else tables.comparisons(on_folds, score)
                if compared:
                    st.markdown(comparison_words.headline(on_folds, compared, score))
                    picture = figures.matrix_picture([one.title for one in on_folds], compared, score)
                    pictures.plot(picture, "differences-figure", pictures.NO_BAR)
                    st.caption(say(DIFFERENCES))
                elif waiting:
                    st.caption(say("**No verdict yet:** {names} still to come.", names=join(waiting, "and")))
                else:
                    st.caption(say("Choose a second model to compare this one with."))
            runs.draw_progress(trials, titles)
        if on_folds:
            with left:
                pictures.plot(figures.folds_picture(on_folds, score), "folds-figure")
                st.caption(say(DOTS))
    if compared:
        for text in warnings(entrants, compared, score):
            st.markdown(text)
        fold(say("A critical look"), "critical-look", lambda: _critical_look(on_folds, compared, score))
    for trial, one in entrants:
        if trial.is_own:
            _draw_own(trial, one, [] if waiting else on_folds, score)
    if models:
        with frame.figure_part("table"):
            fold(say("Scores, size, time"), "all-scores", lambda: _table(dataset, models, names))


def warnings(
    entrants: Sequence[tuple[ComparisonJob, Contestant]], compared: Sequence[Compared], score: str
) -> list[str]:
    """What to beware of before the best is taken, and which model is easier to read; Markdown, often nothing."""
    there = [(trial, one) for trial, one in entrants if not trial.is_own]
    dataset, models = there[0][0].dataset, [one for _, one in there]
    baseline = next((i for i, (trial, _) in enumerate(there) if trial.model.name == BASELINE), None)
    little, texts = "", []
    if score == "accuracy":
        learning = [model for i, model in enumerate(models) if i != baseline]
        rates = [(model.title, tables.rates_of(model, dataset.y, len(dataset.classes))) for model in learning]
        little = blind_words(rates, dataset.target, plain)
    if little:
        texts.append(f":material/warning: {little} {say('Compare by AUC or balanced accuracy.')}")
    if baseline is not None and (weak := comparison_words.against_baseline(models, compared, baseline, score)):
        texts.append(f":material/warning: {weak}")
    if not little and (advice := comparison_words.advice(models, compared, score, baseline)):
        texts.append(f":material/lightbulb: {advice}")
    return texts


def _draw_own(trial: ComparisonJob, own: Contestant, models: Sequence[Contestant], score: str) -> None:
    """Draw a person's own model beside the models on folds."""
    value = float(own.validated.tried[0].scores._asdict()[score])
    with st.container(border=True, key=f"own model judged {trial.slot}"):
        rows, text = uploads.judged_on(trial.model, trial.dataset), tables.score_text(score, value)
        st.markdown(f"**{own.title}: {say(LABELS[score])} {text}.** {rows}")
        orders.note(uploads.known(trial.model, trial.dataset), trial.dataset)
        if models:
            st.markdown(own_models_sentences.differences_heading(own.title, trial.may_have_seen))
            _draw_pairs(own_beside(trial, own, models, score))


def own_beside(trial: ComparisonJob, own: Contestant, others: Sequence[Contestant], score: str) -> pd.DataFrame:
    """A row on each of the others beside a person's own model, on rows that are new to that."""
    new = np.isin(np.arange(len(trial.dataset.y)), trial.unseen())
    models = [one._replace(validated=rescore(one.validated, trial.dataset, new)) for one in (own, *others)]
    pairs = [(0, place) for place in range(1, len(models))]
    return comparison_words.pairs_table(models, tables.comparisons(models, score, pairs), score)


def _score_names(dataset: Dataset, losses: Collection[str], is_incomplete: bool) -> tuple[str, ...]:
    """Return the scores on offer: those that belong to one loss only if a model, or a link, asks for them."""
    every, by = tables.score_names(dataset.is_classification), st.session_state["by"]
    names = for_losses(every, {*losses, LOSS_OF_SCORE.get(by, "")} if is_incomplete else losses)
    if by not in names:
        st.session_state["by"] = tables.first_score(dataset)
    return names


def _pick_score(names: Sequence[str]) -> None:
    meanings = "\n".join(f"- **{say(LABELS[n])}.** {say(text)}" for n, text in comparison_words.SCORE_HELP.items())
    titles = {name: say(LABELS[name]) for name in names}
    pick({"by": (say("Compare by"), meanings)}, "by", st.selectbox, options=list(names), format_func=titles.get)


def _critical_look(models: Sequence[Contestant], compared: Sequence[Compared], score: str) -> None:
    """Which differences could be noise, and what to beware of."""
    _draw_pairs(comparison_words.pairs_table(models, compared, score))
    cautions = comparison_words.cautions(models, compared, len(models[0].validated.predicted))
    st.markdown("\n".join(f"- {line}" for line in cautions))
    st.caption(comparison_words.explanation())


def _draw_pairs(table: pd.DataFrame) -> None:
    rows = plain_table(table.set_index(say("model")))
    st.table(rows, border="horizontal", alt=say("Differences of each pair of models"))


def _table(dataset: Dataset, models: Sequence[Contestant], names: Sequence[str]) -> None:
    table = tables.scores_table(models, dataset.y, names, dataset.classes)
    alt = say("Scores, size and time of the models")
    data_table(table, alt=alt, key="comparison table", height="content")
    st.caption(say(MEANS), help=say(TERMS))
    file = f"{pictures.file_name(dataset.name)}-models.csv"
    pictures.save(lambda: to_csv(tables.summary(models, dataset.y, names, dataset.classes)), file)


def draw_shares(dataset: Dataset, models: Sequence[Contestant]) -> None:
    """Draw calibration and ROC of one class."""
    names = {PREDICTED: say("the class predicted")} | {name: name for name in dataset.classes}
    words = say("Are, of the rows that a model gives 80 %, 80 % of that class? *Term:* calibration.")
    pick(
        {"about": (say("Shares of which class"), words)}, "about", st.selectbox, options=list(names),
        format_func=names.get, width=320,
    )  # fmt: skip
    about = st.session_state["about"]
    which = None if about == PREDICTED else dataset.classes.index(about)
    curve = dataset.target.positive if which is None else which
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(say("**Calibration: {name}**", name=plain(names[about])))
        picture = figures.calibration_picture(models, dataset.y, which)
        pictures.plot(picture._replace(alt=plain(picture.alt)), "calibration-figure")
        st.caption(say(CALIBRATION_DOTS))
    with right:
        if curve is None:
            st.caption(say("Choose a class to see what each model catches of it, and its false alarms."))
            return
        st.markdown(say("**ROC: {name}**", name=plain(dataset.classes[curve])))
        pictures.plot(figures.roc_picture(models, dataset.y, curve), "roc-figure")
        st.caption(say(ROC))
