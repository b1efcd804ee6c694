"""The optimal tree in words: its proof or the state of the search, and the features that good trees share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from espalier.display.text.trees import join, rows_words
from espalier.display.theme import count, number
from espalier.language import say, to_say
from espalier.learners.optimal import Proof
from espalier.tree.costs import Mistakes
from espalier.tree.feature_use import Use

NEAR = 1e-9  # parts of an error: smaller differences may be rounding
NEARLY_WHOLE = 1e-6  # a bound on errors that is above a whole number by less than this is that number
MOST_NAMED = 4  # groups of features that are named; the others are in a table


# What other trees do equally well, by whether errors are counted: no tree, one or more.
LITTLE = {
    True: (to_say("no other makes as few"), to_say("{n} other makes as few"), to_say("{n} others make as few")),
    False: (
        to_say("no other costs as little"),
        to_say("{n} other costs as little"),
        to_say("{n} others cost as little"),
    ),
}
NONE = {
    True: (to_say("no other makes none"), to_say("{n} other makes none"), to_say("{n} others make none")),
    False: (
        to_say("no other costs nothing"),
        to_say("{n} other costs nothing"),
        to_say("{n} others cost nothing"),
    ),
}


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


class Others(NamedTuple):
    """The number of other trees that are as good."""

    n: int
    is_all: bool  # whether there are no more of them


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
        return _over_every(tree, proof.every_set)
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


def _over_every(tree: str, every_set: bool | None) -> str:
    if every_set is None:
        return say("{tree} over every threshold", tree=tree)
    return say(
        "{tree} over every threshold and set of categories"
        if every_set
        else "{tree} over every threshold and category",
        tree=tree,
    )


def proof_words(proof: Proof, asked: SearchGoal, others: Others | None = None) -> str:
    """Return what is proved of the best tree and, if known, how many others are as good."""
    if not proof.proved:
        return _so_far(proof, asked)
    if others is None or others == Others(0, False) or isinstance(asked.counted, MeanError):
        return say("Proved: {claim}.", claim=_best(proof, asked))
    so_little = (NONE if proof.objective < NEARLY_WHOLE else LITTLE)[asked.counted]
    return say("Proved: {claim}; {others}.", claim=_best(proof, asked), others=_as_good(others, so_little))


def _so_far(proof: Proof, asked: SearchGoal) -> str:
    """Return the result of a search that has not finished."""
    reached = amount(proof.objective, asked.counted)
    bound = bound_of(proof.lower_bound, asked.counted)
    if bound >= proof.objective - _small(asked.counted):
        proved = say("Proved: {claim}.", claim=_best(proof, asked))
        return f"{proved} {say('Whether one of fewer splits does as well is not proved.')}"
    if bound <= 0:
        return say(
            "Best found: {amount}. How much better a {tree} can be is not known yet.",
            amount=reached,
            tree=kind_of_tree(proof, asked),
        )
    claim = _least(proof, asked, bound)
    return say("Best found: {amount}. {claim}. Not proved.", amount=reached, claim=claim[0].upper() + claim[1:])


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


def _as_good(others: Others, so_little: Sequence[str]) -> str:
    """Return how many others do the same, which has a phrase for none, for one and for more."""
    n = number(others.n)
    return say(so_little[min(others.n, 2)], n=n if others.is_all else say("at least {n}", n=n))


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


def mistakes_words(mistakes: Mistakes, kind: str, counted: bool) -> str:
    """Return a tree's errors on rows of a kind, "12 errors on 105 training rows", and the cost if that differs."""
    wrong = amount(mistakes.n_wrong, True)
    return say(
        "{errors} on {n} {kind} row" if mistakes.n_rows == 1 else "{errors} on {n} {kind} rows",
        errors=wrong if counted else f"{wrong}, {amount(mistakes.cost, False)},",
        n=number(mistakes.n_rows),
        kind=kind,
    )


def greedy_words(greedy: Mistakes, optimal: Mistakes, proved: bool, counted: bool) -> str:
    """Return the errors of the greedy tree on the training rows, beside those of the optimal one."""
    more = greedy.cost - optimal.cost
    if abs(more) < NEARLY_WHOLE:
        return say("The greedy tree does as well here." if proved else "The greedy tree does as well so far.")
    if more > 0:
        return _excess(more, proved, counted)
    words = say("The greedy tree does better here: it may ask about every threshold, this one only those given.")
    cure = say(
        "More questions per column close the gap."
        if proved
        else "More time, or more questions per column, would help."
    )
    return f"{words} {cure}"


def _excess(more: float, proved: bool, counted: bool) -> str:
    """Return how much worse the greedy tree is."""
    if counted:
        return say(
            "The greedy tree makes {errors} more than the optimal one on these rows."
            if proved
            else "The greedy tree makes {errors} more than the best one found on these rows.",
            errors=_errors(round(more)),
        )
    return say(
        "The greedy tree costs {cost} more than the optimal one on these rows."
        if proved
        else "The greedy tree costs {cost} more than the best one found on these rows.",
        cost=number(more),
    )


def greedy_error_words(greedy: float, optimal: float, proved: bool) -> str:
    """Return the errors of the greedy tree on the training rows beside those of the optimal one, of a number."""
    if greedy <= optimal * (1 + NEAR):
        return greedy_words(
            Mistakes(0, 0, greedy if greedy < optimal * (1 - NEAR) else optimal),
            Mistakes(0, 0, optimal),
            proved,
            False,
        )
    if optimal == 0:
        return say("The greedy tree makes errors on these rows.")
    return say("The greedy tree's error is {n} % greater on these rows.", n=number(100 * (greedy / optimal - 1)))


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
    known = {
        "trees": say("{n} trees", n=count(n)),
        "limit": _limit(slack, objective, counted, n) if slack else say("as good as the best"),
    }
    return say("{trees} {limit}.", **known)


def _limit(slack: int, objective: float, counted: bool, n: int) -> str:
    """Return the errors or the cost that `n` trees have at most."""
    if counted:
        return say("with at most {amount}" if slack else "with {amount}", amount=amount(objective + slack, True))
    cost = number(objective + slack)
    if not slack:
        return say("that costs {cost}", cost=cost)
    return say("that costs at most {cost}" if n == 1 else "that cost at most {cost}", cost=cost)


def shared_words(uses: Sequence[Use], n_trees: int, names: Sequence[str]) -> str:
    """Return which features the trees share: "All 4 trees ask about petal width.

    2 of 4 ask about sepal length.".
    """
    if not uses:
        none = say("None of the {n} trees asks anything.", n=number(n_trees))
        return say("No question is asked.") if n_trees == 1 else none
    by_count: dict[int, list[str]] = {}
    for use in uses:
        by_count.setdefault(use.n_trees, []).append(names[use.feature])
    if n_trees == 1:
        return say("It asks about {names}.", names=join(by_count[1], "and"))
    parts = [_askers(n, n_trees, about) for n, about in list(by_count.items())[:MOST_NAMED]]
    if n_trees not in by_count:
        parts.insert(0, say("No column is in all {n} trees", n=number(n_trees)))
    return "; ".join(parts) + "."


def _askers(n: int, n_trees: int, names: Sequence[str]) -> str:
    left = len(names) - MOST_NAMED + 1
    shown = names if len(names) <= MOST_NAMED else [*names[: MOST_NAMED - 1], say("{n} more", n=left)]
    about = join(list(shown), "and")
    if n == n_trees:
        return say(
            "Both trees ask about {names}" if n == 2 else "All {n} trees ask about {names}",
            n=number(n),
            names=about,
        )
    return say(
        "{n} of {all} asks about {names}" if n == 1 else "{n} of {all} ask about {names}",
        n=number(n),
        all=number(n_trees),
        names=about,
    )
