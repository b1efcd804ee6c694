"""The report of the page Data: the table in use."""

from __future__ import annotations

from espalier.data import samples
from espalier.data.dataset import Dataset
from espalier.data.folds import held_out
from espalier.data.samples import title_of
from espalier.display.parts import Prose, ReportSection
from espalier.language import say
from espalier.reports.model import holdout_words
from espalier.reports.scripts import ReportedPage
from pages.shared.data import library
from pages.shared.models import drawer


def reported(dataset: Dataset) -> ReportedPage:
    """What the page shows of the table in use."""
    holdout = drawer.holdout()
    held = held_out(dataset, holdout)
    judged = holdout_words(holdout, int(held.sum()))
    lead = say(
        "The table “{name}”, in which trees are to predict {target}.",
        name=title_of(dataset),
        target=dataset.target.name,
    )
    return ReportedPage(title_of(dataset), lead, dataset, _origin(dataset), (), judged, held)


def _origin(dataset: Dataset) -> list[ReportSection]:
    """What a bundled table is about and where it comes from; nothing of a person's own."""
    name = library.own_text(library.key_of(dataset))
    if name not in samples.names():
        return []
    card = samples.card(name)
    texts = (say(card.description), f"{say(card.source)} · {card.licence}")
    return [ReportSection(say("What the table is about"), list(map(Prose, texts)))]
