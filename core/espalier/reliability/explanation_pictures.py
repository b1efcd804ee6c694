"""The explanation of one prediction in pictures: its path, its leaves, and the values that would change it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.boundaries.plane import in_unit, in_words, named_value
from espalier.display.cultivated import cuts_of, range_of_cuts
from espalier.display.text.values import cut_words, parted
from espalier.display.theme import colours_of, number, percent
from espalier.language import say, to_say
from espalier.reliability.changeable import PredictionStrip
from espalier.reliability.explanation import PathStep, Story
from espalier.reliability.reasons import divided
from espalier.reliability.uncertainty import Conflict, goes_left
from espalier.tree.modules import answer as fractions_over_leaves
from espalier.trees import CultivatedTree, Tree

WIDTH, PAD = 520, 4
ROW, LINE = 46, 16  # pixels of a step, and of a line of text
TRACK = (10, 315)  # where the axis of a step begins, and how long it is
BESIDE = 30  # letters that fit beside the axis
MOST_STEPS, MOST_MODULES = (
    10,
    5,
)  # drawn at most: the first steps of a path, and the first modules that divide a sample
BAR = 26
STRIP, LABEL = 15, 150  # pixels of a strip's height, and for the names beside strips
LETTER = 6.1  # pixels; average width of a letter


class ExplanationInputs(NamedTuple):
    """The inputs of all pictures of an explanation."""

    story: Story
    dataset: Dataset
    dark: bool

    @property
    def theme(self) -> str:
        """Key into colours."""
        return ink.theme_of(self.dark)


# ---- the way, question by question


class Row(NamedTuple):
    """One split, as it is drawn: the sample's value of a feature beside the cuts."""

    feature: int
    cuts: np.ndarray  # ascending; none of categories
    above: str  # words at the right of the name
    beside: str  # words beside the axis


def way(look: ExplanationInputs) -> str:
    """Return SVG that shows, for every split, the sample's value and the cuts on the feature's range.

    For a tree these are the splits on the path to the leaf; for a cultivated tree those that divide the sample
    most.
    """
    rows = rows_of(look)
    parts = (part for i, row in enumerate(rows) for part in _row(look, row, 2 + i * ROW))
    return _picture(max(len(rows) * ROW, 1), parts)


def rows_of(look: ExplanationInputs) -> list[Row]:
    """Return the splits that are drawn."""
    tree = look.story.model
    if isinstance(tree, CultivatedTree):
        drawn = [_of_module(look, tree, one) for one in look.story.conflicts[:MOST_MODULES]]
        return [row for rows in drawn for row in rows]
    return [_of_step(look, tree, step) for step in look.story.steps[:MOST_STEPS] if isinstance(tree, Tree)]


def _of_step(look: ExplanationInputs, tree: Tree, step: PathStep) -> Row:
    own = tree.threshold[[step.node]]
    cuts = own[np.isfinite(own)]
    side = say("goes left" if step.left else "goes right")
    feature = look.dataset.features[int(tree.feature[step.node])]
    return Row(int(tree.feature[step.node]), cuts, side, _cuts_words(feature, cuts, to_say("threshold {cut}")))


def _of_module(look: ExplanationInputs, tree: CultivatedTree, one: Conflict) -> list[Row]:
    """Return the option that hesitates most; or, if options contradict each other, the strongest on each side."""
    rows, words = [], say("{share} of the doubt", share=percent(round(one.part, 2)))
    for d in divided(tree, look.story.x, one.node):
        f = int(tree.decisions.feature[d])
        cuts = np.empty(0) if look.dataset.features[f].kind == "category" else cuts_of(tree, d).value
        left = goes_left(tree, d, look.story.x)
        share = percent(round(max(left, 1 - left), 2))
        side = say("{share} left" if left >= 0.5 else "{share} right", share=share)
        cut = _cuts_words(look.dataset.features[f], cuts, to_say("cut at {cut}"))
        rows.append(Row(f, cuts, words, f"{side}; {cut}"))
        words = say("against it")
    return rows


def _cuts_words(feature: Feature, cuts: np.ndarray, one: str) -> str:
    if not len(cuts):
        return say("categories")
    if len(cuts) > 1:
        return range_of_cuts(feature, cuts)
    if feature.is_whole:
        return say("cut {cut}", cut=cut_words(feature, float(cuts[0])))
    return say(one, cut=cut_words(feature, float(cuts[0])))


def _row(look: ExplanationInputs, row: Row, y: float) -> Iterator[str]:
    feature, value = look.dataset.features[row.feature], float(look.story.x[row.feature])
    yield _text(PAD, y + 12, svg.shortened(named_value(feature, value, 6), 44), look, bold=True)
    yield _text(WIDTH - PAD, y + 12, row.above, look, anchor="end")
    low, high = _range(look.dataset, row.feature, value)
    track, axis = y + 26, TRACK[1]
    yield _rect(
        Rectangle(TRACK[0], track - 4, axis, 8), ink.mixed(ink.LINE[look.theme], ink.PAPER[look.theme], 0.3), 4
    )
    if len(row.cuts):
        ends = [_at(float(cut), low, high) for cut in (row.cuts[0], row.cuts[-1])]
        width = max(ends[1] - ends[0], 2.0)
        yield _rect(Rectangle(ends[0] - (width == 2.0), track - 9, width, 18), ink.LINE[look.theme], 1, 0.55)
    if np.isfinite(value):
        ring = {"stroke": ink.PAPER[look.theme], "stroke_width": 1.5}
        yield svg.circle(_at(value, low, high), track, 5.5, ink.TEXT[look.theme], **ring)
    yield from _beside(look, row.beside, track + 4)


def _beside(look: ExplanationInputs, words: str, y: float) -> Iterator[str]:
    """Yield words beside the axis, on two lines if they are too long for one."""
    parts = [words] if len(words) <= BESIDE else words.split("; ", 1)
    for i, part in enumerate(parts):
        place = y + 3 * (len(parts) - 1) + (i - (len(parts) - 1) / 2) * LINE * 0.9  # the words above have room
        yield _text(WIDTH - PAD, place, svg.shortened(part, BESIDE), look, anchor="end")


def _range(dataset: Dataset, f: int, value: float) -> tuple[float, float]:
    names = dataset.features[f].categories
    if names:
        return -0.5, len(names) - 0.5
    known = np.append(dataset.X[:, f], value)
    known = known[np.isfinite(known)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)


def _at(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return TRACK[0] + TRACK[1] * min(max(share, 0.0), 1.0)


def way_alt(look: ExplanationInputs) -> str:
    """Return the picture in sentences."""
    sentences = []
    for row in rows_of(look):
        feature = look.dataset.features[row.feature]
        known = {"name": parted(feature)[0], "value": in_unit(feature, float(look.story.x[row.feature]))}
        sentences.append(say("{name} is {value}, {where}: {above}", **known, where=row.beside, above=row.above))
    if not sentences:
        return say("There is no question on the path.")
    return say("The answer depends on: {values}.", values="; ".join(sentences))


# ---- bars


def leaves_bar(look: ExplanationInputs) -> str:
    """Return SVG of a bar with a part per leaf of a cultivated tree: fractions as widths, classes as colours."""
    tree = look.story.model
    assert isinstance(tree, CultivatedTree)
    answer = fractions_over_leaves(tree, look.story.x)
    values = np.zeros((len(answer.leaves), len(look.story.answers)))
    values[:, look.story.classes if values.shape[1] > 1 else [0]] = tree.value[answer.leaves]
    order = np.lexsort((-answer.fractions, values.argmax(axis=1) if values.shape[1] > 1 else values[:, 0]))
    body, x = [], 0.0
    for i in order.tolist():
        width = WIDTH * float(answer.fractions[i])
        body.append(_rect(Rectangle(x, 0, max(width - 0.6, 0.3), BAR), colour_of(look, values[i]), 0))
        x += width
    return _picture(BAR, body)


def leaves_alt(look: ExplanationInputs) -> str:
    """Return the bar in words."""
    tree = look.story.model
    assert isinstance(tree, CultivatedTree)
    n = len(fractions_over_leaves(tree, look.story.x).leaves)
    return say("The row's fractions over {n} leaves, each in the colour of its prediction.", n=n)


def refit_bar(look: ExplanationInputs, again: np.ndarray) -> str:
    """Return SVG of the predictions of models on redrawn data, again (n_models, n_outputs): a bar, or ticks."""
    if not look.dataset.is_classification:
        return _ticks(look, again[:, 0])
    counts = np.bincount(again.argmax(axis=1), minlength=len(look.dataset.classes))
    own, body, x = int(look.story.answer), [], 0.0
    for k in [own, *(k for k in np.argsort(-counts, kind="stable").tolist() if k != own)]:
        width = WIDTH * float(counts[k]) / len(again)
        if width:
            fill = colours_of(look.dataset.target)[look.theme][k]
            body.append(_rect(Rectangle(x, 0, max(width - 1, 0.5), BAR), fill, 2))
            name = svg.shortened(f"{in_words(look.dataset.target, k)} {counts[k]}", int(width / LETTER) - 1)
            if len(name) > 2:
                body.append(_text(x + 6, 17, name, look, fill=ink.readable_on(fill)))
        x += width
    return _picture(BAR, body)


def _ticks(look: ExplanationInputs, values: np.ndarray) -> str:
    ends = np.append(values, look.story.answer)
    low, high = float(ends.min()), float(ends.max())

    def at(value: float) -> float:
        return 8 + (WIDTH - 16) * ((value - low) / (high - low) if high > low else 0.5)

    line = ink.accent(look.dark)
    body = [_upright(at(v), (4, 22), line, stroke_width=2, opacity=0.55) for v in values.tolist()]
    body.append(_upright(at(look.story.answer), (0, 26), ink.TEXT[look.theme], stroke_width=2.5))
    ends_words = [(8, number(low), "start"), (WIDTH - 8, number(high), "end")]
    body += [_text(x, 42, words, look, anchor=anchor) for x, words, anchor in ends_words]
    return _picture(BAR + 20, body)


# ---- predictions along each feature


def strips(look: ExplanationInputs, predictions: Sequence[PredictionStrip]) -> str:
    """Return SVG with a strip per feature: predictions over its range as colours, and a mark at the sample."""
    parts = (part for i, one in enumerate(predictions) for part in _strip(look, one, i * (STRIP + 9)))
    return _picture(max(len(predictions) * (STRIP + 9), 1), parts)


def _strip(look: ExplanationInputs, one: PredictionStrip, y: float) -> Iterator[str]:
    feature = look.dataset.features[one.feature]
    yield _text(LABEL - 8, y + 12, svg.shortened(feature.name, 21), look, anchor="end")
    n, width = len(one.values), WIDTH - LABEL - 8
    cell = width / max(n, 1)
    for first, last, colour in _runs([colour_of(look, answers) for answers in one.answers]):
        yield _rect(Rectangle(LABEL + first * cell, y, (last - first) * cell + 0.3, STRIP), colour, 0)
    value = float(look.story.x[one.feature])
    if n and np.isfinite(value):
        span = float(one.values[-1] - one.values[0])
        place = (value + 0.5) / n if feature.categories else (value - one.values[0]) / span if span > 0 else 0.5
        ends = (y - 3, y + STRIP + 3)
        yield _upright(LABEL + width * place, ends, ink.PAPER[look.theme], stroke_width=5)
        yield _upright(LABEL + width * place, ends, ink.TEXT[look.theme], stroke_width=2.4)


def _runs(colours: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Return the beginning, the end and the colour of each run of equal colours."""
    first = 0
    for i in range(1, len(colours) + 1):
        if i == len(colours) or colours[i] != colours[first]:
            yield first, i, colours[first]
            first = i


def strips_alt(look: ExplanationInputs, predictions: Sequence[PredictionStrip]) -> str:
    """Return the strips in words: which features would change the prediction somewhere on their range."""
    names = [look.dataset.features[one.feature].name for one in predictions]
    if not names:
        return say("No column is asked about.")
    return say("Predictions along {names}, with all other values fixed.", names=", ".join(names))


def colour_of(look: ExplanationInputs, answers: np.ndarray) -> str:
    """Return the colour of a prediction: of its class, paler if less sure; of a number, darker if greater."""
    paper = ink.PAPER[look.theme]
    if len(answers) > 1:
        k, n = int(answers.argmax()), len(answers)
        sure = (float(answers[k]) - 1 / n) / (1 - 1 / n)
        return ink.mixed(
            colours_of(look.dataset.target)[look.theme][k], paper, 0.35 + 0.65 * round(max(sure, 0.0), 1)
        )
    low, high = float(look.dataset.y.min()), float(look.dataset.y.max())
    depth = (float(answers[0]) - low) / (high - low) if high > low else 0.5
    return ink.mixed(ink.accent(look.dark), paper, 0.1 + 0.9 * round(min(max(depth, 0.0), 1.0), 2))


# ---- tools


def _text(x: float, y: float, words: str, look: ExplanationInputs, anchor: str = "start", **how) -> str:
    weight = "bold" if how.get("bold") else None
    return svg.text(x, y, words, how.get("fill", ink.TEXT[look.theme]), text_anchor=anchor, font_weight=weight)


class Rectangle(NamedTuple):
    """A rectangle in pixels: its upper left corner, and its size."""

    x: float
    y: float
    width: float
    height: float


def _rect(box: Rectangle, fill: str, radius: float, opacity: float | None = None) -> str:
    place = {
        "x": svg.decimal(box.x),
        "y": svg.decimal(box.y),
        "width": box.width,
        "height": box.height,
        "rx": radius,
    }
    return svg.element("rect", **place, fill=fill, fill_opacity=opacity)


def _upright(x: float, ends: tuple[float, float], stroke: str, **style: svg.Attribute) -> str:
    return svg.line([(x, ends[0]), (x, ends[1])], stroke, **style)


def _picture(height: float, parts: Iterable[str]) -> str:
    return svg.picture(parts, (WIDTH, height), 12.5)
