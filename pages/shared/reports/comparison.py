"""The report of the page Compare."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from espalier.comparison import figures, tables
from espalier.comparison import words as comparison_words
from espalier.comparison.cross_validation import Compared
from espalier.comparison.scores import LABELS
from espalier.comparison.tables import Contestant
from espalier.data.dataset import Dataset
from espalier.data.samples import title_of
from espalier.display.parts import Marked, Part, ReportSection, grid_of
from espalier.display.text.trees import join
from espalier.language import say
from espalier.reports.model import ReportedModel, folds_words
from espalier.reports.scripts import ReportedPage
from pages.shared.comparison import folds as comparison_sentences
from pages.shared.comparison import results
from pages.shared.comparison.results import PREDICTED
from pages.shared.comparison.runs import ComparisonJob
from pages.shared.decisions import section as deciding
from pages.shared.own_models import trained as own_models_sentences
from pages.shared.own_models import uploads
from pages.shared.reports import new_rows, questionnaire, rebuilding

Entrants = Sequence[tuple[ComparisonJob, Contestant]]


def reported(dataset: Dataset, entrants: Entrants) -> ReportedPage:
    """What the page shows of these models."""
    score, about = st.session_state["by"], st.session_state.get("about", PREDICTED)
    titles = join([one.title for _, one in entrants], "and")
    sections = [
        *_differences(entrants, score),
        _scores(dataset, entrants),
        *_shares(dataset, [one for _, one in entrants], about),
        *questionnaire.sections(dataset, [deciding.of_comparison(dataset, *one) for one in entrants]),
    ]
    return ReportedPage(
        f"{dataset.target.name}: {say('Models compared')}",
        new_rows.first_sentence(say("Which is better, and is it really?"), titles, title_of(dataset)),
        dataset,
        sections,
        [model_of(trial, one.title) for trial, one in entrants],
        folds_words(entrants[0][0].plan),
        rebuilt=rebuilding.on_folds(entrants, score),
    )


def model_of(trial: ComparisonJob, title: str) -> ReportedModel:
    """The model under its title, a person's own with the rows that judge it."""
    return ReportedModel(title, trial.model, uploads.judged_on(trial.model, trial.dataset) if trial.is_own else "")


def _differences(entrants: Entrants, score: str) -> list[ReportSection]:
    """The critical look at the models on folds, and their scores fold by fold."""
    models = [one for trial, one in entrants if not trial.is_own]
    own = [part for trial, one in entrants if trial.is_own for part in _own(trial, one, models, score)]
    if not models:
        return [ReportSection(say("A critical look"), own)]
    name = f"{say(LABELS[score])} {tables.arrow(score)}"
    by_fold = figures.folds_picture(models, score)
    parts: list[Part] = [
        Marked(comparison_sentences.dots_heading(name)), Marked(by_fold.alt), by_fold,
        Marked(say(comparison_sentences.DOTS)),
    ]  # fmt: skip
    pairs = tables.comparisons(models, score)
    if pairs:
        titles, data = [one.title for one in models], entrants[0][0].dataset
        looks = results.warnings(models, pairs, score, data, results.place_of_baseline(entrants))
        parts = [
            Marked(comparison_words.headline(models, pairs, score)), *map(Marked, looks),
            grid_of(comparison_words.pairs_table(models, pairs, score)), *_more_folds(entrants, pairs, score),
            *parts,
            figures.matrix_picture(titles, pairs, score), Marked(say(comparison_sentences.DIFFERENCES)),
        ]  # fmt: skip
    return [ReportSection(say("A critical look"), [*parts, *own])]


def _more_folds(entrants: Entrants, pairs: Sequence[Compared], score: str) -> list[Part]:
    """What more folds would change, and what the comparison cannot say."""
    models, n_rows = [one for trial, one in entrants if not trial.is_own], len(entrants[0][0].dataset.y)
    remedies = comparison_words.what_more_folds_would_change(models, pairs, score, n_rows)
    cautions = comparison_words.cautions(models, pairs, n_rows)
    lines = [*(remedies or [say(comparison_sentences.NO_DOUBT)]), *cautions]
    return [
        Marked(f"**{say(comparison_sentences.MORE_FOLDS)}**"), Marked("\n".join(f"- {line}" for line in lines)),
        Marked(comparison_words.explanation()),
    ]  # fmt: skip


def _own(trial: ComparisonJob, own: Contestant, others: Sequence[Contestant], score: str) -> list[Part]:
    """A person's own model beside the models that are fitted here."""
    if not others:
        return []
    heading = own_models_sentences.differences_heading(own.title, trial.may_have_seen)
    return [Marked(heading), grid_of(results.own_beside(trial, own, others, score))]


def _scores(dataset: Dataset, entrants: Entrants) -> ReportSection:
    names = tables.score_names(dataset.is_classification)
    table = tables.scores_table([one for _, one in entrants], dataset.y, names, dataset.classes)
    return ReportSection(say("Scores, size, time"), [grid_of(table), Marked(say(comparison_sentences.MEANS))])


def _shares(dataset: Dataset, models: Sequence[Contestant], about: str) -> list[ReportSection]:
    """Calibration and ROC of the class that the page asks about; none of numbers."""
    if not dataset.is_classification:
        return []
    which = None if about == PREDICTED else dataset.classes.index(about)
    parts: list[Part] = [
        Marked(comparison_sentences.calibration_heading(say("the class predicted") if which is None else about)),
        figures.calibration_picture(models, dataset.y, which),
        Marked(say(comparison_sentences.CALIBRATION_DOTS)),
    ]
    curve = dataset.target.positive if which is None else which
    if curve is not None:
        parts += [
            Marked(comparison_sentences.roc_heading(dataset.classes[curve])),
            figures.roc_picture(models, dataset.y, curve),
            Marked(say(comparison_sentences.ROC)),
        ]
    return [ReportSection(say(comparison_sentences.ARE_SHARES_TRUE), parts)]
