"""The player of a film, which runs in the browser alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pages.shared.app import pictures
from pages.shared.canvas.mount import mount

_component = mount("player")


class Panel(NamedTuple):
    """A picture of a film."""

    title: str
    width: int  # pixels
    svg: str  # this and what follows as in `espalier.display.svg.Reel`
    frames: Sequence[Sequence[str]]
    alts: Sequence[str]


def player_canvas(
    name: str,
    id: str,
    texts: Sequence[str],
    words: Mapping[str, str],
    *,
    channel: str,
    panels: Sequence[Panel] = (),
) -> None:
    """Draw the player of a film: of the fold of this name on a channel (`boundaries.surface.fold`), or of panels.

    `texts` says of every step what it shows; `id` is that of the film, and `words` are the names of its buttons.
    """
    data = {"name": name, "id": id, "texts": list(texts), "words": dict(words), "channel": channel}
    if panels:
        data["font"] = pictures.font()
    data["panels"] = [panel._asdict() for panel in panels]
    _component(data, key=f"{channel} player")
