"""What a worker process and the one that gives it tasks share: messages, answers, and the memory of a progress."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from espalier.executors.parcels import NUMBER, Message
from espalier.progress import Progress

SIGNED = struct.Struct("<q")


class SentTask(NamedTuple):
    """A task on its way to a worker."""

    message: Message
    folder: Path  # that has the parcels of its digests


class TaskEnd(NamedTuple):
    """The end of a task."""

    value: Any = None
    error: BaseException | None = None


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
