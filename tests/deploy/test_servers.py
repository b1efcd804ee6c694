"""Several servers, which run until the end of all, and the proxy of compose.yaml before two stand-ins of them."""

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from espalier import servers
from espalier.servers import Servers
from tests.tools.in_browser import PROJECT, free_port
from tests.tools.waiting import SOON, until

SLEEPING = [sys.executable, "-c", "import time; time.sleep(60)"]


@contextlib.contextmanager
def running(several):
    codes = []
    thread = threading.Thread(target=lambda: codes.append(several.run()))
    thread.start()
    assert until(lambda: len(several.processes) == 2)
    yield codes
    several.end()
    thread.join(SOON)


def test_one_that_dies_is_begun_anew_and_the_others_go_on():
    several = Servers([SLEEPING, SLEEPING], seconds_to_start=0.0)
    with running(several) as codes:
        first, second = several.processes
        first.kill()
        assert until(lambda: several.processes[0] is not first)
        assert several.processes[0].poll() is None
        assert several.processes[1] is second
        assert second.poll() is None
    assert codes == [0]
    assert all(process.poll() is not None for process in several.processes)


def test_one_that_cannot_start_ends_all_with_its_code():
    several = Servers([SLEEPING, [sys.executable, "-c", "raise SystemExit(7)"]])
    assert several.run() == 7
    assert several.processes[0].poll() is not None


@pytest.mark.parametrize("port", ["", "eight", "0", "70000"])
def test_a_port_that_is_none_is_refused_with_what_it_should_be(port):
    with pytest.raises(ValueError, match="whole number from 1 to 65,535"):
        servers.commands(2, [f"--server.port={port}"], {})


def test_each_server_gets_all_arguments_and_a_port_of_its_own():
    first, second = servers.commands(2, ["--server.headless=true"], {"STREAMLIT_SERVER_PORT": "8600"})
    assert first[:-1] == second[:-1] == [sys.executable, "-m", "espalier", "--server.headless=true", "--workers=1"]
    assert [first[-1], second[-1]] == ["--server.port=8600", "--server.port=8601"]


def answers(port):
    with (
        contextlib.suppress(OSError),
        urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1),
    ):
        return True
    return False


@pytest.mark.slow
def test_two_servers_answer_at_ports_that_follow_each_other_and_end_together():
    port = free_port()
    options = ["--workers", "2", "--server.headless=true", f"--server.port={port}"]
    command = [sys.executable, "-m", "espalier", *options]
    environment = os.environ | {"PYTHONPATH": str(PROJECT / "core")}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as both:
        assert until(lambda: answers(port) and answers(port + 1))
        both.send_signal(signal.SIGTERM)
        assert both.wait(SOON) == 0
    assert not answers(port)
    assert not answers(port + 1)


CADDY = shutil.which("caddy")


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
def stand_ins():
    """Ports of two servers at work."""
    both = [ThreadingHTTPServer(("127.0.0.1", 0), StandIn) for _ in range(2)]
    for one in both:
        threading.Thread(target=one.serve_forever, daemon=True).start()
    yield [one.server_address[1] for one in both]
    for one in both:
        one.shutdown()
        one.server_close()


@pytest.fixture
def proxy(stand_ins, tmp_path):
    """Port of Caddy with the Caddyfile before these servers."""
    if CADDY is None:
        pytest.skip("no caddy on this machine")
    port = free_port()
    environment = os.environ | {
        "HOME": str(tmp_path),
        "SITE": f"http://localhost:{port}",
        "SERVERS": " ".join(f"127.0.0.1:{one}" for one in stand_ins),
    }
    config = tmp_path / "Caddyfile"
    config.write_text("{\n\tadmin off\n}\n" + (PROJECT / "deploy" / "Caddyfile").read_text("utf-8"), "utf-8")
    command = [CADDY, "run", "--config", str(config), "--adapter", "caddyfile"]
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


def test_a_visitor_comes_back_to_the_same_server_and_visitors_are_shared_among_both(stand_ins, proxy):
    reached = {}
    for _ in range(40):
        first = answer(proxy, "/trees/")
        reached.setdefault(first.text.split()[0], first.cookie)
    assert set(reached) == {str(port) for port in stand_ins}
    for port, cookie in reached.items():
        assert {answer(proxy, "/trees/forests", cookie).text for _ in range(5)} == {f"{port} /trees/forests"}


def test_what_is_not_below_the_path_does_not_reach_a_server(proxy):
    assert answer(proxy, "/trees").location.endswith("/trees/")
    assert answer(proxy, "/").text == "Espalier is at /trees/"
