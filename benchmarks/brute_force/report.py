"""The counts in words: tables by option and by pair, the least of all triples, and every table that was wrong."""

from __future__ import annotations

import numpy as np

from benchmarks.brute_force.cases import draw
from benchmarks.brute_force.cover import PAIRS, TRIPLES, Cover

SHOWN = 20  # wrong tables, and pairs of fewest tables


def report(cover: Cover, has_pairs: bool = False) -> str:
    """Return tables of the counts, and the wrong tables as code; `has_pairs` tells of every pair."""
    total = cover.total
    lines = [
        f"\n{cover.learner}: {total[:4].sum()} tables ({cover.seconds / 60:.0f} minutes of processor): "
        f"{total[0]} right, {total[1]} wrong, {total[2]} refused, {total[3]} not reached",
        *_alone(cover),
        *_pairs(cover, has_pairs),
        *_triples(cover),
    ]
    for reason in sorted(cover.reasons.values()):
        lines.append(f"refused: {reason}")
    for wrong in cover.wrong[:SHOWN]:
        case = draw(cover.learner, frozenset(wrong.options), wrong.seed)
        lines.append(f"\nWRONG: {wrong.reason}\n{case.as_code()}")
    if len(cover.wrong) > SHOWN:
        lines.append(f"... and {len(cover.wrong) - SHOWN} others")
    return "\n".join(lines)


def _row(name: str, counts: np.ndarray) -> str:
    right, wrong, refused, unreached, _ = (int(n) for n in counts)
    return f"{name:<72}{right + wrong:>9}{wrong:>7}{refused:>9}{unreached:>13}"


def _alone(cover: Cover) -> list[str]:
    head = f"{'option':<72}{'compared':>9}{'wrong':>7}{'refused':>9}{'not reached':>13}"
    return [head, *(_row(name, cover.alone[:, at]) for at, name in enumerate(cover.names))]


def _pairs(cover: Cover, has_every: bool) -> list[str]:
    """Return how many tables pairs have met, and the lines of all, or of those that are wrong, refused or few."""
    may, refused, counted = cover.may_be_pair, cover.refused_pairs(), cover.compared(cover.pairs)
    met = counted[may & ~refused]
    lines = [
        f"pairs: {len(met)}, each in {met.min(initial=PAIRS)} tables or more; {np.count_nonzero(met < PAIRS)} in "
        f"fewer than {PAIRS}; {np.count_nonzero(may & refused)} refused"
    ]
    pairs = np.argwhere(may)
    if not has_every:
        fewest = np.sort(counted[may])[: SHOWN + 1][-1]
        is_told = (cover.pairs[1] > 0) | refused | ((counted < PAIRS) & (counted < fewest))
        pairs = np.argwhere(may & is_told)
    return [*lines, *(_row(f"  {cover.names[i]} + {cover.names[j]}", cover.pairs[:, i, j]) for i, j in pairs)]


def _triples(cover: Cover) -> list[str]:
    counted, closed = cover.compared(cover.triples), cover.closed(cover.triples)
    may = cover.open_triples()
    met = counted[may & ~closed]
    lines = [
        f"triples: {len(met)} without a refused pair, each in {met.min(initial=TRIPLES)} tables or more; "
        f"{np.count_nonzero(met < TRIPLES)} in fewer than {TRIPLES}; the median is {np.median(met):.0f}"
    ]
    lacking = np.argwhere(may & ~closed & (counted < TRIPLES))
    fewest = lacking[np.argsort(counted[tuple(lacking.T)], kind="stable")][:10]
    for title, some in (("fewest", fewest), ("never compared", np.argwhere(may & closed))):
        for at in some.tolist():
            name = " + ".join(cover.names[number] for number in at)
            lines.append(_row(f"  {title}: {name}", cover.triples[:, *at]))
    return lines
