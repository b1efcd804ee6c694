"""The reports of Forests, of the one tree for a forest, and of Hesitation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from espalier.approximation import words as split_words
from espalier.approximation.stand_in import Approximated, learning_rows
from espalier.data import samples
from espalier.data.folds import HeldOut
from espalier.display.parts import Grid, Marked, Part, PictureRow, Prose, ReportSection, Subheading
from espalier.display.text.values import in_words
from espalier.display.theme import percent
from espalier.forests import surfaces
from espalier.forests.agreement_pictures import agreement_picture, importance_picture
from espalier.forests.growth import Importance
from espalier.grown import GrownForest
from espalier.language import say
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import RebuiltPage, ReportedPage
from espalier.reports.tree import tree_drawing
from pages.shared.approximation import results, views
from pages.shared.approximation.controls import BOX, OWN
from pages.shared.approximation.controls import title as name_box
from pages.shared.data import library
from pages.shared.forests import error, film, sentences, trees
from pages.shared.forests import heading as forest_heading
from pages.shared.forests import results as forest_results
from pages.shared.forests import row as row_views
from pages.shared.models import drawer
from pages.shared.models import forests as controls
from pages.shared.models.forests import SIDES, title
from pages.shared.own_models import uploads
from pages.shared.tree import explorer, hesitation, selection
from pages.shared.tree.hesitation import SurfacePanel

MOST_TREES = 2  # of each forest that are drawn


def forests(pair: list[GrownForest]) -> ReportedPage:
    """Errors, the first trees, the votes on the chosen row, agreement, surfaces and importances of both."""
    data = pair[0].dataset
    holdout = HeldOut(0) if all(one.is_own for one in pair) else drawer.holdout()
    names = [f"{title(side)}: {controls.short(one.model)}" for side, one in zip(SIDES, pair, strict=True)]
    metrics = [forest_heading.metrics_of(one) for one in pair]
    measures = dict.fromkeys(name for one in metrics for name in one)
    rows = [(name, *(one.get(name, "–") for one in metrics)) for name in measures]
    errors = [
        Grid([say("measure"), *(sentences.forest_name(title(side)) for side in SIDES)], rows),
        error.curves_picture(pair),
    ]
    return ReportedPage(
        say("What do many trees do that one cannot?"),
        data,
        [
            ReportSection(say("How good the forests are"), errors),
            _of_each(say("The first trees"), pair, lambda one, _: trees.first_trees(one, MOST_TREES)),
            _of_each(say("One row"), pair, _votes),
            _of_each(say("How far the trees agree"), pair, _agreement),
            _of_each(say("What the forests answer"), pair, _surfaces),
            _of_each(say("What the forests rely on"), pair, _importance),
        ],
        [
            ReportedModel(name, one.model, uploads.judged_on(one.model, data) if one.is_own else "")
            for name, one in zip(names, pair, strict=True)
        ],
        holdout_words(holdout, int(pair[0].held.sum())),
        pair[0].held,
        _rebuilt(names, pair, holdout),
    )


def _of_each(
    name: str, pair: list[GrownForest], parts: Callable[[GrownForest, str], Sequence[Part]]
) -> ReportSection:
    """A section with the parts of each forest under its name; nothing of a forest without any."""
    every: list[Part] = []
    for side, one in zip(SIDES, pair, strict=True):
        if own := parts(one, side):
            every += [Subheading(sentences.forest_name(title(side))), *own]
    return ReportSection(name, every)


def _votes(one: GrownForest, _: str) -> list[Part]:
    """What the trees say of the chosen row."""
    data, row = one.dataset, selection.chosen_row()
    if row is None:
        return []
    words, votes, _ = row_views.answered(one, row)
    name, truth = data.roles.name_of(row, begins=True), in_words(data.target, float(data.y[row]))
    return [
        Prose(say("{row}: in truth it is {truth}.", row=name, truth=truth)),
        *map(Marked, words),
        *([] if votes is None else [votes]),
    ]


def _agreement(one: GrownForest, _: str) -> list[Part]:
    """How often two trees say the same class; nothing of numbers, and of sums, whose trees have no votes."""
    matrix = error.matrix_of(one)
    if matrix is None:
        return []
    words = Marked(error.agreement_sentence(one, matrix))
    return [words, agreement_picture(matrix)] if len(matrix) > 1 else [words]


def _surfaces(one: GrownForest, _: str) -> list[Part]:
    """The surfaces of the first tree, or round, and of all."""
    data, counts = one.dataset, [1, one.n_rounds]
    plane = surfaces.plane_of(data, row_views.axes(one))
    drawings = [
        surfaces.surface_picture(answers, plane, data, forest_results.counted(one, n), one.forest.prior)
        for n, answers in zip(counts, film.answers_so_far(one, plane, counts), strict=True)
    ]
    return [surfaces.legend_picture(data, sentences.colours(data)), PictureRow(drawings)]


def _importance(one: GrownForest, _: str) -> list[Part]:
    """The rise of the error where a column is shuffled."""
    rise, names = error.importance(one), [feature.name for feature in one.dataset.features]
    if not isinstance(rise, Importance) or not np.isfinite(rise.mean).any():
        return []
    return [importance_picture(rise, names, one.dataset.is_classification)]


def _rebuilt(names: Sequence[str], pair: list[GrownForest], holdout: HeldOut) -> RebuiltPage | None:
    """Both forests, with their scores on the rows held out; without one that was stopped, or a person's own."""
    models, scores, data = {}, {}, pair[0].dataset
    for name, one in zip(names, pair, strict=True):
        if one.is_whole and not one.is_own:
            rows = one.held if one.held.any() else ~one.held
            models[name] = one.estimator
            scores[name] = float(one.estimator.score(data.X[rows], data.y[rows], data.weights_of(rows)))
    source = library.source_of(data)
    return RebuiltPage(models, data, source, holdout, scores) if source and models else None


def approximation(one: Approximated) -> ReportedPage:
    """How well the tree stands in for the model, by depth and over a plane; and the tree."""
    data, grown = one.dataset, results.as_grown(one)
    drawings, sure = views.surface_pictures(one, explorer.plane_of(grown)), results.split_facts(one)
    answers = [surfaces.legend_picture(data, drawings[0].alt), PictureRow(drawings)] if drawings else []
    words = Marked(f"{views.alike(one)} {split_words.sureness(sure)}")
    measures = Grid((say("measure"), say("value")), [*views.metrics_of(one).items()])
    return ReportedPage(
        say("Can one tree stand in for a forest?"),
        data,
        [
            ReportSection(say("Fidelity"), [words, measures]),
            ReportSection(say("By how many questions it may ask"), [PictureRow(views.depth_pictures(one))]),
            ReportSection(say("The tree"), [tree_drawing(one.tree, data.features, data.target)]),
            ReportSection(say("What it answers"), answers),
        ],
        [ReportedModel(name_box(one.model), one.model)],
        holdout_words(one.holdout, int(one.held.sum())),
        one.held,
        _rebuilt_stand_in(one),
    )


def _rebuilt_stand_in(one: Approximated) -> RebuiltPage | None:
    """The model and its tree, with scores on the rows held out; not of a model that learned from a sample."""
    source, truth, box = library.source_of(one.dataset), results.truth(one), one.model.value(BOX)
    if source is None or truth is None or box == OWN or not one.is_whole:
        return None
    if len(learning_rows(one.dataset, one.holdout, box)) != np.count_nonzero(~one.held):
        return None
    models, scores = (
        {name_box(one.model): one.box, say("The tree"): one.estimator},
        (truth.model, truth.tree),
    )
    here = dict(zip(models, scores, strict=True))
    return RebuiltPage(models, one.dataset, source, one.holdout, here, has_stand_in=True)


def hesitation_panels(panels: Sequence[SurfacePanel]) -> ReportedPage:
    """The accuracies of the three models at the width that is set, and their surfaces side by side."""
    data = samples.load(hesitation.DATA)
    plane_shown = surfaces.plane_of(data, hesitation.AXES)
    drawings = [surfaces.surface_picture(one.answers, plane_shown, data, one.title) for one in panels]
    sizes = [(one.title, percent(one.accuracy), one.size) for one in panels]
    parts = [
        Prose(hesitation.introduction()), hesitation.accuracies(panels), PictureRow(drawings),
        surfaces.legend_picture(data, sentences.colours(data)),
        Grid((say("model"), say("accuracy"), say("size")), sizes),
    ]  # fmt: skip
    return ReportedPage(
        say("What a split that hesitates looks like"),
        data,
        [ReportSection(say("Three answers to the same rows"), parts)],
        [ReportedModel(one.title, one.model) for one in panels if one.model is not None],
        holdout_words(hesitation.ALL_ROWS, 0),
    )
