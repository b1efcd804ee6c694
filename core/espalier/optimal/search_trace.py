"""The trace of the search for an optimal tree: the best objective and the lower bound over time, as a picture."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from espalier.display import ink, svg
from espalier.display.svg import Frame, Reel, place
from espalier.display.theme import class_colours, number
from espalier.language import say, to_say
from espalier.optimal.words import MeanError, Measure

SIZE = WIDTH, HEIGHT = 520, 190
MARGINS = (44, 108, 12, 26)  # left, right, top, bottom: numbers of the axes, and what the lines are
LABEL_GAP = 15  # least distance between the texts at the ends of the two lines
MOST_STEPS = 400  # of a line; of more, an even selection and the last

Trace = Sequence[tuple[float, float, float]]  # (seconds, best objective, lower bound), at each change


def trace_picture(trace: Trace, seconds: float, dark: bool, counted: Measure = True) -> str:
    """Return the SVG of the trace up to now (`seconds`), which may be empty.

    `counted`: whether objectives are numbers of errors; otherwise they are costs, or sums of errors of numbers.
    """
    trace = _means(trace, counted)
    frame = _frame(trace, max([seconds, 1.0, *(at for at, _, _ in trace)]), dark)
    lines = _lines(_thinned(trace), frame, frame.across[1]) if trace else ()
    return svg.picture([*_axes(frame, counted), *lines], SIZE, 12)


def reel(trace: Trace, dark: bool, counted: Measure = True) -> Reel:
    """Return the film of a search that has ended: at each step the trace as far as it had come then."""
    trace = _means(trace, counted)
    frame = _frame(trace, trace[-1][0] or 1.0, dark)
    so_far = [trace[: step + 1] for step in range(len(trace))]
    steps = ([*_axes(frame, counted), *_lines(part, frame, part[-1][0])] for part in so_far)
    frames = [[svg.picture(parts, SIZE, 12)] for parts in steps]
    return Reel(place(0), frames, [_alt(part, counted) for part in so_far])


def _means(trace: Trace, counted: Measure) -> Trace:
    """Return the trace with means in place of sums of errors of numbers."""
    if not isinstance(counted, MeanError):
        return trace
    return [(at, best / counted.weight, bound / counted.weight) for at, best, bound in trace]


def _frame(trace: Trace, end: float, dark: bool) -> Frame:
    high = max((best for _, best, _ in trace), default=1.0) or 1.0
    return Frame(SIZE, MARGINS, (0, end), (0, high), dark, 0.7)


def _axes(frame: Frame, counted: Measure) -> Iterator[str]:
    yield from frame.grid(svg.round_numbers(*frame.up, 4, least_step=float(counted is True)))
    yield from frame.ticks(svg.round_numbers(*frame.across, 5), lambda value: f"{number(value)} s", 18)
    yield frame.title_beside(_unit(counted), 11)


def _unit(counted: Measure) -> str:
    if isinstance(counted, MeanError):
        return say("mean squared error")
    return say("errors" if counted else "cost")


def _lines(trace: Trace, frame: Frame, now: float) -> Iterator[str]:
    """Yield up to now the gap between the two, each as steps, and their names with the latest values."""
    best, bound = ([(at, values[i]) for at, *values in trace] for i in (0, 1))
    colours = class_colours(2)[ink.theme_of(frame.dark)]
    upper, lower = _steps(best, frame, now), _steps(bound, frame, now)
    yield svg.element("path", d=f"{svg.way([*upper, *reversed(lower)])}Z", fill=colours[0], fill_opacity=0.12)
    for points, colour, dashes in ((upper, colours[0], None), (lower, colours[1], svg.DASHES)):
        yield svg.line(points, colour, stroke_width=2.2, stroke_dasharray=dashes)
    heights = svg.apart([frame.y(best[-1][1]), frame.y(bound[-1][1])], LABEL_GAP)
    for name, line, colour, y in zip((say("best"), say("bound")), (best, bound), colours, heights, strict=True):
        words = svg.element("tspan", "●", fill=colour), f" {name} {number(line[-1][1])}"
        place = {"x": frame.right + 6, "y": svg.decimal(y), "dy": 4}
        yield svg.element("text", *words, **place, fill=ink.TEXT[ink.theme_of(frame.dark)])


def _steps(line: Sequence[tuple[float, float]], frame: Frame, now: float) -> list[tuple[float, float]]:
    """Return the corners of a step line, which goes on up to now."""
    corners = [line[0]]
    for (_, before), (at, value) in itertools.pairwise(line):
        corners += [(at, before), (at, value)]
    return [(frame.x(at), frame.y(value)) for at, value in (*corners, (now, line[-1][1]))]


def _thinned(trace: Trace) -> Trace:
    every = len(trace) // MOST_STEPS + 1
    return trace if every == 1 else [*trace[:-1:every], trace[-1]]


def trace_alt(trace: Trace, counted: Measure = True) -> str:
    """Return the picture in a sentence."""
    return _alt(_means(trace, counted), counted)


def _alt(trace: Trace, counted: Measure) -> str:
    if not trace:
        return say("The search has found no tree yet.")
    seconds, best, bound = trace[-1]
    if isinstance(counted, MeanError):
        words = to_say(
            "Mean error from {first} to {best} in {seconds} s; the proved bound rose from {low} to {bound}."
        )
    elif counted:
        words = to_say(
            "From {first} to {best} errors in {seconds} s; the proved bound rose from {low} to {bound}."
        )
    else:
        words = to_say("From {first} to {best} cost in {seconds} s; the proved bound rose from {low} to {bound}.")
    return say(
        words,
        first=number(trace[0][1]),
        best=number(best),
        seconds=number(seconds),
        low=number(trace[0][2]),
        bound=number(bound),
    )
