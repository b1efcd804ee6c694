"""A critical look at compared models: clear differences, possible noise, and the effect of more folds.

All texts are Markdown; titles of models are our own and need no escaping.
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

SURE = 1_000  # comparisons: rarer chances are written as "fewer than 1 of 1,000"
MOST_ROWS = 100  # times the number of rows: more is out of reach
FEW_FOLDS = 5


def verdicts(contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str) -> list[str]:
    """Return a sentence or two on every pair, the clear differences first."""
    order = [Verdict.CLEAR, Verdict.ONE_OF_MANY, Verdict.NOISE, Verdict.NONE, Verdict.UNKNOWN]
    ranked = sorted(pairs, key=lambda one: (order.index(one.verdict), one.p_holm))
    return [verdict(contestants, one, score, len(pairs)) for one in ranked]


def verdict(contestants: Sequence[Contestant], one: Compared, score: str, n_pairs: int) -> str:
    """Return the conclusion on one pair."""
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
    """Return how often chance makes such a difference between two equal models, and the p-value among all pairs.

    The frequency is the p-value of this pair alone. Holm's p-value, which allows for the number of pairs, is not a
    frequency of this pair and is given as a p-value.
    """
    text = f"Between equally good models such a difference comes by chance {how_often(one.difference.p)}"
    if n_pairs == 1:
        return f"{text}."
    among = f"p {_p(one.p_holm)} after allowing for all {n_pairs} comparisons"
    if one.verdict is Verdict.ONE_OF_MANY:
        return f"{text}: enough for a pair compared alone, not for one of {n_pairs} ({among})."
    return f"{text} ({among})."


def _p(p: float) -> str:
    """Return a p-value as it is written after "p": "= 0.37", "< 0.001"."""
    return f"= {p:.2f}" if p >= 0.01 else f"= {p:.3f}" if p >= 1 / SURE else "< 0.001"


def _in_order(first: str, second: str, difference: ScoreDifference, score: str) -> tuple[str, str, str]:
    """Return the model that is ahead, the other one, and the difference."""
    is_first = (difference.mean > 0) == (score in HIGHER_IS_BETTER)
    ahead, behind = (first, second) if is_first else (second, first)
    low, high = (
        sorted((abs(difference.low), abs(difference.high))) if difference.low * difference.high > 0 else (0.0, 0.0)
    )
    between = f" (probably between {_plain(score, low)} and {_plain(score, high)})" if low else ""
    return ahead, behind, f"{amount(score, abs(difference.mean))}{between}"


def amount(score: str, gap: float) -> str:
    """Return a difference in words: of accuracy as rows, else in the score's unit."""
    if score == "accuracy":
        return f"{number(100 * gap, 2)} more right answers in 100 rows"
    if is_share(score):
        return f"{LABELS[score]} higher by {number(100 * gap, 2)} points"
    return f"{LABELS[score]} {'higher' if score in HIGHER_IS_BETTER else 'lower'} by {number(gap, 2)}"


def _plain(score: str, gap: float) -> str:
    return number(100 * gap if is_share(score) else gap, 2)


def how_often(p: float) -> str:
    """Return a p-value as a frequency: "in about 12 of 100 cases", "in fewer than 1 of 1,000 cases"."""
    if p < 1 / SURE:
        return f"in fewer than 1 of {SURE:,} cases"
    if p < 0.01:
        return f"in about {max(round(1000 * p), 1)} of 1,000 cases"
    return "nearly always" if p >= 0.995 else f"in about {round(100 * p)} of 100 cases"


def headline(contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str) -> str:
    """Return how many differences are clear, which model leads, and which are level with it."""
    clear = sum(one.verdict is Verdict.CLEAR for one in pairs)
    text = f"Of {len(pairs)} differences in {LABELS[score]}, **{clear or 'none'} {_is_are(clear)} clear**"
    if len(pairs) == 1:
        text = f"The difference in {LABELS[score]} **{'is clear' if clear else 'may be chance'}**"
        if pairs[0].verdict is Verdict.NONE:
            text = f"There is **no difference** in {LABELS[score]}"
    leader = best(contestants, score)
    return _on_which(contestants, text) + ("." if leader is None else f". {_in_front(contestants, pairs, leader)}")


def _on_which(contestants: Sequence[Contestant], text: str) -> str:
    """Return the text with the folds that it is about, if a model was stopped."""
    if all(one.validated.is_complete for one in contestants):
        return text
    n, n_all = np.count_nonzero(_in_common(contestants)), contestants[0].validated.plan.n_all
    return f"On the {n} of {n_all} folds that all models were tried on: {text[0].lower()}{text[1:]}"


def _in_common(contestants: Sequence[Contestant]) -> np.ndarray:
    """Return the folds that every model was tried on, (n_all,) bool."""
    plan = contestants[0].validated.plan
    tried = [[fold.number for fold in one.validated.tried] for one in contestants]
    return np.array([all(number in of for of in tried) for number in range(plan.n_all)])


def _in_front(contestants: Sequence[Contestant], pairs: Sequence[Compared], leader: int) -> str:
    """Return which model leads, alone or with others of the same mean, and which cannot be told apart from it."""
    level, equal = level_with(leader, pairs), equal_to(leader, pairs)
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
    """Return the place of the model with the best mean over the folds that all were tried on.

    None without the score.
    """
    inside = _in_common(contestants)
    means = [_mean(one.validated.scores(score)[inside]) for one in contestants]
    sign = 1 if score in HIGHER_IS_BETTER else -1
    known = [i for i, mean in enumerate(means) if not math.isnan(mean)]
    return max(known, key=lambda i: sign * means[i]) if known else None


def _mean(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else math.nan


def level_with(leader: int, pairs: Sequence[Compared]) -> list[int]:
    """Return the models whose difference from the leader is not clear."""
    unclear = [one for one in pairs if leader in (one.first, one.second) and one.verdict is not Verdict.CLEAR]
    return [one.second if one.first == leader else one.first for one in unclear]


def equal_to(leader: int, compared: Sequence[Compared]) -> list[int]:
    """Return the models whose mean is that of the leader."""
    pairs = [one for one in compared if leader in (one.first, one.second) and abs(one.difference.mean) < ROUNDING]
    return [one.second if one.first == leader else one.first for one in pairs]


def advice(
    contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str, baseline: int | None = None
) -> str | None:
    """Return the easiest to read of the models that cannot be told apart from the best; None if that is the best.

    It is never the `baseline` at this place, which learns nothing.
    """
    leader = best(contestants, score)
    if leader is None or leader == baseline:
        return None
    level = [leader, *(one for one in level_with(leader, pairs) if one != baseline)]
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
    contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str, n_rows: int
) -> list[str]:
    """Return, for every pair that may be noise, the differences detectable now, with more folds or more rows."""
    plan = contestants[0].validated.plan
    unclear = [one for one in pairs if one.verdict in (Verdict.NOISE, Verdict.ONE_OF_MANY)]
    sentences = [_remedy(contestants, one, score, plan, n_rows) for one in unclear]
    if len(pairs) > 1 and any(math.isfinite(one.difference.folds_needed) for one in unclear):
        sentences.append("Numbers of repeats are for a pair that is compared alone: among several it takes more.")
    if any(one.verdict is Verdict.UNKNOWN for one in pairs):
        sentences.append("Nothing can be said about models with too few folds.")
    return sentences


def _remedy(contestants: Sequence[Contestant], one: Compared, score: str, plan: Folds, n_rows: int) -> str:
    gap = one.difference
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
    return f"{now}, and even endless repeats nothing below {ever}, since the rows are the same. It takes {rows}."


def _unit(score: str, gap: float) -> str:
    if score == "accuracy":
        return f"{number(100 * gap, 2)} rows in 100"
    return f"{number(100 * gap, 2)} points" if is_share(score) else f"{number(gap, 2)} of {LABELS[score]}"


def cautions(contestants: Sequence[Contestant], pairs: Sequence[Compared], n_rows: int) -> list[str]:
    """Return the reasons for caution that hold whatever the differences are."""
    plan, sentences = contestants[0].validated.plan, []
    per_fold = n_rows // plan.n_folds
    if per_fold < 2 * FEW_FOLDS:
        sentences.append(f"Each fold tests on about {per_fold} rows: its scores move in steps of 1 / {per_fold}.")
    if plan.n_all < FEW_FOLDS:
        sentences.append(f"{plan.n_all} folds are few: only great differences can stand out.")
    if len(pairs) > 1:
        sentences.append(
            f"{len(pairs)} comparisons are made at once, so each has to stand out more (Holm's correction). The "
            "best of many is the best partly by luck: expect slightly less of it on new rows."
        )
    late = [one.title for one in contestants if not all(tried.is_whole for tried in one.validated.tried)]
    if late:
        sentences.append(
            f"The search of {join(late, 'and')} ran out of time in some folds: a longer one may do better."
        )
    return sentences


def against_baseline(
    contestants: Sequence[Contestant], pairs: Sequence[Compared], baseline: int, score: str
) -> str | None:
    """Return a warning where models are not clearly better than the baseline at this place; None if all are."""
    weak = []
    for one in pairs:
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
    "balanced_accuracy": "Mean of the shares right of each class: rare classes count as much as frequent ones.",
    "auc": "How well rows of a class are ranked before the others: 0.5 is chance, 1 perfect.",
    "log_loss": "Punishes confident errors, without limit.",
    "brier": f"Mean squared gap between predicted shares and outcomes (Brier 1950). {BRIER}",
    "rmse": "Root of the mean squared error, in the target's unit.",
    "mae": "Mean error, in the target's unit.",
    "r2": "Part of the target's variance that is explained: 0 is the mean's, 1 perfect.",
    "d2_absolute": "The same for the mean absolute error: 0 is the median's.",
    "d2_poisson": "The same for the Poisson deviance: 0 is the mean's; “–” where a prediction is not above 0.",
}
assert set(SCORE_HELP) == {*score_names(True), *score_names(False)}
