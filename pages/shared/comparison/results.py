"""What came of the comparison: the critical look, fold by fold, the table, and whether shares can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from espalier.analysis.comparison.differences import Compared, compare
from espalier.analysis.comparison.rates import rarest
from espalier.analysis.comparison.scores import LABELS
from espalier.data.dataset import Dataset
from espalier.views.comparison import figures, rates_words, tables
from espalier.views.comparison import words as comparison_words
from espalier.views.comparison.tables import Contestant
from espalier.views.spreadsheet import to_csv
from espalier.views.text.trees import join
from pages.shared.app.address import Entry, one_of
from pages.shared.app.frame import is_dark, plain
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.jobs import note
from pages.shared.jobs.run import Outcome
from pages.shared.models.rail import Help, pick
from pages.shared.tree.node_data import PLAIN

PREDICTED = "predicted"  # of the class asked about: whichever the model predicts
LEAST_FOLDS = 2  # of a model that was stopped
SYMBOLS = ("●", "■", "▲", "◆")  # of the places, as in the figures
BASELINE = "baseline"
FIRST_SCORE = "score compared by at first"  # key of the session state

HELP = {
    "by": Help(
        "Compare by",
        "\n".join(f"- **{LABELS[name]}.** {words}" for name, words in comparison_words.SCORE_HELP.items()),
    ),
    "about": Help(
        "Shares of which class",
        "Calibration asks whether, of the rows that a model gives 80 %, 80 % are of that class. The class "
        "predicted is another one from row to row.",
    ),
}
OF_CLASSES = ("calibration error", "right, of a class")
ROWS = {
    "calibration error": "Average gap between the share that a model gave to the class it predicts and how often "
    "it was right; over all rows out of fold, in ten bins.",
    "right, of a class": "Of the rows of that class out of fold, the share that the model gives it to (recall).",
    "rules": "Leaves, two under one split that predict the same class counted once; of a forest all.",
    "trees represented": "One for a sharp tree. A cultivated tree answers for every tree that decides for one "
    "feature and one threshold in each of its nodes; a forest for those of its trees together. "
    "The file has the decimal logarithm.",
}


def url_entries(dataset: Dataset) -> list[Entry]:
    """The score compared by and the class asked about, as parts of the address."""
    names = tables.score_names(dataset.is_classification)
    found = [Entry("by", tables.first_score(dataset), one_of(names))]
    if dataset.is_classification:
        found.append(Entry("about", PREDICTED, one_of([PREDICTED, *dataset.classes])))
    return found


def drop_invalid(dataset: Dataset) -> None:
    """Other data came: what they do not have is chosen no more, nor the score that was first for those before."""
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


def draw_outcomes(trials: Sequence[ComparisonJob], found: Sequence[Outcome], places: Sequence[Any]) -> None:
    """In each place what became of its model, where that is not what one expects."""
    for trial, outcome in zip(trials, found, strict=True):
        with places[trial.slot]:
            n = 0 if outcome.value is None else len(outcome.value.tried)
            note.ended(trial.key, outcome, f"Stopped after {n} of {trial.n_tasks} folds.")


def contestants(
    trials: Sequence[ComparisonJob], titles: Sequence[str], found: Sequence[Outcome]
) -> list[tuple[ComparisonJob, Contestant]]:
    """The models that there are scores of."""
    return [
        (trial, Contestant(title, trial.slot, outcome.value))
        for trial, title, outcome in zip(trials, titles, found, strict=True)
        if outcome.value is not None and len(outcome.value.tried) >= LEAST_FOLDS
    ]


def draw(
    dataset: Dataset, entrants: Sequence[tuple[ComparisonJob, Contestant]], awaited: Sequence[str] = ()
) -> None:
    """All that is known of the models that there are scores of; those of the titles `awaited` are to come."""
    models = [one for _, one in entrants]
    names = tables.score_names(dataset.is_classification)
    _pick_score(names)
    score = st.session_state["by"]
    if awaited:
        verb = "is" if len(awaited) == 1 else "are"
        st.caption(
            f"**No verdict yet:** {join(awaited, 'and')} {verb} still to come. Here is what there is by now."
        )
    pairs = compare([m.validated.scores(score) for m in models], tables.ratio_of(models))
    compared = [] if awaited else pairs  # what is clear depends on how many models are compared
    if compared:
        baseline = next((i for i, (trial, _) in enumerate(entrants) if trial.model.name == BASELINE), None)
        _critical_look(models, compared, score, dataset, baseline)
    _folds(models, compared, score, dataset)
    _table(dataset, models, names)
    if dataset.is_classification:
        _shares(dataset, models)


def _pick_score(names: Sequence[str]) -> None:
    pick(
        HELP, "by", st.segmented_control, options=list(names), format_func=LABELS.get, required=True
    )  # fmt: skip


def _critical_look(
    models: Sequence[Contestant], compared: Sequence[Compared], score: str, dataset: Dataset, baseline: int | None
) -> None:
    """Which differences could be noise, and what more folds would change."""
    n_rows, blind = len(dataset.y), _blind(models, score, dataset, baseline)
    with st.container(border=True, key="critical-look"):
        st.markdown("#### A critical look")
        if blind:
            st.markdown(f":material/warning: {blind} Compare by AUC or balanced accuracy.")
        st.markdown(comparison_words.headline(models, compared, score))
        if baseline is not None and (
            warning := comparison_words.against_baseline(models, compared, baseline, score)
        ):
            st.markdown(f":material/warning: {warning}")
        if not blind and (advice := comparison_words.advice(models, compared, score, baseline)):
            st.markdown(f":material/lightbulb: {advice}")
        st.markdown(_listed(comparison_words.verdicts(models, compared, score)))
        remedies = comparison_words.what_more_folds_would_change(models, compared, score, n_rows)
        with st.expander("What more folds would change, and how this is tested"):
            st.markdown(_listed(remedies or ["Nothing here is in doubt: more folds would only make it surer."]))
            st.markdown(_listed(comparison_words.cautions(models, compared, n_rows)))
            st.caption(comparison_words.EXPLANATION)


def _blind(models: Sequence[Contestant], score: str, dataset: Dataset, baseline: int | None) -> str | None:
    """That accuracy tells little, where it is what models are compared by; of the baseline that is known."""
    if score != "accuracy":
        return None
    told = [one for i, one in enumerate(models) if i != baseline]
    found = [(one.title, tables.rates_of(one, dataset.y, len(dataset.classes))) for one in told]
    return rates_words.blind_words(found, dataset.target, plain)


def _listed(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _folds(models: Sequence[Contestant], compared: Sequence[Compared], score: str, dataset: Dataset) -> None:
    left, right = st.columns([3, 2], gap="medium") if compared else (st.container(), None)
    with left:
        st.markdown(f"**Fold by fold: {LABELS[score]} {tables.arrow(score)}**")
        _chart(figures.folds_figure(models, score, is_dark()), figures.folds_alt(models, score), "folds figure")
        st.caption(
            "A dot is a fold; a line joins the same fold of all models. Beside the dots the mean, and the "
            "interval that holds it in 95 of 100 cases." + _baseline(models, score, dataset)
        )
    if right is not None:
        with right:
            titles = [model.title for model in models]
            st.markdown("**Row minus column**")
            figure = figures.matrix_figure(titles, compared, score, is_dark())
            _chart(figure, figures.matrix_alt(titles, compared, score), "differences figure")
            st.caption("Blue: the row is clearly better; orange: worse. Grey could be noise.")


def _baseline(models: Sequence[Contestant], score: str, dataset: Dataset) -> str:
    """What always the same answer gets right, beside an accuracy."""
    if score != "accuracy":
        return ""
    found = tables.rates_of(models[0], dataset.y, len(dataset.classes))
    return f" {rates_words.baseline_words(found, dataset.target, plain)}"


def _table(dataset: Dataset, models: Sequence[Contestant], names: Sequence[str]) -> None:
    st.markdown("**All scores, size and time**")
    table = tables.shown(models, dataset.y, names, dataset.classes)
    st.dataframe(table, alt="Scores, size and time of the models", key="comparison table")
    notes = {key: words for key, words in ROWS.items() if dataset.is_classification or key not in OF_CLASSES}
    brier = f" {rates_words.BRIER}" if dataset.is_classification else ""
    st.caption(f"Mean ± standard deviation over the folds; ↑ more is better, ↓ less. Sizes: least to most.{brier}")
    with st.container(horizontal=True):
        _download("Table (.csv)", tables.summary(models, dataset.y, names, dataset.classes), dataset, "models")
        _download("Every fold (.csv)", tables.by_fold(models, names), dataset, "folds")
        with st.popover("What the rows mean", icon=":material/help:"):
            st.markdown("\n".join(f"- **{key}.** {words}" for key, words in notes.items()))


def _download(label: str, table: pd.DataFrame, dataset: Dataset, what: str) -> None:
    name = "".join(c if c.isalnum() else "-" for c in dataset.name.lower())[:40].strip("-") or "data"
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
    words = {PREDICTED: "the class predicted"} | {name: name for name in dataset.classes}
    st.markdown("#### When it says 80 %, is it right 8 times in 10?")
    pick(HELP, "about", st.selectbox, options=list(words), format_func=words.get)
    about = st.session_state["about"]
    which = None if about == PREDICTED else dataset.classes.index(about)
    curve = rarest(dataset.y, len(dataset.classes)) if which is None and len(dataset.classes) == 2 else which
    left, right = st.columns(2, gap="medium") if curve is not None else (st.container(), None)
    with left:
        st.markdown(f"**Calibration: {plain(words[about])}**")
        figure = figures.calibration_figure(models, dataset.y, which, is_dark())
        _chart(figure, figures.calibration_alt(models, dataset.y, which), "calibration figure")
        st.caption(
            "On the dotted line shares are true. Large dots have many rows, pale ones fewer than 10; "
            "bars are 95 % intervals."
        )
        if right is None:
            st.caption(
                "Choose a class above to see what each model catches of it, and how many false alarms that takes."
            )
    if right is not None and curve is not None:
        with right:
            _roc(dataset, models, curve)


def _roc(dataset: Dataset, models: Sequence[Contestant], which: int) -> None:
    """The curves for one class."""
    st.markdown(f"**ROC: {plain(dataset.classes[which])}**")
    figure = figures.roc_figure(models, dataset.y, which, is_dark())
    _chart(figure, figures.roc_alt(models, dataset.y, which), "roc figure")
    st.caption(
        "From left to right the share from which on a model says yes falls. In the legend: the area, of the rows "
        "of all folds together, so that it may differ from the mean over the folds."
    )


def _chart(figure: go.Figure, alt: str, key: str) -> None:
    st.plotly_chart(figure, theme=None, key=key, config=PLAIN, alt=alt)
