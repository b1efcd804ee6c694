"""The report of the page Approximate."""

from __future__ import annotations

import numpy as np

from espalier.approximation import pictures as approximation_surfaces
from espalier.approximation import words as split_words
from espalier.comparison import tables
from espalier.comparison.scores import wilson
from espalier.data.roles import effective_size
from espalier.data.samples import title_of
from espalier.display.parts import Grid, Marked, Part, PictureRow, Prose, ReportSection, grid_of
from espalier.display.theme import percent
from espalier.forests import surfaces
from espalier.language import say
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import ReportedPage
from espalier.reports.tree import branches_words, tree_drawing
from pages.shared.approximation import fidelity_tab, heading, results
from pages.shared.approximation.fits import Approximated
from pages.shared.reports import new_rows, rebuilding
from pages.shared.tree import explorer

MOST_SPLITS = 40


def reported(one: Approximated) -> ReportedPage:
    """What the page shows of the model and the tree that stands in for it."""
    data = one.dataset
    return ReportedPage(
        f"{data.target.name}: {say('The model and the tree that stands in for it')}",
        new_rows.first_sentence(say("Can one tree stand in for a model?"), one.title, title_of(data)),
        data,
        [_fidelity(one), _by_depth(one), _tree(one), *_splits(one), *_surfaces(one)],
        [ReportedModel(say("The model and the tree that stands in for it"), one.model)],
        holdout_words(one.holdout, int(one.held.sum())),
        one.held,
        rebuilding.of_stand_in(one, (one.title, say("The tree"))),
    )


def _fidelity(one: Approximated) -> ReportSection:
    """How well the tree stands in, how good both are, and how sure its splits are."""
    ends = _intervals(one)
    rows = [(label, value, ends.get(label, "–")) for label, (value, _) in heading.metrics_of(one).items()]
    sure = split_words.sureness(results.split_facts(one))
    parts: list[Part] = [
        Marked(f"{heading.alike(one)} {sure}"),
        Grid((say("measure"), say("value"), say("95 % intervals")), rows),
    ]
    for who, rates in results.rates_of(one) or ():
        parts.append(Marked(tables.class_rates_words(rates, one.dataset.target, who=who)))
    return ReportSection(say("The model and the tree that stands in for it"), parts)


def _intervals(one: Approximated) -> dict[str, str]:
    """The 95 % intervals of accuracies on the rows held out, by their labels."""
    truth, data = results.truth(one), one.dataset
    if truth is None or not data.is_classification:
        return {}
    rows = results.held_rows(one)
    weight = data.weights_of(rows)
    n, found = len(data.y[rows]) if weight is None else effective_size(weight), {}
    for whose, value in ((say("model"), truth.model), (say("tree"), truth.tree)):
        low, high = (percent(round(float(end), 3)) for end in wilson(np.array(value), np.array(n)))
        found[heading.score_label(say("accuracy"), whose)] = new_rows.interval(low, high)
    return found


def _by_depth(one: Approximated) -> ReportSection:
    """How well the tree stands in by its depth, and by the model's class."""
    curves = fidelity_tab.depth_curves(one)
    parts: list[Part] = [Marked(curves.enough), PictureRow(curves.pictures)]
    parts += [Marked(curves.explained), grid_of(fidelity_tab.levels_table(one))]
    if one.dataset.is_classification:
        parts += [Marked(say("**By class**")), grid_of(fidelity_tab.by_class(one))]
    return ReportSection(say("By how many questions it may ask"), parts)


def _splits(one: Approximated) -> list[ReportSection]:
    """Every split with how sure it is; none of a tree without any."""
    table = split_words.splits_table(results.split_facts(one))
    if not len(table):
        return []
    left_out = [say("made-up cases"), say("sum of p")] if one.model.value("method") == "exact" else []
    shown = table.drop(columns=left_out).head(MOST_SPLITS)
    return [ReportSection(say("Every split, and how sure it is"), [grid_of(shown)])]


def _tree(one: Approximated) -> ReportSection:
    drawing = tree_drawing(one.tree, one.dataset.features, one.dataset.target)
    return ReportSection(say("The tree"), [drawing, Prose(branches_words())])


def _surfaces(one: Approximated) -> list[ReportSection]:
    """The answers of both over a plane, and where they differ."""
    axes, data = explorer.plane_of(results.as_grown(one)), one.dataset
    outputs = results.over_plane(one, axes)
    if outputs is None:
        return []
    plane = results.plane_of(data, axes)
    gap = approximation_surfaces.gap(outputs.model, outputs.tree, data, one.prior)
    model = surfaces.surface_picture(outputs.model, plane, data, one.title, one.prior)
    differ = approximation_surfaces.gap_picture(gap, plane, data, surfaces.SMALL)
    drawings = [model, surfaces.surface_picture(outputs.tree, plane, data, say("The tree")), differ]
    legend = surfaces.legend_picture(data, model.alt)
    return [
        ReportSection(
            say("What it answers"),
            [PictureRow(drawings), legend, Marked(differ.alt)],
        )
    ]
