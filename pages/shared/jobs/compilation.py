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
from functools import cache

import streamlit as st
from streamlit import runtime

from espalier.kernels import compile_all
from espalier.kernels.plain import expect_compiler
from espalier.language import in_style, say
from espalier.paths import SOURCES
from pages.shared.app.frame import guarded, rerun
from pages.shared.jobs.run import Stopped, is_stopped_here
from pages.shared.jobs.workers import warm

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
        if not all(event.is_set() for event in self.ready.values()):
            expect_compiler()
            threading.Thread(target=self._compile, name="warm-up", daemon=True).start()

    def note(self) -> None:
        """Look which stages have been compiled, by whomever."""
        for stage, event in self.ready.items():
            if compile_all.is_warm(stage):
                event.set()

    def _compile(self) -> None:
        try:
            _compile_elsewhere(self.note)
        except Exception:  # compiling on demand still works, only slower
            _log.exception("the engine could not be compiled ahead of time")
        for event in self.ready.values():
            event.set()


_engine, _alone = cache(Engine), threading.Lock()


def engine() -> Engine:
    """The server's engine; the first call starts it."""
    with _alone:
        return _engine()


def is_ready(stage: str) -> bool:
    """Return whether trees of this kind are grown and drawn without a long wait; always without a stage."""
    return not stage or engine().ready[stage].is_set()


def wait(stage: str) -> None:
    """Return when the kernels of this stage are compiled. Raises `Stopped` if the job here is stopped before."""
    while stage and not engine().ready[stage].wait(GLANCE_SECONDS):  # it would be compiled in the job's own time
        if is_stopped_here():
            raise Stopped


def progress(stage: str) -> None:
    """Note that the page has to wait for the engine; reruns it when that is done."""
    _note(stage, is_small=False)


def note(stage: str) -> None:
    """Note that the engine is being compiled while a small tree is shown; goes away when it is done."""
    with st.container():  # there even without a note: what is below keeps its place, and so its zoom and focus
        if not is_ready(stage):
            _note(stage, is_small=True)


@st.fragment(run_every=1.0)
@guarded
def _note(stage: str, is_small: bool) -> None:
    if is_ready(stage):
        rerun()
    ready, seconds = engine().ready.values(), in_style(f"{time.monotonic() - engine().started:.0f}")
    text = say("**Preparing the engine**, once on this computer ({seconds} s so far).", seconds=seconds)
    if is_small:
        st.caption(f"{text} {say('Until then trees of small tables only.')}")
    else:
        st.progress(sum(event.is_set() for event in ready) / len(ready), text=text)


@cache
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


def _compile_elsewhere(meanwhile: Callable[[], object]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "espalier.kernels.compile_all", "--parent", str(os.getpid())],
        cwd=SOURCES,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as compiler:
        if hasattr(os, "setpriority"):  # let the first page go first
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, compiler.pid, GIVE_WAY)
        atexit.register(compiler.terminate)
        errors = None
        while errors is None:
            try:
                _, errors = compiler.communicate(timeout=GLANCE_SECONDS)
            except subprocess.TimeoutExpired:
                meanwhile()
        atexit.unregister(compiler.terminate)
    if compiler.returncode:
        raise RuntimeError(errors.strip()[-2000:] or f"exit code {compiler.returncode}")
