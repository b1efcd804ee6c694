"""A critical look at compared models, in plain words: what is clear, what may be noise, what more folds would do.

All texts are Markdown; titles of models are ours, so that nothing in them needs to be made harmless.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from espalier.analysis.comparison.cross_validation import Folds
from espalier.analysis.comparison.differences import ALPHA, ROUNDING, Compared, ScoreDifference, Verdict
from espalier.analysis.comparison.scores import HIGHER_IS_BETTER, LABELS
from espalier.views.comparison.rates_words import BRIER
from espalier.views.comparison.tables import Contestant, is_share, score_names
from espalier.views.text.trees import join
from espalier.views.theme import number

SURE = 1_000  # of so many comparisons chance makes fewer than one such difference: enough said
MOST_ROWS = 100  # times as many rows as there are: more is beyond reach
FEW_FOLDS = 5


def verdicts(contestants: Sequence[Contestant], found: Sequence[Compared], score: str) -> list[str]:
    """A sentence or two on every pair, the clear differences first."""
    order = [Verdict.CLEAR, Verdict.ONE_OF_MANY, Verdict.NOISE, Verdict.NONE, Verdict.UNKNOWN]
    ranked = sorted(found, key=lambda one: (order.index(one.verdict), one.p_holm))
    return [verdict(contestants, one, score, len(found)) for one in ranked]


def verdict(contestants: Sequence[Contestant], one: Compared, score: str, n_pairs: int) -> str:
    """What can be said of one pair."""
    first, second = contestants[one.first].title, contestants[one.second].title
    if one.verdict is Verdict.UNKNOWN:
        return f"**{first}** and **{second}** have too few folds in common to say anything."
    if one.verdict is Verdict.NONE:
        return f"**{first}** and **{second}** are equal in every fold."
    if abs(one.difference.mean) < ROUNDING:
        return f"**{first}** and **{second}** are equal on average, but not in every fold."
    ahead, behind, gap = _in_order(first, second, one.difference, score)
    chance = by_chance(one, n_pairs)
    if one.verdict is Verdict.CLEAR:
        return f"**{ahead}** is better than **{behind}**: {gap}. {chance}"
    if one.verdict is Verdict.ONE_OF_MANY:
        return f"**{ahead}** may be better than **{behind}**: {gap}. {chance}"
    return f"**{ahead}** against **{behind}** could be noise: {gap}. {chance}"


def by_chance(one: Compared, n_pairs: int) -> str:
    """How often chance makes such a difference between two equal models, and what that is among all pairs.

    The frequency is the p-value of this pair alone; Holm's, which allows for the number of pairs, is no frequency
    of this pair's and is told as a p-value.
    """
    told = f"Between equally good models such a difference comes by chance {how_often(one.difference.p)}"
    if n_pairs == 1:
        return f"{told}."
    among = f"p {_p(one.p_holm)} after allowing for all {n_pairs} comparisons"
    if one.verdict is Verdict.ONE_OF_MANY:
        return f"{told}: enough for a pair compared alone, not for one of {n_pairs} ({among})."
    return f"{told} ({among})."


def _p(p: float) -> str:
    """How a p-value is written after "p": "= 0.37", "< 0.001"."""
    return f"= {p:.2f}" if p >= 0.01 else f"= {p:.3f}" if p >= 1 / SURE else "< 0.001"


def _in_order(first: str, second: str, found: ScoreDifference, score: str) -> tuple[str, str, str]:
    """Who is ahead, who behind, and by how much."""
    is_first = (found.mean > 0) == (score in HIGHER_IS_BETTER)
    ahead, behind = (first, second) if is_first else (second, first)
    low, high = sorted((abs(found.low), abs(found.high))) if found.low * found.high > 0 else (0.0, 0.0)
    between = f" (probably between {_plain(score, low)} and {_plain(score, high)})" if low else ""
    return ahead, behind, f"{amount(score, abs(found.mean))}{between}"


def amount(score: str, gap: float) -> str:
    """A difference in words: of accuracy in rows, else in the score's own unit."""
    if score == "accuracy":
        return f"{number(100 * gap, 2)} more right answers in 100 rows"
    if is_share(score):
        return f"{LABELS[score]} higher by {number(100 * gap, 2)} points"
    return f"{LABELS[score]} {'higher' if score in HIGHER_IS_BETTER else 'lower'} by {number(gap, 2)}"


def _plain(score: str, gap: float) -> str:
    return number(100 * gap if is_share(score) else gap, 2)


def how_often(p: float) -> str:
    """A p-value as a frequency: "in about 12 of 100 cases", "in fewer than 1 of 1,000 cases"."""
    if p < 1 / SURE:
        return f"in fewer than 1 of {SURE:,} cases"
    if p < 0.01:
        return f"in about {max(round(1000 * p), 1)} of 1,000 cases"
    return "nearly always" if p >= 0.995 else f"in about {round(100 * p)} of 100 cases"


def headline(contestants: Sequence[Contestant], found: Sequence[Compared], score: str) -> str:
    """How many differences are clear, who leads, and who keeps up with the leader."""
    clear = sum(one.verdict is Verdict.CLEAR for one in found)
    told = f"Of {len(found)} differences in {LABELS[score]}, **{clear or 'none'} {_is_are(clear)} clear**"
    if len(found) == 1:
        told = f"The difference in {LABELS[score]} **{'is clear' if clear else 'may be chance'}**"
        if found[0].verdict is Verdict.NONE:
            told = f"There is **no difference** in {LABELS[score]}"
    leader = best(contestants, score)
    return _on_which(contestants, told) + ("." if leader is None else f". {_in_front(contestants, found, leader)}")


def _on_which(contestants: Sequence[Contestant], told: str) -> str:
    """What is told, with the folds that it is of where a model was stopped."""
    if all(one.validated.is_complete for one in contestants):
        return told
    n, n_all = np.count_nonzero(_in_common(contestants)), contestants[0].validated.plan.n_all
    return f"On the {n} of {n_all} folds that all models were tried on: {told[0].lower()}{told[1:]}"


def _in_common(contestants: Sequence[Contestant]) -> np.ndarray:
    """(n_all,) bool: the folds that every model was tried on."""
    plan = contestants[0].validated.plan
    tried = [[fold.number for fold in one.validated.tried] for one in contestants]
    return np.array([all(number in of for of in tried) for number in range(plan.n_all)])


def _in_front(contestants: Sequence[Contestant], found: Sequence[Compared], leader: int) -> str:
    """Who leads, alone or with others of the same mean, and who cannot be told apart."""
    level, equal = level_with(leader, found), equal_to(leader, found)
    front = join([f"**{contestants[i].title}**" for i in [leader, *equal]], "and")
    behind = [f"**{contestants[i].title}**" for i in level if i not in equal]
    if not behind and not equal:
        return f"{front} leads, and no other keeps up."
    lead = f"{front} {'share' if equal else 'has'} the best mean"
    if not behind:
        return lead + ("." if len(equal) + 1 == len(contestants) else ", and no other keeps up.")
    it = "them" if equal else "it"
    return f"{lead}, but {join(behind, 'and')} cannot be told apart from {it}: what looks like a lead may be luck."


def _is_are(n: int) -> str:
    return "is" if n == 1 else "are"


def best(contestants: Sequence[Contestant], score: str) -> int | None:
    """The place of the model with the best mean over the folds that all were tried on; None without the score."""
    inside = _in_common(contestants)
    means = [_mean(one.validated.scores(score)[inside]) for one in contestants]
    sign = 1 if score in HIGHER_IS_BETTER else -1
    known = [i for i, mean in enumerate(means) if not math.isnan(mean)]
    return max(known, key=lambda i: sign * means[i]) if known else None


def _mean(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


def level_with(leader: int, found: Sequence[Compared]) -> list[int]:
    """The models whose difference from the leader is not clear."""
    unclear = [one for one in found if leader in (one.first, one.second) and one.verdict is not Verdict.CLEAR]
    return [one.second if one.first == leader else one.first for one in unclear]


def equal_to(leader: int, found: Sequence[Compared]) -> list[int]:
    """The models whose mean is that of the leader."""
    pairs = [one for one in found if leader in (one.first, one.second) and abs(one.difference.mean) < ROUNDING]
    return [one.second if one.first == leader else one.first for one in pairs]


def advice(
    contestants: Sequence[Contestant], found: Sequence[Compared], score: str, baseline: int | None = None
) -> str | None:
    """Which of the models that cannot be told apart from the best one is the easiest to read, if it is another.

    Never the `baseline` at this place, which knows nothing.
    """
    leader = best(contestants, score)
    if leader is None or leader == baseline:
        return None
    level = [leader, *(one for one in level_with(leader, found) if one != baseline)]
    sizes = {i: _mean(np.array([tried.size.rules for tried in contestants[i].validated.tried])) for i in level}
    smallest = min(level, key=lambda i: sizes[i])
    if smallest == leader or not sizes[smallest] < sizes[leader]:
        return None
    easy, lead = contestants[smallest].title, contestants[leader].title
    return (
        f"**{easy} is easier to read**: {_rules(sizes[smallest])} on average, against {_rules(sizes[leader])} of "
        f"{lead}. In {LABELS[score]}, {lead} leads by no more than chance may bring."
    )


def _rules(n: float) -> str:
    return "1 rule" if round(n) == 1 else f"{round(n):,} rules"


def what_more_folds_would_change(
    contestants: Sequence[Contestant], found: Sequence[Compared], score: str, n_rows: int
) -> list[str]:
    """For every pair that may be noise: what could be told apart now, with more folds, and with more rows."""
    plan = contestants[0].validated.plan
    unclear = [one for one in found if one.verdict in (Verdict.NOISE, Verdict.ONE_OF_MANY)]
    said = [_remedy(contestants, one, score, (plan, n_rows)) for one in unclear]
    if len(found) > 1 and any(math.isfinite(one.difference.folds_needed) for one in unclear):
        said.append("Numbers of repeats are for a pair that is compared alone: among several it takes more.")
    if any(one.verdict is Verdict.UNKNOWN for one in found):
        said.append("Of models with too few folds nothing can be said.")
    return said


def _remedy(contestants: Sequence[Contestant], one: Compared, score: str, terms: tuple[Folds, int]) -> str:
    gap, (plan, n_rows) = one.difference, terms
    pair = f"**{contestants[one.first].title}** and **{contestants[one.second].title}**"
    if not gap.spread:
        return f"{pair}: the difference is the same in all {gap.n_folds} folds, but so few may agree by chance."
    now = f"{pair}: these {gap.n_folds} folds tell apart nothing below {_unit(score, gap.least)}"
    ever = _unit(score, gap.least_ever)
    if one.verdict is Verdict.ONE_OF_MANY:
        return f"{now}; compare fewer models, decided on beforehand, or repeat with other rows."
    if math.isfinite(gap.folds_needed):
        repeats = math.ceil(gap.folds_needed / plan.n_folds)
        return f"{now}. If the difference stays as it is, about {repeats} repeats of all folds would show it."
    times = (gap.least_ever / abs(gap.mean)) ** 2 if gap.mean else math.inf
    rows = (
        f"about {number(times * n_rows, 2)} rows instead of {n_rows:,}" if times < MOST_ROWS else "far more rows"
    )
    return f"{now}, and endless repeats nothing below {ever}, since they ask the same rows again. It takes {rows}."


def _unit(score: str, gap: float) -> str:
    if score == "accuracy":
        return f"{number(100 * gap, 2)} rows in 100"
    return f"{number(100 * gap, 2)} points" if is_share(score) else f"{number(gap, 2)} of {LABELS[score]}"


def cautions(contestants: Sequence[Contestant], found: Sequence[Compared], n_rows: int) -> list[str]:
    """What should make one careful whatever the differences are."""
    plan, said = contestants[0].validated.plan, []
    per_fold = n_rows // plan.n_folds
    if per_fold < 2 * FEW_FOLDS:
        said.append(f"Each fold tests on about {per_fold} rows: its scores move in steps of 1 / {per_fold}.")
    if plan.n_all < FEW_FOLDS:
        said.append(f"{plan.n_all} folds are few: only great differences can stand out.")
    if len(found) > 1:
        said.append(
            f"{len(found)} comparisons are made at once, so each has to stand out more (Holm's correction). Who "
            "picks the best of many still picks some luck: expect a little less of the winner on new rows."
        )
    late = [one.title for one in contestants if not all(tried.is_whole for tried in one.validated.tried)]
    if late:
        said.append(
            f"The search of {join(late, 'and')} ran out of time in some folds: a longer one may do better."
        )
    return said


def against_baseline(
    contestants: Sequence[Contestant], found: Sequence[Compared], baseline: int, score: str
) -> str | None:
    """A warning where models are not clearly better than the baseline at this place; None where all are."""
    weak = []
    for one in found:
        if baseline in (one.first, one.second):
            other = one.second if one.first == baseline else one.first
            sign = (1 if one.first == other else -1) * (1 if score in HIGHER_IS_BETTER else -1)
            if one.verdict is not Verdict.CLEAR or sign * one.difference.mean < 0:
                weak.append(contestants[other].title)
    if not weak:
        return None
    verb = "is" if len(weak) == 1 else "are"
    named = join([f"**{title}**" for title in weak], "and")
    return f"{named} {verb} not clearly better than asking nothing at all (the baseline), by {LABELS[score]}."


EXPLANATION = (
    "All models learn from the same rows and are tested on the same others, fold by fold. Folds share most of the "
    "rows learned from, so the usual paired t-test is far too sure of itself; here its variance is multiplied by "
    "1 + *n*·n_test/n_train (Nadeau & Bengio 2003; for repeated folds Bouckaert & Frank 2004), and the p-values "
    f"allow for the number of pairs (Holm 1979). *Clear* means p < {ALPHA:g}; *noise?* means that the folds do "
    "not show a difference, not that there is none. Intervals are for one pair alone."
)
SCORE_HELP = {
    "accuracy": "Share of the rows whose class is right.",
    "balanced_accuracy": "Mean of what is right of each class: rare classes count as much as frequent ones.",
    "auc": "How well rows of a class are ranked before the others: 0.5 is chance, 1 perfect.",
    "log_loss": "Punishes what is said with confidence and wrong, without limit.",
    "brier": f"Mean squared gap between the shares told and what happened (Brier 1950). {BRIER}",
    "rmse": "Root of the mean squared error, in the target's unit.",
    "mae": "Mean error, in the target's unit.",
    "r2": "Part of the target's variance that is explained: 0 is the mean's, 1 perfect.",
}
assert set(SCORE_HELP) == {*score_names(True), *score_names(False)}
