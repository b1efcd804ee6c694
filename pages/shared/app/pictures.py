"""Pictures on a page. SVG is an image, since Streamlit strips it from HTML; what is in an image can do nothing."""

from __future__ import annotations

import base64
import functools
import html
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from espalier.data.dataset import Dataset
from espalier.display.parts import Picture
from espalier.forests import surfaces
from espalier.inert import legible
from espalier.language import english, say
from espalier.paths import ASSETS
from pages.shared.app.frame import is_dark

LEGIBLE = 0.92  # of its own size, at least, for letters of 11 pixels: on a phone it scrolls instead (frame.css)
PHONE = 256  # pixels of the narrowest page, without its margins
NARROW = '<div class="espalier-picture">'
VIEW_BOX = re.compile(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+)')
LONGEST_NAME = 40  # letters of a name of a file
MIMES = {"svg": "image/svg+xml", "csv": "text/csv"}
NO_BAR = {"displayModeBar": False}
SAVE_BAR = {"displaylogo": False, "modeBarButtons": [["toImage"]]}


def _wide() -> str:
    """Beginning of the box of a picture that keys scroll."""
    return f'<div class="espalier-picture" tabindex="0" role="group" aria-label="{say("Picture that scrolls")}">'


def draw(picture: Picture, width: int, file: str = "") -> None:
    """Draw a part as SVG, at most so many pixels wide, in the page's colours; a button saves it as this `file`."""
    show(picture.draw(is_dark()), picture.alt, width)
    if file:
        save(picture.draw(False), file)


def thumbnail(picture: Picture, width: int) -> None:
    """Draw a part as SVG that never scrolls: elsewhere on the page it is seen in full size."""
    image = _image(picture.draw(is_dark()), picture.alt, width)
    st.html(f"<div>{image}</div>")


def plot(picture: Picture, key: str, bar: dict[str, Any] = SAVE_BAR) -> None:
    """Draw a part as a figure of Plotly, with a bar that saves it, or another one.

    It is drawn for a light page; on a dark one the browser gives it that page's colours (`ink.style_of_figures`),
    but for cells of a heatmap, which are pixels there.
    """
    figure = picture.draw(False)
    if is_dark() and any(trace.type == "heatmap" for trace in figure.data):
        figure = picture.draw(True)
    st.plotly_chart(figure, theme=None, key=key, config=bar, alt=picture.alt)


def show(svg: str, alt: str, width: int) -> None:
    """The picture, at most so many pixels wide, with words for those who do not see it."""
    box = VIEW_BOX.search(svg)
    least = LEGIBLE * float(box[1]) if box else 0.0
    image = _image(svg, alt, width, f"; --least: {least:.0f}px")
    st.html(f"{_wide() if least > PHONE else NARROW}{image}</div>")


def _image(svg: str, alt: str, width: int, more: str = "") -> str:
    # On the stage of a lecture it is larger.
    style = f"width: 100%; max-width: calc({width}px * var(--espalier-letters, 1)); height: auto{more}"
    return f'<img alt="{html.escape(legible(alt))}" style="{style}" src="{as_address(svg)}">'


def legend(data: Dataset, alt: str) -> None:
    """The legend of surfaces: of many classes some, and all of them where a person opens the list."""
    show(surfaces.legend(data, is_dark()), alt, surfaces.LEGEND)
    if len(data.classes) > surfaces.LIST:
        with st.expander(say("All {n} classes", n=len(data.classes))):
            show(surfaces.legend(data, is_dark(), len(data.classes)), alt, surfaces.LEGEND)


def as_address(svg: str) -> str:
    """The picture as an address that holds all of it, with the page's font."""
    return f"data:image/svg+xml;base64,{_packed(svg.replace('>', f'>{font()}', 1).encode())}"


@functools.cache
def font() -> str:
    """The style that gives a picture the page's font, since an image sees none of the page around it."""
    packed = _packed((ASSETS / "font" / "figures.woff2").read_bytes())
    source = f"url(data:font/woff2;base64,{packed})"
    return f"<style>@font-face{{font-family:'Source Sans';font-weight:400 700;src:{source}}}</style>"


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode()


def file_name(text: str) -> str:
    """The text as the name of a file: its letters and digits, joined by hyphens."""
    return "-".join(re.findall(r"[^\W_]+", text.lower()))[:LONGEST_NAME].strip("-") or "data"


def save(data: str | Callable[[], str], name: str) -> None:
    """A small button that saves the text as a file of this name; a function writes it only when it is pressed.

    Tables are written in English, for programs.
    """
    ending = name.rsplit(".", 1)[-1]
    data = english()(data) if ending == "csv" and not isinstance(data, str) else data
    st.download_button(
        ending.upper(), data, name, MIMES[ending], on_click="ignore", key=f"save {name}", type="tertiary",
        icon=":material/download:",
    )  # fmt: skip
