"""The Tree page in a stock Firefox, by WebDriver BiDi: no driver and no patch, only what Firefox itself speaks.

Where no Firefox is found, or no package `websockets`, the test is skipped. FIREFOX names another program.
"""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import time

import pytest

from tests.tools.in_browser import free_port

pytestmark = pytest.mark.browser
PATIENCE_SECONDS = 90  # a cold server, and a browser that starts, on a busy machine
DEEP = """
  const every = (root) =>
    [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? every(one.shadowRoot) : [])]);
  const all = (selector) => every(document).filter((one) => one.matches(selector));
"""
LOOK = """
  return JSON.stringify({
    nodes: all("g.node").length,
    surface: all(".espalier-surface canvas").length > 0,
    url: location.href,
  });
"""
TO_ROOT = "all('g.node[data-node=\"0\"]')[0].focus(); return '{}';"


def find_firefox():
    return os.environ.get("FIREFOX") or shutil.which("firefox") or shutil.which("firefox-esr")


class Firefox:
    """One window of a Firefox that listens at a port (https://w3c.github.io/webdriver-bidi)."""

    def __init__(self, socket):
        self._socket, self._number, self._window = socket, 0, ""
        self.faults = []

    async def begin(self):
        await self.ask("session.new", capabilities={})
        await self.ask("session.subscribe", events=["log.entryAdded"])
        self._window = (await self.ask("browsingContext.getTree"))["contexts"][0]["context"]

    async def ask(self, method, **parameters):
        """The answer to a command; faults of the page that are told meanwhile are kept."""
        self._number += 1
        await self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            told = json.loads(await self._socket.recv())
            if told.get("id") == self._number:
                assert told["type"] == "success", told
                return told["result"]
            entry = told.get("params", {})
            if entry.get("type") == "javascript" and entry.get("level") == "error":
                self.faults.append(entry["text"])

    async def open(self, address):
        await self.ask("browsingContext.navigate", context=self._window, url=address, wait="complete")

    async def run(self, script):
        """What a script says that looks into all parts of the page."""
        target = {"context": self._window}
        whole = f"(() => {{ {DEEP} {script} }})()"
        answer = await self.ask("script.evaluate", expression=whole, target=target, awaitPromise=False)
        return json.loads(answer["result"]["value"])

    async def press(self, *keys):
        """Press keys one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        await self.ask("input.performActions", context=self._window, actions=[source])

    async def until(self, question):
        """Look until what is drawn answers the question with yes."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not question(drawn := await self.run(LOOK)):
            assert time.monotonic() < end, drawn
            await asyncio.sleep(0.3)


@contextlib.asynccontextmanager
async def firefox(program, profile):
    """A Firefox with an empty profile; it is ended afterwards."""
    websockets = pytest.importorskip("websockets", reason="websockets is not installed")
    port, quiet = free_port(), subprocess.DEVNULL
    how = ["--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", str(port)]
    with subprocess.Popen([program, *how, "about:blank"], stdout=quiet, stderr=quiet) as process:
        try:
            async with await connected(websockets, f"ws://127.0.0.1:{port}/session") as socket:
                window = Firefox(socket)
                await window.begin()
                yield window
        finally:
            process.terminate()


async def connected(websockets, address):
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return await websockets.connect(address, max_size=None)
        except OSError:
            assert time.monotonic() < end, "Firefox does not listen"
            await asyncio.sleep(0.3)


async def walk(program, profile, address):
    """Draw the tree, go down to a node by the keyboard alone, and choose it. Faults of the page."""
    async with firefox(program, profile) as window:
        await window.open(f"{address}/?data=iris")
        await window.until(lambda drawn: drawn["nodes"] == 7 and drawn["surface"])
        await window.run(TO_ROOT)
        await window.press("\ue015", "\ue007")  # arrow down, Enter
        await window.until(lambda drawn: "node=1" in drawn["url"])
        return window.faults


@pytest.mark.slow
def test_a_tree_is_drawn_and_walked_in_firefox(server, tmp_path):
    program = find_firefox()
    if program is None:
        pytest.skip("no Firefox (set FIREFOX to one)")
    assert asyncio.run(walk(program, tmp_path, server)) == []
