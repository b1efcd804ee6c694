"""The search for settings as a picture: the score of every trial against its leaves, and what is chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from espalier.comparison.scores import LABELS
from espalier.comparison.tables import arrow, is_share
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.theme import count, number, percent
from espalier.display.tree.error_curve import strips_card
from espalier.language import say, to_say
from espalier.learners.catalogue import Model, Setting
from espalier.learners.catalogue.kinds import SPACES
from espalier.tuning.search import BEST, NOW, SIMPLEST, Trial, Tuning

DIGITS = 3


def written_score(score: str, value: float) -> str:
    """Return a score as it is written: shares as percentages."""
    return percent(value) if is_share(score) and math.isfinite(value) else number(value, DIGITS)


def leaves_words(leaves: float) -> str:
    """Return a mean number of leaves.

    >>> leaves_words(1.0), leaves_words(4.4), leaves_words(1234.5)
    ('1 leaf', '4.4 leaves', '1234.5 leaves')
    """
    digits = max(len(str(int(leaves))) + 1, DIGITS)
    return say("{n} leaf" if leaves == 1 else "{n} leaves", n=number(round(leaves, 1), digits))


def settings_words(tuning: Tuning, model: Model) -> str:
    """Return the settings of a model that the search tries, each with its value."""
    is_classes = tuning.bench.dataset.is_classification
    there = [setting for setting in model.kind.for_target(is_classes) if setting.key in SPACES[model.name]]
    return "; ".join(
        f"{say(setting.label)}: {_value(setting, model.value(setting.key, is_classes))}" for setting in there
    )


def _value(setting: Setting, value: Any) -> str:
    options = dict(setting.options)
    if value in options:
        return say(options[value])
    return say(setting.no_number) if value is None else number(value)


def tried_words(tuning: Tuning) -> str:
    """Return how many settings were tried, on how many folds, and how many of them on all data."""
    return say(
        "{n} of {all} combinations of settings were tried in {folds} folds, {whole} of them on all rows "
        "(*successive halving*).",
        n=count(tuning.n_tried), all=count(tuning.n_settings), folds=len(tuning.trials[0].scores),
        whole=count(tuning.n_whole),
    )  # fmt: skip


# ---- the search for settings as a picture: the score of every trial against its leaves, and what is chosen

SIZE = WIDTH, HEIGHT = 560, 300
MARGINS = (62, 118, 26, 42)  # left, right, top, bottom: numbers of the axes, and the names of both scores
LABEL_GAP = 17  # pixels
NAMES = {NOW: to_say("now"), BEST: to_say("best"), SIMPLEST: to_say("simplest")}  # of the rings
SIZES = [factor * 10**power for power in range(7) for factor in (1, 2, 3, 5)]  # leaves, on the axis
BELOW, ABOVE = 20, -11  # of a ring, where its name is


def trials_picture(tuning: Tuning) -> Picture:
    """Return the trials: small dots for those of a part of the data, a line for the best of each size."""
    words = " ".join(_trial_words(tuning, trial, name) for trial, name in _names(tuning).items())
    return Picture(partial(_draw_trials, tuning), words)


def _draw_trials(tuning: Tuning, dark: bool) -> str:
    frame = _frame(tuning, dark)
    parts = [*_axes(tuning, frame), *_dots(tuning, frame), *_line(tuning, frame), *_rings(tuning, frame)]
    return svg.picture([*parts, *_honest(tuning, frame)], SIZE, 13)


def card(tuning: Tuning, key: str) -> dict[str, Any]:
    """Return the JSON of what can be chosen on the picture, in the form of `stability.bars.card`.

    Each size has a strip, whose id is the place of its best trial in `best_by_size`; `key` identifies the chart.
    """
    frame = _frame(tuning, dark=False)
    points = [(_point(trial, frame)[0], _trial_words(tuning, trial)) for trial in best_by_size(tuning)]
    return strips_card(frame, key, points, trials_picture(tuning).alt)


def best_by_size(tuning: Tuning) -> list[Trial]:
    """Return the best trial of each whole number of leaves, the smallest first, of those with all data."""
    best: dict[int, Trial] = {}
    for trial in tuning.bench.ranked(_full_trials(tuning)):
        if math.isfinite(trial.mean):
            best.setdefault(round(trial.leaves), trial)
    return [best[size] for size in sorted(best)]


def _full_trials(tuning: Tuning) -> list[Trial]:
    least = min(trial.divisor for trial in tuning.trials)
    return [trial for trial in tuning.trials if trial.divisor == least]


def _names(tuning: Tuning) -> dict[Trial, str]:
    """Return what the rules choose, each with the names of those that do."""
    names: dict[Trial, list[str]] = {}
    for rule in (NOW, SIMPLEST, BEST):
        trial = tuning.chosen(rule)
        if math.isfinite(trial.mean):
            names.setdefault(trial, []).append(say(NAMES[rule]))
    return {trial: ", ".join(together) for trial, together in names.items()}


def _trial_words(tuning: Tuning, trial: Trial, name: str = "") -> str:
    """Return a trial in a sentence."""
    start = f"{name}: " if name else ""
    words = f"{start}{leaves_words(trial.leaves)}, {written_score(tuning.bench.score, trial.mean)}"
    settings = settings_words(tuning, trial.model)
    return f"{words[0].upper()}{words[1:]}{f' ({settings})' if settings else ''}."


def _frame(tuning: Tuning, dark: bool) -> Frame:
    trials = [trial for trial in _full_trials(tuning) if math.isfinite(trial.mean)] or [tuning.trials[0]]
    best, honest = tuning.best(), tuning.honest(BEST)
    means = [trial.mean for trial in (*trials, honest) if trial is not None and math.isfinite(trial.mean)] or [0.0]
    means += [best.mean - best.standard_error, best.mean + best.standard_error] if math.isfinite(best.mean) else []
    low, high = min(means), max(means)
    pad = 0.08 * (high - low) or 0.1 * abs(high) or 0.5
    sizes = [math.log2(max(trial.leaves, 1.0)) for trial in tuning.trials]
    across = (min(sizes), max(sizes) if max(sizes) > min(sizes) else min(sizes) + 1.0)
    return Frame(SIZE, MARGINS, across, (low - pad, high + pad), dark, 0.75)


def _point(trial: Trial, frame: Frame) -> tuple[float, float]:
    return frame.x(math.log2(max(trial.leaves, 1.0))), frame.y(max(trial.mean, frame.up[0]))


def _axes(tuning: Tuning, frame: Frame) -> Iterator[str]:
    score = tuning.bench.score
    text_of: Callable[[float], str] = lambda value: written_score(score, value)  # noqa: E731
    yield from frame.grid(svg.round_numbers(*frame.up, 5), text_of)
    low, high = frame.across
    yield from frame.spaced_ticks(
        (math.log2(size), number(size)) for size in SIZES if low <= math.log2(size) <= high
    )
    yield frame.title_below(say("leaves"), 6)
    yield frame.title_beside(f"{say(LABELS[score])} {arrow(score)}", 12)


def _dots(tuning: Tuning, frame: Frame) -> Iterator[str]:
    """Yield a dot for each trial: the less data it was given, the smaller and paler."""
    for trial in tuning.trials:
        if math.isfinite(trial.mean):
            strength = 1 / (1 + math.log(trial.divisor, 3))
            colour = ink.accent(frame.dark) if trial.divisor == 1 else ink.LINE[ink.theme_of(frame.dark)]
            yield svg.circle(*_point(trial, frame), 1.4 + 1.6 * strength, colour, opacity=0.25 + 0.4 * strength)


def _line(tuning: Tuning, frame: Frame) -> Iterator[str]:
    points = [_point(trial, frame) for trial in best_by_size(tuning)]
    if len(points) > 1:
        yield svg.line(points, ink.accent(frame.dark), stroke_width=2)


def _rings(tuning: Tuning, frame: Frame) -> Iterator[str]:
    """Yield the line of one standard error below the best, and a ring with a name around each choice."""
    colour, best = ink.TEXT[ink.theme_of(frame.dark)], tuning.best()
    if not math.isfinite(best.mean):
        return
    sign = 1 if arrow(tuning.bench.score) == "↑" else -1
    limit = frame.y(best.mean - sign * best.standard_error)
    yield svg.line([(frame.left, limit), (frame.right, limit)], colour, stroke_opacity=0.6, stroke_dasharray="1 3")
    now = tuning.chosen(NOW)
    for trial, name in _names(tuning).items():
        yield from frame.ring(*_point(trial, frame), name, BELOW if trial == now else ABOVE, 40)


def _honest(tuning: Tuning, frame: Frame) -> Iterator[str]:
    """Yield both scores of the best settings beside the picture: in the search, and on rows it has not seen."""
    best, honest = tuning.best(), tuning.honest(BEST)
    there: Sequence[tuple[str, Trial | None]] = ((say("in the search"), best), (say("on new rows"), honest))
    lines = [
        (words, trial.mean, ink.model_colour(i, frame.dark))
        for i, (words, trial) in enumerate(there)
        if trial and math.isfinite(trial.mean)
    ]
    heights = svg.apart([frame.y(mean) for _, mean, _ in lines], 2 * LABEL_GAP)
    for (words, mean, colour), y in zip(lines, heights, strict=True):
        level = frame.y(mean)
        way = [(frame.left, level), (frame.right, level), (frame.right + 6, y)]
        yield svg.line(way, colour, stroke_dasharray=svg.DASHES)
        text = ink.TEXT[ink.theme_of(frame.dark)]
        yield svg.text(frame.right + 9, y, words, text, dy=-1)
        yield svg.text(frame.right + 9, y, written_score(tuning.bench.score, mean), text, dy=14, font_weight=600)
