"""The pictures of a film: one text for all of its steps, and what differs from step to step."""

from __future__ import annotations

from typing import NamedTuple


class Reel(NamedTuple):
    """A picture of a film, which a browser draws by itself."""

    svg: str  # with {0}, {1}, … where steps differ
    frames: list[list[str]]  # by step, the text at each of these places
    alts: list[str]  # by step, the picture in a sentence

    def frame(self, step: int) -> str:
        """Return the SVG of a step.

        >>> Reel("<title>Step {0}</title>", [["1"], ["2"]], ["", ""]).frame(1)
        '<title>Step 2</title>'
        """
        svg = self.svg
        for number, part in enumerate(self.frames[step]):
            svg = svg.replace(place(number), part)
        return svg


def place(number: int) -> str:
    """Return the mark of a place in the text of a reel: what differs from step to step stands there."""
    return f"{{{number}}}"
