"""The optimal tree in words: its proof or the state of the search, and the features that good trees share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from espalier.analysis.tree.costs import Mistakes
from espalier.analysis.tree.feature_use import Use
from espalier.learners.optimal import Proof
from espalier.views.text.trees import join
from espalier.views.theme import number

NEARLY_WHOLE = 1e-6  # a bound on errors that is above a whole number by less than this is that number
MOST_NAMED = 4  # groups of features that are named; the others are in a table


# What other trees do equally well, by whether errors are counted: a verb, and its object.
LITTLE = {True: ("make", "as few"), False: ("cost", "as little")}
NONE = {True: ("make", "none"), False: ("cost", "nothing")}


class SearchGoal(NamedTuple):
    """The goal of a search: the size of trees, and whether errors are counted or have different costs."""

    depth: int
    splits: int | None  # at most; None for no limit
    counted: bool  # every error costs 1
    directed: bool = False  # columns have directions, which trees keep


class Others(NamedTuple):
    """The number of other trees that are as good."""

    n: int
    is_all: bool  # whether there are no more of them


def amount(objective: float, counted: bool) -> str:
    """Return the least or a total of errors in words: "12 errors", "1 error", "no error", or "a cost of 31.5"."""
    if not counted:
        return f"a cost of {number(objective)}"
    if objective < 0.5:
        return "no error"
    return f"{number(round(objective))} error{'s' * (round(objective) != 1)}"


def kind_of_tree(proof: Proof, asked: SearchGoal) -> str:
    """Return the set of trees that was searched: "tree of depth 3 built from these 42 cuts"."""
    splits = "" if asked.splits is None else f" with at most {_things(asked.splits, 'split')}"
    cuts = "this cut" if proof.n_questions == 1 else f"these {number(proof.n_questions)} cuts"
    return f"{'monotone ' * asked.directed}tree of depth {asked.depth}{splits} built from {cuts}"


def proof_words(proof: Proof, asked: SearchGoal, others: Others | None = None) -> str:
    """Return what is proved of the best tree and, if known, how many others are as good."""
    if not proof.proved:
        return _so_far(proof, asked)
    so_little = (NONE if proof.objective < NEARLY_WHOLE else LITTLE)[asked.counted]
    best = _best(proof, asked)
    return f"Proved: {best[0].lower()}{best[1:]}{_as_good(others, *so_little)}."


def _so_far(proof: Proof, asked: SearchGoal) -> str:
    """Return the result of a search that has not finished."""
    reached = amount(proof.objective, asked.counted)
    bound = bound_of(proof.lower_bound, asked.counted)
    if bound >= proof.objective - NEARLY_WHOLE:
        best = _best(proof, asked)
        return f"Proved: {best[0].lower()}{best[1:]}. Whether one of fewer splits does as well is not proved."
    if bound <= 0:
        return f"Best found: {reached}. How much better a {kind_of_tree(proof, asked)} can be is not known yet."
    return f"Best found: {reached}. {_least(proof, asked, bound)}. Not proved."


def bound_of(lower_bound: float, counted: bool) -> float:
    """Return the lower bound; a bound on the number of errors is rounded up."""
    return float(math.ceil(lower_bound - NEARLY_WHOLE)) if counted else lower_bound


def _best(proof: Proof, asked: SearchGoal) -> str:
    """Return that no tree is better than the one found."""
    if proof.objective >= NEARLY_WHOLE:
        return _least(proof, asked, proof.objective)
    perfect = "makes no error at all" if asked.counted else "costs nothing"
    return f"The best {kind_of_tree(proof, asked)} {perfect} on the training rows"


def _least(proof: Proof, asked: SearchGoal, bound: float) -> str:
    less = f"makes fewer than {amount(bound, True)}" if asked.counted else f"costs less than {number(bound)}"
    return f"No {kind_of_tree(proof, asked)} {less} on the training rows"


def _as_good(others: Others | None, verb: str, as_good: str) -> str:
    """Return how many others do the same: a verb and its object."""
    if others is None or others == Others(0, False):
        return ""
    if not others.n:
        return f"; no other {verb}s {as_good}"
    least = "" if others.is_all else "at least "
    return f"; {least}{number(others.n)} other{'s' * (others.n > 1)} {verb}{'s' * (others.n == 1)} {as_good}"


def search_words(objective: float, lower_bound: float, counted: bool) -> str:
    """Return the state of a search that still runs: "best found 14 errors, none has fewer than 9"."""
    bound = bound_of(lower_bound, counted)
    best = f"best found {amount(objective, counted)}"
    if bound >= objective - NEARLY_WHOLE:
        return f"{best}, and none does better; looking for one of fewer splits"
    if bound <= 0:
        return f"{best}, no bound yet"
    return f"{best}, none {'has fewer than' if counted else 'costs less than'} {number(bound)}"


def aim_words(aim: float, share: float, counted: bool) -> str:
    """Return what is being proved, and for what share of first questions it is: "; proving 9 at least: 40 %"."""
    if aim < NEARLY_WHOLE or share >= 1:
        return ""
    return f"; proving {number(bound_of(aim, counted))} at least: {round(100 * share)} %"


def mistakes_words(mistakes: Mistakes, kind: str, counted: bool) -> str:
    """Return a tree's errors on rows of a kind, "12 errors on 105 training rows", and the cost if that differs."""
    wrong = "no error" if not mistakes.n_wrong else _things(mistakes.n_wrong, "error")
    cost = "" if counted else f", {amount(mistakes.cost, False)},"
    return f"{wrong}{cost} on {_things(mistakes.n_rows, f'{kind} row')}"


def greedy_words(greedy: Mistakes, optimal: Mistakes, proved: bool, counted: bool) -> str:
    """Return the errors of the greedy tree on the training rows, beside those of the optimal one."""
    more = greedy.cost - optimal.cost
    if abs(more) < NEARLY_WHOLE:
        return "The greedy tree does as well here." if proved else "The greedy tree does as well so far."
    if more > 0:
        excess = _things(round(more), "error") + " more" if counted else f"{number(more)} more"
        best = "the optimal one" if proved else "the best one found"
        return f"The greedy tree {'makes' if counted else 'costs'} {excess} than {best} on these rows."
    cure = (
        "More questions per column close the gap."
        if proved
        else "More time, or more questions per column, would help."
    )
    return f"The greedy tree does better here: it may ask about every threshold, this one only those given. {cure}"


def differ_words(n_differ: int, n_rows: int) -> str:
    """Return on how many rows two trees differ."""
    if not n_differ:
        return f"Both agree on all {number(n_rows)} rows."
    return f"They differ on {number(n_differ)} of {_things(n_rows, 'row')}, ringed on both surfaces."


def near_words(n: int, slack: int, is_all: bool, objective: float, counted: bool) -> str:
    """Return how many trees are within `slack` of the best, which has this objective.

    `counted`: whether that is a number of errors.
    """
    most = "at most " if slack else ""
    limit = (
        f"with {most}{amount(objective + slack, True)}"
        if counted
        else f"that costs {most}{number(objective + slack)}"
    )
    if n == 1 and is_all:
        return f"No other tree does {'nearly ' if slack else ''}as well: this is the only one {limit}."
    how = limit.replace("costs", "cost") if slack else "as good as the best"
    some = "" if is_all else "The first "
    more = "" if is_all else "; there are more, which are not searched for"
    return f"{some}{_things(n, 'tree')} {how}{more}."


def shared_words(uses: Sequence[Use], n_trees: int, names: Sequence[str]) -> str:
    """Return which features the trees share: "All 4 trees ask about petal width.

    2 of 4 ask about sepal length.".
    """
    if not uses:
        return "No question is asked." if n_trees == 1 else f"None of the {number(n_trees)} trees asks anything."
    by_count: dict[int, list[str]] = {}
    for use in uses:
        by_count.setdefault(use.n_trees, []).append(names[use.feature])
    if n_trees == 1:
        return f"It asks about {join(by_count[1], 'and')}."
    parts = [_askers(n, n_trees, about) for n, about in list(by_count.items())[:MOST_NAMED]]
    if n_trees not in by_count:
        parts.insert(0, f"No column is in all {number(n_trees)} trees")
    return "; ".join(parts) + "."


def _askers(n: int, n_trees: int, names: Sequence[str]) -> str:
    shown = (
        names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    )
    about = join(list(shown), "and")
    if n == n_trees:
        return f"{'Both' if n == 2 else f'All {number(n)}'} trees ask about {about}"
    return f"{number(n)} of {number(n_trees)} ask{'s' * (n == 1)} about {about}"


def _things(n: float, word: str) -> str:
    return f"{number(n)} {word}{'s' * (n != 1)}"
