"""How long a newcomer waits: `python -m benchmarks.start`, on a machine that does nothing else.

Prints a table: the time from the command to the first tree drawn in Chromium, on a new machine (no kernels, no
bytecode of ours) and later, beside a bare Streamlit app that imports the same packages and draws one chart, taking
turns; what the library takes to be imported beyond the packages that it imports; the first fit of a process; and
what compiling all kernels takes in processor time and on disk, also for a second checkout. Times are medians over
rounds; a ratio is one of medians.

    --rounds 5      how often each start is made
    --rows …        only some of the rows; without `compile`, kernels are taken from the user's own cache
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tests.tools.in_browser import find_browser, free_port

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_SECONDS = 300
BARE = """
import streamlit as st, numpy, numba, pandas, sklearn.ensemble, scipy.stats, plotly.express as px
st.plotly_chart(px.scatter(pandas.DataFrame({"x": numpy.arange(9), "y": numpy.arange(9) ** 2}), x="x", y="y"))
"""
CHART, TREE = ".stPlotlyChart .main-svg", 'g.node[data-node="0"]'
FIRST_FIT = """
import time
from espalier.data import samples
from espalier.learners import CartClassifier
iris = samples.load("iris")
began = time.process_time()
CartClassifier().fit(iris.X, iris.y)
print(time.process_time() - began)
"""
IMPORT = """
import contextlib, importlib, json, sys, time
began = time.process_time()
for name in json.loads(sys.argv[1]):
    with contextlib.suppress(Exception):  # made at run time, or only to be had by its package
        importlib.import_module(name)
print(json.dumps([time.process_time() - began, list(sys.modules)]))
"""


class Row(NamedTuple):
    """A line of the table."""

    name: str
    value: str
    goal: str


class Machine(NamedTuple):
    """A copy of the checkout, and a folder of kernels."""

    checkout: Path
    kernels: Path

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which a process runs there."""
        own = {"PYTHONPATH": str(self.checkout / "core"), "NUMBA_CACHE_DIR": str(self.kernels)}
        return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own

    def run(self, *command: str) -> str:
        """Return what a Python process says."""
        done = subprocess.run(
            [sys.executable, *command], cwd=self.checkout, env=self.environment, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout


def copied(folder: Path) -> Path:
    """Return a copy of what the checkout keeps under version control, without bytecode."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


# ---- from a command to a picture


def seconds_to_picture(browser: Any, machine: Machine, command: list[str], picture: str) -> float:
    """Return the seconds from the command that starts a server until the picture is there in the browser."""
    port = free_port()
    options = ["--server.port", str(port), "--server.headless", "true", "--server.address", "127.0.0.1"]
    address = f"http://127.0.0.1:{port}"
    began = time.perf_counter()
    outside: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        [sys.executable, "-m", *command, *options], cwd=machine.checkout, env=machine.environment, **outside
    ) as server:
        try:
            _wait_for(f"{address}/_stcore/health")
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            page = context.new_page()
            page.goto(address)
            page.locator(picture).first.wait_for(timeout=1000 * PATIENCE_SECONDS)
            seconds = time.perf_counter() - began
            context.close()
        finally:
            server.terminate()
    return seconds


def _wait_for(url: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(url)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield browser
        browser.close()


def starts(folder: Path, later: Machine, rounds: int) -> list[Row]:
    """Return the rows of the first tree; each round makes all three starts."""
    bare, new, warm = list[float](), list[float](), list[float]()
    (folder / "bare").mkdir()
    (folder / "bare" / "bare.py").write_text(BARE, "utf-8")
    with chromium() as browser:
        for number in range(rounds):
            machine = Machine(folder / "bare", later.kernels)
            bare.append(seconds_to_picture(browser, machine, ["streamlit", "run", "bare.py"], CHART))
            machine = Machine(copied(folder / f"new-{number}"), folder / f"no-kernels-{number}")
            new.append(seconds_to_picture(browser, machine, ["espalier"], TREE))
            if not number:  # writes the bytecode
                seconds_to_picture(browser, later, ["espalier"], TREE)
            warm.append(seconds_to_picture(browser, later, ["espalier"], TREE))
            print(f"  round {number + 1}: {bare[-1]:.1f}, {new[-1]:.1f}, {warm[-1]:.1f} s", flush=True)
    least = median(bare)
    return [
        Row("bare app: command to chart drawn", f"{least:.1f} s", ""),
        Row("new machine: command to first tree", f"{median(new):.1f} s, {median(new) / least:.2f} ×", "2 ×"),
        Row("kernels compiled: the same", f"{median(warm):.1f} s, {median(warm) / least:.2f} ×", "1.5 ×"),
    ]


# ---- processes


def imports(machine: Machine, rounds: int) -> Row:
    """Return what importing the learners takes beyond the packages of others that they import."""

    def seconds(*modules: str) -> tuple[float, list[str]]:
        taken, names = json.loads(machine.run("-c", IMPORT, json.dumps(modules)))
        return taken, names

    every = seconds("espalier.learners")[1]
    first = {name: name.partition(".")[0] for name in every}
    theirs = [name for name in every if first[name] not in {"espalier", "__main__", *sys.stdlib_module_names}]
    taken = [seconds("espalier.learners")[0] - seconds(*theirs)[0] for _ in range(rounds)]
    return Row("import of espalier.learners beyond the packages it imports", f"{median(taken):.2f} s", "0.4 s")


def first_fit(machine: Machine, rounds: int) -> Row:
    """Return what the first fit of a process takes, with the kernels on disk."""
    taken = [float(machine.run("-c", FIRST_FIT)) for _ in range(rounds)]
    return Row("first fit of iris in a process, kernels compiled", f"{median(taken):.2f} s", "0.1 s")


def compiling(machine: Machine, folder: Path) -> list[Row]:
    """Compile everything into the machine's folder, then once more in a second checkout, and return the rows."""
    before = _children()
    machine.run("-m", "espalier.kernels.compile_all", "--stage", "small")
    small = _children() - before
    machine.run("-m", "espalier.kernels.compile_all")
    whole = _children() - before
    files = set(machine.kernels.rglob("*.nbc"))
    second = Machine(copied(folder / "second"), machine.kernels)
    second.run("-c", "from espalier.kernels import compile_all; compile_all.run_all()")
    new = len(set(machine.kernels.rglob("*.nbc")) - files)
    size = sum(path.stat().st_size for path in files) / 1e6
    return [
        Row("compiling everything, processor time", f"{whole:.0f} s", "200 s"),
        Row("compiling what grows a small table", f"{small:.1f} s", "8 s"),
        Row("kernels on disk", f"{size:.1f} MB", "11 MB"),
        Row("a second checkout compiles", f"{new} of {len(files)} kernels", "0"),
    ]


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", nargs="*", default=[], choices=["first-tree", "import", "fit", "compile"])
    given = parser.parse_args()
    wanted = given.rows or ["compile", "import", "fit", "first-tree"]
    load = os.getloadavg()[0]
    rows = list[Row]()
    with tempfile.TemporaryDirectory(prefix="espalier-start-") as name:
        folder = Path(name)
        later = Machine(copied(folder / "checkout"), folder / "kernels")
        if "compile" in wanted:
            rows += compiling(later, folder)
        elif {"fit", "first-tree"} & set(wanted):
            later = later._replace(kernels=Path(os.environ.get("NUMBA_CACHE_DIR") or _user_cache()))
        later.run("-m", "compileall", "-q", "core", "pages", "app.py")
        if "import" in wanted:
            rows.append(imports(later, given.rounds))
        if "fit" in wanted:
            rows.append(first_fit(later, given.rounds))
        if "first-tree" in wanted:
            rows += starts(folder, later, given.rounds)
    print(f"\nload {load:.1f} at the beginning, medians of {given.rounds}\n\n| | measured | goal |\n|---|---|---|")
    for row in rows:
        print(f"| {row.name} | {row.value} | {row.goal} |")


def _user_cache() -> str:
    from espalier.paths import KERNEL_CACHE

    return str(KERNEL_CACHE)


if __name__ == "__main__":
    main()
