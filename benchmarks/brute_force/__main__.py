"""Every learner that proves or counts, against exhaustive search; run as `python -m benchmarks.brute_force`.

Tables of 8 to 20 rows are drawn with a few options at a time, those first that have met least. What the learner
says, its tree, its proof, its lists and counts, is compared with a search that tries every tree. The counts are
kept in a file, from which another run goes on. The exit code is 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.brute_force.cases import draw
from benchmarks.brute_force.compare import Verdict, compare
from benchmarks.brute_force.cover import Cover
from benchmarks.brute_force.options import BOTH
from benchmarks.brute_force.report import report

SAVED = 20.0  # seconds between two writes of the counts
FOLDER = Path(tempfile.gettempdir()) / "espalier-brute-force"


def try_tables(cover: Cover, seconds: float, tables: int | None = None) -> None:
    """Compare tables for some seconds, or so many of them, and count them."""
    began, cpu, saved, n = time.monotonic(), time.process_time(), time.monotonic(), 0
    while time.monotonic() - began < seconds and (tables is None or n < tables):
        options = cover.draw(np.random.default_rng([cover.seed, 1]))
        case = draw(cover.learner, options, cover.seed)
        try:
            verdict = compare(case)
        except Exception as error:  # whatever a learner raises that is no ValueError
            verdict = Verdict("wrong", f"raised {type(error).__name__}: {error}")
        cover.add(options, *verdict)
        if verdict.outcome == "wrong":
            print(f"WRONG: {verdict.reason}\n{case.as_code()}\n", flush=True)
        cover.seed, n = cover.seed + 1, n + 1
        if time.monotonic() - saved > SAVED:
            cover.save()
            saved = time.monotonic()
    cover.seconds += time.process_time() - cpu
    cover.save()


def again(text: str) -> int:
    """Compare one table once more: `learner;seed;option;option...`. Return the exit code."""
    learner, seed, *options = text.split(";")
    case = draw(learner, frozenset(options), int(seed))
    verdict = compare(case)
    print(f"{case.as_code()}\n\n{verdict.outcome} {verdict.reason}")
    return int(verdict.outcome == "wrong")


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
    learners, is_wrong = [options.only] if options.only else list(BOTH), False
    for learner in learners:
        path = options.out / f"{learner}.npz"
        if options.fresh:
            path.unlink(missing_ok=True)
        cover = Cover(learner, path)
        cover.seed = max(cover.seed, options.seed)
        if not options.report:
            try_tables(cover, 60 * options.minutes / len(learners), options.tables)
        print(report(cover, options.pairs), flush=True)
        is_wrong |= bool(cover.wrong)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
