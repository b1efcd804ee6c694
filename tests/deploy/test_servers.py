"""Several servers: they run until the end of all, one that dies comes again, and one that cannot start says so."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import urllib.request

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
