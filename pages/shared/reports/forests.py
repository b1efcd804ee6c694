"""The report of the page Forests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from espalier.comparison import tables
from espalier.comparison.scores import wilson
from espalier.data.dataset import Dataset
from espalier.data.folds import HeldOut
from espalier.data.samples import title_of
from espalier.display.boundaries.plane import in_words
from espalier.display.parts import Grid, Marked, Part, PictureRow, Prose, ReportSection, Subheading
from espalier.display.text.trees import join
from espalier.display.theme import percent
from espalier.explanation import columns as accumulated
from espalier.explanation import parts as together_views
from espalier.explanation.columns import ColumnCurves
from espalier.explanation.dependence import can_explain
from espalier.forests import pictures as error_curve
from espalier.forests import surfaces
from espalier.forests.agreement import mean_agreement
from espalier.forests.agreement_pictures import agreement_picture, importance_picture
from espalier.forests.growth import Importance
from espalier.language import say
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import ReportedPage
from pages.shared.app import chosen_row
from pages.shared.app.frame import plain
from pages.shared.explanation import columns, curves
from pages.shared.forests import agreement, error, heading, plane, results, sample, sentences, surface, trees
from pages.shared.forests.forest_job import GrownForest
from pages.shared.models import drawer
from pages.shared.models import forests as controls
from pages.shared.models.forests import SIDES, title
from pages.shared.own_models import uploads
from pages.shared.reports import new_rows, rebuilding

MOST_TREES = 2  # of each forest that are drawn


def reported(pair: Sequence[GrownForest]) -> ReportedPage:
    """What the page shows of both forests."""
    two, data, sides = list(pair), pair[0].dataset, [title(side) for side in SIDES]
    shorts = [f"{side}: {controls.short(one.model)}" for side, one in zip(sides, two, strict=True)]
    return ReportedPage(
        f"{data.target.name}: {say('Two forests')}",
        new_rows.first_sentence(
            say("What do many trees do that one cannot?"), join(shorts, "and"), title_of(data)
        ),
        data,
        [
            _errors(two),
            _trees(two),
            *_row(two),
            *_agreement(two),
            _surfaces(two),
            _importances(two),
            *_parts(two),
            *_together(two),
            *_curves(two),
        ],
        [_model(name, one) for name, one in zip(shorts, two, strict=True)],
        holdout_words(_holdout(two), int(two[0].held.sum())),
        two[0].held,
        rebuilding.of_forests(shorts, two, _holdout(two)),
    )


def _holdout(pair: list[GrownForest]) -> HeldOut:
    return HeldOut(0) if all(one.is_own for one in pair) else drawer.holdout()


def _model(name: str, one: GrownForest) -> ReportedModel:
    return ReportedModel(name, one.model, uploads.judged_on(one.model, one.dataset) if one.is_own else "")


def _errors(pair: list[GrownForest]) -> ReportSection:
    """The curves of the error, the measures, and how often each class is right."""
    lines, data = error.lines_of(pair), pair[0].dataset
    counted = error.steps([one.is_sum for one in pair])
    most = max(one.forest.n_trees // one.trees_a_round for one in pair)
    curve = error_curve.error_picture(lines, most, data.is_classification, counted)
    parts: list[Part] = [_metrics(pair), curve, Marked(error.caption(pair))]
    for side, one in zip(SIDES, pair, strict=True):
        parts += [Subheading(sentences.forest_name(title(side))), Marked(error.measures_words(one))]
        if (rates := results.rates_of(one)) is not None:
            parts.append(Marked(tables.class_rates_words(rates, data.target)))
    return ReportSection(say("How good the forests are"), parts)


def _metrics(pair: list[GrownForest]) -> Grid:
    """The errors that stand at the top of the page, a column for each forest."""
    each = [heading.metrics_of(one) for one in pair]
    names = list(dict.fromkeys(name for one in each for name in one))
    rows = [(name, *(one.get(name, "–") for one in each), _interval(name, pair)) for name in names]
    return Grid(
        [say("measure"), *(sentences.forest_name(title(side)) for side in SIDES), say("95 % intervals")],
        rows,
    )


def _interval(name: str, pair: list[GrownForest]) -> str:
    """The 95 % intervals of errors that are shares of rows new to the forests."""
    if not pair[0].dataset.is_classification:
        return "–"
    ends = []
    for one in pair:
        curve, held = results.curve(one), int(one.held.sum())
        errors, n = (curve.held, held) if name == say("error held out") else (curve.unseen, len(one.rows))
        if errors is None or name not in (say("error held out"), say("error out of bag")):
            return "–"
        low, high = (float(end) for end in wilson(np.array(float(errors[-1])), np.array(n)))
        ends.append(new_rows.interval(percent(round(low, 3)), percent(round(high, 3))))
    return "; ".join(ends)


def _agreement(pair: list[GrownForest]) -> list[ReportSection]:
    """How often two trees say the same class; none of numbers, and of sums, whose trees have no votes."""
    parts: list[Part] = []
    for side, one in zip(SIDES, pair, strict=True):
        if one.is_sum or not one.dataset.is_classification:
            continue
        matrix = agreement.matrix_of(one)
        said = sentences.agreement_sentence(mean_agreement(matrix), bool(one.held.any()))
        parts += [Subheading(sentences.forest_name(title(side))), Marked(said)]
        if len(matrix) > 1:
            parts.append(agreement_picture(matrix))
    return [ReportSection(say("How far the trees agree"), [Marked(say(sentences.PAIRS)), *parts])] if parts else []


def _trees(pair: list[GrownForest]) -> ReportSection:
    """What the trees ask first, and the first of them as they stand on the page."""
    parts: list[Part] = [Marked(say(sentences.HOW_TO_READ))]
    for side, one in zip(SIDES, pair, strict=True):
        parts += [Subheading(sentences.forest_name(title(side))), Marked(trees.roots(one))]
        parts += trees.first_trees(one, MOST_TREES)
    return ReportSection(say("The first trees"), parts)


def _row(pair: list[GrownForest]) -> list[ReportSection]:
    """What both forests say of the chosen row, tree by tree; nothing without one."""
    row, parts = chosen_row.chosen(), []
    if row is None:
        return []
    for side, one in zip(SIDES, pair, strict=True):
        found = sample.answered(one, side, row)
        parts += [Subheading(sentences.forest_name(title(side))), *map(Marked, found.said)]
        if found.votes is not None:
            parts.append(found.votes)
        parts.append(Marked(found.note))
    data = pair[0].dataset
    truth = say("In truth it is {answer}.", answer=in_words(data.target, float(data.y[row])))
    return [ReportSection(votes_heading(data.roles.name_of(row)), [Prose(truth), *parts])]


def _output(data: Dataset) -> int:
    """The class whose share is explained on the page."""
    return min(st.session_state["explained"], len(data.classes)) - 1 if data.is_classification else 0


def _parts(pair: list[GrownForest]) -> list[ReportSection]:
    """What each column adds to the answers to some rows, a strip for each."""
    data, parts = pair[0].dataset, []
    for side, one in zip(SIDES, pair, strict=True):
        if can_explain(one.forest):
            added = columns.parts_of(one, _output(data))
            picture = accumulated.strips_picture(added)
            parts += [Subheading(sentences.forest_name(title(side))), picture, Marked(picture.alt)]
    if not parts:
        return []
    intro = [Prose(_of_class(data)), Marked(sentences.parts_caption(columns.MOST_ROWS, len(data.y)))]
    return [ReportSection(say("#### What do columns add to an answer?").strip("# "), [*intro, *parts])]


def _of_class(data: Dataset) -> str:
    return (
        say("Shown for the share of “{name}”:", name=in_words(data.target, _output(data)))
        if data.is_classification
        else ""
    )


def _together(pair: list[GrownForest]) -> list[ReportSection]:
    """Which columns act together, and the rows of the pair that is chosen on the page."""
    parts: list[Part] = []
    for side, one in zip(SIDES, pair, strict=True):
        if not can_explain(one.forest):
            continue
        look = columns.pairs_of(one, _output(one.dataset))
        bars = together_views.pairs_picture(look)
        parts += [Subheading(sentences.forest_name(title(side))), Marked(bars.alt)]
        if look.pairs:
            parts.append(bars)
        shown = columns.shown_pair(look, st.session_state[columns.KEY])
        if shown is not None:
            parts.append(together_views.pair_picture(look, shown))
            parts.append(Marked(together_views.pair_words(look, shown, plain)))
    heading = say("#### Which columns act together?").strip("# ")
    return [ReportSection(heading, [Marked(say(sentences.TOGETHER_HELP)), *parts])] if parts else []


def _curves(pair: list[GrownForest]) -> list[ReportSection]:
    """How the answers change along the column that is chosen on the page."""
    data, state = pair[0].dataset, st.session_state
    feature = min(state["along"], len(data.features)) - 1
    output = _output(data)
    is_accumulated = state["curve"] == curves.ACCUMULATED and accumulated.has_order(data.features[feature])
    parts: list[Part] = []
    for side, one in zip(SIDES, pair, strict=True):
        if can_explain(one.forest):
            look = curves.curve_of(one, feature, output)
            parts += [Subheading(sentences.forest_name(title(side))), *_along(one, look, is_accumulated)]
    if not parts:
        return []
    n = curves.MOST_CURVES
    caption = sentences.accumulated_caption(n) if is_accumulated else sentences.curves_caption(n)
    return [ReportSection(f"{say('Along a column')}: {data.features[feature].name}", [*parts, Marked(caption)])]


def _along(one: GrownForest, look: ColumnCurves, is_accumulated: bool) -> list[Part]:
    if is_accumulated:
        return [accumulated.accumulated_picture(look), Marked(curves.advice(one, look))]
    return [
        accumulated.curves_picture(look),
        Marked(curves.monotony_of(one, look)),
        Marked(curves.advice(one, look)),
    ]


def _surfaces(pair: list[GrownForest]) -> ReportSection:
    """The surfaces of the first trees, and of all, of each forest."""
    data, axes = pair[0].dataset, plane.axes(pair[0])
    shown = surfaces.plane_of(data, axes)
    parts: list[Part] = [surfaces.legend_picture(data, surface.colours(data))]
    for side, one in zip(SIDES, pair, strict=True):
        maps = results.surfaces(one, axes, plane.like(one))
        drawings = [
            surfaces.surface_picture(answers, shown, data, surface.first_trees(one, count), one.forest.prior)
            for count, answers in zip(results.counts(one), maps, strict=True)
        ]
        parts += [Subheading(sentences.forest_name(title(side))), PictureRow(drawings)]
    dots = sentences.surface_dots(surfaces.MOST_DOTS, len(axes) == 2)
    return ReportSection(say("What the forests answer"), [*parts, Marked(dots)])


def _importances(pair: list[GrownForest]) -> ReportSection:
    """The rise of the error where a column is shuffled."""
    data = pair[0].dataset
    names, parts = [feature.name for feature in data.features], []
    for side, one in zip(SIDES, pair, strict=True):
        found = sentences.found_of(one)
        if isinstance(found, Importance) and np.isfinite(found.mean).any():
            picture = importance_picture(found, names, data.is_classification)
            parts += [Subheading(sentences.forest_name(title(side))), picture, Marked(picture.alt)]
    return ReportSection(say("What the forests rely on"), [*parts, Marked(say(sentences.LIMITS_OF_IMPORTANCE))])


def votes_heading(row: str) -> str:
    """Heading of what each tree says of a row."""
    return say("What the trees say of {row}", row=row)
