"""Questions of lessons: what is asked, which answers are right, and what is said of either.

An answer is a text, as it stands in an address: the number of a choice, a number, what a parameter of the page
says, or the heights of a sketch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class AnyQuestion(ABC):
    """A question, and what is said when it was answered."""

    kind: ClassVar[str]
    ask: str
    right: str
    wrong: str

    @abstractmethod
    def is_right(self, answer: str) -> bool:
        """Return whether the answer, a text of an address, is right; nonsense is wrong."""

    @abstractmethod
    def solution(self) -> str:
        """Return a right answer in words."""

    def wording(self, answer: str) -> str:
        """Return an answer as people read it."""
        return answer

    @abstractmethod
    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the question itself."""


@dataclass(frozen=True, kw_only=True)
class ChoiceQuestion(AnyQuestion):
    """One of a few sentences; answers count them from 1.

    >>> gini = ChoiceQuestion(ask="Which?", right="Yes.", wrong="No.", choices=("left", "right"), answer=2)
    >>> gini.is_right("2"), gini.is_right("1"), gini.solution()
    (True, False, 'right')
    """

    kind: ClassVar[str] = "choice"
    choices: tuple[str, ...]
    answer: int

    def is_right(self, answer: str) -> bool:
        """Return whether this is the right choice."""
        return answer == str(self.answer)

    def solution(self) -> str:
        """Return the right choice."""
        return self.choices[self.answer - 1]

    def wording(self, answer: str) -> str:
        """Return the choice of this number; the text itself where there is none."""
        number = whole_number(answer)
        return self.choices[number - 1] if number and 0 < number <= len(self.choices) else answer

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the choices."""
        if len(self.choices) < 2:
            yield f"has {len(self.choices)} choices; it needs at least two"
        if not 1 <= self.answer <= len(self.choices):
            yield f"has the answer {self.answer}, which is not among its {len(self.choices)} choices"
        if len(set(self.choices)) < len(self.choices):
            yield "has the same choice twice"


@dataclass(frozen=True, kw_only=True)
class NumberQuestion(AnyQuestion):
    """A number, written by the student; right within a tolerance.

    >>> NumberQuestion(ask="Gini?", right="Yes.", wrong="No.", answer=0.5, tolerance=0.01).is_right("0.505")
    True
    """

    kind: ClassVar[str] = "number"
    answer: float
    tolerance: float = 0.0

    def is_right(self, answer: str) -> bool:
        """Return whether the number is near enough; decimal commas are read, too."""
        value = number_of(answer)
        return value is not None and abs(value - self.answer) <= self.tolerance + 1e-9

    def solution(self) -> str:
        """Return the number."""
        return f"{self.answer:g}"

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the tolerance."""
        if self.tolerance < 0:
            yield f"has the tolerance {self.tolerance:g}; it should be at least 0"


@dataclass(frozen=True, kw_only=True)
class SliderQuestion(NumberQuestion):
    """A number on a slider from `low` to `high` in steps of `by`."""

    kind: ClassVar[str] = "slider"
    low: float = 0.0
    high: float
    by: float = 1.0

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the slider."""
        yield from super().problems()
        if self.by <= 0 or self.high <= self.low:
            yield "has a slider without length: high should be above low, and by above 0"
        if not self.low <= self.answer <= self.high:
            yield f"has the answer {self.answer:g}, which is not between {self.low:g} and {self.high:g}"


@dataclass(frozen=True, kw_only=True)
class PageQuestion(AnyQuestion):
    """Something to do on the page: click a node, move a control. What counts is a parameter of its address.

    >>> click = PageQuestion(ask="Click!", right="Yes.", wrong="No.", parameter="node", answers=("2",))
    >>> click.is_right("2"), click.is_right("")
    (True, False)
    >>> PageQuestion(ask="Drag!", right="Yes.", wrong="No.", parameter="depth", low=2, high=4).is_right("3")
    True
    """

    kind: ClassVar[str] = "page"
    parameter: str
    answers: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    unset: str = ""  # the answer of a page whose address does not have the parameter

    def is_right(self, answer: str) -> bool:
        """Return whether the parameter is one of the answers, or between the limits; an empty text is none."""
        value = number_of(answer)
        if self.low is None or self.high is None:
            return answer in self.answers
        return answer in self.answers or (value is not None and self.low <= value <= self.high)

    def solution(self) -> str:
        """Return the parameter and what it should be."""
        within = [] if self.low is None else [f"{self.low:g} – {self.high:g}"]
        return f"{self.parameter} = {', '.join([*self.answers, *within])}"

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the answers."""
        if not self.answers and (self.low is None or self.high is None):
            yield "has no answer: give answers, or low and high"


@dataclass(frozen=True, kw_only=True)
class SketchQuestion(AnyQuestion):
    """A curve, drawn by dragging the heights of a few points; right if it is near the true one on average."""

    kind: ClassVar[str] = "sketch"
    across: tuple[str, ...]  # of each point, the words below it
    answer: tuple[float, ...]
    high: float
    low: float = 0.0
    tolerance: float

    def is_right(self, answer: str) -> bool:
        """Return whether the heights are within the tolerance of the true ones, on average."""
        heights = heights_of(answer)
        if len(heights) != len(self.answer):
            return False
        return sum(abs(a - b) for a, b in zip(heights, self.answer, strict=True)) <= self.tolerance * len(heights)

    def solution(self) -> str:
        """Return the heights."""
        return " · ".join(f"{height:g}" for height in self.answer)

    def wording(self, answer: str) -> str:
        """Return the heights that were drawn."""
        return answer.replace("~", " · ")

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the points."""
        if len(self.across) != len(self.answer) or len(self.answer) < 2:
            n, m = len(self.across), len(self.answer)
            yield f"has {n} points across and {m} heights; it needs as many of both, two or more"
        if not all(self.low <= height <= self.high for height in self.answer):
            yield f"has heights that are not between {self.low:g} and {self.high:g}"


KINDS: dict[str, type[AnyQuestion]] = {
    kind.kind: kind for kind in (ChoiceQuestion, NumberQuestion, SliderQuestion, PageQuestion, SketchQuestion)
}


def number_of(text: str) -> float | None:
    """Return the number of a text; None for any other text.

    >>> number_of("0,5"), number_of("half"), number_of("nan")
    (0.5, None, None)
    """
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def whole_number(text: str) -> int | None:
    """Return the whole number of a text of at most nine digits; None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


def heights_of(text: str) -> list[float]:
    """Return the heights of a sketch; none if one of them is no number.

    >>> heights_of("0.5~1")
    [0.5, 1.0]
    """
    heights = [number_of(part) for part in text.split("~")]
    numbers = [height for height in heights if height is not None]
    return numbers if len(numbers) == len(heights) else []
