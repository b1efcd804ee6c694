"""A lesson of the tables of its file, or all that is wrong with them, each with its place."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_type_hints

from espalier.lessons.questions import KINDS, AnyQuestion
from espalier.lessons.record import Lesson, LessonStep, Link, Reveal

MOST_STEPS = 40
OF_LESSON = {
    "title": str,
    "teaches": str,
    "step": list,
    "minutes": int,
    "source": str,
    "number": int,
    "practice": str,
}
OF_STEP = {"title": str, "text": str, "link": str, "source": str, "question": dict, "reveal": dict, "change": str}
OF_REVEAL = {"text": str, "link": str, "change": str}
NEEDED = ("title", "text", "teaches", "step")
KIND_WORDS = {str: "a text in quotes", int: "a whole number", float: "a number", list: "a list", dict: "a table"}


class LessonError(ValueError):
    """A lesson that cannot be used; `problems` says why, each with its place."""

    def __init__(self, *problems: str):
        super().__init__("; ".join(problems))
        self.problems = problems


class Findings:
    """What is wrong with a lesson, as it is read."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def add(self, place: str, problem: str) -> None:
        """Note a problem with its place; an empty place is the lesson itself."""
        self.problems.append(f"{place or 'the lesson'} {problem}")

    def fields(self, table: Mapping[str, Any], kinds: Mapping[str, type], place: str) -> dict[str, Any]:
        """Return the fields of a table that are of their kinds; note the others, and those that are unknown."""
        for key in table.keys() - kinds.keys():
            near = difflib.get_close_matches(key, kinds, 1)
            self.add(place, f"has “{key[:40]}”, which means nothing{f'; did you mean {near[0]}?' if near else ''}")
        good = {}
        for key, kind in kinds.items():
            if key in table and _is(table[key], kind):
                good[key] = table[key]
            elif key in table:
                self.add(place, f"has a {key} that should be {KIND_WORDS[kind]}")
        return good

    def need(self, fields: Mapping[str, Any], keys: Iterable[str], place: str) -> None:
        """Note what is missing or empty."""
        for key in keys:
            if not fields.get(key):
                self.add(place, f"needs a {key}")


def lesson_of(tables: Mapping[str, Any]) -> Lesson:
    """Return the lesson of the tables of its file. Raises LessonError with all that is wrong."""
    findings = Findings()
    fields = findings.fields(tables, OF_LESSON, "")
    findings.need(fields, ("title", "teaches", "step"), "")
    raw = fields.pop("step", [])
    if len(raw) > MOST_STEPS:
        findings.add("", f"has {len(raw)} steps; a lesson has at most {MOST_STEPS}")
    steps = [_step(one, f"step {n}", findings) for n, one in enumerate(raw[:MOST_STEPS], 1)]
    if findings.problems:
        raise LessonError(*findings.problems)
    practice = Link.of(fields.pop("practice")) if "practice" in fields else None
    return Lesson(steps=tuple(steps), practice=practice, **fields)


def _step(table: Any, place: str, findings: Findings) -> LessonStep:
    fields = findings.fields(table if isinstance(table, dict) else {}, OF_STEP, place)
    findings.need(fields, ("title", "text", "link"), place)
    question = _question(fields["question"], f"{place}: the question", findings) if "question" in fields else None
    reveal = _reveal(fields["reveal"], f"{place}: the reveal", findings) if "reveal" in fields else None
    texts = {key: fields.get(key, "") for key in ("title", "text", "source")}
    texts["change"] = fields.get("change") or str(fields.get("reveal", {}).get("change", ""))
    return LessonStep(link=Link.of(fields.get("link", "")), question=question, reveal=reveal, **texts)


def _reveal(table: Mapping[str, Any], place: str, findings: Findings) -> Reveal:
    fields = findings.fields(table, OF_REVEAL, place)
    findings.need(fields, ("text",), place)
    return Reveal(fields.get("text", ""), Link.of(fields["link"]) if "link" in fields else None)


def _question(table: Mapping[str, Any], place: str, findings: Findings) -> AnyQuestion | None:
    kind = KINDS.get(str(table.get("kind")))
    if kind is None:
        findings.add(place, f"needs a kind: one of {', '.join(KINDS)}")
        return None
    own = dataclasses.fields(kind)
    hints = get_type_hints(kind)
    values = {key: value for key, value in table.items() if key != "kind"}
    fields = findings.fields(values, {one.name: _plain(hints[one.name]) for one in own}, place)
    needed = [one.name for one in own if one.default is dataclasses.MISSING]
    findings.need(dict.fromkeys(values, True), needed, place)
    if any(name not in fields for name in needed):
        return None
    try:
        question = kind(**{name: _made(hints[name], value) for name, value in fields.items()})
    except (TypeError, ValueError):
        findings.add(place, "has a list that should be one of numbers")
        return None
    for problem in question.problems():
        findings.add(place, problem)
    return question


def _plain(hint: Any) -> type:
    """The kind of a field's value in a file."""
    text = str(hint)
    return list if "tuple" in text else float if "float" in text else int if hint is int else str


def _made(hint: Any, value: Any) -> Any:
    """The value of a field, from that of the file."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(float(one) if "float" in str(hint) else str(one) for one in value)
    return value


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and not isinstance(value, bool)
