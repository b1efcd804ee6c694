"""Pictures of compared models: scores on folds, differences of pairs, calibration, and ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go

from espalier.comparison.cross_validation import Compared, Verdict
from espalier.comparison.scores import HIGHER_IS_BETTER, LABELS, Calibration, roc
from espalier.comparison.tables import Contestant, calibration_of, interval_of, is_share, place_of, score_text
from espalier.comparison.words import VERDICTS, signed_text
from espalier.display import ink
from espalier.display.parts import Picture
from espalier.display.plotly import PERCENTS, blank, edge, safe
from espalier.display.theme import count, number, percent
from espalier.language import say

HEIGHT, FOLDS = 360, 430  # pixels; of the folds
CELL = 62  # pixels of a cell's height
LEAST_FILL, MOST_FILL = 0.05, 0.23  # strengths of a cell's ink: of no difference, and of a clear one
MOST_LINES = 100  # folds up to which each has a line
ASIDE = 0.2  # distance of the mean from the middle of its dots
WIDE = 0.24  # width over which a model's dots are spread, by fold, since equal scores would hide each other
TOO_FAR = 0.5  # a model that would need so much of the axis alone is left out of its range
LEAST_ROWS = 10  # of a bin: smaller bins are not joined by lines
DASHES = ("solid", "dash", "dot", "dashdot")  # besides colour, for readers who do not see it
LEGEND = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}  # above the figure
BAND = 0.08  # strength of an interval's colour
MARKS = ("circle", "square", "triangle-up", "diamond")


def colour_of(slot: int, dark: bool) -> str:
    """Return the ink of the model in this place."""
    return ink.model_colour(slot, dark)


def draw_band(figure: go.Figure, x: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str, **more) -> None:
    """Draw an interval as an area behind the lines; `more` as in Plotly."""
    is_known = np.isfinite(low) & np.isfinite(high)
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    more = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "line": {"width": 0}} | more
    figure.add_scatter(x=x[is_known], y=high[is_known], **more)
    figure.add_scatter(
        x=x[is_known], y=low[is_known], fill="tonexty", fillcolor=f"rgba({red},{green},{blue},{BAND})", **more
    )


def folds_picture(contestants: Sequence[Contestant], score: str) -> Picture:
    """Return every fold's score as a dot per model, joined by fold; beside them the mean and its interval."""
    parts = []
    for contestant in contestants:
        mean, low, high = interval_of(contestant, score)
        parts.append(
            say(
                "{model} {mean} (interval {low} to {high})",
                model=contestant.title,
                mean=score_text(score, mean),
                low=score_text(score, low),
                high=score_text(score, high),
            )
        )
    words = say("Mean {score} over the folds: {models}.", score=say(LABELS[score]), models="; ".join(parts))
    return Picture(partial(_draw_folds, contestants, score), words)


def _draw_folds(contestants: Sequence[Contestant], score: str, dark: bool) -> go.Figure:
    figure = blank(dark, FOLDS, hovermode="closest")
    values = [contestant.validated.scores(score) for contestant in contestants]
    ends = np.array([_ends(contestant, score, v) for contestant, v in zip(contestants, values, strict=True)])
    out = far_off(ends)
    _join_folds(figure, values, out, dark)
    for x, (contestant, scores) in enumerate(zip(contestants, values, strict=True)):
        _dots(figure, x, contestant, score, scores, dark)
        _mean(figure, x, contestant, score, dark)
    ticks = [_wrap_title(contestant.title) for contestant in contestants]
    figure.update_xaxes(
        tickvals=list(range(len(ticks))), ticktext=ticks, showgrid=False, range=[-0.5, len(ticks) - 0.4]
    )
    figure.update_yaxes(title_text=say(LABELS[score]), tickformat=PERCENTS if is_share(score) else None)
    if is_share(score) or score == "auc":
        figure.update_yaxes(autorangeoptions={"minallowed": -0.01, "maxallowed": 1.01})  # equal scores alone
    if out is not None:
        _leave_out(figure, out, ends, score_text(score, float(np.nanmean(values[out]))))
    return figure


def _leave_out(figure: go.Figure, out: int, ends: np.ndarray, mean: str) -> None:
    """Fix the axis without the one model that would need most of it, such as the baseline; annotate its place."""
    rest = np.delete(ends, out, axis=0)
    low, high = rest[:, 0].min(), rest[:, 1].max()
    margin = 0.08 * (high - low)
    is_below = ends[out, 0] < low
    figure.update_yaxes(range=[low - 2 * margin, high + margin])
    figure.add_annotation(
        x=out,
        y=low - 1.2 * margin if is_below else high,
        text=f"{'↓' if is_below else '↑'} {mean}",
        showarrow=False,
    )


def _ends(contestant: Contestant, score: str, values: np.ndarray) -> tuple[float, float]:
    """Return the least and the greatest value drawn for a model."""
    ends = interval_of(contestant, score)
    heights = [*values[np.isfinite(values)], *(end for end in ends if np.isfinite(end))]
    return (min(heights), max(heights)) if heights else (np.nan, np.nan)


def far_off(ends: np.ndarray) -> int | None:
    """Return which of at least three models would need more than `TOO_FAR` of the axis alone.

    Ends (n_models, 2).
    """
    if len(ends) < 3 or not np.isfinite(ends).all():
        return None
    span = ends[:, 1].max() - ends[:, 0].min()
    for i in range(len(ends)):
        rest = np.delete(ends, i, axis=0)
        if rest[:, 1].max() - rest[:, 0].min() < (1 - TOO_FAR) * span:
            return i
    return None


def _beside(x: int, folds: np.ndarray | int, n_folds: int) -> np.ndarray:
    """Return the places of these folds' dots at a model."""
    return x - 0.06 + WIDE * ((np.asarray(folds) + 0.5) / n_folds - 0.5)


def _join_folds(figure: go.Figure, values: Sequence[np.ndarray], out: int | None, dark: bool) -> None:
    """A line for every fold, through all models but the one left out."""
    if len(values[0]) > MOST_LINES:
        return
    models = [model for model in range(len(values)) if model != out]
    x: list[float | None] = []
    y: list[float | None] = []
    for i, fold in enumerate(np.column_stack(values)):
        x += [*(float(_beside(model, i, len(values[0]))) for model in models), None]
        y += [*(float(fold[model]) if np.isfinite(fold[model]) else None for model in models), None]
    figure.add_scatter(x=x, y=y, mode="lines", line=edge(ink.FAINT[ink.theme_of(dark)], 1), hoverinfo="skip")


def _dots(figure: go.Figure, x: int, contestant: Contestant, score: str, values: np.ndarray, dark: bool) -> None:
    folds = np.flatnonzero(np.isfinite(values))
    places = [place_of(int(i), contestant.validated.plan) for i in folds]
    figure.add_scatter(
        x=_beside(x, folds, len(values)),
        y=values[folds],
        mode="markers",
        marker={
            "color": colour_of(contestant.slot, dark),
            "size": 7,
            "opacity": 0.6,
            "symbol": MARKS[contestant.slot],
        },
        text=[
            say(
                "{model}, repeat {repeat}, fold {fold}: {score}",
                model=safe(contestant.title),
                repeat=repeat,
                fold=fold,
                score=score_text(score, values[i]),
            )
            for i, (repeat, fold) in zip(folds, places, strict=True)
        ],
        hoverinfo="text",
    )


def _mean(figure: go.Figure, x: int, contestant: Contestant, score: str, dark: bool) -> None:
    mean, low, high = interval_of(contestant, score)
    if np.isnan(mean):
        return
    arms = {"type": "data", "array": [high - mean], "arrayminus": [mean - low], "thickness": 2.5, "width": 6}
    figure.add_scatter(
        x=[x + ASIDE],
        y=[mean],
        mode="markers+text",
        marker={"color": colour_of(contestant.slot, dark), "size": 11, "symbol": MARKS[contestant.slot]},
        error_y=arms | {"color": colour_of(contestant.slot, dark)} if np.isfinite(low) else None,
        text=[score_text(score, mean)],
        textposition="middle right",
        hovertext=[
            say(
                "{model}: {mean}, {low} to {high}",
                model=safe(contestant.title),
                mean=score_text(score, mean),
                low=score_text(score, low),
                high=score_text(score, high),
            )
        ],
        hoverinfo="text",
        cliponaxis=False,
    )


def matrix_picture(titles: Sequence[str], pairs: Sequence[Compared], score: str) -> Picture:
    """Return the matrix of score differences, row minus column; strong where the row is clearly better."""
    parts = [
        f"{_minus(titles[pair.first], titles[pair.second])} "
        f"{signed_text(score, pair.difference.mean)}, {say(VERDICTS[pair.verdict])}"
        for pair in pairs
    ]
    words = say("Differences in {score}: {pairs}.", score=say(LABELS[score]), pairs="; ".join(parts))
    return Picture(partial(_draw_matrix, titles, pairs, score), words)


def _draw_matrix(titles: Sequence[str], pairs: Sequence[Compared], score: str, dark: bool) -> go.Figure:
    n, cells = len(titles), _cells(len(titles), pairs, score)
    figure = blank(dark, CELL * n + 70, hovermode="closest")
    text = ink.TEXT[ink.theme_of(dark)]
    for i, row in enumerate(cells):
        for j, (depth, *_) in enumerate(row):
            box = {"x0": j - 0.48, "x1": j + 0.48, "y0": i - 0.48, "y1": i + 0.48, "layer": "below"}
            opacity = LEAST_FILL + MOST_FILL * max(depth, 0.0)
            figure.add_shape(type="rect", fillcolor=text, opacity=opacity, line_width=0, **box)
    ys, xs = np.mgrid[:n, :n]
    figure.add_scatter(
        x=xs.ravel(),
        y=ys.ravel(),
        mode="text",
        text=[cell[1] for row in cells for cell in row],
        hovertext=[safe(f"{_minus(titles[i], titles[j])}: {cells[i][j][2]}") for i in range(n) for j in range(n)],
        hoverinfo="text",
        textfont={"size": 14},
    )
    ticks = {"tickvals": list(range(n)), "ticktext": [_wrap_title(title) for title in titles], "showgrid": False}
    figure.update_xaxes(ticks, side="top", range=[-0.5, n - 0.5])
    figure.update_yaxes(ticks, range=[n - 0.5, -0.5])
    figure.update_layout(margin={"t": 4})
    return figure


def _minus(first: str, second: str) -> str:
    return say("{first} minus {second}", first=first, second=second)


def _cells(n: int, pairs: Sequence[Compared], score: str) -> list[list[tuple[float, str, str]]]:
    """Return each cell's depth (-1 to 1: how much better, how sure), its text, and that under the pointer."""
    cells = [[(0.0, "·", say("the same model"))] * n for _ in range(n)]
    better = 1 if score in HIGHER_IS_BETTER else -1
    for pair in pairs:
        for i, j, sign in ((pair.first, pair.second, 1), (pair.second, pair.first, -1)):
            gap, verdict = sign * pair.difference.mean, say(VERDICTS[pair.verdict])
            sure = {Verdict.CLEAR: 1.0, Verdict.ONE_OF_MANY: 0.35}.get(pair.verdict, 0.0)
            text = signed_text(score, gap, has_unit=False)
            text = f"<b>{text}</b>" if sure == 1 else text
            p = say(
                "p = {p} alone, {p_holm} among all pairs",
                p=number(pair.difference.p, 2),
                p_holm=number(pair.p_holm, 2),
            )
            more = f"{signed_text(score, gap)}, {verdict} ({p})"
            cells[i][j] = (float(np.sign(gap)) * better * sure, text, more)
    return cells


def calibration_picture(contestants: Sequence[Contestant], y: np.ndarray, which: int | None) -> Picture:
    """Return observed against predicted shares, with dots sized by their rows; `which` as in `calibration`."""
    errors = [(contestant.title, calibration_of(contestant, y, which).error) for contestant in contestants]
    parts = [f"{title} {percent(error)}" for title, error in errors if not np.isnan(error)]
    words = say("Average gap between predicted shares and outcomes: {models}.", models="; ".join(parts))
    return Picture(partial(_draw_calibration, contestants, y, which), words)


def _draw_calibration(
    contestants: Sequence[Contestant], y: np.ndarray, which: int | None, dark: bool
) -> go.Figure:
    figure = blank(dark, HEIGHT + 40, hovermode="closest", legend=LEGEND | {"itemsizing": "constant"})
    _diagonal(figure, dark)
    for contestant in contestants:
        bins = calibration_of(contestant, y, which)
        if len(bins.n):
            _bins(figure, contestant, bins, dark)
    _unit_square(figure, say("predicted share"), say("share of rows of the class"))
    return figure


def _bins(figure: go.Figure, contestant: Contestant, bins: Calibration, dark: bool) -> None:
    colour, many = colour_of(contestant.slot, dark), bins.n >= LEAST_ROWS
    figure.add_scatter(
        x=bins.predicted_share[many],
        y=bins.observed_share[many],
        mode="lines",
        line=edge(colour, 1.5) | {"dash": DASHES[contestant.slot]},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=bins.predicted_share,
        y=bins.observed_share,
        name=safe(contestant.title),
        mode="markers",
        marker={
            "color": colour,
            "symbol": MARKS[contestant.slot],
            "size": 5 + 19 * np.sqrt(bins.n / bins.n.sum()),
            "opacity": np.where(many, 1.0, 0.35),
        },
        error_y={
            "type": "data",
            "array": np.where(many, bins.high - bins.observed_share, 0),
            "arrayminus": np.where(many, bins.observed_share - bins.low, 0),
            "color": colour,
            "thickness": 1,
            "width": 0,
        },
        text=[
            f"{safe(contestant.title)}: {_bin_words(*bin_)}"
            for bin_ in zip(bins.predicted_share, bins.observed_share, bins.n, strict=True)
        ],
        hoverinfo="text",
    )


def _bin_words(predicted_share: float, observed_share: float, n_rows: int) -> str:
    return say(
        "{predicted} predicted on average, true for {observed} of {n} rows",
        predicted=percent(predicted_share),
        observed=percent(observed_share),
        n=count(n_rows),
    )


def roc_picture(contestants: Sequence[Contestant], y: np.ndarray, which: int) -> Picture:
    """Return the ROC curves: each model's true positive rate for a class against its false positive rate."""
    curves = [
        (contestant, curve)
        for contestant in contestants
        if (curve := roc(y, contestant.validated.predicted, which, contestant.validated.weight))
    ]
    parts = [f"{contestant.title} {number(area)}" for contestant, (_, _, area) in curves]
    return Picture(partial(_draw_roc, curves), say("Area under the curve: {models}.", models="; ".join(parts)))


def _draw_roc(curves: Sequence[tuple[Contestant, tuple[np.ndarray, np.ndarray, float]]], dark: bool) -> go.Figure:
    figure = blank(dark, HEIGHT + 40, hovermode="closest", legend=LEGEND | {"itemsizing": "constant"})
    _diagonal(figure, dark)
    for contestant, (false_alarms, hits, area) in curves:
        figure.add_scatter(
            x=false_alarms,
            y=hits,
            name=f"{safe(contestant.title)} {number(area)}",
            mode="lines",
            line=edge(colour_of(contestant.slot, dark), 2) | {"dash": DASHES[contestant.slot]},
            hovertemplate=say(
                "{model}: {y} caught at {x} false alarms", model=safe(contestant.title), y="%{y:.0%}", x="%{x:.0%}"
            )
            + "<extra></extra>",
        )
    _unit_square(figure, say("false alarms, of the other rows"), say("caught, of the rows of the class"))
    return figure


def _diagonal(figure: go.Figure, dark: bool) -> None:
    line = edge(ink.LINE[ink.theme_of(dark)], 1) | {"dash": "dot"}
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _unit_square(figure: go.Figure, x_title: str, y_title: str) -> None:
    figure.update_layout(showlegend=True)
    figure.update_xaxes(title_text=x_title, range=[-0.03, 1.03], tickformat=PERCENTS)
    figure.update_yaxes(title_text=y_title, range=[-0.03, 1.03], tickformat=PERCENTS)


def _wrap_title(title: str) -> str:
    """Return the title with a line for each of its parts, since ticks have little room."""
    head, _, rest = title.partition(", ")
    words = head.split(" ")
    lines = [" ".join(words[:-1]), words[-1]] if len(head) > 10 and len(words) > 1 else [head]
    return "<br>".join(safe(line) for line in [*lines, *rest.split(", ")] if line)
