"""The player of a film, which runs in the browser alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streamlit.components.v2 import component

from pages.shared.canvas.assets import source
from pages.shared.canvas.scripts import loader

# Streamlit takes a text of one line for the name of a file: every part below has a newline.
_component = component(
    "espalier_player",
    html='<div class="espalier-player"></div>\n',
    css=source("player.css"),
    js=loader("player/main.js"),
)


def player_canvas(name: str, id: str, texts: Sequence[str], words: Mapping[str, str], *, channel: str) -> None:
    """Draw the player of the fold of this name on a channel (`views.boundaries.fold`).

    `texts` says of every step what it shows, from the single leaf on; `id` is that of the film, and `words` are
    what its buttons are called.
    """
    data = {"name": name, "id": id, "texts": list(texts), "words": dict(words), "channel": channel}
    _component(key=f"{channel} player", data=data, height="content")
