"""Results of a comparison: the folds, the differences of pairs, the table, and whether shares can be believed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from espalier.comparison import figures, tables
from espalier.comparison import words as comparison_words
from espalier.comparison.cross_validation import Compared, rescore
from espalier.comparison.scores import LABELS, LOSS_OF_SCORE, for_losses
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.display.tables import to_csv
from espalier.display.text.trees import join
from espalier.language import Texts, say, to_say
from pages.shared.app import embedding, pictures
from pages.shared.app.address import Entry
from pages.shared.app.frame import fold, plain, plain_table
from pages.shared.app.links.readers import one_of
from pages.shared.app.pictures import file_name
from pages.shared.canvas.data_table import data_table
from pages.shared.comparison import folds, runs
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.jobs import note
from pages.shared.jobs.run import Outcome
from pages.shared.models.drawer import pick
from pages.shared.own_models import fitted as own_models
from pages.shared.own_models import orders, uploads
from pages.shared.own_models import trained as own_models_sentences

ROWS = Texts(
    {
        "calibration error": "Average gap between the share that a model gave to the class it predicts "
        "and how often it was right; over all rows out of fold, in ten bins.",
        "right, of a class": "Of the rows of that class out of fold, the share that the model "
        "gives it to (recall).",
        "rules": "Leaves, two under one split that predict the same class counted once; of a forest all.",
        to_say(
            "trees represented"
        ): "One for a sharp tree. A cultivated tree answers for every tree that decides for one "
        "column and one threshold in each of its nodes; a forest for those of its trees together. "
        "The file has the decimal logarithm.",
    }
)
ROWS_OF_CLASSES = (to_say("calibration error"), to_say("right, of a class"))

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
    """Drop choices that these data do not have, and the score that was the first one for the data before."""
    first, before = tables.first_score(dataset), st.session_state.get(FIRST_SCORE)
    if before not in (None, first) and st.session_state["by"] == before:
        st.session_state["by"] = first
    st.session_state[FIRST_SCORE] = first
    if st.session_state["by"] not in tables.score_names(dataset.is_classification):
        st.session_state["by"] = first
    drop_class(dataset)


def drop_class(dataset: Dataset) -> None:
    """Drop a class asked about that these data do not have."""
    if st.session_state.get("about", PREDICTED) not in (PREDICTED, *dataset.classes):
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
            note.ended(
                trial.key, outcome, say("Stopped after {n} of {n_folds} folds.", n=n, n_folds=trial.n_tasks)
            )
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
    awaited = [title for title, outcome in zip(titles, outcomes, strict=True) if outcome.is_awaited]
    on_folds = [one for trial, one in entrants if not trial.is_own]
    names = _score_names(dataset, {trial.model.loss for trial, _ in entrants}, bool(awaited))
    score, compared = st.session_state["by"], []
    with st.container(key="trust-stage"), embedding.part("folds"):
        left, right = st.columns([3, 2], gap="medium")
        with right:
            if models:
                _pick_score(names)
                score = st.session_state["by"]
                pairs = tables.comparisons(on_folds, score)
                compared = [] if awaited else pairs  # what is clear depends on how many models are compared
                if compared:
                    st.markdown(comparison_words.headline(on_folds, compared, score))
                    picture = figures.matrix_picture([one.title for one in on_folds], compared, score)
                    pictures.plot(picture, "differences-figure", pictures.NO_BAR)
                    st.caption(say(folds.DIFFERENCES))
                elif awaited:
                    st.caption(_no_verdict(awaited))
                else:
                    st.caption(say("Choose a second model to compare this one with."))
            runs.offer_to_begin(trials)
            runs.draw_progress(trials, titles)
        if on_folds:
            with left:
                pictures.plot(figures.folds_picture(on_folds, score), "folds-figure")
                st.caption(say(folds.DOTS), help=_baseline_note(on_folds, score, dataset))
    if compared:
        baseline = place_of_baseline(entrants)
        for text in warnings(on_folds, compared, score, dataset, baseline):
            st.markdown(text)
        fold(say("A critical look"), "critical-look", lambda: _critical_look(on_folds, compared, score))
    _draw_own([each for each in entrants if each[0].is_own], [] if awaited else on_folds, score)
    if models:
        with embedding.part("table"):
            fold(say("Scores, size, time"), "all-scores", lambda: _table(dataset, models, names))


def place_of_baseline(entrants: Sequence[tuple[ComparisonJob, Contestant]]) -> int | None:
    """Place of the baseline among the models that are fitted here."""
    fitted = [trial for trial, _ in entrants if not trial.is_own]
    return next((i for i, trial in enumerate(fitted) if trial.model.name == BASELINE), None)


def warnings(
    models: Sequence[Contestant], compared: Sequence[Compared], score: str, dataset: Dataset, baseline: int | None
) -> list[str]:
    """What to beware of before the best is taken, and which model is easier to read; Markdown, often nothing."""
    little, texts = _blind(models, score, dataset, baseline), []
    if little:
        texts.append(f":material/warning: {little} {say('Compare by AUC or balanced accuracy.')}")
    if baseline is not None and (weak := comparison_words.against_baseline(models, compared, baseline, score)):
        texts.append(f":material/warning: {weak}")
    if not little and (advice := comparison_words.advice(models, compared, score, baseline)):
        texts.append(f":material/lightbulb: {advice}")
    return texts


def _draw_own(own: Sequence[tuple[ComparisonJob, Contestant]], models: Sequence[Contestant], score: str) -> None:
    """Draw a person's own models, each beside the models on folds, and beside each other."""
    for trial, one in own:
        value = float(one.validated.tried[0].scores._asdict()[score])
        with st.container(border=True, key=f"own model judged {trial.slot}"):
            st.markdown(
                say(
                    "**{title}: {score}.** {judged} It is not fitted fold by fold, but asked about all of these "
                    "rows at once.",
                    title=one.title,
                    score=f"{say(LABELS[score])} {tables.score_text(score, value)}",
                    judged=uploads.judged_on(trial.model, trial.dataset),
                )
            )
            orders.note(own_models.known(trial.model, trial.dataset), trial.dataset)
            if models:
                st.markdown(own_models_sentences.differences_heading(one.title, trial.may_have_seen))
                _draw_pairs(own_beside(trial, one, models, score))
    for (first, one), (second, other) in combinations(own, 2):
        if first.model != second.model:
            may_have_seen = first.may_have_seen or second.may_have_seen
            new = np.intersect1d(first.unseen(), second.unseen())
            with st.container(border=True, key=f"own models beside each other {first.slot} {second.slot}"):
                st.markdown(_difference_heading(one.title, other.title, may_have_seen))
                if len(new):
                    _draw_pairs(_beside([one, other], first.dataset, new, score))
                else:
                    st.markdown(say("There is no such row: each row was used to train the one or the other."))


def own_beside(trial: ComparisonJob, own: Contestant, others: Sequence[Contestant], score: str) -> pd.DataFrame:
    """A row on each of the others beside a person's own model, on rows that are new to that."""
    pairs = [(0, place) for place in range(1, len(others) + 1)]
    return _beside([own, *others], trial.dataset, trial.unseen(), score, pairs)


def _beside(
    models: Sequence[Contestant],
    dataset: Dataset,
    rows: np.ndarray,
    score: str,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> pd.DataFrame:
    new = np.isin(np.arange(len(dataset.y)), rows)
    models = [one._replace(validated=rescore(one.validated, dataset, new)) for one in models]
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
    """Which differences could be noise, and what more folds would change."""
    n_rows = len(models[0].validated.predicted)
    _draw_pairs(comparison_words.pairs_table(models, compared, score))
    st.markdown(f"**{say(folds.MORE_FOLDS)}**")
    remedies = comparison_words.what_more_folds_would_change(models, compared, score, n_rows)
    cautions = comparison_words.cautions(models, compared, n_rows)
    st.markdown("\n".join(f"- {line}" for line in [*(remedies or [say(folds.NO_DOUBT)]), *cautions]))
    st.caption(comparison_words.explanation())


def _draw_pairs(table: pd.DataFrame) -> None:
    rows = plain_table(table.set_index(say("model")))
    st.table(rows, border="horizontal", alt=say("Differences of each pair of models"))


def _blind(models: Sequence[Contestant], score: str, dataset: Dataset, baseline: int | None) -> str | None:
    """Return a warning that accuracy tells little of models compared by it; None if it tells enough."""
    if score != "accuracy":
        return None
    others = [one for i, one in enumerate(models) if i != baseline]
    rates = [(one.title, tables.rates_of(one, dataset.y, len(dataset.classes))) for one in others]
    return tables.blind_words(rates, dataset.target, plain)


def _baseline_note(models: Sequence[Contestant], score: str, dataset: Dataset) -> str | None:
    """Share of rows that one and the same answer gets right, for accuracy only."""
    if score != "accuracy":
        return None
    rates = tables.rates_of(models[0], dataset.y, len(dataset.classes))
    return tables.baseline_words(rates, dataset.target, plain)


def _table(dataset: Dataset, models: Sequence[Contestant], names: Sequence[str]) -> None:
    is_classes = dataset.is_classification
    table = tables.scores_table(models, dataset.y, names, dataset.classes)
    alt = say("Scores, size and time of the models")
    data_table(table, alt=alt, key="comparison table", height="content")
    notes = [f"- **{say(key)}.** {text}" for key, text in ROWS.items() if is_classes or key not in ROWS_OF_CLASSES]
    notes += [f"- {say(tables.BRIER)}"] * is_classes
    st.caption(say(folds.MEANS), help="\n".join(notes))
    with st.container(horizontal=True):
        summary = tables.summary(models, dataset.y, names, dataset.classes)
        _download(say("Table (.csv)"), summary, dataset, "models")
        _download(say("Every fold (.csv)"), tables.folds_table(models, names), dataset, "folds")


def _download(label: str, table: pd.DataFrame, dataset: Dataset, what: str) -> None:
    name = file_name(dataset.name)
    text = to_csv(table)
    st.download_button(
        label,
        text,
        f"{name}-{what}.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
        key=f"save {what}",
    )


def draw_shares(dataset: Dataset, models: Sequence[Contestant]) -> None:
    """Draw calibration and ROC of one class."""
    names = {PREDICTED: say("the class predicted")} | {name: name for name in dataset.classes}
    words = say(
        "Calibration asks whether, of the rows that a model gives 80 %, 80 % are of that "
        "class. The class predicted is another one from row to row."
    )
    pick(
        {"about": (say("Shares of which class"), words)}, "about", st.selectbox, options=list(names),
        format_func=names.get, width=320,
    )  # fmt: skip
    about = st.session_state["about"]
    which = None if about == PREDICTED else dataset.classes.index(about)
    curve = dataset.target.positive if which is None else which
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown(folds.calibration_heading(plain(names[about])))
        picture = figures.calibration_picture(models, dataset.y, which)
        pictures.plot(picture._replace(alt=plain(picture.alt)), "calibration-figure")
        st.caption(say(folds.CALIBRATION_DOTS))
    with right:
        if curve is None:
            st.caption(say("Choose a class: what each model catches of it, and how many false alarms that takes."))
            return
        name, (counts, by, _) = plain(dataset.classes[curve]), dataset.target.marks
        st.markdown(folds.roc_heading(name))
        pictures.plot(figures.roc_picture(models, dataset.y, curve), "roc-figure")
        st.caption(say(folds.ROC) + (_reason_of_class(name, by) if curve == counts else ""))


def _no_verdict(awaited: Sequence[str]) -> str:
    """Note on models, by title, that are still at work."""
    names = join(awaited, "and")
    if len(awaited) == 1:
        return say("**No verdict yet:** {names} is still to come. Here is what there is by now.", names=names)
    return say("**No verdict yet:** {names} are still to come. Here is what there is by now.", names=names)


def _reason_of_class(name: str, by: str) -> str:
    """Why the curve is of this class, where none was asked for; the name is Markdown."""
    why = {"choice": say("as chosen"), "name": say("by its name"), "rarity": say("the rarer one")}[by]
    return say(" *{name}* is the class that counts, {why}; the Data page has the choice.", name=name, why=why)


def _difference_heading(first: str, second: str, may_have_seen: bool) -> str:
    """Heading of the difference between two models that are not fitted here."""
    if not may_have_seen:
        return say(
            "**{first} beside {second}**, on the rows of each fold that are new to both.",
            first=first,
            second=second,
        )
    return say(
        "**{first} beside {second}**, on the rows of each fold. One or both may have been trained on some of "
        "them, which would flatter them: say above what each was trained on.",
        first=first,
        second=second,
    )
