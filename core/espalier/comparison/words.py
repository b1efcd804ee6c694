"""A critical look at compared models: clear differences, and possible noise.

All texts are Markdown; titles of models are our own and need no escaping.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from espalier.comparison.cross_validation import ALPHA, ROUNDING, Compared, Verdict
from espalier.comparison.scores import HIGHER_IS_BETTER, LABELS
from espalier.comparison.tables import Contestant, is_share, score_names
from espalier.display.text.trees import join
from espalier.display.theme import count, number
from espalier.language import in_style, say, to_say

SURE = 1_000  # comparisons: rarer chances are written as "fewer than 1 of 1,000"
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
    clear = sum(contest.verdict is Verdict.CLEAR for contest in pairs)
    name, leader = say(LABELS[score]), best(contestants, score)
    texts = [say("Clear differences in {score}: **{clear} of {n}**.", score=name, clear=clear, n=len(pairs))]
    if not all(contestant.validated.is_complete for contestant in contestants):
        n, n_all = int(np.count_nonzero(_common_folds(contestants))), contestants[0].validated.plan.n_all
        texts.insert(0, say("On the {n} of {n_all} folds that all models were tried on:", n=n, n_all=n_all))
    if leader is not None:
        texts.append(_leaders_words(contestants, pairs, leader))
    return " ".join(texts)


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
    if not behind:
        return say("Best on average: {models}.", models=front)
    values = {"models": front, "others": join(behind, "and")}
    return say("Best on average: {models}. Not told apart: {others}.", **values)


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
    return say(
        "**{easy} is easier to read** than {lead} ({few} rules, not {many}), and no clear difference parts them.",
        easy=contestants[smallest].title,
        lead=contestants[leader].title,
        few=count(round(sizes[smallest])),
        many=count(round(sizes[leader])),
    )


def cautions(contestants: Sequence[Contestant], pairs: Sequence[Compared], n_rows: int) -> list[str]:
    """Return the reasons for caution that hold whatever the differences are."""
    plan, sentences = contestants[0].validated.plan, []
    per_fold = n_rows // plan.n_folds
    if per_fold < 2 * FEW_FOLDS:
        sentences.append(say("A fold tests on about {n} rows: its scores move in steps of 1 / {n}.", n=per_fold))
    if plan.n_all < FEW_FOLDS:
        sentences.append(say("{n} folds are few: only great differences can stand out.", n=plan.n_all))
    if len(pairs) > 1:
        sentences.append(say("The best of many is so partly by luck: expect slightly less of it on new rows."))
    late = [each.title for each in contestants if not all(fold.is_whole for fold in each.validated.tried)]
    if late:
        sentences.append(say("Out of time in some folds: {models}.", models=join(late, "and")))
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
        "By {score} not clearly better than the baseline, which asks nothing: {models}.",
        models=join([f"**{title}**" for title in weak], "and"),
        score=say(LABELS[score]),
    )


def explanation() -> str:
    """Return how differences between models are tested."""
    return say(
        "Corrected resampled t-test (Nadeau & Bengio 2003); p of all pairs by Holm (1979). *Clear*: p < "
        "{alpha}. *noise?*: no difference shows, though there may be one.",
        alpha=number(ALPHA),
    )


SCORE_HELP = {
    "accuracy": to_say("Share of the rows whose class is right."),
    "balanced_accuracy": to_say("Mean of the shares right of each class: rare ones count as much."),
    "auc": to_say("How well rows of a class are ranked first: 0.5 is chance, 1 perfect."),
    "log_loss": to_say("Punishes confident errors, without limit."),
    "brier": to_say(
        "Mean squared gap between shares and outcomes, summed over the classes: 0 is perfect, 2 the worst."
    ),
    "rmse": to_say("Root of the mean squared error, in the target's unit."),
    "mae": to_say("Mean error, in the target's unit."),
    "r2": to_say("Part of the target's variance that is explained: 0 is the mean's, 1 perfect."),
    "d2_absolute": to_say("The same for the mean absolute error: 0 is the median's."),
    "d2_poisson": to_say("The same for the Poisson deviance: 0 is the mean's."),
}
assert set(SCORE_HELP) == {*score_names(True), *score_names(False)}
