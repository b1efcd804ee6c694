"""A lesson and its steps, as records."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from espalier.lessons.questions import AnyQuestion

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
        given = dict(parse_qsl(parts.query, keep_blank_values=True))
        return cls(parts.path.strip("/"), {key: text for key, text in given.items() if key not in OUR_OWN})

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
