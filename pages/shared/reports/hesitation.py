"""The report of the page Hesitation."""

from __future__ import annotations

from collections.abc import Sequence

from espalier.data import samples
from espalier.display.parts import Marked, Part, PictureRow, ReportSection
from espalier.display.theme import percent
from espalier.forests import surfaces
from espalier.language import say
from espalier.reports.model import ReportedModel, holdout_words
from espalier.reports.scripts import ReportedPage
from pages.shared.forests import surface
from pages.shared.tree import hesitation
from pages.shared.tree.hesitation import SurfacePanel


def reported(panels: Sequence[SurfacePanel]) -> ReportedPage:
    """What the page shows of the three models, at the width that is set."""
    data = samples.load(hesitation.DATA)
    named = [ReportedModel(one.title, one.model) for one in panels if one.model is not None]
    return ReportedPage(
        say("What a split that hesitates looks like"),
        f"{hesitation.introduction()} {hesitation.measure()}",
        data,
        [_abreast(panels)],
        named,
        f"{holdout_words(hesitation.ALL_ROWS, 0)} "
        + say(
            "The random forest is scikit-learn's: 500 trees, all other settings at their defaults, seed {seed}.",
            seed=hesitation.SEED,
        ),
    )


def _abreast(panels: Sequence[SurfacePanel]) -> ReportSection:
    """The accuracies, the surfaces side by side, and what to look at."""
    data = samples.load(hesitation.DATA)
    plane = surfaces.plane_of(data, hesitation.AXES)
    drawings = [surfaces.surface_picture(one.answers, plane, data, one.title) for one in panels]
    legend = surfaces.legend_picture(data, surface.colours(data))
    parts: list[Part] = [hesitation.accuracies(panels), PictureRow(drawings), legend]
    parts += [
        Marked(
            say(
                "**{title}**: accuracy {accuracy}, {size}. {caption}",
                title=one.title,
                accuracy=percent(one.accuracy),
                size=one.size,
                caption=one.caption,
            )
        )
        for one in panels
    ]
    return ReportSection(say("Three answers to the same rows"), parts)
