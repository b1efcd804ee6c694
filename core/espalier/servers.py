"""Several servers of the app on one machine, at ports that follow each other, for a proxy with sticky sessions.

One interpreter serves one class; more processes serve more. They share nothing but the folder of compiled kernels:
a session is in the memory of one of them, so the proxy has to lead each visitor back to the same one.
"""

from __future__ import annotations

import ipaddress
import itertools
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

FIRST_PORT = 8501  # as Streamlit's
PORT = "--server.port"
SECONDS_TO_START = 10.0  # a server that ends sooner will not do better the next time
SECONDS_TO_END = 10.0
GLANCE_SECONDS = 0.2


class Servers:
    """Processes that run until they are told to end; one that ends by itself is begun anew."""

    def __init__(self, commands: Sequence[Sequence[str]], seconds_to_start: float = SECONDS_TO_START):
        """One command for each; where a process ends within so many seconds, all of them end."""
        self._commands, self._seconds_to_start = commands, seconds_to_start
        self._is_over = threading.Event()
        self.began: list[float] = []
        self.processes: list[subprocess.Popen[bytes]] = []

    def run(self) -> int:
        """Keep them running until `end` is called; the exit code: 0, or that of the one that could not start."""
        self.processes = [subprocess.Popen(command) for command in self._commands]
        self.began = [time.monotonic()] * len(self.processes)
        try:
            while not self._is_over.wait(GLANCE_SECONDS):
                for number, process in enumerate(self.processes):
                    if process.poll() is not None and not self._begin_again(number):
                        return process.returncode or 1
            return 0
        finally:
            self._end_all()

    def end(self, *_: object) -> None:
        """End them all; also as a handler of signals."""
        self._is_over.set()

    def _begin_again(self, number: int) -> bool:
        """Begin a server anew that has ended by itself, unless it did so at its start."""
        if self._is_over.is_set() or time.monotonic() - self.began[number] < self._seconds_to_start:
            return self._is_over.is_set()
        self.began[number] = time.monotonic()
        self.processes[number] = subprocess.Popen(self._commands[number])
        return True

    def _end_all(self) -> None:
        for process in self.processes:
            process.terminate()
        until = time.monotonic() + SECONDS_TO_END
        for process in self.processes:
            try:
                process.wait(max(until - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def first_port(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Return the port of the first server, as Streamlit would take it from its options and variables.

    Raises ValueError for one that is no number.

    >>> first_port(["--server.headless=true", "--server.port", "9000"], {"STREAMLIT_SERVER_PORT": "80"})
    9000
    >>> first_port([], {})
    8501
    """
    port = environment.get("STREAMLIT_SERVER_PORT") or str(FIRST_PORT)
    for argument, following in itertools.pairwise([*arguments, ""]):
        if argument.startswith(f"{PORT}="):
            port = argument.removeprefix(f"{PORT}=")
        elif argument == PORT:
            port = following
    if not port.isdecimal() or not 0 < int(port) < 2**16:
        raise ValueError(f"the port is “{port}”; it should be a whole number from 1 to {2**16 - 1:,}")
    return int(port)


def is_local(address: str | None) -> bool:
    """Return whether a server at this address answers this machine alone.

    >>> [is_local(address) for address in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "192.168.0.7", "", None)]
    [True, True, True, False, False, False, False]
    """
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False


def commands(n: int, arguments: Sequence[str], environment: Mapping[str, str]) -> list[list[str]]:
    """Return the commands of so many servers: the last port that is given wins.

    >>> [command[-1] for command in commands(2, ["--server.port=80"], {})]
    ['--server.port=80', '--server.port=81']
    """
    first = first_port(arguments, environment)
    own = [sys.executable, "-m", "espalier", *arguments, "--workers=1"]
    return [[*own, f"{PORT}={first + number}"] for number in range(n)]


def serve(n: int, arguments: Sequence[str], environment: Mapping[str, str], say: Callable[[str], None]) -> int:
    """Run so many servers until a signal ends this process; the exit code. Raises ValueError as `first_port`."""
    servers, first = Servers(commands(n, arguments, environment)), first_port(arguments, environment)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, servers.end)
    say(f"Espalier: {n} servers, at the ports {first} to {first + n - 1}, for a proxy with sticky sessions")
    return servers.run()
