"""Lessons: their records, how they are read from TOML in any language, and all that is wrong with their texts.

``lesson.toml`` has everything, ``lesson.de.toml`` the same tables with the texts in German: whatever is not a
text, such as links and right answers, stands in the first file only. What has no translation is shown in English.
Whether the pages of a lesson's links understand them, the app itself says (`pages/shared/lessons/opening.py`).
"""

from __future__ import annotations

import dataclasses
import difflib
import io
import re
import tomllib
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, get_type_hints
from urllib.parse import parse_qsl, urlencode, urlsplit

from espalier.lessons.questions import KINDS, AnyQuestion
from espalier.paths import ASSETS

OUR_OWN = ("lesson", "step", "answers", "by")  # parameters of the lesson itself


class Link(NamedTuple):
    """A page of the app and its settings."""

    page: str  # path of the page; empty for the Tree page
    parameters: dict[str, str]

    @classmethod
    def of(cls, address: str) -> Link:
        """Return the link of an address as the browser has it, with or without the server's name.

        >>> Link.of("http://localhost:8501/forests?data=moons&a-trees=20&step=3")
        Link(page='forests', parameters={'data': 'moons', 'a-trees': '20'})
        >>> Link.of("/?data=iris").page
        ''
        """
        parts = urlsplit(address.strip())
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        page = parts.path.strip("/")
        if page == "lessons" and query.get("view") == PRACTICE:  # where the exercises stood once
            page = query.pop("view")
        return cls(page, {key: text for key, text in query.items() if key not in OUR_OWN})

    def address(self) -> str:
        """Return the link without a server's name.

        >>> Link("forests", {"data": "two moons"}).address()
        '/forests?data=two+moons'
        """
        return f"/{self.page}" + (f"?{urlencode(self.parameters)}" if self.parameters else "")


class Reveal(NamedTuple):
    """The answer: what it says, and the page that shows it, if that is another than the step's."""

    text: str
    link: Link | None = None


class LessonStep(NamedTuple):
    """A moment of a lesson: a page of the app, and what is said and asked beside it. Texts are Markdown."""

    title: str
    text: str
    link: Link
    source: str = ""
    question: AnyQuestion | None = None
    reveal: Reveal | None = None
    change: str = ""  # what to try then

    def links(self) -> list[Link]:
        """Return the links of the step and of its answer."""
        return [self.link, *([self.reveal.link] if self.reveal and self.reveal.link else [])]


class Lesson(NamedTuple):
    """A path of steps."""

    title: str
    teaches: str
    steps: tuple[LessonStep, ...]
    minutes: int = 0
    source: str = ""
    number: int = 0  # its place among the others; 0: after those that have one
    practice: Link | None = None  # exercises that fit it, on the page of lessons


# ---- a lesson of the tables of its file, or all that is wrong with them, each with its place

MOST_STEPS = 40
LESSON_FIELDS = {
    "title": str,
    "teaches": str,
    "step": list,
    "minutes": int,
    "source": str,
    "number": int,
    "practice": str,
}
STEP_FIELDS = {
    "title": str,
    "text": str,
    "link": str,
    "source": str,
    "question": dict,
    "reveal": dict,
    "change": str,
}
REVEAL_FIELDS = {"text": str, "link": str, "change": str}
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
            own = int | float if kind is float else kind
            if key in table and isinstance(table[key], own) and not isinstance(table[key], bool):
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
    fields = findings.fields(tables, LESSON_FIELDS, "")
    findings.need(fields, ("title", "teaches", "step"), "")
    raw = fields.pop("step", [])
    if len(raw) > MOST_STEPS:
        findings.add("", f"has {len(raw)} steps; a lesson has at most {MOST_STEPS}")
    steps = [_step(step, f"step {n}", findings) for n, step in enumerate(raw[:MOST_STEPS], 1)]
    if findings.problems:
        raise LessonError(*findings.problems)
    practice = Link.of(fields.pop("practice")) if "practice" in fields else None
    return Lesson(steps=tuple(steps), practice=practice, **fields)


def _step(table: Any, place: str, findings: Findings) -> LessonStep:
    fields = findings.fields(table if isinstance(table, dict) else {}, STEP_FIELDS, place)
    findings.need(fields, ("title", "text", "link"), place)
    question = _question(fields["question"], f"{place}: the question", findings) if "question" in fields else None
    reveal = None
    if "reveal" in fields:
        answer = findings.fields(fields["reveal"], REVEAL_FIELDS, f"{place}: the reveal")
        findings.need(answer, ("text",), f"{place}: the reveal")
        reveal = Reveal(answer.get("text", ""), Link.of(answer["link"]) if "link" in answer else None)
    texts = {key: fields.get(key, "") for key in ("title", "text", "source")}
    texts["change"] = fields.get("change") or str(fields.get("reveal", {}).get("change", ""))
    return LessonStep(link=Link.of(fields.get("link", "")), question=question, reveal=reveal, **texts)


def _question(table: Mapping[str, Any], place: str, findings: Findings) -> AnyQuestion | None:
    kind = KINDS.get(str(table.get("kind")))
    if kind is None:
        findings.add(place, f"needs a kind: one of {', '.join(KINDS)}")
        return None
    own = dataclasses.fields(kind)
    hints = get_type_hints(kind)
    values = {key: value for key, value in table.items() if key != "kind"}
    fields = findings.fields(values, {field.name: _plain(hints[field.name]) for field in own}, place)
    mandatory = [field.name for field in own if field.default is dataclasses.MISSING]
    findings.need(dict.fromkeys(values, True), mandatory, place)
    if any(name not in fields for name in mandatory):
        return None
    try:
        question = kind(**{name: _field_value(hints[name], value) for name, value in fields.items()})
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


def _field_value(hint: Any, value: Any) -> Any:
    """The value of a field, from that of the file."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(float(item) if "float" in str(hint) else str(item) for item in value)
    return value


# ---- the files

BUNDLED = ASSETS / "lessons"
FILE, LANGUAGE_OF = "lesson.toml", {"lesson.toml": "en", "lesson.de.toml": "de"}
MOST_BYTES = 200_000  # of a file


def names() -> list[str]:
    """Return the names of the bundled lessons, which are those of their folders, in the order of a course.

    A lesson that cannot be read, since a teacher is at it, is the last.
    """
    lessons = [path.parent.name for path in BUNDLED.glob(f"*/{FILE}")]
    return sorted(lessons, key=lambda name: (_number(name) or 10**6, name))


def _number(name: str) -> int:
    try:
        return lesson_in(from_folder(BUNDLED / name)).number
    except LessonError:
        return 0


def from_folder(folder: Path) -> dict[str, str]:
    """Return the texts of a lesson's folder, or of one file, by language. Raises LessonError if it is none."""
    if folder.is_file():
        return from_text(folder.read_bytes())
    texts = {language: folder / name for name, language in LANGUAGE_OF.items() if (folder / name).is_file()}
    if "en" not in texts:
        raise LessonError(f"there is no {FILE} in {folder.name}")
    return {language: _decode(path.read_bytes(), path.name) for language, path in texts.items()}


def from_text(content: bytes) -> dict[str, str]:
    """Return the texts of a lesson of one file, by language. Raises LessonError for what is no text."""
    return {"en": _decode(content, FILE)}


def from_zip(content: bytes) -> dict[str, str]:
    """Return the texts of a packed folder, by language. Raises LessonError for what is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {PurePosixPath(member.filename).name: member for member in archive.infolist()}
            files = {language: members[name] for name, language in LANGUAGE_OF.items() if name in members}
            if any(member.file_size > MOST_BYTES for member in files.values()):
                raise LessonError(f"a file of a lesson should have at most {MOST_BYTES // 1000} kB")
            texts = {
                language: _decode(archive.read(member), member.filename) for language, member in files.items()
            }
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError) as wrong:
        raise LessonError(f"the packed file cannot be opened: {wrong}") from None
    if "en" not in texts:
        raise LessonError(f"there is no {FILE} in the packed file")
    return texts


def lesson_in(texts: Mapping[str, str], language: str = "en") -> Lesson:
    """Return the lesson of these texts in a language; what is not translated is English.

    Raises LessonError, whose `problems` are all that is wrong with it.
    """
    tables = tables_of(texts["en"])
    return lesson_of(
        translate_tables(tables, tables_of(texts[language], language)) if language in texts else tables
    )


def translate_tables(tables: Any, translated: Any) -> Any:
    """Return the tables of a lesson with the texts of another language; links stay, as all that is no text.

    >>> english = {"title": "Tree", "step": [{"link": "/"}]}
    >>> translate_tables(english, {"title": "Baum", "step": [{"link": "/data"}]})
    {'title': 'Baum', 'step': [{'link': '/'}]}
    """
    if isinstance(tables, dict) and isinstance(translated, dict):
        return {
            key: part if key in TECHNICAL or key not in translated else translate_tables(part, translated[key])
            for key, part in tables.items()
        }
    if isinstance(tables, list) and isinstance(translated, list):
        translations = [*translated, *tables[len(translated) :]]
        return [translate_tables(part, other) for part, other in zip(tables, translations, strict=False)]
    return translated if isinstance(tables, str) and isinstance(translated, str) else tables


TECHNICAL = ("link", "practice", "kind", "parameter", "answers", "unset")  # texts that no language changes


def _decode(content: bytes, name: str) -> str:
    if len(content) > MOST_BYTES:
        raise LessonError(f"a file of a lesson should have at most {MOST_BYTES // 1000} kB")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise LessonError(f"{name} should be text in UTF-8") from None


def tables_of(text: str, language: str = "en") -> dict[str, Any]:
    """Return the tables of a lesson's file. Raises LessonError for what is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        file = next(name for name, code in LANGUAGE_OF.items() if code == language)
        raise LessonError(f"{file} is no TOML: {wrong}") from None


# ---- all that is wrong with a lesson's texts: what does not read, is too long, or is not translated

MOST_WORDS = 80
PRACTICE = "practice"  # path of the page that has the exercises
NOT_TRANSLATED = "is not translated"
BRACKETS = ("](", "<", "![")  # a lesson has no links to elsewhere, pictures and HTML


def problems_of(texts: Mapping[str, str], pages: Collection[str]) -> list[str]:
    """Return what is wrong with a lesson, its texts by language, in an app with pages of these paths.

    >>> problems_of({"en": 'title = "Trees"'}, ["", "forests"])
    ['the lesson needs a teaches', 'the lesson needs a step']
    """
    try:
        lesson = lesson_in(texts)
    except LessonError as wrong:
        return list(wrong.problems)
    problems = [*_lesson_problems(lesson, pages)]
    for language in sorted(texts.keys() - {"en"}):
        problems += _translation_problems(texts, language)
    return problems


def _lesson_problems(lesson: Lesson, pages: Collection[str]) -> Iterator[str]:
    for n, step in enumerate(lesson.steps, 1):
        for link in step.links():
            if link.page not in pages:
                there = ", ".join(f"/{page}" for page in sorted(pages))
                yield f"step {n} leads to a page “{link.page[:40]}”; there are {there}"
        yield from (f"step {n}: {problem}" for problem in _word_problems(step))
    if lesson.practice and lesson.practice.page != PRACTICE:
        yield f"practice leads to a page “{lesson.practice.page[:40]}”; it should be /{PRACTICE}?kinds=…"


def _word_problems(step: LessonStep) -> Iterator[str]:
    for name, text in texts_of(step).items():
        if (n := n_words(text)) > MOST_WORDS:
            yield f"{name} has {n} words; at most {MOST_WORDS} are read"
        if any(mark in text for mark in BRACKETS):
            yield f"{name} has a link, a picture or HTML, which lessons do not show"


def texts_of(step: LessonStep) -> dict[str, str]:
    """Return the texts of a step that are read at once, by their names in the file."""
    texts = {"text": step.text, "change": step.change}
    if step.reveal:
        texts["reveal"] = step.reveal.text
    if step.question:
        texts["question"] = step.question.ask
    return texts


def n_words(text: str) -> int:
    """Return the number of words; a formula counts as one.

    >>> n_words("The gini is $2 p (1 - p)$ here.")
    5
    """
    return len(re.findall(r"\S+", re.sub(r"\$[^$]*\$", "x", text)))


def _translation_problems(texts: Mapping[str, str], language: str) -> Iterator[str]:
    try:
        lesson_in(texts, language)
    except LessonError as wrong:
        yield from (f"{language}: {problem}" for problem in wrong.problems)
        return
    yield from (
        f"{language}: {place} {NOT_TRANSLATED}"
        for place in _lacking(tables_of(texts["en"]), tables_of(texts[language]), "")
    )


def _lacking(original: Any, translated: Any, place: str) -> Iterator[str]:
    """Yield the places of texts that another language lacks."""
    if isinstance(original, dict):
        there = translated if isinstance(translated, dict) else {}
        for key, part in original.items():
            if key not in TECHNICAL:
                yield from _lacking(part, there.get(key), f"{place} {key}".strip())
    elif isinstance(original, list):
        there = translated if isinstance(translated, list) else []
        for n, part in enumerate(original):
            yield from _lacking(part, there[n] if n < len(there) else None, f"{place} {n + 1}")
    elif isinstance(original, str) and re.search(r"[^\W\d_]{2}", original) and not isinstance(translated, str):
        yield place
