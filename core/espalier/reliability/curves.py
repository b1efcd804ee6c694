"""Pictures of reliability: curves of coverage, one prediction explained, and the region of recourse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from espalier.comparison.figures import DASHES, LEGEND, MARKS, colour_of, draw_band
from espalier.data.dataset import Dataset, Feature
from espalier.display import ink, svg
from espalier.display.cultivated import cuts_of, range_of_cuts
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.svg import Frame, round_numbers
from espalier.display.text.values import cut_words, in_unit, in_words, named_value, split_unit
from espalier.display.theme import colours_of, number, percent, rounded_to
from espalier.language import say, to_say
from espalier.reliability.explanation import PathStep, RecoursePlane, Story
from espalier.reliability.reliability import CoverageCurve
from espalier.reliability.uncertainty import Conflict, goes_left
from espalier.reliability.words import ReliabilitySummary, dividing_decisions, loss_words, measure_words
from espalier.tree.modules import answer as fractions_over_leaves
from espalier.trees import CultivatedTree, Tree

HEIGHT = 470  # pixels
SMALL = 270
GREY = "#8A8D98"
ALWAYS = to_say("always the most frequent class")
LEAST_SHOWN = 0.02  # coverage: below, risk says little and would stretch the axis
SECOND_AXIS = {  # the axis of errors, beside that of shares
    "overlaying": "y", "side": "right", "showgrid": False, "automargin": True, "zeroline": False, "ticks": "",
    "tickmode": "auto", "nticks": 6,
}  # fmt: skip


def answered_picture(models: Sequence[ReliabilitySummary], is_classification: bool) -> Picture:
    """Return the share right (or mean error) against the share answered, with a mark at the goal's point.

    The words tell of each model at a half, at four fifths and at all of the answers.
    """
    parts = []
    for model in models:
        at = [int(np.searchsorted(model.curve.coverage, share)) for share in (0.5, 0.8, 1.0)]
        points = [_point_words(model.curve, min(i, len(model.curve.coverage) - 1), is_classification) for i in at]
        always = f"; {say(ALWAYS)}, {_point_words(model.baseline, -1, True)}" if model.baseline is not None else ""
        parts.append(f"{model.title}: {', '.join(dict.fromkeys(points))}{always}")
    words = say(
        "Share right of what is answered: {models}."
        if is_classification
        else "Average error of what is answered: {models}.",
        models="; ".join(parts),
    )
    return Picture(partial(_draw_answered, models, is_classification), words)


def _draw_answered(models: Sequence[ReliabilitySummary], is_classification: bool, dark: bool) -> go.Figure:
    figure = blank(dark, HEIGHT, hovermode="closest", legend=LEGEND | {"traceorder": "normal"})
    for model in models:
        colour, curve = colour_of(model.slot, dark), model.curve
        x, y, low, high = _points_to_draw(curve, is_classification)
        draw_band(figure, x, low, high, colour)
        figure.add_scatter(
            x=x, y=y, mode="lines+markers" if len(x) == 1 else "lines", name=safe(model.title),
            line=edge(colour, 2.2) | {"dash": DASHES[model.slot]},
            text=[_hover(model.title, a, b, is_classification) for a, b in zip(x, y, strict=True)],
            hoverinfo="text",
        )  # fmt: skip
        _mark(figure, model, is_classification, dark)
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title_text=say("share answered"), tickformat=PERCENTS, range=[-0.02, 1.02])
    figure.update_yaxes(_loss_axis(models, is_classification))
    return figure


def _points_to_draw(curve: CoverageCurve, is_classification: bool) -> tuple[np.ndarray, ...]:
    """Return coverage, risk as it is drawn, and both ends of its interval, without the lowest coverages."""
    is_shown = (curve.coverage >= LEAST_SHOWN) | (curve.coverage == curve.coverage.max())
    risk, low, high = curve.risk[is_shown], curve.risk_low[is_shown], curve.risk_high[is_shown]
    if is_classification:
        return curve.coverage[is_shown], 1 - risk, 1 - high, 1 - low
    return curve.coverage[is_shown], risk, low, high


def _mark(figure: go.Figure, model: ReliabilitySummary, is_classification: bool, dark: bool) -> None:
    """The operating point, judged on the folds that did not choose it."""
    if not np.isfinite(model.point.risk):
        return
    y = 1 - model.point.risk if is_classification else model.point.risk
    there = _hover(model.title, model.point.coverage, y, is_classification)
    figure.add_scatter(
        x=[model.point.coverage], y=[y], mode="markers", showlegend=False, cliponaxis=False,
        marker={"symbol": MARKS[model.slot], "size": 13, "color": colour_of(model.slot, dark),
                "line": edge(ink.TEXT[ink.theme_of(dark)], 2)},
        text=[say("at the goal: {words}", words=there)], hoverinfo="text",
    )  # fmt: skip


def _hover(title: str, coverage: float, y: float, is_classification: bool) -> str:
    values = {"model": safe(title), "share": percent(round(coverage, 4))}
    if is_classification:
        return say("{model}: of {share} answered {right} right", **values, right=percent(round(y, 4)))
    return say("{model}: of {share} answered off by {error} on average", **values, error=number(y))


def _loss_axis(models: Sequence[ReliabilitySummary], is_classification: bool) -> dict:
    if not is_classification:
        most = max(_highest(model.curve) for model in models)
        return {"title_text": say("average error"), "range": [0, most]}
    heights = [_points_to_draw(model.curve, True)[1] for model in models]
    least = min((float(np.nanmin(y)) for y in heights if len(y)), default=0.0)
    low = max(min(least - 0.08, 0.88), -0.02)  # a band may go below, since readers look at the line
    return {"title_text": say("right, of these"), "tickformat": PERCENTS, "range": [low, 1.01]}


def _highest(curve: CoverageCurve) -> float:
    """Return the end of an axis of errors, above the line without its lowest coverages; bands may go beyond."""
    return 1.3 * float(np.nanmax(_points_to_draw(curve, False)[1]))


def _point_words(curve: CoverageCurve, i: int, is_classification: bool) -> str:
    loss = loss_words(float(curve.risk[i]), is_classification)
    return say("{loss} at {share} answered", loss=loss, share=percent(round(float(curve.coverage[i]), 3)))


# ---- against the threshold, as in the paper


def threshold_picture(model: ReliabilitySummary, is_classification: bool) -> Picture:
    """Return the share answered (dashed) and the share right or mean error (solid) against the threshold on doubt.

    The figure follows Nalenz & Augustin (2021, figure 4); a dotted line marks the threshold of the goal. The
    words go from the strictest threshold to the most lenient.
    """
    curve = model.curve
    points = [
        say(
            "at {threshold} {words}",
            threshold=number(float(curve.threshold[i])),
            words=_point_words(curve, i, is_classification),
        )
        for i in (0, len(curve.threshold) // 2, len(curve.threshold) - 1)
    ]
    words = say("{model}, by the threshold: {points}.", model=model.title, points="; ".join(dict.fromkeys(points)))
    return Picture(partial(_draw_threshold, model, is_classification), words, model.title)


def _draw_threshold(model: ReliabilitySummary, is_classification: bool, dark: bool) -> go.Figure:
    figure = blank(dark, SMALL, hovermode="x")
    figure.update_layout(margin={"t": 8})
    colour, grey, curve = colour_of(model.slot, dark), ink.LINE[ink.theme_of(dark)], model.curve
    x, steps = curve.threshold, {"line": {"width": 0, "shape": "hv"}}
    own = {} if is_classification else {"yaxis": "y2"}
    draw_band(figure, x, curve.coverage_low, curve.coverage_high, GREY, **steps)
    dashes = edge(grey, 2) | {"dash": "dash"}
    _line(figure, x, curve.coverage, lambda y: f"{say('answered')} {percent(y)}", line=dashes)
    y, low, high = curve.risk, curve.risk_low, curve.risk_high
    if is_classification:
        y, low, high = 1 - y, 1 - high, 1 - low
    draw_band(figure, x, low, high, colour, **steps, **own)
    words, text_of = (
        (say("right, of the answered"), percent) if is_classification else (say("average error"), number)
    )
    _line(figure, x, y, lambda y: f"{words} {text_of(y)}", line=edge(colour, 2.4), **own)
    if model.baseline is not None:
        dots = edge(GREY, 1.5) | {"dash": "dot"}
        _line(figure, x, 1 - model.baseline.risk, lambda y: f"{say(ALWAYS)} {percent(y)}", line=dots)
    figure.update_xaxes(
        title_text=f"{say('threshold on the doubt:')}<br>{measure_words(model.measure, is_classification)}"
    )
    figure.update_yaxes(range=[-0.02, 1.03], tickformat=PERCENTS)
    if not is_classification:
        figure.update_layout(yaxis2=SECOND_AXIS | {"range": [0, _highest(curve)]})
    if np.isfinite(model.point.threshold):
        figure.add_vline(x=model.point.threshold, line={"color": ink.TEXT[ink.theme_of(dark)], "width": 1.5})
    return figure


def _line(
    figure: go.Figure, x: np.ndarray, y: np.ndarray, words: Callable[[float], str], line: dict, **more
) -> None:
    figure.add_scatter(
        x=x, y=y, mode="lines+markers" if len(x) == 1 else "lines", line=line | {"shape": "hv"},
        text=[words(round(float(v), 4)) for v in y], hoverinfo="text", **more,
    )  # fmt: skip


# ---- the explanation of one prediction in pictures: its path, its leaves, and the values that would change it

WIDTH, PAD = 520, 4
ROW, LINE = 46, 16  # pixels of a step, and of a line of text
TRACK = (10, 315)  # where the axis of a step begins, and how long it is
BESIDE = 30  # letters that fit beside the axis
MOST_STEPS, MOST_MODULES = (
    10,
    5,
)  # drawn at most: the first steps of a path, and the first modules that divide a sample
BAR = 26
LETTER = 6.1  # pixels; average width of a letter


class ExplanationInputs(NamedTuple):
    """The inputs of all pictures of an explanation; each replaces `dark` when it is drawn."""

    story: Story
    dataset: Dataset
    dark: bool = False

    @property
    def theme(self) -> str:
        """Key into colours."""
        return ink.theme_of(self.dark)

    def picture(self, draw: Callable[[ExplanationInputs], str], words: str) -> Picture:
        """Return a picture of these inputs that `draw` draws."""
        return Picture(lambda dark: draw(self._replace(dark=dark)), words)


# ---- the way, question by question


class Row(NamedTuple):
    """One split, as it is drawn: the sample's value of a feature beside the cuts."""

    feature: int
    cuts: np.ndarray  # ascending; none of categories
    above: str  # words at the right of the name
    beside: str  # words beside the axis


def way_picture(look: ExplanationInputs) -> Picture:
    """Return a picture of the sample's value at every split, and the cuts, on the feature's range.

    For a tree these are the splits on the path to the leaf; for a cultivated tree those that divide the sample
    most.
    """
    sentences = [
        say(
            "{name} is {value}, {where}: {above}",
            name=split_unit(feature)[0],
            value=in_unit(feature, float(look.story.x[row.feature])),
            where=row.beside,
            above=row.above,
        )
        for row in rows_of(look)
        for feature in [look.dataset.features[row.feature]]
    ]
    words = say("There is no question on the path.")
    if sentences:
        words = say("The answer depends on: {values}.", values="; ".join(sentences))
    return look.picture(_draw_way, words)


def _draw_way(look: ExplanationInputs) -> str:
    rows = rows_of(look)
    parts = (part for i, row in enumerate(rows) for part in _row(look, row, 2 + i * ROW))
    return _picture(max(len(rows) * ROW, 1), parts)


def rows_of(look: ExplanationInputs) -> list[Row]:
    """Return the splits that are drawn."""
    tree = look.story.model
    if isinstance(tree, CultivatedTree):
        groups = [_module_rows(look, tree, conflict) for conflict in look.story.conflicts[:MOST_MODULES]]
        return [row for rows in groups for row in rows]
    return [_step_row(look, tree, step) for step in look.story.steps[:MOST_STEPS] if isinstance(tree, Tree)]


def _step_row(look: ExplanationInputs, tree: Tree, step: PathStep) -> Row:
    own = tree.threshold[[step.node]]
    cuts = own[np.isfinite(own)]
    side = say("goes left" if step.left else "goes right")
    feature = look.dataset.features[int(tree.feature[step.node])]
    return Row(int(tree.feature[step.node]), cuts, side, _cuts_words(feature, cuts, to_say("threshold {cut}")))


def _module_rows(look: ExplanationInputs, tree: CultivatedTree, conflict: Conflict) -> list[Row]:
    """Return the option that hesitates most; or, if options contradict each other, the strongest on each side."""
    rows, words = [], say("{share} of the doubt", share=percent(round(conflict.part, 2)))
    for d in dividing_decisions(tree, look.story.x, conflict.node):
        f = int(tree.decisions.feature[d])
        cuts = np.empty(0) if look.dataset.features[f].kind == "category" else cuts_of(tree, d)
        left = goes_left(tree, d, look.story.x)
        share = percent(round(max(left, 1 - left), 2))
        side = say("{share} left" if left >= 0.5 else "{share} right", share=share)
        cut = _cuts_words(look.dataset.features[f], cuts, to_say("cut at {cut}"))
        rows.append(Row(f, cuts, words, f"{side}; {cut}"))
        words = say("against it")
    return rows


def _cuts_words(feature: Feature, cuts: np.ndarray, phrase: str) -> str:
    if not len(cuts):
        return say("categories")
    if len(cuts) > 1:
        return range_of_cuts(feature, cuts)
    if feature.is_whole:
        return say("cut {cut}", cut=cut_words(feature, float(cuts[0])))
    return say(phrase, cut=cut_words(feature, float(cuts[0])))


def _row(look: ExplanationInputs, row: Row, y: float) -> Iterator[str]:
    feature, value = look.dataset.features[row.feature], float(look.story.x[row.feature])
    yield _text(PAD, y + 12, svg.shortened(named_value(feature, value, 6), 44), look, bold=True)
    yield _text(WIDTH - PAD, y + 12, row.above, look, anchor="end")
    low, high = _range(look.dataset, row.feature, value)
    track, axis = y + 26, TRACK[1]
    yield _rect((TRACK[0], track - 4, axis, 8), ink.mix(ink.LINE[look.theme], ink.PAPER[look.theme], 0.3), 4)
    if len(row.cuts):
        ends = [_at(float(cut), low, high) for cut in (row.cuts[0], row.cuts[-1])]
        width = max(ends[1] - ends[0], 2.0)
        yield _rect((ends[0] - (width == 2.0), track - 9, width, 18), ink.LINE[look.theme], 1, 0.55)
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
    values = np.append(dataset.X[:, f], value)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)


def _at(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return TRACK[0] + TRACK[1] * min(max(share, 0.0), 1.0)


# ---- bars


def leaves_picture(look: ExplanationInputs) -> Picture:
    """Return a bar with a part per leaf of a cultivated tree: fractions as widths, classes as colours."""
    tree = look.story.model
    assert isinstance(tree, CultivatedTree)
    n = len(fractions_over_leaves(tree, look.story.x).leaves)
    words = say("The row's fractions over {n} leaves, each in the colour of its prediction.", n=n)
    return look.picture(_draw_leaves, words)


def _draw_leaves(look: ExplanationInputs) -> str:
    tree = look.story.model
    assert isinstance(tree, CultivatedTree)
    answer = fractions_over_leaves(tree, look.story.x)
    values = np.zeros((len(answer.leaves), len(look.story.answers)))
    values[:, look.story.classes if values.shape[1] > 1 else [0]] = tree.value[answer.leaves]
    order = np.lexsort((-answer.fractions, values.argmax(axis=1) if values.shape[1] > 1 else values[:, 0]))
    body, x = [], 0.0
    for i in order.tolist():
        width = WIDTH * float(answer.fractions[i])
        body.append(_rect((x, 0, max(width - 0.6, 0.3), BAR), prediction_colour(look, values[i]), 0))
        x += width
    return _picture(BAR, body)


def refit_picture(look: ExplanationInputs, again: np.ndarray, words: str) -> Picture:
    """Return the predictions of models on redrawn data, again (n_models, n_outputs): a bar, or ticks."""
    return look.picture(partial(_draw_refits, again=again), words)


def _draw_refits(look: ExplanationInputs, again: np.ndarray) -> str:
    if not look.dataset.is_classification:
        return _refit_ticks(look, again[:, 0])
    counts = np.bincount(again.argmax(axis=1), minlength=len(look.dataset.classes))
    own, body, x = int(look.story.answer), [], 0.0
    for k in [own, *(k for k in np.argsort(-counts, kind="stable").tolist() if k != own)]:
        width = WIDTH * float(counts[k]) / len(again)
        if width:
            fill = colours_of(look.dataset.target)[look.theme][k]
            body.append(_rect((x, 0, max(width - 1, 0.5), BAR), fill, 2))
            name = svg.shortened(f"{in_words(look.dataset.target, k)} {counts[k]}", int(width / LETTER) - 1)
            if len(name) > 2:
                body.append(_text(x + 6, 17, name, look, fill=ink.readable_on(fill)))
        x += width
    return _picture(BAR, body)


def _refit_ticks(look: ExplanationInputs, values: np.ndarray) -> str:
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


# ---- tools


def _runs(colours: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Return the beginning, the end and the colour of each run of equal colours."""
    first = 0
    for i in range(1, len(colours) + 1):
        if i == len(colours) or colours[i] != colours[first]:
            yield first, i, colours[first]
            first = i


def prediction_colour(look: ExplanationInputs, answers: np.ndarray) -> str:
    """Return the colour of a prediction: of its class, paler if less sure; of a number, darker if greater."""
    paper = ink.PAPER[look.theme]
    if len(answers) > 1:
        k, n = int(answers.argmax()), len(answers)
        sure = (float(answers[k]) - 1 / n) / (1 - 1 / n)
        return ink.mix(
            colours_of(look.dataset.target)[look.theme][k], paper, 0.35 + 0.65 * round(max(sure, 0.0), 1)
        )
    low, high = float(look.dataset.y.min()), float(look.dataset.y.max())
    depth = (float(answers[0]) - low) / (high - low) if high > low else 0.5
    return ink.mix(ink.accent(look.dark), paper, 0.1 + 0.9 * round(min(max(depth, 0.0), 1.0), 2))


def _text(x: float, y: float, words: str, look: ExplanationInputs, anchor: str = "start", **how) -> str:
    weight = "bold" if how.get("bold") else None
    return svg.text(x, y, words, how.get("fill", ink.TEXT[look.theme]), text_anchor=anchor, font_weight=weight)


def _rect(box: tuple[float, float, float, float], fill: str, radius: float, opacity: float | None = None) -> str:
    """Return a rectangle (x, y, width, height) with round corners."""
    place = {"x": svg.decimal(box[0]), "y": svg.decimal(box[1]), "width": box[2], "height": box[3], "rx": radius}
    return svg.element("rect", **place, fill=fill, fill_opacity=opacity)


def _upright(x: float, ends: tuple[float, float], stroke: str, **style: svg.Attribute) -> str:
    return svg.line([(x, ends[0]), (x, ends[1])], stroke, **style)


def _picture(height: float, parts: Iterable[str]) -> str:
    return svg.picture(parts, (WIDTH, height), 12.5)


# ---- the region of recourse as a picture: what would be said over two columns, from the row to its change

PLANE_HEIGHT = 330
MARGINS = (76, 10, 8, 44)  # left, right, top, bottom
FONT_SIZE = 12.5
SAME, SHUT = 0.35, 0.12  # how strong colours are where the answer is the same, and where the row may not go
MOST_TICKS, MOST_LETTERS = 5, 9


def recourse_picture(look: ExplanationInputs, plane: RecoursePlane) -> Picture:
    """Return the plane: strong where the answer is another and the row may go, with the way there."""
    features = [look.dataset.features[f] for f in plane.features]
    now, then = (", ".join(map(named_value, features, place)) for place in (plane.now, plane.then))
    words = say("What would be said over two columns; from {now} to {then}.", now=now, then=then)
    return look.picture(partial(_draw_recourse, plane=plane), words)


def _draw_recourse(look: ExplanationInputs, plane: RecoursePlane) -> str:
    ends = [(float(edges[0]), float(edges[-1])) for edges in plane.edges]
    frame = Frame((WIDTH, PLANE_HEIGHT), MARGINS, ends[0], ends[1], look.dark)
    parts = [*_cells(look, plane, frame), *_way(look, plane, frame), *_axes(look, plane, frame)]
    return svg.picture(parts, frame.size, FONT_SIZE)


def _cells(look: ExplanationInputs, plane: RecoursePlane, frame: Frame) -> Iterator[str]:
    """Yield the cells, those of one colour beside each other as one."""
    x, y = (
        [scale(float(edge)) for edge in edges]
        for scale, edges in zip((frame.x, frame.y), plane.edges, strict=True)
    )
    for row in range(len(plane.answers)):
        colours = [_colour(look, plane, row, column) for column in range(plane.answers.shape[1])]
        for first, last, colour in _runs(colours):
            box = (x[first], y[row + 1], x[last] - x[first] + 0.3, y[row] - y[row + 1] + 0.3)
            yield svg.rectangle(box, colour, shape_rendering="crispEdges")


def _colour(look: ExplanationInputs, plane: RecoursePlane, row: int, column: int) -> str:
    colour = prediction_colour(look, plane.answers[row, column])
    if not plane.is_allowed[row, column]:
        return ink.mix(colour, ink.PAPER[look.theme], SHUT)
    return colour if plane.is_other[row, column] else ink.mix(colour, ink.PAPER[look.theme], SAME)


def _way(look: ExplanationInputs, plane: RecoursePlane, frame: Frame) -> Iterator[str]:
    """Yield the row, the change, and a line from one to the other."""
    ends = [(frame.x(x), frame.y(y)) for x, y in (plane.now, plane.then)]
    paper, text = ink.PAPER[look.theme], ink.TEXT[look.theme]
    yield svg.line(ends, paper, stroke_width=5)
    yield svg.line(ends, text, stroke_width=2)
    yield svg.circle(*ends[1], 5.5, paper, stroke=text, stroke_width=2.4)
    yield svg.circle(*ends[0], 5.5, text, stroke=paper, stroke_width=1.5)


def _axes(look: ExplanationInputs, plane: RecoursePlane, frame: Frame) -> Iterator[str]:
    across, up = (look.dataset.features[f] for f in plane.features)
    for value, words in _ticks(across, plane.edges[0]):
        yield frame.words(frame.x(value), frame.floor + 16, words, text_anchor="middle")
    for value, words in _ticks(up, plane.edges[1]):
        yield frame.words(frame.left - 6, frame.y(value), words, dy=4, text_anchor="end")
    yield frame.title_below(svg.shortened(across.name, 50), 6, font_weight="bold")
    yield frame.title_beside(svg.shortened(up.name, 36), 12)


def _ticks(feature: Feature, edges: np.ndarray) -> list[tuple[float, str]]:
    if feature.categories:
        return [(float(i), svg.shortened(name, MOST_LETTERS)) for i, name in enumerate(feature.categories)]
    values = round_numbers(float(edges[0]), float(edges[-1]), MOST_TICKS, 1.0 if feature.is_whole else 0.0)
    return list(zip(values, map(rounded_to(values), values), strict=True))
