"""Files of results: what a student answered, as small JSON files that a teacher collects.

A file has a digest of its content, and its right answers are checked anew when it is read: one that was changed by
hand shows it. Neither proves who answered, nor with what help; a person who writes the digest anew goes unseen,
but can only have changed answers, names and times, not what is right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pandas as pd

from espalier.language import Refusal, say
from espalier.practice.exercise import verdict
from espalier.practice.kinds import KINDS, LEVELS, exercise

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
        given = json.loads(content)
        if given["format"] != FORMAT or len(given["answers"]) > MOST_ANSWERS:
            raise ValueError
        said = given.pop("digest", "")
        answers = [_answer(one) for one in given["answers"]]
        name = str(given["name"])[:LONGEST]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refusal("this is no file of results: take one as Practice saves it") from None
    checked = tuple(one._replace(is_right=is_right(one)) for one in answers)
    return PracticeResult(name, checked, said == digest(given) and checked == tuple(answers))


def _answer(given: dict[str, Any]) -> GivenAnswer:
    one = GivenAnswer(**given)
    fits = one.kind in KINDS and one.level in LEVELS and isinstance(one.is_right, bool)
    numbers = isinstance(one.seed, int) and isinstance(one.level, int) and isinstance(one.seconds, int | float)
    if not (fits and numbers and isinstance(one.answer, str) and 0 <= one.seed <= LARGEST_SEED):
        raise ValueError
    return one


def is_right(answer: GivenAnswer) -> bool:
    """Return whether an answer is right, whatever its file says."""
    return verdict(exercise(answer.kind, answer.level, answer.seed), answer.answer[:LONGEST]).is_right


def table(results: Sequence[PracticeResult]) -> pd.DataFrame:
    """Return who answered how much right, (n_results, 5 + kinds in use): for each kind "right of answered"."""
    used = [kind for kind in KINDS if any(one.kind == kind for result in results for one in result.answers)]
    return pd.DataFrame([_row(result, used) for result in results])


def _row(result: PracticeResult, kinds: Sequence[str]) -> dict[str, object]:
    answers = result.answers
    row: dict[str, object] = {
        say("name"): result.name,
        say("right answers"): sum(one.is_right for one in answers),
        say("answers"): len(answers),
        say("minutes"): round(sum(one.seconds for one in answers) / 60, 1),
        say("file"): say("as it was written") if result.is_whole else say("changed"),
    }
    for kind in kinds:
        own = [one.is_right for one in answers if one.kind == kind]
        row[kind] = f"{sum(own)} / {len(own)}" if own else "–"
    return row
