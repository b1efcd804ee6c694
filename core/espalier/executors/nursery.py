"""A process from which workers are born as copies: what it has imported they have at once, in the same memory.

A worker that begins by itself imports for two seconds, loads kernels for one, and takes 0.4 GB; a copy is there
within some hundredths of a second and takes only what it changes. Copies are for Linux: elsewhere libraries do not
bear them. The process listens on a socket: a number with the end of another socket asks for a worker of that
number, who answers there, and the reply is its process; a process asks how this one ended, and the reply is its
exit code.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from espalier.executors.parcels import SIGNED_NUMBER, file_of
from espalier.executors.worker import make_ready, work
from espalier.sandbox.keeper import environment

PROGRAM = "from espalier.executors.nursery import main; main()"
IS_POSSIBLE = sys.platform.startswith("linux")
UNKNOWN = 1  # the exit code of a worker whose nursery ended before it


class Nursery:
    """The process, from the side of who asks it for workers."""

    def __init__(self, folder: Path, megabytes: int, modules: Sequence[str]):
        """Begin it; parameters as of `WorkerProcess`. It is there once the modules are."""
        self._control, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder), str(megabytes), *modules],
            stdin=theirs.fileno(), env=environment(),
        )  # fmt: skip
        theirs.close()
        self._asking = threading.Lock()

    def worker(self, number: int) -> Copy:
        """Begin a worker of this number. Raises OSError where the nursery has ended."""
        ours, theirs = socket.socketpair()
        with theirs, self._asking:
            try:
                socket.send_fds(self._control, [SIGNED_NUMBER.pack(number)], [theirs.fileno()])
                return Copy(self, ours, self._reply())
            except OSError:
                ours.close()
                raise

    def exit_code(self, process: int) -> int:
        """Return how a worker that has ended, or is just ending, did so."""
        try:
            with self._asking:
                self._control.sendall(SIGNED_NUMBER.pack(process))
                return self._reply()
        except OSError:
            return UNKNOWN

    def end(self) -> None:
        """End it; its workers end when nobody asks them any more."""
        self._control.close()
        self.process.kill()
        self.process.wait()

    def _reply(self) -> int:
        reply = self._control.recv(SIGNED_NUMBER.size)
        if len(reply) < SIGNED_NUMBER.size:
            raise ConnectionResetError("the process that begins workers has ended")
        return SIGNED_NUMBER.unpack(reply)[0]


class Copy:
    """A worker that was born so; to be used as a `subprocess.Popen`."""

    def __init__(self, nursery: Nursery, connection: socket.socket, pid: int):
        self._nursery, self._connection, self.pid = nursery, connection, pid
        self.stdin, self.stdout = connection.makefile("wb"), connection.makefile("rb")
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code; None while it is alive."""
        with contextlib.suppress(BlockingIOError):
            if not self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                return self.wait()
        return self._code

    def wait(self) -> int:
        """Return the exit code, once it has ended."""
        if self._code is None:
            self._code = self._nursery.exit_code(self.pid)
            self._connection.close()
        return self._code

    def kill(self) -> None:
        """End it at once."""
        if self._code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def main() -> None:
    """Run with the arguments FOLDER, MEGABYTES and names of modules, as `Nursery` does."""
    folder, megabytes, modules = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a person interrupts the program that gave the tasks
    control = socket.socket(fileno=os.dup(0))
    os.dup2(2, 1)
    make_ready(modules)
    gc.collect()
    gc.freeze()  # a collection would write into memory that all share
    while True:
        message, ends, _, _ = socket.recv_fds(control, SIGNED_NUMBER.size, 1)
        if len(message) < SIGNED_NUMBER.size:
            return
        number = SIGNED_NUMBER.unpack(message)[0]
        control.sendall(
            SIGNED_NUMBER.pack(_born(control, folder, number, megabytes, ends[0]) if ends else _code(number))
        )


def _born(control: socket.socket, folder: Path, number: int, megabytes: int, end: int) -> int:
    """Begin a worker; its process. The worker itself never returns from here."""
    process = os.fork()
    if process:
        os.close(end)
        return process
    control.close()
    code = UNKNOWN
    try:
        connection = socket.socket(fileno=end)
        work(connection.makefile("rb"), connection.makefile("wb"), file_of(folder, number), megabytes)
        code = 0
    finally:
        os._exit(code)


def _code(process: int) -> int:
    """Wait until a worker has ended; its exit code."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    except ChildProcessError:
        return UNKNOWN
