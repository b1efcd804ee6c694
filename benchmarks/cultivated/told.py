"""Areas under the ROC curve of several learners on several tables, compared and written as Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from espalier.comparison.cross_validation import ScoreDifference, difference, holm, standard_error

ALPHA = 0.05


class Areas(NamedTuple):
    """What a learner did in the folds of a table."""

    folds: Sequence[str]
    area: np.ndarray  # (n_folds,)
    nodes: np.ndarray  # (n_folds,): nodes that split, in all its trees
    decisions: np.ndarray  # (n_folds,): the decisions in them
    part: float = math.nan  # of crisp trees, in the mean over folds, where that was chosen


class Overall(NamedTuple):
    """How a learner is apart from another on all tables."""

    n_tables: int
    mean: float
    error: float  # standard error of the mean for these tables, from the corrected ones of each
    p_rank: float  # Wilcoxon's signed ranks: these tables as a sample of all
    above: int  # tables on which it has more area
    clearly_above: int  # so that the corrected test says so, among all these tables
    clearly_below: int


Found = Mapping[str, Mapping[str, Areas]]  # by table and learner


def gaps(found: Found, first: str, second: str, ratio_tested: float) -> dict[str, ScoreDifference]:
    """Return the corrected test of each table that has both learners, on the folds that both have."""
    return {
        name: difference(*_paired(learners[first], learners[second]), ratio_tested)
        for name, learners in found.items()
        if first in learners and second in learners
    }


def _paired(first: Areas, second: Areas) -> tuple[np.ndarray, np.ndarray]:
    places = [{fold: i for i, fold in enumerate(areas.folds)} for areas in (first, second)]
    both = [fold for fold in first.folds if fold in places[1]]
    return first.area[[places[0][f] for f in both]], second.area[[places[1][f] for f in both]]


def overall(tested: Mapping[str, ScoreDifference]) -> Overall:
    """Return what the tests of all tables say together."""
    each = list(tested.values())
    means = np.array([one.mean for one in each])
    errors = [float(standard_error(one.spread, one.n_folds, one.ratio_tested)) for one in each]
    clear = np.array(holm([one.p for one in each])) < ALPHA
    ranked: Any = stats.wilcoxon(means) if np.any(means) else None
    p_rank = float(ranked.pvalue) if ranked else 1.0
    above, below = means > 0, means < 0
    error = math.sqrt(sum(e**2 for e in errors)) / len(each)
    counts = (int(above.sum()), int((above & clear).sum()), int((below & clear).sum()))
    return Overall(len(each), float(means.mean()), error, p_rank, *counts)


def told(found: Found, ratio_tested: float, subjects: Sequence[str]) -> str:
    """Return tables of areas, of the differences from each subject to the others, and of sizes."""
    there = {name: learners for name, learners in found.items() if learners}
    names = list(dict.fromkeys(learner for learners in there.values() for learner in learners))
    lines = _head("table", "partitions", *names)
    lines += [_row(name, learners, names) for name, learners in there.items()]
    pairs = [(a, b) for a in subjects for b in names if a != b]
    tested = {pair: gaps(there, *pair, ratio_tested) for pair in pairs}
    for subject in subjects:
        others = [b for a, b in pairs if a == subject]
        lines += ["", *_head(f"{subject} minus", *others)]
        lines += [_differences(name, [tested[subject, other] for other in others]) for name in there]
    lines += [
        "",
        *_head("first", "second", "tables", "mean difference", "p of ranks", "above", "clearly above, below"),
    ]
    lines += [_pair(pair, overall(tests)) for pair, tests in tested.items() if tests]
    lines += ["", *_head("learner", "nodes that split", "decisions")]
    return "\n".join(lines + [_size(there, name) for name in names])


def _head(*titles: str) -> list[str]:
    return [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]


def _differences(table: str, tests: Sequence[Mapping[str, ScoreDifference]]) -> str:
    """Return the differences of a table with half of their intervals, clear ones in bold."""
    cells = []
    for each in tests:
        clear = dict(zip(each, holm([one.p for one in each.values()]), strict=True))
        one = each.get(table)
        words = f"{round(one.mean, 4) + 0.0:+.4f} ± {one.least:.4f}" if one else ""
        cells.append(f"**{words}**" if one and clear[table] < ALPHA else words)
    return f"| {' | '.join([table, *cells])} |"


def _row(name: str, learners: Mapping[str, Areas], names: Sequence[str]) -> str:
    some = next(iter(learners.values()))
    cells = [_area(learners[one]) if one in learners else "" for one in names]
    return f"| {name} | {len(some.folds) // 10} | {' | '.join(cells)} |"


def _area(areas: Areas) -> str:
    part = "" if math.isnan(areas.part) else f" ({areas.part:.0%})"
    return f"{areas.area.mean():.4f}{part}"


def _pair(pair: tuple[str, str], one: Overall) -> str:
    mean = f"{one.mean:+.4f} ± {1.96 * one.error:.4f}"
    clear = f"{one.clearly_above}, {one.clearly_below}"
    return f"| {' | '.join([*pair, str(one.n_tables), mean, f'{one.p_rank:.3f}', str(one.above), clear])} |"


def _size(found: Found, name: str) -> str:
    here = [learners[name] for learners in found.values() if name in learners]
    nodes, decisions = (float(np.mean([getattr(a, what).mean() for a in here])) for what in ("nodes", "decisions"))
    return f"| {name} | {nodes:,.0f} | {decisions:,.0f} |" if nodes else f"| {name} | – | – |"
