"""The outer wall of the server: whom it answers to, what it keeps to itself, and what it forbids the browser.

Streamlit answers to any name and sends no such headers, so these three stand before it, for pages and web sockets
alike. SECURITY.md says what is promised.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
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
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from espalier.display import ink
from espalier.language import say
from espalier.paths import ASSETS, delete_temporary
from espalier.questionnaire.sheet import PRINT
from pages.shared.app import memory, sessions
from pages.shared.canvas.scripts import Scripts

EMBEDDERS = "ESPALIER_EMBEDDERS"  # of the environment: origins that may show the app in a frame, parted by blanks
CLOSED = ("/_stcore/metrics", "/_stcore/script-health-check")  # what tells strangers about the server
MISDIRECTED = 421  # RFC 9110, section 15.5.20: a request for a host that this server does not speak for
MOMENT_SECONDS = 1.0  # after a session's time is over
POLICY_VIOLATION = 1008  # RFC 6455, section 7.4.1
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # addresses hold what a person looks at
    "Cross-Origin-Resource-Policy": "same-origin",  # pictures and code of this server are for its own pages
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class HostCheck:
    """Answers only requests whose Host is this server's, so that no stranger's name can be bound to it.

    A page of a stranger can point a name of its own at this machine (DNS rebinding), and would then be taken by
    the browser for a page of this server. An IP address and "localhost" cannot be bound to something else; other
    names must be the machine's own, or given by ``server.allowedHosts`` or ``browser.serverAddress``.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) == 1 and is_ours(hosts[0], own_names()):
            return await self.app(scope, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        return await PlainTextResponse(_refusal(hosts), MISDIRECTED)(scope, receive, send)


class Closed:
    """Gives no answer where the server would tell strangers about itself: `CLOSED`."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say that there is nothing."""
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(CLOSED):
            return await PlainTextResponse(say("Not found"), 404)(scope, receive, send)
        return await self.app(scope, receive, send)


class OneSlash:
    """Sends a browser from ``//?data=iris`` to ``/?data=iris``: a link that was joined of two parts is still one.

    Streamlit would say that there is no such page. However many slashes begin the path, one is left, so that the
    answer never leads to another host.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or say where it should go."""
        if scope["type"] != "http" or not scope["path"].startswith("//"):
            return await self.app(scope, receive, send)
        query = scope["query_string"].decode("latin-1")
        path = "/" + quote(scope["path"].lstrip("/\\"))
        return await RedirectResponse(f"{path}?{query}" if query else path, 308)(scope, receive, send)


class BrowserRules:
    """Tells the browser with every answer what a page of this server never does: `HEADERS`, `content_policy`."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and put the headers into its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        policy = content_policy(Headers(scope=scope).get("host", ""), embedders())

        async def send_with_rules(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**HEADERS, "Content-Security-Policy": policy})
            await send(message)

        await self.app(scope, receive, send_with_rules)


ROOT = b'<div id="root">'  # of the page, into which Streamlit draws


class Styled:
    """Puts the style of the frame into the page itself: if it came with the first run, all would move then.

    It comes after Streamlit's own styles, which are in the head, and before a page's: the last rule counts.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

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


class Tidy:
    """Gives memory back after a browser has gone, and again once Streamlit keeps its session no longer."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the connection on, and see to the rest when it has ended."""
        try:
            await self.app(scope, receive, send)
        finally:
            if scope["type"] == "websocket":
                memory.give_back_soon()
                patience = (st.get_option("server.disconnectedSessionTTL") or 0) + MOMENT_SECONDS
                asyncio.get_running_loop().call_later(patience, sessions.end_those_over)


# Headers stand outermost: a refusal has them too.
MIDDLEWARE = tuple(map(Middleware, (BrowserRules, HostCheck, Closed, OneSlash, Tidy, Scripts, Styled)))


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
    return name == "localhost" or name.endswith(".localhost") or _is_address(name) or _is_named(name, names)


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


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_named(name: str, names: Iterable[str]) -> bool:
    for known in names:
        known = known.strip().lower().rstrip(".")
        if known in ("*", name) or (known.startswith("*.") and name.endswith(known[1:])):
            return True
    return False


def _refusal(hosts: list[str]) -> str:
    named = "".join(c for c in ", ".join(hosts)[:80] if c.isascii() and c.isprintable()) or say("no host")
    return say(
        "This server does not answer to the name “{host}”. Open it by its IP address or as localhost, or start "
        "it with --server.allowedHosts and the name that it is to be known by.\n",
        host=named,
    )
