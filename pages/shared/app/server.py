"""The outer wall of the server: whom it answers to, what it keeps to itself, and what it forbids the browser.

Streamlit answers to any name and sends no such headers, so these layers stand before it, for pages and web
sockets alike. SECURITY.md says what is promised.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import hashlib
import ipaddress
import os
import platform
import re
from collections.abc import AsyncIterator, Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from espalier.display import ink
from espalier.display.components import FOLDER, packed_scripts
from espalier.language import say
from espalier.paths import ASSETS, delete_temporary
from espalier.questionnaire.sheet import PRINT
from pages.shared.app import sessions

EMBEDDERS = "ESPALIER_EMBEDDERS"  # of the environment: origins that may show the app in a frame, parted by blanks
CLOSED = ("/_stcore/metrics", "/_stcore/script-health-check")  # what tells strangers about the server
MISDIRECTED = 421  # RFC 9110, section 15.5.20: a request for a host that this server does not speak for
YEAR_SECONDS = 365 * 24 * 3600
KEPT = {"Cache-Control": f"max-age={YEAR_SECONDS},immutable", "Vary": "Accept-Encoding"}  # of scripts
MOMENT_SECONDS = 1.0  # after a session's time is over
POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # addresses hold what a person looks at
    "Cross-Origin-Resource-Policy": "same-origin",  # pictures and code of this server are for its own pages
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Layer:
    """A layer around the app."""

    def __init__(self, app: ASGIApp):
        self.app = app


class Door(Layer):
    """Answers in the app's place what is not for it: see `answer_instead`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, refuse it, or say where it should go."""
        await (answer_instead(scope) or self.app)(scope, receive, send)


def answer_instead(scope: Scope) -> ASGIApp | None:
    """The answer to a request that is not for the app; None to any other.

    - A page of a stranger can point a name of its own at this machine (DNS rebinding), and would then be taken by
      the browser for a page of this server. An IP address and "localhost" cannot be bound to something else; other
      names must be the machine's own, or given by ``server.allowedHosts`` or ``browser.serverAddress``.
    - Nobody is told what the server says about itself: `CLOSED`.
    - A link that was joined of two parts, such as ``//?data=iris``, is still one: however many slashes begin its
      path, one is left, so that the answer never leads to another host.
    """
    if scope["type"] not in ("http", "websocket"):
        return None
    hosts, is_page, path = Headers(scope=scope).getlist("host"), scope["type"] == "http", scope["path"]
    if len(hosts) != 1 or not is_ours(hosts[0], own_names()):
        return PlainTextResponse(_refusal(hosts), MISDIRECTED) if is_page else WebSocketClose(POLICY_VIOLATION)
    if is_page and path.rstrip("/").endswith(CLOSED):
        return PlainTextResponse(say("Not found"), 404)
    if is_page and path.startswith("//"):
        query = scope["query_string"].decode("latin-1")
        return RedirectResponse("/" + quote(path.lstrip("/\\")) + (f"?{query}" if query else ""), 308)
    return None


class BrowserRules(Layer):
    """Tells the browser with every answer what a page of this server never does: `HEADERS`, `content_policy`."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and put the headers into its answer."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        policy = content_policy(Headers(scope=scope).get("host", ""), embedders())

        async def send_with_rules(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**HEADERS, "Content-Security-Policy": policy})
            await send(message)

        return await self.app(scope, receive, send_with_rules)


ROOT = b'<div id="root">'  # of the page, into which Streamlit draws


class Styled(Layer):
    """Puts the style of the frame into the page itself: if it came with the first run, all would move then.

    It comes after Streamlit's own styles, which are in the head, and before a page's: the last rule counts.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and put the style into its answer, if that is a page."""
        if scope["type"] != "http" or scope["method"] != "GET" or "." in scope["path"] or "/_" in scope["path"]:
            return await self.app(scope, receive, send)
        start: dict[str, Any] = {}
        body = b""

        async def send_styled(message: Message) -> None:
            nonlocal body
            kind = Headers(raw=message.get("headers", [])).get("content-type", "")
            if message["type"] == "http.response.start" and kind.startswith("text/html"):
                start.update(message)
            elif start and message["type"] == "http.response.body":
                body += message.get("body", b"")
                if not message.get("more_body"):
                    page = body.replace(ROOT, f"<style>{style()}</style>".encode() + ROOT, 1)
                    headers = MutableHeaders(scope=start)
                    headers["Content-Length"] = str(len(page))
                    del headers["ETag"], headers["Last-Modified"]  # which are of the page without it
                    await send(start)
                    await send({"type": "http.response.body", "body": page})
            else:
                await send(message)

        unpacked = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        return await self.app({**scope, "headers": unpacked}, receive, send_styled)


@cache
def style() -> str:
    """The style sheet of the frame."""
    return (ASSETS / "frame.css").read_text(encoding="utf-8") + ink.style_of_figures()


@contextlib.asynccontextmanager
async def lifespan(_: object) -> AsyncIterator[None]:
    """Delete temporary folders when the server ends: a signal that ends it leaves Python itself no time to."""
    yield
    delete_temporary()


class Tidy(Layer):
    """Gives memory back after a browser has gone, and again once Streamlit keeps its session no longer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the connection on, and see to the rest when it has ended."""
        try:
            await self.app(scope, receive, send)
        finally:
            if scope["type"] == "websocket":
                sessions.give_back_soon()
                patience = (st.get_option("server.disconnectedSessionTTL") or 0) + MOMENT_SECONDS
                asyncio.get_running_loop().call_later(patience, sessions.end_those_over)


# Headers stand outermost: a refusal has them too.


class Scripts(Layer):
    """Answers requests for the components' scripts, and passes all others on.

    Streamlit sends a component's code along with its data, again after every move of a slider: for the Tree page
    170 kB, where the data are 15 kB. So the code that it gets is a loader of a few lines, and this answers when
    that asks for the rest. A script's name has a digest of its text: what the name stands for never changes.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the script, if the request is for one of them."""
        *_, folder, name = ["", *scope.get("path", "").split("/")]
        if scope["type"] == "http" and folder == FOLDER and name in packed_scripts():
            answer = _answer(packed_scripts()[name], Headers(scope=scope))
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _answer(body: bytes, asked: Headers) -> Response:
    is_packed = "gzip" in asked.get("accept-encoding", "")
    headers = KEPT | ({"Content-Encoding": "gzip"} if is_packed else {})
    return Response(body if is_packed else gzip.decompress(body), media_type="text/javascript", headers=headers)


MIDDLEWARE = tuple(map(Middleware, (BrowserRules, Door, Tidy, Scripts, Styled)))


def is_ours(host: str, names: Iterable[str]) -> bool:
    """Whether a Host header names this server: an IP address, localhost, or one of the names.

    A name may begin with ``*.`` for all that end so; ``*`` stands for any. Ports do not count.

    >>> [is_ours(host, ["trees.example"]) for host in ("127.0.0.1:8501", "[::1]", "trees.example", "evil.example")]
    [True, True, True, False]
    """
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not name or parts.netloc != host or parts.username is not None:
        return False
    name = name.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    known_names = (known.strip().lower().rstrip(".") for known in names)
    return any(known in ("*", name) or (known[:2] == "*." and name.endswith(known[1:])) for known in known_names)


def own_names() -> tuple[str, ...]:
    """Names that this server answers to besides IP addresses and localhost."""
    given = [*st.get_option("server.allowedHosts"), st.get_option("browser.serverAddress")]
    machine = platform.node()
    return tuple(name for name in (*given, machine, f"{machine}.local") if name)


def embedders() -> tuple[str, ...]:
    """Origins that may show the app in a frame, from the environment; what is no origin is left out."""
    given = os.environ.get(EMBEDDERS, "").split()
    return tuple(origin for origin in given if re.fullmatch(r"https?://[\w.*-]+(:(\d+|\*))?", origin))


def content_policy(host: str, frames: Iterable[str] = ()) -> str:
    """The Content-Security-Policy of an answer to a request for this host: nothing comes from elsewhere.

    Scripts come from this server, or are components that Streamlit wraps as blobs; those that stand in a page are
    named by their hashes: Streamlit's own, and the button that prints a questionnaire. Styles may stand in the
    page, as Streamlit writes them there. Pages of this machine and the origins `frames` may frame the app.
    """
    sockets = f" ws://{host} wss://{host}" if is_ours(host, own_names()) else ""
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: 'wasm-unsafe-eval' 'unsafe-hashes' {' '.join(_inline_scripts())}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "media-src": "'self' data: blob:",
        "connect-src": f"'self' data: blob:{sockets}",
        "worker-src": "'self' blob:",
        "frame-src": "'self' blob: data:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(["'self'", "http://localhost:*", "http://127.0.0.1:*", *frames]),
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


@cache
def _inline_scripts() -> tuple[str, ...]:
    """Hashes of the scripts that stand in pages, as the policy names them."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in (*scripts, PRINT)]
    return tuple(f"'sha256-{digest}'" for digest in digests)


def _refusal(hosts: list[str]) -> str:
    named = "".join(c for c in ", ".join(hosts)[:80] if c.isascii() and c.isprintable()) or say("no host")
    return say(
        "This server does not answer to the name “{host}”. Open it by its IP address or as localhost, or start "
        "it with this name in --server.allowedHosts.\n",
        host=named,
    )
