"""The report of a tree: what it says, how good it is, its data, how it was made, and what it is not for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from espalier.comparison import scores as metrics
from espalier.comparison.class_rates import baseline_words, class_rates_words, rates
from espalier.comparison.scores import wilson
from espalier.data.dataset import Dataset, Feature
from espalier.data.roles import effective_size
from espalier.data.samples import title_of
from espalier.display.boundaries.plane import typical
from espalier.display.parts import (
    Grid,
    Listed,
    Part,
    Picture,
    PictureRow,
    Prose,
    Report,
    ReportSection,
    Verbatim,
    grid_of,
)
from espalier.display.text.trees import join, phrase_with_unit, says
from espalier.display.theme import count, number, percent
from espalier.display.tree.small_tree import LEAF_WIDTH, PAD, tree_picture
from espalier.forests import surfaces
from espalier.kinds import SomeTree
from espalier.language import say, to_say
from espalier.learners.catalogue import Model
from espalier.new_rows.promise_words import leaves_table
from espalier.new_rows.promises import LeafPromises
from espalier.predict import shares
from espalier.reports.model import ReportedModel, data_section, models_section
from espalier.tree.rules import leaf_bounds
from espalier.trees import LEAF, AnyTree, CultivatedTree, Tree

FEW = 20  # rows: a group of fewer is hardly tested
OFTEN_MISSING = 0.2  # share of a column's values
MOST_NAMED = 6  # groups of one column


def card_section(data: Dataset, findings: Sequence[str], asked: set[int] | None = None) -> ReportSection:
    """Return the section; `findings` are what about the table misleads, `asked` the features that the model uses.

    `asked` is None where all may be used.
    """
    features = range(len(data.features)) if asked is None else sorted(asked)
    items = [
        say("It shows what goes together with {target}, not what causes it.", target=data.target.name),
        say("It is for rows like these; outside the ranges below it answers without a warning."),
        say("Before others rely on it, test it on rows from elsewhere."),
        *filter(None, (_rare(data.features[f], data.X[:, f]) for f in features if data.features[f].categories)),
        *filter(None, [_rare(data.target, data.y.astype(float))] if data.is_classification else []),
        *_often_missing(data, features),
        *findings,
    ]
    return ReportSection(say("What it is not for"), [Listed(items)])


def _rare(feature: Feature, x: np.ndarray) -> str:
    """Return a sentence on the values of a column, or of the target, that few rows have; empty without any."""
    sizes = np.bincount(x[np.isfinite(x)].astype(int), minlength=len(feature.categories))
    few = [(feature.categories[k], int(n)) for k, n in enumerate(sizes.tolist()) if n < FEW]
    if not few:
        return ""
    values = [say("{value} ({n} rows)", value=value, n=count(n)) for value, n in few[:MOST_NAMED]]
    if len(few) > MOST_NAMED:
        values.append(say("{n} more", n=count(len(few) - MOST_NAMED)))
    return say(
        "Not for {column} {values}: too few rows to test it.", column=feature.name, values=join(values, "or")
    )


def _often_missing(data: Dataset, features: Sequence[int] | range) -> list[str]:
    shares = [(data.features[f].name, float(np.isnan(data.X[:, f]).mean())) for f in features]
    columns = [f"{name} ({percent(round(share, 2))})" for name, share in shares if share >= OFTEN_MISSING]
    if not columns:
        return []
    if len(columns) > MOST_NAMED:
        columns = [*columns[:MOST_NAMED], say("{n} more", n=count(len(columns) - MOST_NAMED))]
    return [
        say(
            "Values are often missing in {columns}: find out why.",
            columns=join(columns, "and"),
        )
    ]


ROWS = {"held": to_say("rows held out"), "training": to_say("rows it learned from")}
SHARES = ("accuracy", "balanced_accuracy")


def _scores_section(one: ReportedTree) -> ReportSection:
    """Return the scores of the rows held out and of those of training, whichever there are, and the errors."""
    masks = {name: rows for name, rows in (("held", one.held), ("training", ~one.held)) if rows.any()}
    parts: list[Part] = [_table(one, masks)]
    if one.data.is_classification:
        name, rows = next(iter(masks.items()))
        parts += _errors(one, name, rows)
    if not one.held.any():
        parts.append(Prose(say("No rows were held out: on new rows it will probably do worse.")))
    return ReportSection(say("How good it is"), parts)


def _table(one: ReportedTree, masks: Mapping[str, np.ndarray]) -> Grid:
    data, is_trained, columns = one.data, ~one.held, []
    heads = [say("score")]
    for name, rows in masks.items():
        weight, weight_grown_on = data.weights_of(rows), data.weights_of(is_trained)
        own, baseline = metrics.paired_scores(
            data.y[rows], one.outputs[rows], data.y[is_trained], weight, weight_grown_on
        )
        heads += [say(ROWS[name]), say("baseline: one answer for all of them")]
        n = int(rows.sum()) if weight is None else effective_size(weight)
        # Of rows that it learned from, an interval would promise what new rows do not keep.
        columns += [_cells(own, n if name == "held" else None), _cells(baseline, None)]
    fields = (metrics.ClassScores if data.is_classification else metrics.MeanScores)._fields[1:]
    names = [say(metrics.LABELS[name]) for name in fields]
    return Grid(heads, list(zip(names, *columns, strict=True)))


def _cells(scores: metrics.ClassScores | metrics.MeanScores, n: float | None) -> list[str]:
    """Return the scores as they are written; accuracy on n rows with its 95 % interval."""
    return [_score_text(name, getattr(scores, name), n) for name in scores._fields[1:]]


def _score_text(name: str, value: float, n: float | None) -> str:
    if not np.isfinite(value):
        return "–"
    if name not in SHARES:
        return number(round(value, 3))
    if n is None or name != "accuracy":
        return percent(round(value, 3))
    low, high = (float(end) for end in wilson(np.array(value), np.array(n)))
    return say(
        "{share} (95 % interval {low} to {high})",
        share=percent(round(value, 3)),
        low=percent(round(low, 3)),
        high=percent(round(high, 3)),
    )


def _errors(one: ReportedTree, name: str, rows: np.ndarray) -> list[Part]:
    """Return the confusion matrix of these rows, and sentences on each class."""
    data, answers = one.data, one.outputs[rows].argmax(axis=1)
    y, weight, n_classes = data.y[rows], data.weights_of(rows), len(data.classes)
    matrix = metrics.confusion(y, answers, n_classes, weight)
    usual = int(np.bincount(data.y[~one.held], minlength=n_classes).argmax())
    each = rates(y, answers, n_classes, usual, weight)
    heads = [say("in truth"), *(say("says {name}", name=label) for label in data.classes)]
    cells = [(name, *map(_count, line)) for name, line in zip(data.classes, matrix.tolist(), strict=True)]
    text = f"{class_rates_words(each, data.target)} {baseline_words(each, data.target)}"
    return [Prose(say("Answers and truth, {rows}:", rows=say(ROWS[name]))), Grid(heads, cells), Prose(text)]


def _count(n: float) -> str:
    return count(int(n)) if float(n).is_integer() else number(n)


# The report ------------------------------------------------------------------------------------------

COLUMN, NARROW, WIDEST = 190, 90, 800  # pixels of a question, at least, and of all questions together
LINE, LEAST_LINE, TALLEST = 24, 5, 1_100  # pixels from leaf to leaf, at least, and of all leaves together
MOST_RULES = 100  # leaves of a tree whose rules are written out


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
    surface: tuple[SomeTree, tuple[int, ...]] | None = None  # a tree over one or two features; None: none is drawn
    promises: LeafPromises | None = None  # of its leaves, by the rows held out
    more: Sequence[ReportSection] = ()  # what the page shows besides


def tree_report(one: ReportedTree) -> Report:
    """Return the report."""
    data, tree = one.data, one.tree
    split_on = np.unique(tree.feature[tree.feature != LEAF]).tolist()
    if one.drawn is not data:  # an oblique tree: its sums spell out the names of their columns
        names = " ".join(one.drawn.features[f].name for f in split_on)
        split_on = [f for f, feature in enumerate(data.features) if feature.name in names]
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
        _scores_section(one),
        *_promises_section(one),
        *one.more,
        card_section(data, one.findings, set(split_on)),
        data_section(data, one.held, set(split_on)),
        models_section([ReportedModel("", one.model)], data.is_classification, one.judged, one.script),
    ]
    title = say("{target}: a decision tree", target=data.target.name)
    return Report(title, (lead,), sections, (say("Made on {day}.", day=one.day), one.link))


def tree_drawing(tree: AnyTree, features: Sequence[Feature], target: Feature) -> Picture:
    """Return the tree as wide as its questions need, and as high as its leaves."""
    column = min(max(WIDEST / max(tree.depth, 1), NARROW), COLUMN)
    line = min(max(TALLEST / tree.n_leaves, LEAST_LINE), LINE)
    size = (LEAF_WIDTH + 2 * PAD + column * max(tree.depth, 1), line)
    return tree_picture(tree, features, target, size=size)


def branches_words() -> str:
    """Return how the branches of the drawing are read."""
    return say("The upper branch is taken where the condition holds.")


def _tree_section(one: ReportedTree) -> ReportSection:
    tree = one.tree
    parts: list[Part] = [tree_drawing(tree, one.drawn.features, one.data.target), Prose(branches_words())]
    if isinstance(tree, CultivatedTree):
        hesitates = say("At ≲ and ≳ a row near the threshold takes both branches.")
        parts.append(Prose(hesitates))
    if one.changes:
        parts += [Prose(say("Changed by hand:")), Listed(one.changes)]
    return ReportSection(say("The tree"), [*parts, _rules(one)])


def _surface_section(one: ReportedTree) -> list[ReportSection]:
    """Return the answers over the plane, other columns as in typical rows, with some rows of the data."""
    if one.surface is None:
        return []
    data, (record, axes) = one.data, one.surface
    plane = surfaces.plane_of(data, axes)
    answers = shares(record, plane.samples(typical(data)))
    picture = surfaces.surface_picture(answers, plane, data, size=surfaces.SIZE)
    parts: list[Part] = [
        PictureRow([picture._replace(is_large=True)]),
        surfaces.legend_picture(data, say("The colours of the surface.")),
        Prose(picture.alt),
    ]
    if len(data.features) > len(axes):
        parts.append(Prose(say("All other columns have typical values.")))
    return [ReportSection(say("What it answers"), parts)]


def _promises_section(one: ReportedTree) -> list[ReportSection]:
    if one.promises is None or not isinstance(one.tree, Tree):
        return []
    share = percent(one.promises.level)
    text = say(
        "The answers that hold the truth of at least {share} of new rows, by the rows held out.", share=share,
    )  # fmt: skip
    table = leaves_table(one.promises, one.tree, one.drawn)
    return [ReportSection(say("What its leaves promise"), [Prose(text), grid_of(table)])]


def _rules(one: ReportedTree) -> Part:
    """Return a rule for each leaf, the heaviest first; as text where leaves are no boxes."""
    tree, data = one.tree, one.data
    if tree.n_leaves > MOST_RULES:
        return Prose(say("{n} rules are too many to be written out.", n=count(tree.n_leaves)))
    if not isinstance(tree, Tree) or one.drawn is not data:
        return Verbatim(one.rules)
    missing = np.asarray(np.isnan(data.X).any(axis=0))
    leaves = sorted(leaf_bounds(tree), key=lambda leaf: -tree.weight[leaf[0]])
    rows = [
        (
            join([phrase_with_unit(bound, data.features, missing) for bound in bounds], "and") or say("always"),
            says(tree, data.target, node),
            count(int(tree.n_samples[node])),
        )
        for node, bounds in leaves
    ]
    return Grid((say("if"), say("then"), say("rows")), rows)
