"""One browser's session with the app, without a browser: Streamlit's protocol over a websocket.

A visitor sends what a browser would send (the values of its widgets, the fragment they stand in, the page), reads
everything that comes back, and reruns fragments at their intervals. It draws nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self
from urllib.request import Request, urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

SUBPROTOCOL = Subprotocol("streamlit")
PATIENCE_SECONDS = 120.0  # for the answer to one action
MOST_RUNS = 2  # for which a message is kept that none has use for; Streamlit's `global.maxCachedMessageAge`
REPEAT_SECONDS = 20.0  # the same for a fragment that repeats itself
QUIET_SECONDS = 0.5  # without a message, after which none is on its way
SLIDER = "espalier_slider"  # name of the component that the pages have for sliders
WIDGETS = (
    "slider", "number_input", "selectbox", "button_group", "checkbox", "button", "radio", "bidi_component",
    "file_uploader",
)  # fmt: skip


class Failed(Exception):
    """The page showed an error, or no answer came."""


LOST = (Failed, TimeoutError, OSError, KeyError, ConnectionClosed)  # what ends a visit before its time


@dataclass
class Widget:
    """A widget as it came: its element, and the fragment that runs when it moves ("" for the whole page)."""

    kind: str
    proto: Any
    fragment: str

    @property
    def label(self) -> str:
        """Its words on the page; the key of a component that has none."""
        if self.is_slider:
            return str(self.data["label"])
        return getattr(self.proto, "label", "") or self.proto.id.rsplit("-", 1)[-1]

    @property
    def is_slider(self) -> bool:
        """Whether it is a slider of the pages."""
        return self.kind == "bidi_component" and self.proto.component_name == SLIDER

    @property
    def data(self) -> dict[str, Any]:
        """What a component of the app was given."""
        return json.loads(self.proto.bytes)


@dataclass
class Answer:
    """What an action cost the one who waited for it."""

    seconds: float
    n_bytes: int


class Cached(NamedTuple):
    """A message that the server need not send again, as a browser keeps it."""

    message: ForwardMsg
    run: int  # number of the last run that had use for it
    fragment: str


class Drawn(NamedTuple):
    """What the page had when a run began."""

    widgets: dict[str, Widget]
    repeating: dict[str, float]


@dataclass
class Visitor:
    """A session; open it by `Visitor.at`."""

    socket: ClientConnection
    url: str
    page: str = ""  # its script's hash
    pages: dict[str, str] = field(default_factory=dict)  # name → hash
    widgets: dict[str, Widget] = field(default_factory=dict)  # by id, of the page as it is
    query: str = ""
    session: str = ""  # its name on the server
    _places: dict[str, Any] = field(default_factory=dict)  # for files: request → where they go
    _states: dict[str, WidgetState] = field(default_factory=dict)
    _cached: dict[str, Cached] = field(default_factory=dict)  # by hash
    _n_runs: int = 0
    _fragments: list[str] = field(default_factory=list)  # those that the run at hand draws; empty: the whole page
    _repeating: dict[str, float] = field(default_factory=dict)  # fragment → its interval in seconds
    _before: Drawn = field(default_factory=lambda: Drawn({}, {}))  # the run at hand

    @classmethod
    async def at(cls, url: str) -> Self:
        """A visitor with a connection, whose page has not been asked for."""
        address = url.replace("http", "ws", 1).rstrip("/") + "/_stcore/stream"
        socket = await connect(address, subprotocols=[SUBPROTOCOL], max_size=None, open_timeout=PATIENCE_SECONDS)
        return cls(socket, url)

    async def open(self, name: str = "", query: str = "") -> Answer:
        """Go to the page of this name; "" is the first one."""
        self.page, self.query = self.pages.get(name, ""), query
        return await self._run()

    def find(self, label: str, kind: str = "") -> Widget | None:
        """The widget whose label begins so."""
        return next((w for w in self._of_kind(kind) if w.label.startswith(label)), None)

    async def set(self, widget: Widget, value: Any) -> Answer:
        """Move a widget as a person would."""
        state = WidgetState(id=widget.proto.id)
        field_of(state, widget, value)
        if widget.kind != "button":
            self._states[state.id] = state
        return await self._run(widget.fragment, state)

    async def upload(self, widget: Widget, name: str, content: bytes) -> Answer:
        """Bring a file."""
        message, number = BackMsg(), secrets.token_hex(8)
        request = message.file_urls_request
        request.request_id, request.session_id = number, self.session
        request.file_names.append(name)
        await self.socket.send(message.SerializeToString())
        while number not in self._places:
            self._take(_message(await asyncio.wait_for(self.socket.recv(), PATIENCE_SECONDS)))
        urls = self._places.pop(number)
        await asyncio.to_thread(put_file, self.url, urls.upload_url, name, content)
        state = WidgetState(id=widget.proto.id)
        file = state.file_uploader_state_value.uploaded_file_info.add()
        file.name, file.size, file.file_id = name, len(content), urls.file_id
        file.file_urls.CopyFrom(urls)
        answer = await self._run(widget.fragment, state)
        self._states.pop(state.id, None)  # it is taken out of the widget again
        return answer

    async def rest(self, seconds: float) -> None:
        """Wait, and rerun fragments meanwhile as often as they ask for it."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if not self._repeating:
                await asyncio.sleep(left)
                return
            await asyncio.sleep(min(left, *self._repeating.values()))
            for fragment in list(self._repeating):
                try:
                    await self._run(fragment, patience=REPEAT_SECONDS)
                except TimeoutError:  # the fragment is there no more: no answer comes
                    self._repeating.pop(fragment, None)
                    await self._drain()

    async def close(self) -> None:
        """Leave."""
        await self.socket.close()

    def _of_kind(self, kind: str) -> Iterator[Widget]:
        return (w for w in self.widgets.values() if not kind or w.kind == kind)

    async def _run(self, fragment: str = "", moved: WidgetState | None = None, patience: float = 0) -> Answer:
        """Ask for a run of the page or of a fragment, and read until it has ended."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash, rerun.fragment_id = self.query, self.page, fragment
        rerun.context_info.url = self.url
        rerun.cached_message_hashes.extend(self._cached)
        states = dict(self._states) | ({moved.id: moved} if moved else {})
        rerun.widget_states.CopyFrom(WidgetStates(widgets=list(states.values())))
        begin = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        n_bytes = await asyncio.wait_for(self._read(), patience or PATIENCE_SECONDS)
        self._forget()
        return Answer(time.perf_counter() - begin, n_bytes)

    def _forget(self) -> None:
        """Let go of messages that runs, of the whole page or of their fragment, have had no use for."""
        self._n_runs += 1
        self._cached = {
            name: one
            for name, one in self._cached.items()
            if self._n_runs - one.run <= MOST_RUNS or (self._fragments and one.fragment not in self._fragments)
        }

    async def _drain(self) -> None:
        """Take in what still comes of an answer that was given up, so that it is not taken for the next one."""
        with contextlib.suppress(TimeoutError):
            while True:
                self._take(_message(await asyncio.wait_for(self.socket.recv(), QUIET_SECONDS)))

    async def _read(self) -> int:
        n_bytes = 0
        while True:
            data = await self.socket.recv()
            n_bytes += len(data)
            if self._take(_message(data)):
                return n_bytes

    def _take(self, message: ForwardMsg) -> bool:
        """Take a message in; whether it says that the run has ended."""
        if message.ref_hash:
            message = self._cached[message.ref_hash].message
        if message.metadata.cacheable:
            self._cached[message.hash] = Cached(message, self._n_runs, message.delta.fragment_id)
        kind = message.WhichOneof("type")
        if kind == "script_finished":
            is_over = message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if not is_over:  # what it has not drawn anew stands as it was: the next run may be of a fragment
                self.widgets = self._before.widgets | self.widgets
                self._repeating = self._before.repeating | self._repeating
            elif not self._fragments:  # a browser forgets the widgets that the page does not have any more
                self._states = {name: state for name, state in self._states.items() if name in self.widgets}
            return is_over
        if kind == "file_urls_response":
            urls = message.file_urls_response
            self._places[urls.response_id] = urls.file_urls[0]
        elif kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
            self.page = message.new_session.page_script_hash
            self._fragments = list(message.metadata.run.fragment_ids)
            self._before = Drawn(self.widgets, self._repeating)
            if not self._fragments:
                self.widgets, self._repeating = {}, {}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "navigation":
            self.pages = {p.page_name: p.page_script_hash for p in message.navigation.app_pages}
        elif kind == "auto_rerun":
            self._repeating[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            self._repeating = {
                one: s for one, s in self._repeating.items() if one not in message.stop_auto_rerun.fragment_ids
            }
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._take_element(message.delta)
        elif kind == "delta" and message.delta.add_block.popover.id:
            drawer = message.delta.add_block.popover
            self.widgets[drawer.id] = Widget("popover", drawer, message.delta.fragment_id)
        return False

    def _take_element(self, delta: Any) -> None:
        kind = delta.new_element.WhichOneof("type")
        proto = getattr(delta.new_element, kind)
        if kind == "exception":
            raise Failed(f"{proto.type}: {proto.message}")
        if kind in WIDGETS:
            self.widgets[proto.id] = Widget(kind, proto, delta.fragment_id)


def put_file(server: str, path: str, name: str, content: bytes) -> None:
    """Send a file to its place, with the token that the server wants back from a browser."""
    with urlopen(f"{server}/_stcore/health") as answer:
        cookie = answer.headers["Set-Cookie"].split(";")[0]
    end = secrets.token_hex(16)
    head = f'--{end}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    token = cookie.split("=", 1)[1].strip('"')
    headers = {"Content-Type": f"multipart/form-data; boundary={end}", "Cookie": cookie, "X-Xsrftoken": token}
    body = head.encode() + content + f"\r\n--{end}--\r\n".encode()
    with urlopen(Request(server.rstrip("/") + path, body, headers, method="PUT")):
        pass


def _message(data: str | bytes) -> ForwardMsg:
    message = ForwardMsg()
    message.ParseFromString(data if isinstance(data, bytes) else data.encode())
    return message


def field_of(state: WidgetState, widget: Widget, value: Any) -> None:
    """Write a value into the field that a widget of this kind has for it."""
    if widget.kind == "bidi_component":
        state.json_value = json.dumps(value)
    elif widget.kind == "slider" and not widget.proto.options:
        state.double_array_value.data[:] = [value]
    elif widget.kind in ("slider", "button_group"):
        state.string_array_value.data[:] = [value]
    elif widget.kind == "number_input":
        state.double_value = value
    elif widget.kind in ("checkbox", "popover"):
        state.bool_value = value
    elif widget.kind == "button":
        state.trigger_value = True
    else:
        state.string_value = value
