"""The link to a page, also as a QR code and as a frame; of a class that works with one server, under its name."""

from __future__ import annotations

import importlib
import io
import platform
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.language import LANGUAGES, spoken
from espalier.settings import ROOM
from pages.shared.app import address, embedding, language, pictures
from pages.shared.app.frame import callback, guarded
from pages.shared.words import lecture as words

WIDTH = 300  # pixels of the code: to be read from the back of a room, one zooms in
LANGUAGE = "language-picker"  # key of the widget
SHARE = "share"  # key of the drawer
WITHOUT_RAIL = ("data", "hesitation", "basics", "lessons")
LONGEST = 600  # characters of a link that a camera still reads


def top_of_rail() -> DeltaGenerator | None:
    """Place at the top of the rail, which `draw` fills when the page has run; None where there is no class."""
    return st.sidebar.container() if ROOM else None


@guarded
def draw(top: DeltaGenerator | None, path: str = "", url: str | None = None) -> None:
    """Draw the link to a page as it is by now: under the name of the class, or at the foot of rail or page.

    `path` is that of the page, `url` its address where that is not the browser's.
    """
    url = url or st.context.url
    if not url or embedding.is_on():
        return
    has_rail = path not in WITHOUT_RAIL
    foot = st.sidebar if has_rail else st.container()
    place, name, help_ = (top, ROOM, None) if top is not None else (foot, words.SHARE, words.SHARE_HELP)
    width = "stretch" if has_rail or top is not None else "content"
    popover = place.popover(
        name, icon=":material/qr_code_2:", width=width, help=help_, key=SHARE, on_change="rerun"
    )
    if popover.open:
        with popover:
            _pick_language()
            _share(link(url, st.query_params.to_dict(), platform.node()), embedding.FIGURES.get(path, ()))


def is_open() -> bool:
    """Whether the page shows its link."""
    return bool(st.session_state.get(SHARE))


def _pick_language() -> None:
    st.session_state[LANGUAGE] = spoken()
    st.segmented_control(
        words.LANGUAGE, list(LANGUAGES), key=LANGUAGE, format_func=LANGUAGES.__getitem__, required=True,
        on_change=callback(_take_language),
    )  # fmt: skip


def _take_language() -> None:
    address.keep()
    language.choose(st.session_state[LANGUAGE])


def _share(address: str, figures: Sequence[str]) -> None:
    st.caption(words.HERE)
    svg = code(address)
    if svg:
        pictures.show(svg, words.code_of(address), WIDTH)
    elif svg is None:
        st.caption(words.NO_CODE)
    st.code(address, language=None, wrap_lines=True)
    if _is_here(urlsplit(address).hostname or ""):
        st.caption(words.NOT_OUTSIDE)
    st.caption(words.frame(figures))
    st.code(embedding.frame_of(address), language="html", wrap_lines=True)
    st.caption(words.KEYS)


def link(url: str, query: Mapping[str, str], machine: str) -> str:
    """Address by which others open a page as it is here: the machine's name stands in place of localhost.

    >>> link("http://localhost:8501/forests", {"data": "two moons"}, "trees")
    'http://trees:8501/forests?data=two+moons'
    >>> link("https://trees.school.example/", {}, "trees")
    'https://trees.school.example/'
    """
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    host = f"{machine}{port}" if machine and _is_here(parts.hostname or "") else parts.netloc
    return urlunsplit(parts._replace(netloc=host, query=urlencode(query)))


def code(address: str) -> str | None:
    """QR code of an address as SVG; None without the package that draws it, empty where it would be too fine."""
    try:
        segno = importlib.import_module("segno")
    except ImportError:
        return None
    if len(address) > LONGEST:
        return ""
    svg = io.BytesIO()
    segno.make(address, error="l", micro=False).save(svg, "svg", xmldecl=False, omitsize=True, light="#fff")
    return svg.getvalue().decode()


def _is_here(host: str) -> bool:
    """Whether only this machine finds itself by the name."""
    return host == "localhost" or host.startswith("127.") or host == "::1"
