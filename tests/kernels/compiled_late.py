"""Kernels that are compiled while tests run: whoever uses the program may have to wait for them, too."""

from __future__ import annotations

import time

import pytest
from numba.core import event

LEAST = 1.0  # seconds of processor


class CompiledLate(event.Listener):
    """A pytest plugin that names what took a second or more to compile, by the test that called it first."""

    def __init__(self):
        self.test = ""
        self.found: dict[str, str] = {}  # the test, by kernel
        self._begun: list[float] = []
        event.register("numba:compile", self)

    def on_start(self, event):
        self._begun.append(time.process_time())

    def on_end(self, event):
        seconds, function = time.process_time() - self._begun.pop(), event.data["dispatcher"].py_func
        if not self._begun and seconds >= LEAST and function.__module__.startswith("espalier"):
            self.found[f"{function.__module__}.{function.__name__}, {seconds:.0f} s"] = self.test

    def pytest_runtest_logstart(self, nodeid):
        self.test = nodeid

    def pytest_sessionfinish(self, session):
        """Hand over what was found here to the process that reports."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["compiled late"] = self.found

    @pytest.hookimpl(optionalhook=True)  # of pytest-xdist
    def pytest_testnodedown(self, node):
        self.found |= getattr(node, "workeroutput", {}).get("compiled late", {})

    def pytest_terminal_summary(self, terminalreporter):
        if self.found:
            terminalreporter.section("kernels that are not compiled ahead")
            for kernel, test in self.found.items():
                terminalreporter.line(f"{kernel}: {test}")
