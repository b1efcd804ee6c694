"""Every learner that proves or counts, against exhaustive search; run as `python -m benchmarks.brute_force`.

Tables of 8 to 20 rows are drawn with a few options at a time, those first that have met least. What the learner
says, its tree, its proof, its lists and counts, is compared with a search that tries every tree. The counts are
kept in a file, from which another run goes on; what was wrong is compared once more first. The exit code is 1
where anything is wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.brute_force.cases import Case, draw
from benchmarks.brute_force.compare import WRONG, Verdict, compare
from benchmarks.brute_force.cover import Cover
from benchmarks.brute_force.options import BOTH
from benchmarks.brute_force.report import report

SLICE, SAVED = 60.0, 20.0  # seconds of one learner before the other's, and between two writes of the counts
FOLDER = Path(tempfile.gettempdir()) / "espalier-brute-force"


def try_tables(cover: Cover, seconds: float, tables: float = math.inf) -> None:
    """Compare tables for some seconds, or so many of them, and count them."""
    began, cpu, saved, goal = time.monotonic(), time.process_time(), time.monotonic(), cover.seed + tables
    while time.monotonic() - began < seconds and cover.seed < goal:
        case = draw(cover.learner, cover.draw(np.random.default_rng([cover.seed, 1])), cover.seed)
        verdict = verdict_on(case)
        cover.add(case.seed, case.options, *verdict)
        if verdict.outcome == WRONG:
            print(f"WRONG: {verdict.reason}\n{case.as_code()}\n", flush=True)
        cover.seed += 1
        if time.monotonic() - saved > SAVED:
            cover.save()
            saved = time.monotonic()
    cover.seconds += time.process_time() - cpu
    cover.save()


def verdict_on(case: Case) -> Verdict:
    """Return what came of a table, whatever a learner raises."""
    try:
        return compare(case)
    except Exception as error:
        return Verdict(WRONG, f"raised {type(error).__name__}: {error}")


def retry(cover: Cover) -> None:
    """Compare once more the tables that were wrong when they were counted: learners may have been mended."""
    for wrong in list(cover.wrong):
        case = draw(cover.learner, frozenset(wrong.options), wrong.seed)
        verdict = verdict_on(case)
        if verdict.outcome != WRONG:
            cover.forget(wrong)
            cover.add(case.seed, case.options, *verdict)


def again(text: str) -> int:
    """Compare one table once more: `learner;seed;option;option...`. Return the exit code."""
    learner, seed, *options = text.split(";")
    case = draw(learner, frozenset(options), int(seed))
    verdict = verdict_on(case)
    print(f"{case.as_code()}\n\n{verdict.outcome} {verdict.reason}")
    return int(verdict.outcome == WRONG)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.brute_force", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0, help="how long, for all learners together")
    parser.add_argument("--tables", type=int, help="at most so many tables of each learner")
    parser.add_argument("--only", choices=BOTH, help="one learner")
    parser.add_argument(
        "--out", type=Path, default=FOLDER, help="folder of the counts, which another run goes on with"
    )
    parser.add_argument("--seed", type=int, default=0, help="first seed of counts that begin")
    parser.add_argument("--fresh", action="store_true", help="begin the counts anew")
    parser.add_argument("--report", action="store_true", help="print the counts that there are, and try nothing")
    parser.add_argument("--pairs", action="store_true", help="print a line for every pair of options")
    parser.add_argument("--again", metavar="LEARNER;SEED;OPTION;...", help="compare one table once more")
    options = parser.parse_args()
    if options.again:
        return again(options.again)
    learners = [options.only] if options.only else BOTH
    if options.fresh:
        for learner in learners:
            (options.out / f"{learner}.npz").unlink(missing_ok=True)
    covers = [Cover(learner, options.out / f"{learner}.npz", options.seed) for learner in learners]
    goals = [cover.seed + (options.tables or math.inf) for cover in covers]
    end = time.monotonic() + (0 if options.report else 60 * options.minutes)
    for cover in covers if not options.report else ():
        retry(cover)
    while (left := end - time.monotonic()) > 0 and any(
        c.seed < goal for c, goal in zip(covers, goals, strict=True)
    ):
        for cover, goal in zip(covers, goals, strict=True):
            try_tables(cover, min(SLICE, left / len(covers)), goal - cover.seed)
    for cover in covers:
        print(report(cover, options.pairs), flush=True)
    return int(any(cover.wrong for cover in covers))


if __name__ == "__main__":
    sys.exit(main())
