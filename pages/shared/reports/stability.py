"""The report of the page Stability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from espalier.data.samples import title_of
from espalier.display.parts import Marked, Part, PictureRow, ReportSection, Subheading, grid_of
from espalier.display.text.trees import join
from espalier.forests.surfaces import plane_of
from espalier.language import say
from espalier.reports.model import ReportedModel
from espalier.reports.scripts import ReportedPage
from espalier.stability import bars, thresholds
from pages.shared.app.frame import plain
from pages.shared.canvas import axis_choice
from pages.shared.reports import new_rows, rebuilding
from pages.shared.stability import controls, results, structures, views
from pages.shared.stability.results import LearnerReplicates

Learners = Sequence[LearnerReplicates]


def reported(there: Learners) -> ReportedPage:
    """What the page shows of these learners."""
    data, trial = there[0].dataset, there[0].trials[0]
    return ReportedPage(
        f"{data.target.name}: {say('Would the same tree grow again?')}",
        new_rows.first_sentence(
            say("Would we get the same tree again?"), join([one.title for one in there], "and"), title_of(data)
        ),
        data,
        [_structures(there), *_columns(there), *_answers(there)],
        [ReportedModel(one.title, one.trials[0].model) for one in there],
        f"{results.seed_line(trial.plan.seed)}: {structures.draws_words(trial)}",
        rebuilt=rebuilding.on_draws(there),
    )


def _structures(there: Learners) -> ReportSection:
    """The bars of each learner, with how many structures there are."""
    most, parts = structures.scale(there), []
    for learner in there:
        counts = results.structure_counts(learner)
        chart, level = counts.charts[0]._replace(most=most), counts.levels[0][-1]
        parts += [
            bars.chart_picture(chart, results.picture_title(learner.title, chart.n_trees)),
            Marked(f"{bars.summary(level)}. {bars.confidence(level, chart.n_trees)}"),
        ]
    table = grid_of(thresholds.level_table(structures.structure_tables(there)))
    return ReportSection(
        say("How many different trees"), [*parts, table, Marked(structures.caption(there[0].trials[0]))]
    )


def _columns(there: Learners) -> list[ReportSection]:
    """The columns that the trees ask about, by depth; none where no tree asks anything."""
    names = [feature.name for feature in there[0].dataset.features]
    shares = [results.by_depth(learner, controls.depth()) for learner in there]
    which = bars.listed_features(sum(shares[1:], shares[0]))
    if not which:
        return []
    parts: list[Part] = []
    for learner, share in zip(there, map(bars.used_depths, shares), strict=True):
        parts += [Subheading(learner.title), bars.features_picture(share, names, which)]
    return [ReportSection(say("What they ask about"), parts)]


def _answers(there: Learners) -> list[ReportSection]:
    """How often the trees agree, and where their answers depend on the draw; none of single trees."""
    several, data = [one for one in there if len(one.trees) > 1], there[0].dataset
    if not several:
        return []
    agreed = [results.agreement(one) for one in several]
    is_share = data.is_classification
    end = 1.0 if is_share else thresholds.difference_end(agreed)
    axes = axis_choice.chosen([feature.name for feature in data.features], results.best_axes(there))
    maps = [np.sqrt(results.spread(one, axes).variance) for one in several]
    most, plane = max(float(one.max(initial=0.0)) for one in maps), plane_of(data, axes)
    rows = [
        thresholds.rows_picture(one, end, is_share)._replace(caption=learner.title)
        for learner, one in zip(several, agreed, strict=True)
    ]
    drawn = [
        thresholds.map_picture(one, most, plane, data)._replace(caption=learner.title)
        for learner, one in zip(several, maps, strict=True)
    ]
    return [
        ReportSection(
            say("How far the trees agree"),
            [
                PictureRow(rows), *(Marked(f"**{plain(one.caption)}**: {one.alt}") for one in rows),
                Marked(say(views.AGREEMENT)), PictureRow(drawn), thresholds.map_legend(most),
                Marked(views.maps_caption(data)),
            ],
        )
    ]  # fmt: skip
