"""The proxy of compose.yaml before two servers: a visitor stays with one of them, below the path of the app.

The servers are stand-ins that answer with their port.
"""

import contextlib
import http.client
import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.tools.in_browser import PROJECT, free_port
from tests.tools.waiting import until

CADDY = shutil.which("caddy")
pytestmark = pytest.mark.skipif(CADDY is None, reason="no caddy on this machine")


class StandIn(BaseHTTPRequestHandler):
    """Answers with the port that it listens at, and with what it was asked for."""

    def do_GET(self):
        is_known = self.headers["Host"].startswith("localhost")  # as the app, it answers to its own name alone
        self.send_response(200 if is_known else 421)
        self.end_headers()
        self.wfile.write(f"{self.connection.getsockname()[1]} {self.path}".encode())

    def log_message(self, format, *args):
        """Say nothing."""


@pytest.fixture
def servers():
    """Two servers at work."""
    both = [ThreadingHTTPServer(("127.0.0.1", 0), StandIn) for _ in range(2)]
    for one in both:
        threading.Thread(target=one.serve_forever, daemon=True).start()
    yield [one.server_address[1] for one in both]
    for one in both:
        one.shutdown()
        one.server_close()


@pytest.fixture
def proxy(servers, tmp_path):
    """Port of Caddy with the Caddyfile before these servers."""
    port = free_port()
    environment = os.environ | {
        "HOME": str(tmp_path),
        "SITE": f"http://localhost:{port}",
        "SERVERS": " ".join(f"127.0.0.1:{one}" for one in servers),
    }
    config = tmp_path / "Caddyfile"
    config.write_text("{\n\tadmin off\n}\n" + (PROJECT / "deploy" / "Caddyfile").read_text("utf-8"), "utf-8")
    command = [str(CADDY), "run", "--config", str(config), "--adapter", "caddyfile"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as caddy:
        assert until(lambda: answer(port, "/trees/").status == 200)
        yield port
        caddy.terminate()


class Answer:
    """What came back: status, where it leads, its cookie, its text."""

    def __init__(self, status, headers, text):
        self.status, self.text = status, text
        self.location = headers.get("Location", "")
        self.cookie = headers.get("Set-Cookie", "").split(";")[0]


def answer(port, path, cookie=""):
    connection = http.client.HTTPConnection("localhost", port, timeout=10)
    with contextlib.closing(connection), contextlib.suppress(OSError):
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        got = connection.getresponse()
        return Answer(got.status, dict(got.getheaders()), got.read().decode())
    return Answer(0, {}, "")


def test_a_visitor_comes_back_to_the_same_server_and_visitors_are_shared_among_both(servers, proxy):
    reached = {}
    for _ in range(40):
        first = answer(proxy, "/trees/")
        reached.setdefault(first.text.split()[0], first.cookie)
    assert set(reached) == {str(port) for port in servers}
    for port, cookie in reached.items():
        assert {answer(proxy, "/trees/forests", cookie).text for _ in range(5)} == {f"{port} /trees/forests"}


def test_what_is_not_below_the_path_does_not_reach_a_server(proxy):
    assert answer(proxy, "/trees").location.endswith("/trees/")
    assert answer(proxy, "/").text == "Espalier is at /trees/"
