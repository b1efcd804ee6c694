"""Kinds of exercises, series of them that a seed decides, and the files of results that a teacher collects.

A file has a digest of its content, and its right answers are checked anew when it is read: one that was changed by
hand shows it. Neither proves who answered, nor with what help; a person who writes the digest anew goes unseen,
but can only have changed answers, names and times, not what is right.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from espalier.display.tables import to_csv
from espalier.language import Refusal, say
from espalier.practice import forests, impurities, trees
from espalier.practice.exercises import Exercise, draw_exercise, verdict

KINDS: dict[str, Callable[[random.Random, int], Exercise | None]] = {
    "impurity": impurities.impurity,
    "gain": impurities.gain,
    "split": impurities.split,
    "node": trees.node,
    "route": trees.route,
    "region": trees.region,
    "surface": trees.surface,
    "drawing": trees.drawing,
    "pruning": impurities.pruning,
    "errors": forests.errors,
    "surrogate": forests.surrogate,
    "votes": forests.votes,
    "variance": forests.variance,
}
LEVELS = (1, 2, 3)


def exercise(kind: str, level: int, seed: int) -> Exercise:
    """Return the exercise of a kind, a level from 1 to 3, and a seed: the same ones give the same exercise.

    Raises ValueError for another kind or level.

    >>> str(exercise("impurity", 1, 0).ask)
    'A node has these rows. How large is its gini?'
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r} of exercise; there are {', '.join(KINDS)}")
    if level not in LEVELS:
        raise ValueError(f"the level is {level}; it must be 1, 2 or 3")
    return draw_exercise(KINDS[kind], level, f"{kind} {level} {seed}")


def series(kinds: Sequence[str], seed: int, n: int = 10) -> list[str]:
    """Return the kinds of n exercises in a row: each kind as often as the others, but for one.

    >>> sorted(series(["gain", "votes"], 7, 4))
    ['gain', 'gain', 'votes', 'votes']
    """
    draw, order = random.Random(f"series {seed}"), sorted(kinds, key=list(KINDS).index)
    deal: list[str] = []
    while len(deal) < n:
        draw.shuffle(order)
        deal += order
    return deal[:n]


# ---- files of results: what a student answered, as small JSON files that a teacher collects

FORMAT = "espalier practice 1"
MOST_BYTES, MOST_ANSWERS, LONGEST = 100_000, 500, 100  # of a file, in it, and of a text in it
LARGEST_SEED = 10**9


class GivenAnswer(NamedTuple):
    """What was answered to an exercise."""

    kind: str
    level: int
    seed: int
    answer: str  # as typed, or the place of a choice
    is_right: bool
    seconds: float  # from the sight of the exercise to the answer


class PracticeResult(NamedTuple):
    """The answers of a student, and whether the file is as it was written."""

    name: str
    answers: tuple[GivenAnswer, ...]
    is_whole: bool = True


def to_json(name: str, answers: Iterable[GivenAnswer]) -> str:
    """Return the file of a student's answers.

    >>> read(to_json("Ada", [GivenAnswer("variance", 1, 3, "0", False, 12)]).encode()).name
    'Ada'
    """
    content = {"format": FORMAT, "name": name[:LONGEST], "answers": [answer._asdict() for answer in answers]}
    return json.dumps(content | {"digest": digest(content)}, indent=1, ensure_ascii=False)


def digest(content: dict[str, Any]) -> str:
    """Return a fingerprint of a file's content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def read(content: bytes) -> PracticeResult:
    """Return the result of a file; answers are checked anew. Raises Refusal for what is no such file."""
    if len(content) > MOST_BYTES:
        raise Refusal("a file of results has at most {n} kB", n=MOST_BYTES // 1000)
    try:
        data = json.loads(content)
        if data["format"] != FORMAT or len(data["answers"]) > MOST_ANSWERS:
            raise ValueError
        own_digest = data.pop("digest", "")
        answers = [_answer(answer) for answer in data["answers"]]
        name = str(data["name"])[:LONGEST]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refusal("this is no file of results: take one as Practice saves it") from None
    true_answers = tuple(answer._replace(is_right=is_right(answer)) for answer in answers)
    return PracticeResult(name, true_answers, own_digest == digest(data) and true_answers == tuple(answers))


def _answer(data: dict[str, Any]) -> GivenAnswer:
    answer = GivenAnswer(**data)
    fits = answer.kind in KINDS and answer.level in LEVELS and isinstance(answer.is_right, bool)
    numbers = (
        isinstance(answer.seed, int) and isinstance(answer.level, int) and isinstance(answer.seconds, int | float)
    )
    if not (fits and numbers and isinstance(answer.answer, str) and 0 <= answer.seed <= LARGEST_SEED):
        raise ValueError
    return answer


def is_right(answer: GivenAnswer) -> bool:
    """Return whether an answer is right, whatever its file says."""
    return verdict(exercise(answer.kind, answer.level, answer.seed), answer.answer[:LONGEST]).is_right


def table(results: Sequence[PracticeResult]) -> pd.DataFrame:
    """Return who answered how much right, (n_results, 5 + kinds in use): for each kind "right of answered"."""
    kinds = [kind for kind in KINDS if any(answer.kind == kind for result in results for answer in result.answers)]
    return pd.DataFrame([_row(result, kinds) for result in results])


def _row(result: PracticeResult, kinds: Sequence[str]) -> dict[str, object]:
    answers = result.answers
    row: dict[str, object] = {
        say("name"): result.name,
        say("right answers"): sum(answer.is_right for answer in answers),
        say("answers"): len(answers),
        say("minutes"): round(sum(answer.seconds for answer in answers) / 60, 1),
        say("file"): say("as it was written") if result.is_whole else say("changed"),
    }
    for kind in kinds:
        own = [answer.is_right for answer in answers if answer.kind == kind]
        row[kind] = f"{sum(own)} / {len(own)}" if own else "–"
    return row


# ---- the command ``espalier practice collect``: one table of many files of results

FINE, WRONG = 0, 1  # exit codes


def main(arguments: Sequence[str]) -> int:
    """Write the table as CSV, and what is wrong with files as errors; 1 if a file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="espalier practice collect",
        description="Put files of results of practice into one table, written as CSV: who answered what.",
    )
    parser.add_argument("files", nargs="+", type=Path, help="files that students saved")
    results: list[PracticeResult] = []
    n_refused = 0
    for path in parser.parse_args(arguments).files:
        try:
            results.append(read(path.read_bytes()))
        except (Refusal, OSError) as wrong:
            n_refused += 1
            print(f"{path}: {wrong}", file=sys.stderr)
    if results:
        print(to_csv(table(results)), end="")
    return WRONG if n_refused else FINE
