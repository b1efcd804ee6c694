"""The engine's first start: compile in another process, import early, and spare the garbage collector.

Numba compiles for seconds, and a compiling thread stalls every other one; a subprocess that fills Numba's
disk cache stalls nobody. Until it is done small trees are grown without the compiler, also elsewhere; the
page stays usable and says what it is waiting for.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import os
import subprocess
import sys
import threading
import time

import streamlit as st

from core.kernels import warm
from core.settings import PROJECT
from pages.shared.frame import guarded

EXPECTED_SECONDS = 20  # of the first compilation, on two slow cores
PATIENCE_SECONDS = 300
HEAVY = ("core.analysis.scores", "core.data.table", "openpyxl")

_log = logging.getLogger("espalier")


class Engine:
    """Whether the kernels are compiled, and since when somebody is at it; one for the whole server."""

    def __init__(self):
        self.ready = threading.Event()
        self.started = time.monotonic()
        if warm.is_warm():
            self.ready.set()
        else:
            threading.Thread(target=self._compile, name="warm-up", daemon=True).start()

    def _compile(self) -> None:
        try:
            _compile_elsewhere()
        except Exception:  # compiling on demand still works, only slower
            _log.exception("the engine could not be compiled ahead of time")
        self.ready.set()


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """The server's engine; the first call starts it."""
    return Engine()


def is_ready() -> bool:
    """Whether trees can be grown without a long wait."""
    return engine().ready.is_set()


def wait() -> None:
    """Return when the kernels are compiled."""
    engine().ready.wait(PATIENCE_SECONDS)


@st.fragment(run_every=1.0)
@guarded
def progress() -> None:
    """Note that this table has to wait for the engine; reruns the page when it is done."""
    seconds = _seconds_or_rerun()
    st.progress(
        min(seconds / EXPECTED_SECONDS, 0.98),
        text=f"**Preparing the engine.** It is compiled once on this computer, in about {EXPECTED_SECONDS} s; "
        f"the tree of this table then appears by itself ({seconds:.0f} s so far).",
    )


@st.fragment(run_every=1.0)
@guarded
def note() -> None:
    """Note that the engine is being compiled while a small tree is shown; goes away when it is done."""
    seconds = _seconds_or_rerun()
    st.caption(
        f"**Preparing the engine** ({seconds:.0f} s so far, about {EXPECTED_SECONDS} s once on this computer). "
        "Until then trees of small tables only, and each takes a few seconds."
    )


def _seconds_or_rerun() -> float:
    if is_ready():
        st.rerun(scope="app")
    return time.monotonic() - engine().started


@st.cache_resource(show_spinner=False)
def settle() -> None:
    """Import what later clicks need, then take everything so far out of the collector's sight, once.

    Streamlit collects garbage after every run; with a quarter of a million long-lived objects that holds
    all sessions up for a tenth of a second, and after the freeze for less than a millisecond.
    """
    threading.Thread(target=_settle, name="settle", daemon=True).start()


def _settle() -> None:
    for name in HEAVY:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def _compile_elsewhere() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "core.kernels.warm"],
        cwd=PROJECT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as compiler:
        _give_way(compiler.pid)
        try:
            _, said = compiler.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            compiler.kill()
            raise
    if compiler.returncode:
        raise RuntimeError(said.strip()[-2000:] or f"exit code {compiler.returncode}")


def _give_way(process: int) -> None:
    """Let the first page go first, where the system knows of priorities."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, 5)
