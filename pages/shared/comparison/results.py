"""Results of a comparison: the critical look, fold by fold, the table, and whether shares can be believed."""

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
from pages.shared.app.frame import plain
from pages.shared.app.links.readers import one_of
from pages.shared.app.pictures import file_name
from pages.shared.canvas.data_table import data_table
from pages.shared.comparison import folds
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
    for entry in url_entries(dataset):
        try:
            entry.read(str(st.session_state[entry.key]))
        except ValueError:
            st.session_state[entry.key] = entry.default


def mark(slot: int) -> str:
    """The sign of a place, as it stands in the figures."""
    return SYMBOLS[slot]


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
    dataset: Dataset, entrants: Sequence[tuple[ComparisonJob, Contestant]], awaited: Sequence[str] = ()
) -> None:
    """Draw all results of the models with scores; models with the titles `awaited` are to come."""
    models = [one for _, one in entrants]
    names = _score_names(dataset, {trial.model.loss for trial, _ in entrants}, bool(awaited))
    _pick_score(names)
    score = st.session_state["by"]
    if awaited:
        st.caption(_no_verdict(awaited))
    fitted = [(trial, one) for trial, one in entrants if not trial.is_own]
    on_folds = [one for _, one in fitted]
    pairs = tables.comparisons(on_folds, score)
    compared = [] if awaited else pairs  # what is clear depends on how many models are compared
    if compared:
        baseline = next((i for i, (trial, _) in enumerate(fitted) if trial.model.name == BASELINE), None)
        _critical_look(on_folds, compared, score, dataset, baseline)
    for trial, one in entrants:
        if trial.is_own:
            _say_own(trial, one, score)
            if on_folds and not awaited:
                _beside_own(trial, one, on_folds, score)
    for (first, one), (second, other) in combinations([each for each in entrants if each[0].is_own], 2):
        if first.model != second.model:
            _own_beside_own((first, one), (second, other), score)
    if on_folds:
        with embedding.part("folds"):
            _folds(on_folds, compared, score, dataset)
    with embedding.part("table"):
        _table(dataset, models, names)
    if dataset.is_classification:
        with embedding.part("shares"):
            _shares(dataset, models)


def _say_own(trial: ComparisonJob, one: Contestant, score: str) -> None:
    """The score of a person's own model, the rows that judge it, and the orders of its columns and classes."""
    value = float(one.validated.tried[0].scores._asdict()[score])
    said = f"{say(LABELS[score])} {tables.score_text(score, value)}"
    with st.container(border=True, key=f"own model judged {trial.slot}"):
        st.markdown(
            say(
                "**{title}: {score}.** {judged} It is not fitted fold by fold, but asked about all of these rows "
                "at once.",
                title=one.title,
                score=said,
                judged=uploads.judged_on(trial.model, trial.dataset),
            )
        )
        orders.note(own_models.known(trial.model, trial.dataset), trial.dataset)


def _beside_own(trial: ComparisonJob, own: Contestant, others: Sequence[Contestant], score: str) -> None:
    """A person's own model beside the models that are fitted here, on the rows of each fold that are new to it."""
    with st.container(border=True, key=f"own model beside {trial.slot}"):
        st.markdown(own_models_sentences.differences_heading(own.title, trial.may_have_seen))
        st.markdown(_listed(verdicts_on_own(trial, own, others, score)))


def verdicts_on_own(trial: ComparisonJob, own: Contestant, others: Sequence[Contestant], score: str) -> list[str]:
    """A sentence on each of the others beside a person's own model, on rows that are new to that; Markdown."""
    new = np.isin(np.arange(len(trial.dataset.y)), trial.unseen())
    models = [one._replace(validated=rescore(one.validated, trial.dataset, new)) for one in (own, *others)]
    pairs = [(0, place) for place in range(1, len(models))]
    compared = tables.comparisons(models, score, pairs)
    return comparison_words.verdicts(models, compared, score)


def _own_beside_own(
    first: tuple[ComparisonJob, Contestant], second: tuple[ComparisonJob, Contestant], score: str
) -> None:
    """Two of a person's own models beside each other, on the rows of each fold that are new to both."""
    both, data = (first, second), first[0].dataset
    new = np.isin(np.arange(len(data.y)), np.intersect1d(first[0].unseen(), second[0].unseen()))
    titles, may_have_seen = (first[1].title, second[1].title), any(trial.may_have_seen for trial, _ in both)
    with st.container(border=True, key=f"own models beside each other {first[0].slot} {second[0].slot}"):
        st.markdown(_difference_heading(titles[0], titles[1], may_have_seen))
        if not new.any():
            st.markdown(say("There is no such row: each row was used to train the one or the other."))
            return
        models = [one._replace(validated=rescore(one.validated, data, new)) for _, one in both]
        compared = tables.comparisons(models, score)
        st.markdown(_listed(comparison_words.verdicts(models, compared, score)))


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
    pick(
        {"by": (say("Compare by"), meanings)}, "by", st.segmented_control, options=list(names),
        format_func=titles.get, required=True,
    )  # fmt: skip


def _critical_look(
    models: Sequence[Contestant], compared: Sequence[Compared], score: str, dataset: Dataset, baseline: int | None
) -> None:
    """Which differences could be noise, and what more folds would change."""
    n_rows, little = len(dataset.y), blind(models, score, dataset, baseline)
    with st.container(border=True, key="critical-look"):
        st.markdown(say("#### A critical look"))
        if little:
            st.markdown(f":material/warning: {little} {say('Compare by AUC or balanced accuracy.')}")
        st.markdown(comparison_words.headline(models, compared, score))
        if baseline is not None and (
            warning := comparison_words.against_baseline(models, compared, baseline, score)
        ):
            st.markdown(f":material/warning: {warning}")
        if not little and (advice := comparison_words.advice(models, compared, score, baseline)):
            st.markdown(f":material/lightbulb: {advice}")
        st.markdown(_listed(comparison_words.verdicts(models, compared, score)))
        remedies = comparison_words.what_more_folds_would_change(models, compared, score, n_rows)
        with st.expander(say(folds.MORE_FOLDS)):
            st.markdown(_listed(remedies or [say(folds.NO_DOUBT)]))
            st.markdown(_listed(comparison_words.cautions(models, compared, n_rows)))
            st.caption(comparison_words.explanation())


def blind(models: Sequence[Contestant], score: str, dataset: Dataset, baseline: int | None) -> str | None:
    """Return a warning that accuracy tells little of models compared by it; None if it tells enough."""
    if score != "accuracy":
        return None
    others = [one for i, one in enumerate(models) if i != baseline]
    rates = [(one.title, tables.rates_of(one, dataset.y, len(dataset.classes))) for one in others]
    return tables.blind_words(rates, dataset.target, plain)


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _folds(models: Sequence[Contestant], compared: Sequence[Compared], score: str, dataset: Dataset) -> None:
    left, right = st.columns([3, 2], gap="medium") if compared else (st.container(), None)
    with left:
        st.markdown(folds.dots_heading(f"{say(LABELS[score])} {tables.arrow(score)}"))
        pictures.plot(figures.folds_picture(models, score), "folds-figure")
        st.caption(say(folds.DOTS) + _baseline(models, score, dataset))
    if right is not None:
        with right:
            titles = [model.title for model in models]
            st.markdown(say("**Row minus column**"))
            pictures.plot(figures.matrix_picture(titles, compared, score), "differences-figure")
            st.caption(say(folds.COLOURS))


def _baseline(models: Sequence[Contestant], score: str, dataset: Dataset) -> str:
    """Share of rows that one and the same answer gets right, for accuracy only."""
    if score != "accuracy":
        return ""
    rates = tables.rates_of(models[0], dataset.y, len(dataset.classes))
    return f" {tables.baseline_words(rates, dataset.target, plain)}"


def _table(dataset: Dataset, models: Sequence[Contestant], names: Sequence[str]) -> None:
    is_classes = dataset.is_classification
    st.markdown(say("**All scores, size and time**"))
    table = tables.scores_table(models, dataset.y, names, dataset.classes)
    data_table(table, alt=say("Scores, size and time of the models"), key="comparison table")
    notes = [f"- **{say(key)}.** {text}" for key, text in ROWS.items() if is_classes or key not in ROWS_OF_CLASSES]
    st.caption(say(folds.MEANS) + (f" {say(tables.BRIER)}" if is_classes else ""))
    with st.container(horizontal=True):
        _download(
            say("Table (.csv)"), tables.summary(models, dataset.y, names, dataset.classes), dataset, "models"
        )
        _download(say("Every fold (.csv)"), tables.folds_table(models, names), dataset, "folds")
        with st.popover(say("What the rows mean"), icon=":material/help:"):
            st.markdown("\n".join(notes))


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


def _shares(dataset: Dataset, models: Sequence[Contestant]) -> None:
    """Calibration and ROC of one class."""
    names = {PREDICTED: say("the class predicted")} | {name: name for name in dataset.classes}
    st.markdown(say(folds.ARE_SHARES_TRUE))
    pick(
        {
            "about": (
                say("Shares of which class"),
                say(
                    "Calibration asks whether, of the rows that a model gives 80 %, 80 % are of that "
                    "class. The class predicted is another one from row to row."
                ),
            )
        },
        "about",
        st.selectbox,
        options=list(names),
        format_func=names.get,
    )
    about = st.session_state["about"]
    which = None if about == PREDICTED else dataset.classes.index(about)
    curve = dataset.target.positive if which is None else which
    left, right = st.columns(2, gap="medium") if curve is not None else (st.container(), None)
    with left:
        st.markdown(folds.calibration_heading(plain(names[about])))
        pictures.plot(figures.calibration_picture(models, dataset.y, which), "calibration-figure")
        st.caption(say(folds.CALIBRATION_DOTS))
        if right is None:
            st.caption(
                say(
                    "Choose a class above to see what each model catches of it, and how many false "
                    "alarms that takes."
                )
            )
    if right is not None and curve is not None:
        with right:
            _roc(dataset, models, curve)


def _roc(dataset: Dataset, models: Sequence[Contestant], which: int) -> None:
    """The curves for one class."""
    st.markdown(folds.roc_heading(plain(dataset.classes[which])))
    pictures.plot(figures.roc_picture(models, dataset.y, which), "roc-figure")
    counts, by, _ = dataset.target.marks
    why = _reason_of_class(plain(dataset.classes[which]), by) if which == counts else ""
    st.caption(say(folds.ROC) + why)


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
