"""The components' code at addresses of its own, which a browser asks for once and keeps.

Streamlit sends the code of a component along with its data, again after every move of a slider: for the Tree page
150 kB, where the data are 10 kB. So the code that it gets is a loader of a few lines, and `Scripts` answers when
the loader asks for the rest. A script's name has a digest of its text: what the name stands for never changes, and
every process of a server has it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.canvas.modules import COMPONENTS, joined
from pages.shared.words import everywhere as words

FOLDER = "espalier-scripts"
YEAR_SECONDS = 365 * 24 * 3600
HEADERS = {
    "Content-Type": "text/javascript; charset=utf-8",
    "Cache-Control": f"public, max-age={YEAR_SECONDS}, immutable",
    "Vary": "Accept-Encoding",
}

# The address is relative to that of the page: the app may lie below a path of a proxy.
LOADER = """
const code = import(new URL("%(address)s", document.baseURI).href);
let draw = null;
code.then((module) => { draw = module.default; }, () => {});

export default function (component) {
  if (draw !== null) return draw(component);
  let isOver = false;
  let end;
  code.then(
    (module) => { if (!isOver) end = module.default(component); },
    () => { component.parentElement.textContent = %(lost)s; },
  );
  return () => { isOver = true; end?.(); };
}
"""


class ComponentScript(NamedTuple):
    """The joined modules of a component."""

    name: str  # of its file, with a digest of the text
    text: str


def loader(entry: str) -> str:
    """The module that Streamlit sends: it loads the script of the entry, "tree/main.js", and calls it."""
    address = f"{FOLDER}/{script_of(entry).name}"
    return LOADER % {"address": address, "lost": json.dumps(words.SCRIPT_LOST)}


@cache
def script_of(entry: str) -> ComponentScript:
    """The script whose entry this is."""
    text = joined(entry)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return ComponentScript(f"{entry.split('/')[0]}.{digest}.js", text)


@cache
def packed() -> dict[str, bytes]:
    """The text of every component's script by its name, compressed."""
    entries = (f"{path.parent.name}/main.js" for path in sorted(COMPONENTS.glob("*/main.js")))
    return {script.name: gzip.compress(script.text.encode(), mtime=0) for script in map(script_of, entries)}


class Scripts:
    """Answers requests for scripts, and passes all others on."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the script, if the request is for one of them."""
        *_, folder, name = ["", *scope.get("path", "").split("/")]
        if scope["type"] == "http" and folder == FOLDER and name in packed():
            answer = _answer(packed()[name], Headers(scope=scope))
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _answer(body: bytes, asked: Headers) -> Response:
    if "gzip" in asked.get("accept-encoding", ""):
        return Response(body, headers=HEADERS | {"Content-Encoding": "gzip"})
    return Response(gzip.decompress(body), headers=HEADERS)
