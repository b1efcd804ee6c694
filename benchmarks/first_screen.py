"""What meets the eye before anybody scrolls? Run as `python -m benchmarks.first_screen [--pictures FOLDER]`.

Opens every page in Chromium at 1400 × 1000 with the iris flowers, waits until it has settled, and counts what is
visible: controls, words, sizes of type, and by how much the layout shifted meanwhile (Chrome's Cumulative Layout
Shift). The bar on top, nodes of trees and handles of columns are no controls. Needs Playwright and Chromium.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ADDRESSES = {  # by page, what a person comes to first
    "Tree": "/?data=iris",
    "Data": "/data?data=iris",
    "Forests": "/forests?data=iris",
    "One tree for a forest": "/approximate?data=iris",
    "Compare": "/compare?data=iris",
    "Stability": "/stability?data=iris",
    "Reliability": "/reliability?data=iris",
    "Questionnaire": "/questionnaire?data=iris",
    "Ask it": "/new_rows?data=iris",
    "Hesitation": "/hesitation",
    "Basics": "/basics",
    "Lessons": "/lessons",
    "Practice": "/practice",
}
GOALS = {"controls": 25, "words": 90, "shift": 0.1}
SETTLED_SECONDS, PATIENCE_SECONDS = 3.0, 120  # without a change of the page; in all
SIZE = 1400, 1000

WATCH = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
# Controls and texts whose place is on the screen, and that are not hidden there.
COUNT = """() => {
  const controls = new Set(), sizes = new Set(); let words = 0; const texts = [];
  const bar = '.st-key-places, .st-key-tools, .st-key-rooms, [data-testid="stHeader"], [data-testid="stToolbar"]';
  const nodes = '[role="treeitem"], [data-node], .handle';
  const seen = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && box.bottom > 0 && box.right > 0 &&
      box.top < innerHeight && box.left < innerWidth;
  };
  const inside = (node, css) => {  // also through the roots of components
    for (let one = node; one; one = one.parentNode ?? one.host) if (one.closest?.(css)) return true;
    return false;
  };
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) walk(element.shadowRoot);
      if (inside(element, bar) || !seen(element)) continue;
      if (element.matches('button, a[href], input, select, textarea, summary, [role="slider"], [role="tab"],' +
          '[role="radio"], [role="checkbox"], [role="button"], [tabindex="0"]:not([role="tabpanel"])') &&
          !inside(element, nodes) && !inside(element.parentNode, "button, a[href]")) controls.add(element);
      for (const child of element.childNodes) {
        const text = child.nodeType === 3 ? child.textContent.trim() : "";
        if (!text || element.matches('style, script, option, [data-testid="stIconMaterial"]')) continue;
        const range = document.createRange(); range.selectNodeContents(child);
        const box = range.getBoundingClientRect();
        if (box.width < 2 || box.height < 2 || box.top >= innerHeight || box.bottom <= 0) continue;
        const { a = 1, b = 0 } = (element.ownerSVGElement && element.getScreenCTM()) || {};
        const unit = Math.hypot(a, b);  // of what is turned, such as the title of an upright axis, too
        sizes.add(Math.round(parseFloat(getComputedStyle(element).fontSize) * unit * 2) / 2);
        const count = (text.match(/[\\p{L}]{2,}/gu) ?? []).length;
        if (!inside(element, nodes)) { words += count; texts.push(text); }
      }
    }
  };
  walk(document);
  const named = [...controls].map((one) => one.getAttribute("aria-label") || one.innerText?.trim() || one.tagName);
  return { controls: controls.size, words, sizes: [...sizes].sort((a, b) => a - b), named, texts,
    height: document.querySelector('[data-testid="stMain"]')?.scrollHeight ?? 0, shift: window.shift };
}"""


def main() -> int:
    """Print the table of every page; 1 where one is beyond its goal."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path, help="folder for a screenshot of every page")
    parser.add_argument("--pages", nargs="+", choices=ADDRESSES, default=list(ADDRESSES), metavar="PAGE")
    parser.add_argument("--url", help="of a server that runs already")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--phone", action="store_true", help="390 × 844 in place of 1400 × 1000")
    parser.add_argument("--verbose", action="store_true", help="list the controls and texts that are counted")
    given = parser.parse_args()
    width, height = (390, 844) if given.phone else SIZE
    beyond, every = False, set()
    print("| page | controls | words | layout shift | sizes of type | height |\n|---|---|---|---|---|---|")
    with _served(given.url) as url, sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in given.pages:
            scheme = "dark" if given.dark else "light"
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.add_init_script(WATCH)
            page.goto(url + ADDRESSES[name])
            _settle(page)
            seen = page.evaluate(COUNT)
            if given.pictures:
                given.pictures.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=given.pictures / f"{name.lower().replace(' ', '-')}.png")
            page.close()
            every |= set(seen["sizes"])
            beyond |= any(seen[key] > goal for key, goal in GOALS.items())
            sizes = ", ".join(f"{size:g}" for size in seen["sizes"])
            print(
                f"| {name} | {seen['controls']} | {seen['words']} | {seen['shift']:.2f} | {sizes} "
                f"| {seen['height']:,} |",
                flush=True,
            )
            if given.verbose:
                print("  controls:", *seen["named"], "texts:", *seen["texts"], sep="\n    ")
        browser.close()
    print(f"\n{len(every)} sizes of type in all: {', '.join(f'{size:g}' for size in sorted(every))}")
    return int(beyond)


def _settle(page) -> None:
    """Wait until the page has not changed, and its script has not run, for a while."""
    start = still = time.monotonic()
    before = None
    while time.monotonic() - start < PATIENCE_SECONDS:
        page.wait_for_timeout(250)
        now = page.evaluate(
            """() => [document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState,
            document.body?.innerText ?? "", document.querySelectorAll("*").length, window.shift]"""
        )
        if now != before or now[0] == "running" or len(now[1]) < 40:
            before, still = now, time.monotonic()
        elif time.monotonic() - still > SETTLED_SECONDS:
            return


@contextmanager
def _served(url: str | None) -> Iterator[str]:
    """Yield the address of a server of this checkout, which ends afterwards, or the one that is given."""
    if url:
        yield url
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with subprocess.Popen([*command, "--server.headless", "true"], cwd=ROOT, stdout=subprocess.DEVNULL) as server:
        try:
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health")
                    break
                except OSError:
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
