"""The report of a tree: what it says, how good it is, its data, how it was made, and what it is not for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.data.samples import title_of
from espalier.display.boundaries.plane import typical
from espalier.display.text.trees import in_units, join, says
from espalier.display.theme import count, percent
from espalier.display.tree.small_tree import LEAF_WIDTH, PAD, alt, small_tree
from espalier.forests import surfaces
from espalier.language import say
from espalier.learners.catalogue import Model
from espalier.new_rows.leaf_promises import LeafPromises
from espalier.new_rows.leaf_tables import leaves_table
from espalier.predict import SomeTree, shares
from espalier.reports.card import card_section
from espalier.reports.data import data_section
from espalier.reports.model import model_section
from espalier.reports.scores import JudgedAnswers, scores_section
from espalier.reports.screens import on_any_screen
from espalier.reports.sheet import (
    Drawing,
    Grid,
    Listed,
    Part,
    PictureRow,
    Prose,
    Report,
    ReportSection,
    Verbatim,
    grid_of,
)
from espalier.tree.rules import leaf_bounds
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree

COLUMN, NARROW, WIDEST = 190, 90, 800  # pixels of a question, at least, and of all questions together
LINE, LEAST_LINE, TALLEST = 24, 5, 1_100  # pixels from leaf to leaf, at least, and of all leaves together
MOST_RULES = 100  # leaves of a tree whose rules are written out


class Surface(NamedTuple):
    """What a tree answers over a plane of two features, or along one."""

    record: SomeTree
    axes: tuple[int, ...]


class ReportedTree(NamedTuple):
    """A tree with all that a report says of it."""

    tree: AnyTree  # as it is drawn
    drawn: Dataset  # the data with the features that the tree asks about: for an oblique tree its sums
    data: Dataset
    held: np.ndarray  # (n_samples,) bool: rows held out
    outputs: np.ndarray  # (n_samples, n_outputs): its answers to all rows
    model: Model
    rules: str  # as text
    findings: Sequence[str]  # what about the table misleads
    changes: Sequence[str]  # made by hand
    script: str  # Python that makes it again; empty: none
    link: str  # to the page; empty: none
    day: str  # on which the report was made
    judged: str = ""  # which rows were held out, and by which seed
    surface: Surface | None = None  # None where the page draws none
    promises: LeafPromises | None = None  # of its leaves, by the rows held out
    more: Sequence[ReportSection] = ()  # what the page shows besides


def tree_report(one: ReportedTree) -> Report:
    """Return the report."""
    data, tree = one.data, one.tree
    asked = set(np.unique(tree.feature[tree.feature != LEAF]).tolist()) if one.drawn is data else _columns_of(one)
    lead = say(
        "{model} with {leaves} leaves, grown on {n} rows of “{name}”.",
        model=say(one.model.kind.title),
        leaves=count(tree.n_leaves),
        n=count(int((~one.held).sum())),
        name=title_of(data),
    )
    sections = [
        _tree_section(one),
        *_surface_section(one),
        scores_section(JudgedAnswers(data, one.held, one.outputs)),
        *_promises_section(one),
        *one.more,
        card_section(data, one.findings, asked),
        data_section(data, one.held, asked),
        model_section(one.model, data.is_classification, one.script, one.judged),
    ]
    title = say("{target}: a decision tree", target=data.target.name)
    return Report(title, (lead,), sections, (say("Made on {day}.", day=one.day), one.link))


def _columns_of(one: ReportedTree) -> set[int]:
    """Return the columns in the sums of an oblique tree: by their names, which sums spell out."""
    used = " ".join(one.drawn.features[f].name for f in np.unique(one.tree.feature[one.tree.feature != LEAF]))
    return {f for f, feature in enumerate(one.data.features) if feature.name in used}


def tree_drawing(tree: AnyTree, features: Sequence[Feature], target: Feature) -> Drawing:
    """Return the tree as wide as its questions need, and as high as its leaves."""
    column = min(max(WIDEST / max(tree.depth, 1), NARROW), COLUMN)
    line = min(max(TALLEST / tree.n_leaves, LEAST_LINE), LINE)
    width = LEAF_WIDTH + 2 * PAD + column * max(tree.depth, 1)
    size = (width, line)
    picture = on_any_screen(lambda dark: small_tree(tree, features, target, dark, size=size))
    return Drawing(picture, alt(tree, features, target))


def branches_words() -> str:
    """Return how the branches of the drawing are read."""
    return say("The upper branch is taken where the condition holds.")


def _tree_section(one: ReportedTree) -> ReportSection:
    tree = one.tree
    parts: list[Part] = [tree_drawing(tree, one.drawn.features, one.data.target), Prose(branches_words())]
    if isinstance(tree, CultivatedTree):
        hesitates = say("≲ and ≳ hesitate: near the threshold a row takes both branches, with a fraction in each.")
        parts.append(Prose(hesitates))
    if one.changes:
        parts += [Prose(say("Changed by hand:")), Listed(one.changes)]
    return ReportSection(say("The tree"), [*parts, _rules(one)])


def _surface_section(one: ReportedTree) -> list[ReportSection]:
    """Return the answers over the plane, other columns as in typical rows, with some rows of the data."""
    if one.surface is None:
        return []
    data, axes = one.data, one.surface.axes
    plane = surfaces.plane_of(data, axes)
    answers = shares(one.surface.record, plane.samples(typical(data)))
    words = surfaces.alt(answers, data)
    picture = on_any_screen(lambda dark: surfaces.picture(answers, plane, data, dark))
    legend = on_any_screen(lambda dark: surfaces.legend(data, dark))
    parts: list[Part] = [
        PictureRow([Drawing(picture, words, is_large=True)]),
        Drawing(legend, say("The colours of the surface."), is_large=True),
        Prose(words),
    ]
    if len(data.features) > len(axes):
        parts.append(
            Prose(say("All other columns have typical values: their medians, or the most frequent ones."))
        )
    return [ReportSection(say("What it answers"), parts)]


def _promises_section(one: ReportedTree) -> list[ReportSection]:
    if one.promises is None or not isinstance(one.tree, Tree):
        return []
    share = percent(one.promises.level)
    text = say(
        "In each leaf, the answers that hold the truth of at least {share} of new rows like these, by the rows "
        "held out.", share=share,
    )  # fmt: skip
    table = leaves_table(one.promises, one.tree, one.drawn)
    return [ReportSection(say("What its leaves promise"), [Prose(text), grid_of(table)])]


def _rules(one: ReportedTree) -> Part:
    """Return a rule for each leaf, the heaviest first; as text where leaves are no boxes."""
    tree, data = one.tree, one.data
    if tree.n_leaves > MOST_RULES:
        return Prose(say("The tree has {n} rules, too many to be written out.", n=count(tree.n_leaves)))
    if not isinstance(tree, Tree) or one.drawn is not data:
        return Verbatim(one.rules)
    missing = np.asarray(np.isnan(data.X).any(axis=0))
    leaves = sorted(leaf_bounds(tree), key=lambda leaf: -tree.weight[leaf[0]])
    rows = [
        (
            join([in_units(bound, data.features, missing) for bound in bounds], "and") or say("always"),
            says(tree, data.target, node),
            count(int(tree.n_samples[node])),
        )
        for node, bounds in leaves
    ]
    return Grid((say("if"), say("then"), say("rows")), rows)
