"""The components' code and styles at addresses of their own, which a browser asks for once and keeps.

Streamlit sends both along with a component's data, again after every move of a slider: for the Tree page 170 kB,
where the data are 15 kB. So the code that it gets is a loader of a few lines, and `Scripts` answers when that asks
for the rest. A script's name has a digest of its text: what the name stands for never changes, and every process
of a server has it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from espalier.display.components import COMPONENTS, script, source
from espalier.language import LANGUAGES, say, speaking

FOLDER = "espalier-scripts"
YEAR_SECONDS = 365 * 24 * 3600
KEPT = {"Cache-Control": f"max-age={YEAR_SECONDS},immutable", "Vary": "Accept-Encoding"}


def loader(entry: str) -> str:
    """The module that Streamlit sends: it loads the script of the entry, "tree/main.js", and calls it."""
    lost = {}  # what stands in the place of a lost script, by language: a loader is written once for all sessions
    for code in LANGUAGES:
        with speaking(code):
            lost[code] = say("This picture could not be loaded. Reload the page; what you have set stays.")
    constants = {"ADDRESS": f"{FOLDER}/{script_of(entry)[0]}", "LOST": lost}
    lines = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in constants.items()]
    code = (line.strip() for line in source("loader.js").splitlines())
    return "\n".join([*lines, *(line for line in code if line and not line.startswith(("//", "/*")))])


@cache
def script_of(entry: str) -> tuple[str, str]:
    """Name of the file with a digest of its text, and the text, of the script whose entry this is."""
    text = script(entry)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{entry.split('/')[0]}.{digest}.js", text


@cache
def packed() -> dict[str, bytes]:
    """The text of every component's script by its name, compressed."""
    scripts = (script_of(f"{path.parent.name}/main.js") for path in sorted(COMPONENTS.glob("*/main.js")))
    return {name: gzip.compress(text.encode(), mtime=0) for name, text in scripts}


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
    is_packed = "gzip" in asked.get("accept-encoding", "")
    headers = KEPT | ({"Content-Encoding": "gzip"} if is_packed else {})
    return Response(body if is_packed else gzip.decompress(body), media_type="text/javascript", headers=headers)
