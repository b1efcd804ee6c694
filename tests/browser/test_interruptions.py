"""A server that is killed while it works, and a network that is gone for half a minute: the page comes back."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.tools.in_browser import PROJECT, asks, eventually, free_port, insist, shows, wait_for, wait_for_tree

pytestmark = pytest.mark.slow
CUT_SECONDS = 30
TABLE = "height,weight,class\n" + "".join(f"{n},{n * 7 % 31},{'ab'[n > 30]}\n" for n in range(60))


class Wire:
    """A line between browser and server that can be cut."""

    def __init__(self, port):
        self.port, self._to = free_port(), port
        self._open, self._whole = set(), threading.Event()
        self._whole.set()
        self._door = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, seconds):
        """Drop all connections, and refuse new ones for so long."""
        self._whole.clear()
        for end in list(self._open):
            self._close(end)
        time.sleep(seconds)
        self._whole.set()

    def close(self):
        self._door.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._door.accept()
                if not self._whole.is_set():
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open |= {near, far}
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        self._close(one)
        self._close(other)

    def _close(self, end):
        self._open.discard(end)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@contextlib.contextmanager
def server_at(port):
    """A server at this port; it is killed afterwards, without a chance to tidy up."""
    found = os.environ | {"PYTHONPATH": str(PROJECT / "core")}
    command = [sys.executable, "-m", "espalier", "--server.port", str(port), "--server.headless", "true"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=PROJECT, env=found, stdout=quiet, stderr=quiet) as server:
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield
        finally:
            server.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)


def n_nodes(page):
    return page.locator("g.node").count()


def test_a_page_goes_on_where_it_was_after_half_a_minute_without_a_network(open_page):
    port = free_port()
    with server_at(port), contextlib.closing(Wire(port)) as wire:
        page = open_page(f"http://127.0.0.1:{wire.port}/?depth=2")
        wait_for_tree(page)
        before = n_nodes(page)
        wire.cut(CUT_SECONDS)
        eventually(page, lambda: page.locator('[data-testid="stStatusWidgetConnecting"]').count() == 0)
        depth = page.get_by_role("slider", name="Depth, at most")

        def has_moved():  # the same session answers
            return n_nodes(page) != before and "depth=2" not in page.url

        insist(page, lambda: has_moved() or depth.press("ArrowRight"), has_moved)


def test_work_that_died_with_the_server_begins_again_from_the_address(open_page):
    port = free_port()
    with server_at(port):
        page = open_page(f"http://127.0.0.1:{port}/compare?data=breast-cancer&folds=20")
        cancel = page.get_by_role("button", name="Cancel").first
        eventually(page, cancel.is_visible)
        there = page.url
    with server_at(port):
        eventually(page, lambda: page.get_by_test_id("stStatusWidgetConnecting").count() == 0)
        eventually(page, cancel.is_visible)
        assert page.url == there


def test_a_table_that_went_with_the_server_is_asked_for_again(open_page):
    port = free_port()
    with server_at(port):
        page = open_page(f"http://127.0.0.1:{port}/data")
        read, use = (page.get_by_role("button", name=name) for name in ("Discard", "Grow its tree"))

        def paste():
            page.get_by_label("Paste a table").fill(TABLE)
            page.get_by_role("button", name="Read the pasted table").click()

        insist(page, paste, read.is_visible)
        insist(page, use.click, asks(page, "data="))
        wait_for_tree(page)
    with server_at(port):
        page.reload()
        eventually(page, shows(page, "Upload the table again"))
