"""Take the README's pictures of the real app: ``python benchmarks/pictures.py`` (needs a Chromium).

The app is started on a free port, opened in a light and a dark browser, and ended again.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

PROJECT = Path(__file__).resolve().parent.parent
PLACE = "/?data=iris&depth=4&node=2"  # a state that shows one selection in tree, surface and inspector
SIZE = {"width": 1400, "height": 1000}


@contextlib.contextmanager
def running_app():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    with subprocess.Popen([*command, "--server.port", str(port)], cwd=PROJECT) as server:
        try:
            while server.poll() is None:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
                    break
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def take(browser, address, scheme):
    context = browser.new_context(viewport=SIZE, color_scheme=scheme)
    page = context.new_page()
    page.goto(address + PLACE)
    page.locator(".espalier-surface canvas").first.wait_for(timeout=180_000)
    page.locator(".espalier-curve svg").first.wait_for()
    page.wait_for_timeout(1500)  # the graph's own transitions
    page.screenshot(path=PROJECT / "assets" / f"readme-{scheme}.png")
    context.close()


def main():
    names = ("chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next((p for name in names if (p := shutil.which(name))), None)
    with running_app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            take(browser, address, scheme)
        browser.close()


if __name__ == "__main__":
    main()
