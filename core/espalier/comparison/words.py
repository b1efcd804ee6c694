"""A critical look at compared models: clear differences, possible noise, and the effect of more folds.

All texts are Markdown; titles of models are our own and need no escaping.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.comparison.cross_validation import ALPHA, ROUNDING, Compared, ScoreDifference, Verdict
from espalier.comparison.scores import HIGHER_IS_BETTER, LABELS
from espalier.comparison.tables import Contestant, is_share, score_names
from espalier.data.folds import Folds
from espalier.display.text.trees import join
from espalier.display.theme import count, number
from espalier.language import in_style, say, to_say

SURE = 1_000  # comparisons: rarer chances are written as "fewer than 1 of 1,000"
MOST_ROWS = 100  # times the number of rows: more is out of reach
FEW_FOLDS = 5


VERDICTS = {
    Verdict.CLEAR: to_say("clear"),
    Verdict.ONE_OF_MANY: to_say("unsure"),
    Verdict.NOISE: to_say("noise?"),
    Verdict.NONE: to_say("equal"),
    Verdict.UNKNOWN: to_say("too few folds"),
}


def pairs_table(contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str) -> pd.DataFrame:
    """Return a row for each pair, the clear differences first, the better model before the other.

    Beside the difference stand its interval, how often chance makes one as great of two equal models, and the
    p-value among all pairs, which is no frequency of this pair.
    """
    order = list(VERDICTS)
    sorted_pairs = sorted(pairs, key=lambda pair: (order.index(pair.verdict), pair.p_holm))
    return pd.DataFrame([_line(contestants, pair, score) for pair in sorted_pairs])


def _line(contestants: Sequence[Contestant], pair: Compared, score: str) -> dict[str, str]:
    gap = pair.difference
    is_first = gap.mean >= 0 if score in HIGHER_IS_BETTER else gap.mean <= 0
    better, other = (contestants[i].title for i in ((pair.first, pair.second)[:: 1 if is_first else -1]))
    ends = sorted((gap.low, gap.high) if is_first else (-gap.low, -gap.high))
    is_tested = pair.verdict not in (Verdict.NONE, Verdict.UNKNOWN)
    low, high = (signed_text(score, end) for end in ends)
    return {
        say("model"): better,
        say("beside"): other,
        say("difference"): signed_text(score, gap.mean if is_first else -gap.mean),
        say("95 % interval"): say("{low} to {high}", low=low, high=high) if is_tested else "–",
        say("by chance alone"): how_often(gap.p) if is_tested else "–",
        say("p, of all pairs"): _p(pair.p_holm) if is_tested else "–",
        say("verdict"): say(VERDICTS[pair.verdict]),
    }


def _p(p: float) -> str:
    """Return a p-value as it is written in a table: "0.37", "< 0.001"."""
    return in_style(f"{p:.2f}" if p >= 0.01 else f"{p:.3f}" if p >= 1 / SURE else "< 0.001")


def signed_text(score: str, gap: float, has_unit: bool = True) -> str:
    """Return a difference with its sign; of shares in percentage points."""
    if np.isnan(gap):
        return "–"
    size = number(abs(100 * gap if is_share(score) else gap), 2)
    size = say("{n} pts", n=size) if is_share(score) and has_unit else size
    return f"{'+' if gap > 0 else '−' if gap < 0 else ''}{size}"


def how_often(p: float) -> str:
    """Return a p-value as a frequency: "12 of 100 times", "fewer than 1 of 1,000 times"."""
    if p < 1 / SURE:
        return say("fewer than 1 of {most} times", most=count(SURE))
    n, most = (max(round(1000 * p), 1), 1000) if p < 0.01 else (round(100 * p), 100)
    return say("nearly always") if p >= 0.995 else say("{n} of {most} times", n=n, most=count(most))


def headline(contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str) -> str:
    """Return how many differences are clear, which model leads, and which are level with it."""
    text = f"{_on_which(contestants)}{_how_many_are_clear(pairs, say(LABELS[score]))}"
    leader = best(contestants, score)
    return text if leader is None else f"{text} {_leaders_words(contestants, pairs, leader)}"


def _how_many_are_clear(pairs: Sequence[Compared], name: str) -> str:
    """Return how many differences in the score of this name are clear."""
    clear = sum(contest.verdict is Verdict.CLEAR for contest in pairs)
    if len(pairs) == 1 and pairs[0].verdict is Verdict.NONE:
        return say("There is **no difference** in {score}.", score=name)
    if len(pairs) == 1:
        return say(
            "The difference in {score} **is clear**." if clear else "The difference in {score} **may be chance**.",
            score=name,
        )
    values = {"n": len(pairs), "score": name}
    if not clear:
        return say("Of {n} differences in {score}, **none is clear**.", **values)
    return say(
        "Of {n} differences in {score}, **{clear} is clear**."
        if clear == 1
        else "Of {n} differences in {score}, **{clear} are clear**.",
        **values,
        clear=clear,
    )


def _on_which(contestants: Sequence[Contestant]) -> str:
    """Return the folds that a headline is about, if a model was stopped."""
    if all(contestant.validated.is_complete for contestant in contestants):
        return ""
    n, n_all = int(np.count_nonzero(_common_folds(contestants))), contestants[0].validated.plan.n_all
    return say("On the {n} of {n_all} folds that all models were tried on:", n=n, n_all=n_all) + " "


def _common_folds(contestants: Sequence[Contestant]) -> np.ndarray:
    """Return the folds that every model was tried on, (n_all,) bool."""
    plan = contestants[0].validated.plan
    numbers = [[fold.number for fold in contestant.validated.tried] for contestant in contestants]
    return np.array([all(number in of for of in numbers) for number in range(plan.n_all)])


def _leaders_words(contestants: Sequence[Contestant], pairs: Sequence[Compared], leader: int) -> str:
    """Return which model leads, alone or with others of the same mean, and which cannot be told apart from it."""
    level, equal = level_with(leader, pairs), equal_to(leader, pairs)
    front = join([f"**{contestants[i].title}**" for i in [leader, *equal]], "and")
    behind = [f"**{contestants[i].title}**" for i in level if i not in equal]
    if not behind and not equal:
        return say("{model} leads, and no other keeps up.", model=front)
    if not behind:
        is_all = len(equal) + 1 == len(contestants)
        return say(
            "{models} share the best mean." if is_all else "{models} share the best mean, and no other keeps up.",
            models=front,
        )
    return say(
        "{front} share the best mean, but {others} cannot be told apart from them."
        if equal
        else "{front} has the best mean, but {others} cannot be told apart from it.",
        front=front,
        others=join(behind, "and"),
    )


def best(contestants: Sequence[Contestant], score: str) -> int | None:
    """Return the place of the model with the best mean over the folds that all were tried on.

    None without the score.
    """
    inside = _common_folds(contestants)
    means = [_mean(contestant.validated.scores(score)[inside]) for contestant in contestants]
    sign = 1 if score in HIGHER_IS_BETTER else -1
    places = [i for i, mean in enumerate(means) if not math.isnan(mean)]
    return max(places, key=lambda i: sign * means[i]) if places else None


def _mean(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) else math.nan


def level_with(leader: int, pairs: Sequence[Compared]) -> list[int]:
    """Return the models whose difference from the leader is not clear."""
    unclear = [
        contest
        for contest in pairs
        if leader in (contest.first, contest.second) and contest.verdict is not Verdict.CLEAR
    ]
    return [contest.second if contest.first == leader else contest.first for contest in unclear]


def equal_to(leader: int, compared: Sequence[Compared]) -> list[int]:
    """Return the models whose mean is that of the leader."""
    pairs = [
        contest
        for contest in compared
        if leader in (contest.first, contest.second) and abs(contest.difference.mean) < ROUNDING
    ]
    return [contest.second if contest.first == leader else contest.first for contest in pairs]


def advice(
    contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str, baseline: int | None = None
) -> str | None:
    """Return the easiest to read of the models that cannot be told apart from the best; None if that is the best.

    It is never the `baseline` at this place, which learns nothing.
    """
    leader = best(contestants, score)
    if leader is None or leader == baseline:
        return None
    level = [leader, *(place for place in level_with(leader, pairs) if place != baseline)]
    sizes = {i: _mean(np.array([fold.size.rules for fold in contestants[i].validated.tried])) for i in level}
    smallest = min(level, key=lambda i: sizes[i])
    if smallest == leader or not round(sizes[smallest]) < round(sizes[leader]):
        return None
    easy, lead = contestants[smallest].title, contestants[leader].title
    return say(
        "**{easy} is easier to read**: {few} on average, against {many} of {lead}. In {score}, both are equal."
        if smallest in equal_to(leader, pairs)
        else "**{easy} is easier to read**: {few} on average, against {many} of {lead}. In {score}, {lead} leads "
        "by no more than chance may bring.",
        easy=easy,
        lead=lead,
        few=_rules(sizes[smallest]),
        many=_rules(sizes[leader]),
        score=say(LABELS[score]),
    )


def _rules(n: float) -> str:
    return say("{n} rule" if round(n) == 1 else "{n} rules", n=count(round(n)))


def what_more_folds_would_change(
    contestants: Sequence[Contestant], pairs: Sequence[Compared], score: str, n_rows: int
) -> list[str]:
    """Return, for every pair that may be noise, the differences detectable now, with more folds or more rows."""
    plan = contestants[0].validated.plan
    unclear = [contest for contest in pairs if contest.verdict in (Verdict.NOISE, Verdict.ONE_OF_MANY)]
    sentences = [_remedy(contestants, contest, score, plan, n_rows) for contest in unclear]
    if len(pairs) > 1 and any(math.isfinite(contest.difference.folds_needed) for contest in unclear):
        sentences.append(
            say("Numbers of repeats are for a pair that is compared alone: among several it takes more.")
        )
    if any(contest.verdict is Verdict.UNKNOWN for contest in pairs):
        sentences.append(say("Nothing can be said about models with too few folds."))
    return sentences


def _remedy(contestants: Sequence[Contestant], contest: Compared, score: str, plan: Folds, n_rows: int) -> str:
    gap = contest.difference
    pair = join([f"**{contestants[i].title}**" for i in (contest.first, contest.second)], "and")
    values = {"pair": pair, "n": gap.n_folds, "least": _unit(score, gap.least)}
    if not gap.spread:
        return say(
            "{pair}: the difference is the same in all {n} folds, but so few may agree by chance.",
            pair=pair,
            n=gap.n_folds,
        )
    if contest.verdict is Verdict.ONE_OF_MANY:
        return say(
            "{pair}: these {n} folds tell apart nothing below {least}; compare fewer models, decided on "
            "beforehand, or repeat with other rows.",
            **values,
        )
    if math.isfinite(gap.folds_needed):
        repeats = count(math.ceil(gap.folds_needed / plan.n_folds))
        return say(
            "{pair}: these {n} folds tell apart nothing below {least}. If the difference stays as it is, about "
            "{repeats} repeats of all folds would show it.",
            **values,
            repeats=repeats,
        )
    return say(
        "{pair}: these {n} folds tell apart nothing below {least}, and even endless repeats nothing below {ever}, "
        "since the rows are the same. It takes {rows}.",
        **values,
        ever=_unit(score, gap.least_ever),
        rows=_rows_needed(gap, n_rows),
    )


def _rows_needed(gap: ScoreDifference, n_rows: int) -> str:
    times = (gap.least_ever / abs(gap.mean)) ** 2 if gap.mean else math.inf
    if times >= MOST_ROWS:
        return say("far more rows")
    return say("about {n} rows instead of {n_rows}", n=number(times * n_rows, 2), n_rows=count(n_rows))


def _unit(score: str, gap: float) -> str:
    if score == "accuracy":
        return say("{n} rows in 100", n=number(100 * gap, 2))
    if is_share(score):
        return say("{n} points", n=number(100 * gap, 2))
    return say("{n} of {score}", n=number(gap, 2), score=say(LABELS[score]))


def cautions(contestants: Sequence[Contestant], pairs: Sequence[Compared], n_rows: int) -> list[str]:
    """Return the reasons for caution that hold whatever the differences are."""
    plan, sentences = contestants[0].validated.plan, []
    per_fold = n_rows // plan.n_folds
    if per_fold < 2 * FEW_FOLDS:
        sentences.append(
            say("Each fold tests on about {n} rows: its scores move in steps of 1 / {n}.", n=per_fold)
        )
    if plan.n_all < FEW_FOLDS:
        sentences.append(say("{n} folds are few: only great differences can stand out.", n=plan.n_all))
    if len(pairs) > 1:
        sentences.append(
            say(
                "{n} comparisons are made at once, so each has to stand out more (Holm's correction). The best of "
                "many is the best partly by luck: expect slightly less of it on new rows.",
                n=len(pairs),
            )
        )
    late = [
        contestant.title
        for contestant in contestants
        if not all(fold.is_whole for fold in contestant.validated.tried)
    ]
    if late:
        sentences.append(
            say(
                "The search of {models} ran out of time in some folds: a longer one may do better.",
                models=join(late, "and"),
            )
        )
    return sentences


def against_baseline(
    contestants: Sequence[Contestant], pairs: Sequence[Compared], baseline: int, score: str
) -> str | None:
    """Return a warning where models are not clearly better than the baseline at this place; None if all are."""
    weak = []
    for contest in pairs:
        if baseline in (contest.first, contest.second):
            other = contest.second if contest.first == baseline else contest.first
            sign = (1 if contest.first == other else -1) * (1 if score in HIGHER_IS_BETTER else -1)
            if contest.verdict is not Verdict.CLEAR or sign * contest.difference.mean < 0:
                weak.append(contestants[other].title)
    if not weak:
        return None
    return say(
        "{models} is not clearly better than asking nothing at all (the baseline), by {score}."
        if len(weak) == 1
        else "{models} are not clearly better than asking nothing at all (the baseline), by {score}.",
        models=join([f"**{title}**" for title in weak], "and"),
        score=say(LABELS[score]),
    )


def explanation() -> str:
    """Return how differences between models are tested, in a paragraph."""
    return say(
        "All models learn from the same rows and are tested on the same others, fold by fold. Folds share most of "
        "the rows learned from, so the usual paired t-test is far too sure of itself; here its variance is "
        "multiplied by 1 + *k*·n_test/n_train for *k* folds (Nadeau & Bengio 2003), which repeats add nothing to, "
        "and the p-values allow for the number of pairs (Holm 1979). *Clear* means p < {alpha}; *noise?* means "
        "that the folds do not show a difference, not that there is none. Intervals are for one pair alone. All "
        "of this assumes that two folds agree as far as their rows overlap, which holds only nearly: of two "
        "equally good stumps, 3 to 6 comparisons in 100 come out clear, instead of 5.",
        alpha=number(ALPHA),
    )


SCORE_HELP = {
    "accuracy": to_say("Share of the rows whose class is right."),
    "balanced_accuracy": to_say(
        "Mean of the shares right of each class: rare classes count as much as frequent ones."
    ),
    "auc": to_say("How well rows of a class are ranked before the others: 0.5 is chance, 1 perfect."),
    "log_loss": to_say("Punishes confident errors, without limit."),
    "brier": to_say(
        "Mean squared gap between predicted shares and outcomes (Brier 1950). The Brier score is summed over "
        "the classes: 0 is perfect, 2 the worst; of two classes it is twice what scikit-learn's "
        "`brier_score_loss` says."
    ),
    "rmse": to_say("Root of the mean squared error, in the target's unit."),
    "mae": to_say("Mean error, in the target's unit."),
    "r2": to_say("Part of the target's variance that is explained: 0 is the mean's, 1 perfect."),
    "d2_absolute": to_say("The same for the mean absolute error: 0 is the median's."),
    "d2_poisson": to_say(
        "The same for the Poisson deviance: 0 is the mean's; “–” where a prediction is not above 0."
    ),
}
assert set(SCORE_HELP) == {*score_names(True), *score_names(False)}
