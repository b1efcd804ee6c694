"""The HTML of pictures in a notebook, which asks for nothing from elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import NamedTuple

from espalier.display import ink, svg
from espalier.display.paper import escape

MARGIN = 8  # pixels of paper around a picture
SCHEMES = (
    "@media (prefers-color-scheme: dark) {.light {display: none}} "
    "@media not (prefers-color-scheme: dark) {.dark {display: none}}"
)
STYLE = "max-width: 100%; margin: 4px 8px 4px 0; vertical-align: top"
NO_ERROR = (  # of JupyterLab, for a widget that a saved notebook has no state of: the picture above stands for it
    "<style>.jp-OutputArea-child:has([data-espalier]) + .jp-OutputArea-child > .jupyter-widgets:not(:has(*))"
    " { display: none; }</style>"
)


class StaticPicture(NamedTuple):
    """A picture on light and on dark paper, with its sentence."""

    draw: Callable[[bool], str]  # SVG, for dark paper or light
    alt: str
    scale: float = 1.0


def figure(words: str, pictures: Iterable[StaticPicture], note: str) -> str:
    """Return the HTML of pictures below a line of words, with a note at the end if there is one."""
    below = f"<p><small>{escape(note)}</small></p>" if note else ""
    images = "".join(map(_image, pictures))
    return f'<figure style="margin: 0"><figcaption>{escape(words)}</figcaption>{images}{below}</figure>'


def behind_widget(html: str, uid: str) -> str:
    """Return the HTML of the picture that a widget with this name hides while it lives."""
    return f'<div data-espalier="{uid}">{html}</div>{NO_ERROR}'


def _image(picture: StaticPicture) -> str:
    """Return an image of both themes: one that notebooks show which do not trust what is drawn in them."""
    both = {theme: svg.Markup(picture.draw(theme == "dark")) for theme in ("light", "dark")}
    width, height = (side + 2 * MARGIN for side in _size(both["light"]))
    style = svg.element("style", svg.Markup(SCHEMES))
    inner = [_on_paper(drawn, theme, (width, height)) for theme, drawn in both.items()]
    data = base64.b64encode(svg.picture([style, *inner], (width, height)).encode()).decode()
    shown = f'width="{round(width * picture.scale)}" style="{STYLE}"'
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(picture.alt)}" {shown}>'


def _on_paper(drawn: svg.Markup, theme: str, size: tuple[float, float]) -> svg.Markup:
    paper = svg.rectangle((0, 0, *size), ink.PAPER[theme])
    moved = svg.element("g", drawn, transform=f"translate({MARGIN} {MARGIN})")
    return svg.element("g", paper, moved, **{"class": theme})


def _size(drawn: str) -> tuple[float, float]:
    """Return width and height of a picture in pixels, as it says itself."""
    box = drawn.split('viewBox="', 1)[1].split('"', 1)[0].split()
    return float(box[2]), float(box[3])
