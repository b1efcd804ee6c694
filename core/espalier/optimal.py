"""The optimal tree in words and pictures: its proof, the trace of the search, and the trees that are as good."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from espalier.data.dataset import Feature
from espalier.display import ink, svg
from espalier.display.parts import Picture
from espalier.display.svg import Frame
from espalier.display.text.trees import condition, rows_words, rule
from espalier.display.theme import count, number, threshold
from espalier.language import say, to_say
from espalier.learners.optimal import Proof
from espalier.learners.optimal.rashomon.graph import SizeCount
from espalier.trees import LEAF, Tree

NEARLY_WHOLE = 1e-6  # a bound on errors that is above a whole number by less than this is that number


class MeanError(NamedTuple):
    """What an objective of numbers stands for: the sum of squared errors of rows of this weight."""

    weight: float

    def amount(self, objective: float) -> str:
        """Return the mean error in words: "a mean squared error of 12.3"."""
        return say("a mean squared error of {n}", n=number(objective / self.weight))


# What an objective is: True, a number of errors; False, a cost; or a sum of errors of numbers.
Measure: TypeAlias = bool | MeanError


class SearchGoal(NamedTuple):
    """The goal of a search: the size of trees, and whether errors are counted or have different costs."""

    depth: int
    splits: int | None  # at most; None for no limit
    counted: Measure  # True: every error costs 1
    directed: bool = False  # columns have directions, which trees keep


def amount(objective: float, counted: Measure) -> str:
    """Return the least or a total of errors in words: "12 errors", "1 error", "no error", or "a cost of 31.5"."""
    if isinstance(counted, MeanError):
        return counted.amount(objective)
    if not counted:
        return say("a cost of {cost}", cost=number(objective))
    return _errors(round(objective)) if objective >= 0.5 else say("no error")


def _errors(n: int) -> str:
    return say("{n} error" if n == 1 else "{n} errors", n=number(n))


def kind_of_tree(proof: Proof, asked: SearchGoal) -> str:
    """Return the set of trees that was searched: "tree of depth 3 built from these 42 cuts"."""
    tree = say("monotone tree of depth {n}" if asked.directed else "tree of depth {n}", n=asked.depth)
    if asked.splits is not None:
        tree = say(
            "{tree} with at most {n} split" if asked.splits == 1 else "{tree} with at most {n} splits",
            tree=tree,
            n=number(asked.splits),
        )
    tree = _kept_to(tree, proof)
    if proof.every_threshold:
        return say(
            "{tree} over every threshold"
            if proof.every_set is None
            else "{tree} over every threshold and set of categories"
            if proof.every_set
            else "{tree} over every threshold and category",
            tree=tree,
        )
    if proof.every_set:
        return say("{tree} over every set of categories", tree=tree)
    n = proof.n_questions
    return say(
        "{tree} built from this cut" if n == 1 else "{tree} built from these {n} cuts", tree=tree, n=number(n)
    )


def _kept_to(tree: str, proof: Proof) -> str:
    """Return the set of trees without those that begin otherwise, or ask about columns that are forbidden."""
    if proof.n_forced:
        n = proof.n_forced
        tree = say(
            "{tree} that begins with a given split" if n == 1 else "{tree} that begins with {n} given splits",
            tree=tree,
            n=n,
        )
    if proof.n_forbidden:
        n = proof.n_forbidden
        tree = say("{tree} without a column" if n == 1 else "{tree} without {n} columns", tree=tree, n=n)
    return tree


def proof_words(proof: Proof, asked: SearchGoal) -> str:
    """Return what is proved of the best tree."""
    return say("Proved: {claim}.", claim=_best(proof, asked)) if proof.proved else _so_far(proof, asked)


def _so_far(proof: Proof, asked: SearchGoal) -> str:
    """Return the result of a search that has not finished."""
    best = amount(proof.objective, asked.counted)
    bound = bound_of(proof.lower_bound, asked.counted)
    if bound >= proof.objective - _small(asked.counted):
        claim = say("Proved: {claim}.", claim=_best(proof, asked))
        return f"{claim} {say('Whether one of fewer splits does as well is not proved.')}"
    if bound <= 0:
        return say(
            "Best found: {amount}. How much better a {tree} can be is not known yet.",
            amount=best,
            tree=kind_of_tree(proof, asked),
        )
    claim = _least(proof, asked, bound)
    return say("Best found: {amount}. {claim}. Not proved.", amount=best, claim=claim[0].upper() + claim[1:])


def bound_of(lower_bound: float, counted: Measure) -> float:
    """Return the lower bound; a bound on the number of errors is rounded up."""
    return float(math.ceil(lower_bound - NEARLY_WHOLE)) if counted is True else lower_bound


def _small(counted: Measure) -> float:
    """Return what is nothing beside an objective: numbers may be as small as they like."""
    return 0.0 if isinstance(counted, MeanError) else NEARLY_WHOLE


def _best(proof: Proof, asked: SearchGoal) -> str:
    """Return that no tree is better than the one found."""
    if proof.objective > 0 and proof.objective >= _small(asked.counted):
        return _least(proof, asked, proof.objective)
    return say(
        "the best {tree} makes no error at all on the training rows"
        if asked.counted
        else "the best {tree} costs nothing on the training rows",
        tree=kind_of_tree(proof, asked),
    )


def _least(proof: Proof, asked: SearchGoal, bound: float) -> str:
    if isinstance(asked.counted, MeanError):
        return say(
            "no {tree} has less than {amount} on the training rows",
            tree=kind_of_tree(proof, asked),
            amount=amount(bound, asked.counted),
        )
    return say(
        "no {tree} makes fewer than {amount} on the training rows"
        if asked.counted
        else "no {tree} costs less than {amount} on the training rows",
        tree=kind_of_tree(proof, asked),
        amount=amount(bound, True) if asked.counted else number(bound),
    )


def search_words(objective: float, lower_bound: float, counted: Measure) -> str:
    """Return the state of a search that still runs: "best found 14 errors, none has fewer than 9"."""
    bound = bound_of(lower_bound, counted)
    best = amount(objective, counted)
    if bound >= objective - NEARLY_WHOLE and not isinstance(counted, MeanError):
        return say("best found {amount}, and none does better; looking for one of fewer splits", amount=best)
    if bound <= 0:
        return say("best found {amount}, no bound yet", amount=best)
    if isinstance(counted, MeanError):
        return say(
            "best found {amount}, none has less than {bound}", amount=best, bound=number(bound / counted.weight)
        )
    return say(
        "best found {amount}, none has fewer than {bound}"
        if counted
        else "best found {amount}, none costs less than {bound}",
        amount=best,
        bound=number(bound),
    )


def aim_words(aim: float, share: float, counted: Measure) -> str:
    """Return what is being proved, and for what share of first questions it is: "; proving 9 at least: 40 %"."""
    if isinstance(counted, MeanError) or aim < NEARLY_WHOLE or share >= 1:
        return ""
    return say("; proving {n} at least: {share} %", n=number(bound_of(aim, counted)), share=round(100 * share))


def differ_words(n_differ: int, n_rows: int) -> str:
    """Return on how many rows two trees differ."""
    if not n_differ:
        return say("Both agree on all {n} rows.", n=number(n_rows))
    differ = number(n_differ)
    return say("They differ on {n} of {rows}, ringed on both surfaces.", n=differ, rows=rows_words(n_rows))


def near_words(n: int, slack: int, objective: float, counted: bool) -> str:
    """Return how many trees are within `slack` of the best, which has this objective.

    `counted`: whether that is a number of errors.
    """
    if n == 1:
        return say(
            "No other tree does nearly as well: this is the only one {limit}."
            if slack
            else "No other tree does as well: this is the only one {limit}.",
            limit=_limit(slack, objective, counted, n),
        )
    limit = _limit(slack, objective, counted, n) if slack else say("as good as the best")
    return say("{trees} {limit}.", trees=say("{n} trees", n=count(n)), limit=limit)


def _limit(slack: int, objective: float, counted: bool, n: int) -> str:
    """Return the errors or the cost that `n` trees have at most."""
    if counted:
        return say("with at most {amount}" if slack else "with {amount}", amount=amount(objective + slack, True))
    cost = number(objective + slack)
    if not slack:
        return say("that costs {cost}", cost=cost)
    return say("that costs at most {cost}" if n == 1 else "that cost at most {cost}", cost=cost)


# ---- words on trees as good as the optimal one: their number, the questions of a card, the choices of a node


def trees_words(n: int) -> str:
    """Return a number of trees: "1 tree", "231,542 trees"."""
    return say("{n} tree" if n == 1 else "{n} trees", n=count(n))


def front_words(sizes: Sequence[SizeCount], counted: bool) -> str:
    """Return what fewer splits cost: "The smallest: 2 splits (3 errors), 1 split (6 errors).".

    `sizes` come in order of objective.
    """
    parts, least = [], math.inf
    for size in sizes:
        if size.n_splits < least:
            least = size.n_splits
            splits = say("{n} split" if least == 1 else "{n} splits", n=count(least))
            parts.append(f"{splits} ({amount(size.objective, counted)})")
    return say("The smallest: {parts}.", parts=", ".join(parts))


def questions_words(tree: Tree, features: Sequence[Feature], ranges: Sequence[tuple[float, float]]) -> list[str]:
    """Return the questions of a card in preorder, with the range of each threshold where there are several."""
    splits = np.flatnonzero(tree.feature != LEAF).tolist()
    return [
        _add_range(condition(tree, features, node), features[tree.feature[node]], low, high)
        for node, (low, high) in zip(splits, ranges, strict=True)
    ]


def _add_range(question: str, feature: Feature, low: float, high: float) -> str:
    if not (low < high and math.isfinite(high)) or feature.moment is not None:
        return question
    return say("{question} (from {low} to {high})", question=question, low=threshold(low), high=threshold(high))


def way_words(tree: Tree, features: Sequence[Feature], node: int, root: str) -> str:
    """Return the way to a node: the conditions on it, or the name of the root."""
    return ", ".join(rule(tree, features, node)) or root


# ---- the trace of the search for an optimal tree: the best objective and the lower bound over time, as a picture

SIZE = WIDTH, HEIGHT = 520, 190
MARGINS = (44, 108, 12, 26)  # left, right, top, bottom: numbers of the axes, and what the lines are
LABEL_GAP = 15  # least distance between the texts at the ends of the two lines
MOST_STEPS = 400  # of a line; of more, an even selection and the last

Trace = Sequence[tuple[float, float, float]]  # (seconds, best objective, lower bound), at each change


def trace_picture(trace: Trace, seconds: float, counted: Measure = True) -> Picture:
    """Return the trace up to now (`seconds`), which may be empty.

    `counted`: whether objectives are numbers of errors; otherwise they are costs, or sums of errors of numbers.
    """
    trace = _means(trace, counted)
    return Picture(partial(_draw_trace, trace, seconds, counted), _trace_words(trace, counted))


def _draw_trace(trace: Trace, seconds: float, counted: Measure, dark: bool) -> str:
    frame = _frame(trace, max([seconds, 1.0, *(at for at, _, _ in trace)]), dark)
    lines = _lines(_thin(trace), frame, frame.across[1]) if trace else ()
    return svg.picture([*_axes(frame, counted), *lines], SIZE, 12)


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
    unit = say("mean squared error") if isinstance(counted, MeanError) else say("errors" if counted else "cost")
    yield frame.title_beside(unit, 11)


def _lines(trace: Trace, frame: Frame, now: float) -> Iterator[str]:
    """Yield up to now the gap between the two, each as steps, and their names with the latest values."""
    best, bound = ([(at, values[i]) for at, *values in trace] for i in (0, 1))
    colours = [ink.model_colour(place, frame.dark) for place in (0, 1)]
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


def _thin(trace: Trace) -> Trace:
    every = len(trace) // MOST_STEPS + 1
    return trace if every == 1 else [*trace[:-1:every], trace[-1]]


def _trace_words(trace: Trace, counted: Measure) -> str:
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
