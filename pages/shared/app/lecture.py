"""The link to a page, also as a QR code and as a frame; of a class that works with one server, under its name."""

from __future__ import annotations

import importlib.util
import io
import platform
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from espalier.display.text.trees import join
from espalier.language import LANGUAGES, say, spoken
from espalier.servers import is_local
from espalier.settings import ROOM
from pages.shared.app import address, frame, language, pictures
from pages.shared.app.frame import callback, guarded
from pages.shared.canvas import components

WIDTH = 300  # pixels of the code: to be read from the back of a room, one zooms in
LANGUAGE = "language-picker"  # key of the widget
SHARE = "share"  # key of the drawer
EVERYWHERE = (None, "", "0.0.0.0", "::")  # addresses of a server that listens to all
LONGEST = 600  # characters of a link that a camera still reads


class Listener(NamedTuple):
    """Where the server listens, and the names by which other machines find it."""

    address: str | None  # of `server.address`; None or "": all that the machine has
    port: int
    machine: str  # name of the machine
    name: str = ""  # of `browser.serverAddress`, where that is given


@guarded
def draw(place: DeltaGenerator, path: str = "", url: str | None = None) -> None:
    """Draw the link to a page as it is by now into its place in the bar, under the name of the class if any.

    `path` is that of the page, `url` its address where that is not the browser's.
    """
    url = url or st.context.url
    if not url or frame.is_embedded():
        return
    name, icon = ROOM or say("Share"), ":material/co_present:"
    words = None if ROOM else say("Language, presenting, and the link to this page: QR code and frame.")
    popover = place.popover(name, icon=icon, help=words, key=SHARE, on_change="rerun")
    if popover.open:
        with popover:
            st.session_state[LANGUAGE] = spoken()
            st.segmented_control(
                say("Language"), list(LANGUAGES), key=LANGUAGE, format_func=LANGUAGES.__getitem__, required=True,
                on_change=callback(_take_language),
            )  # fmt: skip
            st.button(
                say("Present"), icon=":material/slideshow:", on_click=callback(_present),
                help=say("Key P enters and leaves; Page Up and Down turn pages, L is a light."),
            )  # fmt: skip
            _share(url, frame.FIGURES.get(path, ()))


def _take_language() -> None:
    address.keep()
    language.choose(st.session_state[LANGUAGE])


def _present() -> None:
    # The drawer would hide figures. The link stays as it is: a class that opens it does not want the stage.
    st.session_state.update({SHARE: False, components.ENTERED: st.session_state.get(components.ENTERED, 0) + 1})


def _share(url: str, figures: Sequence[str]) -> None:
    server = listener()
    address = link(url, st.query_params.to_dict(), server)
    opens_elsewhere = host_elsewhere(url, server) is not None
    svg = code(address) if opens_elsewhere else None
    if svg:
        pictures.show(svg, say("QR code of {link}", link=address), WIDTH)
    st.code(address, language=None, wrap_lines=True)
    if not opens_elsewhere:
        st.info(say("Only this machine can open the link. For others start the server with `espalier --lecture`."))
    names = join([f"`&figure={name}`" for name in figures], "or")
    st.caption(say("A frame for slides") + (say("; with {names} one part alone", names=names) if names else ""))
    st.code(frame.html_of_frame(address), language="html", wrap_lines=True)


def listener() -> Listener:
    """Where this server listens."""
    name = st.get_option("browser.serverAddress") or ""
    address, port = st.get_option("server.address"), int(st.get_option("server.port") or 0)
    return Listener(address, port, platform.node(), "" if _is_here(name) else name)


def link(url: str, query: Mapping[str, str], server: Listener) -> str:
    """Address of a page as it is here: that for other machines, or where none can open it the browser's own.

    >>> link("http://localhost:8501/forests", {"data": "two moons"}, Listener("0.0.0.0", 8501, "trees"))
    'http://trees:8501/forests?data=two+moons'
    >>> link("http://localhost:8501/forests", {}, Listener("127.0.0.1", 8501, "trees"))
    'http://localhost:8501/forests'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=host_elsewhere(url, server) or parts.netloc, query=urlencode(query)))


def link_in_report(url: str, query: Mapping[str, str], server: Listener) -> str:
    """The same for readers of a report; empty where no other machine opens it."""
    return "" if host_elsewhere(url, server) is None else link(url, query, server)


def host_elsewhere(url: str, server: Listener) -> str | None:
    """Host and port by which other machines open a page that the browser has at `url`; None where none can.

    A name that is not this machine's own is that of a proxy, or one that others know, too. In place of localhost
    stands the server's name, if the server listens to others at all.

    >>> host_elsewhere("https://trees.school.example/", Listener("127.0.0.1", 8501, "trees"))
    'trees.school.example'
    """
    parts = urlsplit(url)
    host, port = parts.hostname or "", f":{parts.port}" if parts.port else ""
    if not _is_here(host):
        is_machine = host in (server.machine.lower(), f"{server.machine}.local".lower())
        return None if is_machine and is_local(server.address) and parts.port == server.port else parts.netloc
    if server.name:
        return f"{server.name}{port}"
    if is_local(server.address):
        return None
    name = server.address if server.address not in EVERYWHERE else server.machine
    return f"{f'[{name}]' if ':' in (name or '') else name}{port}" if name else None


def code(address: str) -> str | None:
    """QR code of an address as SVG; None without the package that draws it, and where it would be too fine."""
    if len(address) > LONGEST or importlib.util.find_spec("segno") is None:
        return None
    svg = io.BytesIO()
    qr = importlib.import_module("segno").make(address, error="l", micro=False)
    qr.save(svg, "svg", xmldecl=False, omitsize=True, light="#fff")
    return svg.getvalue().decode()


def _is_here(host: str) -> bool:
    """Whether only this machine finds itself by the name."""
    return is_local(host) or host.endswith(".localhost") or host in EVERYWHERE
