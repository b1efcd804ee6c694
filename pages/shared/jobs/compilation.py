"""The engine's first start: compile in another process, import early, and spare the garbage collector.

Numba compiles for seconds, and a compiling thread stalls every other one; a subprocess that fills Numba's
disk cache stalls none. Until it is done small trees are grown without the compiler, also elsewhere; the
page stays usable and says what it is waiting for.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import streamlit as st
from streamlit import runtime

from espalier.kernels import compile_all
from espalier.kernels.plain import expect_compiler
from espalier.language import in_style, say
from espalier.paths import KERNEL_CACHE, SOURCES
from pages.shared.app.frame import guarded, rerun
from pages.shared.jobs.alone import alone
from pages.shared.jobs.run import Stopped, is_stopped_here
from pages.shared.jobs.workers import warm

EXPECTED_SECONDS = {
    "small": 10,
    "cart": 60,
    "forest": 75,
    "linear": 40,
    "explanation": 25,
    "cultivated": 45,
    "optimal": 90,
    "regression": 95,
    "thresholds": 100,
    "approximation": 120,
}  # until a stage is compiled once, on two slow cores
PATIENCE_SECONDS = 1_800  # for one stage: a compiler that takes longer hangs
GLANCE_SECONDS = 0.5  # between two looks at the compiler
GIVE_WAY = 15  # niceness of the compiler: on two processors a page that is drawn beside it has nearly all of them
IDLE_SECONDS = 5.0  # after the first page, which has the processor until then
HEAVY = ("espalier.comparison.scores", "espalier.data.table", "openpyxl")

_log = logging.getLogger("espalier")


class Engine:
    """Stages whose kernels are compiled, and the start of compiling; one record for the whole server."""

    def __init__(self):
        self.ready = {stage: threading.Event() for stage in compile_all.STAGES}
        self.started = time.monotonic()
        self.note()
        if not is_set(self):
            expect_compiler()
            threading.Thread(target=self._compile, name="warm-up", daemon=True).start()

    def note(self) -> int:
        """Look which stages have been compiled, by whomever; how many have."""
        for stage, event in self.ready.items():
            if compile_all.is_warm(stage):
                event.set()
        return sum(event.is_set() for event in self.ready.values())

    def _compile(self) -> None:
        try:
            with alone(KERNEL_CACHE / "compiling", self.note, GLANCE_SECONDS):  # servers may share the cache
                self.note()
                if not is_set(self):
                    _compile_elsewhere(self.note)
        except Exception:  # compiling on demand still works, only slower
            _log.exception("the engine could not be compiled ahead of time")
        for event in self.ready.values():
            event.set()


def is_set(engine: Engine) -> bool:
    """Whether everything is compiled."""
    return all(event.is_set() for event in engine.ready.values())


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """The server's engine; the first call starts it."""
    return Engine()


def is_ready(stage: str) -> bool:
    """Return whether trees of this kind are grown and drawn without a long wait; always without a stage."""
    return not stage or engine().ready[stage].is_set()


def wait(stage: str) -> None:
    """Return when the kernels of this stage are compiled. Raises `Stopped` if the job here is stopped before."""
    while stage and not engine().ready[stage].wait(GLANCE_SECONDS):  # it would be compiled in the job's own time
        if is_stopped_here():
            raise Stopped


@st.fragment(run_every=1.0)
@guarded
def progress(stage: str) -> None:
    """Note that the tree has to wait for the engine; reruns the page when it is done."""
    seconds, expected = _seconds_or_rerun(stage), EXPECTED_SECONDS[stage]
    st.progress(
        min(seconds / expected, 0.98),
        text=say(
            "**Preparing the engine.** It is compiled once on this computer, usually in about {expected} s; the "
            "page then goes on by itself ({seconds} s so far).",
            expected=expected,
            seconds=in_style(f"{seconds:.0f}"),
        ),
    )


def note(stage: str) -> None:
    """Note that the engine is being compiled while a small tree is shown; goes away when it is done."""
    with st.container():  # there even without a note: what is below keeps its place, and so its zoom and focus
        if not is_ready(stage):
            _note(stage)


@st.fragment(run_every=1.0)
@guarded
def _note(stage: str) -> None:
    seconds, expected = _seconds_or_rerun(stage), EXPECTED_SECONDS[stage]
    st.caption(
        say(
            "**Preparing the engine** ({seconds} s so far, usually about {expected} s, once on this computer). "
            "Until then trees of small tables only, and each takes a few seconds.",
            seconds=in_style(f"{seconds:.0f}"),
            expected=expected,
        )
    )


def _seconds_or_rerun(stage: str) -> float:
    if is_ready(stage):
        rerun()
    started = engine().started  # before the clock is read: the first call starts the engine
    return time.monotonic() - started


@st.cache_resource(show_spinner=False)
def freeze_imports() -> None:
    """Import modules that later clicks need, then take all objects so far out of the collector's sight, once.

    With a quarter of a million long-lived objects a collection holds all sessions up for a tenth of a second, and
    after the freeze for less than a millisecond.
    """
    threading.Thread(target=_settle, name="settle", daemon=True).start()


def _settle() -> None:
    if runtime.exists():
        time.sleep(IDLE_SECONDS)
    for name in HEAVY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    if runtime.exists():  # a page without a server has no visitor to be quick for
        for stage in compile_all.STAGES:
            wait(stage)
        warm()


def _compile_elsewhere(n_ready: Callable[[], int]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "espalier.kernels.compile_all", "--parent", str(os.getpid())],
        cwd=SOURCES,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as compiler:
        _give_way(compiler.pid)
        atexit.register(compiler.terminate)
        errors = _communicate(compiler, n_ready)
        atexit.unregister(compiler.terminate)
    if compiler.returncode:
        raise RuntimeError(errors.strip()[-2000:] or f"exit code {compiler.returncode}")


def _communicate(compiler: subprocess.Popen[str], n_ready: Callable[[], int]) -> str:
    """Wait until the compiler has ended; its errors. Raises `TimeoutExpired` where a stage takes too long."""
    before, until = n_ready(), time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            _, errors = compiler.communicate(timeout=GLANCE_SECONDS)
            return errors
        except subprocess.TimeoutExpired:
            if (now := n_ready()) > before:
                before, until = now, time.monotonic() + PATIENCE_SECONDS
            if time.monotonic() > until:
                compiler.terminate()
                raise


def _give_way(process: int) -> None:
    """Let the first page go first, where the system knows of priorities."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, GIVE_WAY)
