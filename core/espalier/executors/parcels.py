"""Tasks on their way to other processes: large arguments are sent once, and known by their digest from then on.

An argument is pickled with its arrays apart (PEP 574). Where both together are large they make a `Parcel`: the
task holds its digest only, and each worker gets it once. A worker unpacks an argument for each task anew, so that
no task sees what another one changed; arrays are not copied for that where the worker can map a file.
"""

from __future__ import annotations

import hashlib
import mmap
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from espalier.language import PhraseError, Refusal
from espalier.progress import Progress
from espalier.tasks import Call

LARGE = 2**16  # bytes from which an argument is sent apart
ALIGNMENT = 64  # bytes: where arrays begin in a file
PROTOCOL = 5  # keeps read-only arrays read-only, for which kernels are compiled apart
NUMBER = struct.Struct("<Q")


class Parcel(NamedTuple):
    """A value, pickled: how to build it, and the memory of its arrays."""

    parts: tuple[Any, ...]  # of bytes; the first is the pickle, each other one an array's memory

    @property
    def n_bytes(self) -> int:
        """Memory that it takes."""
        return sum(len(part) for part in self.parts)

    @property
    def digest(self) -> str:
        """Fingerprint of its content."""
        digest = hashlib.blake2b(digest_size=16)
        for part in self.parts:
            digest.update(NUMBER.pack(len(part)))
            digest.update(part)
        return digest.hexdigest()

    def value(self) -> Any:
        """Return the value; its arrays are those of the parcel, without a copy."""
        return pickle.loads(self.parts[0], buffers=self.parts[1:])


class Message(NamedTuple):
    """A task, ready to be sent."""

    function: bytes  # pickled
    arguments: tuple[bytes | str, ...]  # pickled, or the digest of what was sent apart
    total: int  # as of the task

    @property
    def digests(self) -> tuple[str, ...]:
        """Digests of the arguments that were sent apart."""
        return tuple(argument for argument in self.arguments if isinstance(argument, str))

    def call(self, fetch: Callable[[str], Any]) -> Call:
        """Return the task; `fetch` returns the value of a digest."""
        own = (
            fetch(argument) if isinstance(argument, str) else pickle.loads(argument) for argument in self.arguments
        )
        return Call(pickle.loads(self.function), tuple(own), self.total)


class Packer:
    """Packs tasks for one executor, and hands over each parcel once."""

    def __init__(self, send: Callable[[str, Parcel], None]):
        """`send` takes a digest and the parcel; it is called before any task that needs it is sent."""
        self._send = send
        self._sent: set[str] = set()
        self._records: dict[int, tuple[Any, bytes | str]] = {}  # by identity, kept alive: they cannot change

    def pack(self, task: Call) -> Message:
        """Return the message of a task. Raises ValueError for one that cannot be pickled."""
        try:
            function = pickle.dumps(task.function)
            return Message(function, tuple(self._pack(argument) for argument in task.arguments), task.total)
        except (pickle.PicklingError, TypeError, AttributeError) as wrong:
            raise Refusal(
                "this task cannot leave its process: {reason}. Define what it uses in a module, or choose threads",
                reason=str(wrong),
            ) from None

    def _pack(self, argument: Any) -> bytes | str:
        if not isinstance(argument, tuple):
            return self._packed_anew(argument)
        if id(argument) not in self._records:
            self._records[id(argument)] = argument, self._packed_anew(argument)
        return self._records[id(argument)][1]

    def _packed_anew(self, argument: Any) -> bytes | str:
        parcel = parcel_of(argument)
        if parcel.n_bytes < LARGE:
            return pickle.dumps(argument, PROTOCOL)
        digest = parcel.digest
        if digest not in self._sent:
            self._send(digest, parcel)
            self._sent.add(digest)
        return digest


def parcel_of(value: Any) -> Parcel:
    """Return the parcel of a value.

    >>> import numpy as np
    >>> parcel_of(np.arange(3)).value()
    array([0, 1, 2])
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, PROTOCOL, buffer_callback=buffers.append)
    return Parcel((head, *(buffer.raw() for buffer in buffers)))


def write(parcel: Parcel, path: Path) -> None:
    """Write a parcel: the number of parts, their lengths, and the parts, each at a multiple of `ALIGNMENT`."""
    lengths = [len(part) for part in parcel.parts]
    with path.open("wb") as file:
        file.write(b"".join(map(NUMBER.pack, [len(lengths), *lengths])))
        for part, begin in zip(parcel.parts, _begins(lengths), strict=True):
            file.seek(begin)
            file.write(part)


def read(path: Path) -> Any:
    """Return the value of the parcel in a file; its arrays are the file's memory, changed here alone."""
    with path.open("rb") as file:
        room = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    n_parts = NUMBER.unpack_from(room)[0]
    lengths = [NUMBER.unpack_from(room, NUMBER.size * (1 + i))[0] for i in range(n_parts)]
    return Parcel(
        tuple(room[begin : begin + n] for begin, n in zip(_begins(lengths), lengths, strict=True))
    ).value()


def _begins(lengths: list[int]) -> list[int]:
    """Return where each part begins in a file."""
    begins, at = [], NUMBER.size * (1 + len(lengths))
    for length in lengths:
        at = -(-at // ALIGNMENT) * ALIGNMENT
        begins.append(at)
        at += length
    return begins


# ---- what a worker process and the one that gives it tasks share: messages, answers, and the memory of a progress

SIGNED_NUMBER = struct.Struct("<q")


def file_of(folder: Path, number: int) -> Path:
    """Return the file in which the worker of a number shares its progress."""
    return folder / f"progress {number}"


def shared_progress(path: Path) -> Progress:
    """Return a progress whose array lies in this file's memory: every process that maps it sees the same."""
    progress = Progress()
    if not path.exists():
        path.write_bytes(progress.array.tobytes())
    with path.open("r+b") as file:
        progress.array = np.frombuffer(mmap.mmap(file.fileno(), 0), np.int64)
    return progress


def send(stream: Any, message: bytes) -> None:
    """Write a message, its length before it."""
    stream.write(NUMBER.pack(len(message)))
    stream.write(message)
    stream.flush()


def receive(stream: Any) -> bytes | None:
    """Return the next message; None where the other side is gone."""
    head = stream.read(NUMBER.size)
    if len(head) < NUMBER.size:
        return None
    length = NUMBER.unpack(head)[0]
    message = stream.read(length)
    return message if len(message) == length else None


# ---- the error of a task whose worker ended before the task did


class LostTask(PhraseError, RuntimeError):
    """The worker of a task ended, or ran out of memory. The message says so in a sentence, and what to do."""
