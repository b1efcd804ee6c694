"""All benchmarks in one run, written as the tables of docs/benchmarks.md.

    python -m benchmarks [--quick | --all] [--data DIR] [--only NAME] [--page FILE] [--results FILE]

Us beside every rival that is installed: medians and quartiles over rounds in which programs take turns, or over
folds. `--quick`, the default, takes three minutes of processor time, `--all` many times as long. DIR has the
folders `binary`, `continuous` and `crf` with the tables of the papers. What was measured is kept in results.json
beside this file, or in another one, as soon as a discipline is done, so that `--only` measures one of them again.
A line for each case says how long it took, and how busy the machine is.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.page.disciplines import DISCIPLINES
from benchmarks.page.measured import Measured, memory_wait
from benchmarks.page.scope import Scope
from benchmarks.page.tables import with_tables

HERE = Path(__file__).resolve().parent
RESULTS, PAGE = HERE / "results.json", HERE.parent / "docs" / "benchmarks.md"


def machine() -> str:
    """Return the processor, how busy it is, and how long a read from memory waits."""
    names = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.processor()
    memory = f"memory {memory_wait():.0f} ns"
    return f"{name}, {os.cpu_count()} processors{_load()}, {memory}, Python {platform.python_version()}"


def _load() -> str:
    return f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def told(name: str, measured: Iterable[Measured]) -> Iterator[Measured]:
    """Pass on what is measured, and print a line when a case is done."""
    start, case = time.perf_counter(), ("", "")
    for one in measured:
        if (one.case, one.quantity) != case:
            case, now = (one.case, one.quantity), time.perf_counter()
            print(f"  {name}, {', '.join(case)}: {now - start:.1f} s{_load()}", flush=True)
            start = now
        yield one


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except OSError:
        return []


def measure(name: str, scope: Scope) -> dict | None:
    """Return what a discipline measured, and how; None if its tables are not here."""
    about, start = machine(), time.perf_counter()
    try:
        measured = list(told(name, DISCIPLINES[name](scope)))
    except FileNotFoundError as missing:
        print(f"{name} is left out: {missing}")
        return None
    date = datetime.datetime.now(datetime.UTC).date()
    print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    return {"about": f"{date}, {about}", "measured": measured}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", action="store_true", help="short forms, the default")
    extent.add_argument("--all", action="store_true", help="long forms")
    parser.add_argument("--data", type=Path, help="folder of the papers' tables")
    parser.add_argument("--only", default="", help="disciplines whose name contains this")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    kept: Path = options.results
    results = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    for name in DISCIPLINES:
        if options.only.lower() in name.lower() and (found := measure(name, Scope(not options.all, options.data))):
            results[name] = found
            kept.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    ordered = {name: results[name] for name in DISCIPLINES if name in results}
    options.page.write_text(with_tables(options.page.read_text("utf-8"), ordered), encoding="utf-8")


if __name__ == "__main__":
    main()
