"""The engine: who waits for it, and servers that compile one after the other."""

import asyncio
import os
import subprocess
import sys
import threading

import pytest

from espalier.paths import APP, SOURCES
from pages.shared.app import server
from pages.shared.jobs import compilation
from pages.shared.jobs.compilation import alone


def test_the_server_deletes_its_temporary_folders_when_it_ends(monkeypatch):
    deleted = []
    monkeypatch.setattr(server, "delete_temporary", lambda: deleted.append(1))

    async def run():
        async with server.lifespan(None):
            assert not deleted

    asyncio.run(run())
    assert deleted == [1]


HOLD = """
import sys
from pathlib import Path
from pages.shared.jobs.compilation import alone
with alone(Path(sys.argv[1]), lambda: None, 0.01):
    print("in", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path):
    """Another process that holds the lock until it is killed."""
    found = os.environ | {"PYTHONPATH": f"{SOURCES}{os.pathsep}{APP}"}
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", HOLD, tmp_path / "lock"]
    with subprocess.Popen(command, env=found, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        yield process
        process.kill()


@pytest.mark.skipif(os.name == "nt", reason="no such locks there: nobody waits")
def test_who_comes_second_waits_and_goes_in_when_the_first_is_killed(other, tmp_path):
    looked, inside = threading.Event(), threading.Event()

    def enter():
        with alone(tmp_path / "lock", looked.set, 0.01):
            inside.set()

    second = threading.Thread(target=enter, daemon=True)
    second.start()
    assert looked.wait(60)
    assert not inside.is_set()
    other.kill()
    assert inside.wait(60)
    second.join(60)


@pytest.mark.skipif(os.name == "nt", reason="no such locks there: nobody waits")
def test_where_nothing_can_be_written_or_the_system_has_no_locks_nobody_waits(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with alone(tmp_path / "file" / "lock", lambda: pytest.fail("nobody is to be waited for"), 0.01):
        pass
    monkeypatch.setattr(compilation, "fcntl", None)
    with (
        alone(tmp_path / "lock", lambda: None, 0.01),
        alone(tmp_path / "lock", lambda: pytest.fail("nobody is to be waited for"), 0.01),
    ):
        pass
