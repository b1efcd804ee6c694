"""The engine: who waits for it, and when a compiler is taken to hang."""

import asyncio
import subprocess

import pytest

from pages.shared.app import server
from pages.shared.jobs import compilation


class Compiler:
    """A compiler whose time passes half a second at a look, as that of the test does."""

    def __init__(self, clock, looks):
        self.clock, self.left, self.is_ended = clock, looks, False

    def communicate(self, timeout):
        self.clock[0] += timeout
        self.left -= 1
        if self.left:
            raise subprocess.TimeoutExpired("compiler", timeout)
        return None, "its errors"

    def terminate(self):
        self.is_ended = True


@pytest.fixture
def clock(monkeypatch):
    """Seconds, where a stage may take ten."""
    now = [0.0]
    monkeypatch.setattr(compilation.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(compilation, "PATIENCE_SECONDS", 10.0)
    return now


def test_a_compiler_that_goes_from_stage_to_stage_has_all_the_time_that_it_needs(clock):
    compiler = Compiler(clock, looks=100)
    assert compilation._communicate(compiler, lambda: int(clock[0] // 8)) == "its errors"  # type: ignore[arg-type]
    assert not compiler.is_ended


def test_a_compiler_that_is_at_one_stage_for_too_long_is_ended(clock):
    compiler = Compiler(clock, looks=100)
    with pytest.raises(subprocess.TimeoutExpired):
        compilation._communicate(compiler, lambda: int(clock[0] > 3))  # type: ignore[arg-type]
    assert compiler.is_ended
    assert 13 < clock[0] < 15


def test_the_server_deletes_its_temporary_folders_when_it_ends(monkeypatch):
    deleted = []
    monkeypatch.setattr(server, "delete_temporary", lambda: deleted.append(1))

    async def run():
        async with server.lifespan(None):
            assert not deleted

    asyncio.run(run())
    assert deleted == [1]
