"""All benchmarks in one run, written as the tables of docs/benchmarks.md.

    python -m benchmarks [--quick | --all] [--data DIR] [--only NAME] [--page FILE]

Us beside every rival that is installed: medians and quartiles over rounds in which programs take turns, or over
folds. `--quick`, the default, takes three minutes of processor time, `--all` many times as long. DIR has the
folders `binary`, `continuous` and `crf` with the tables of the papers. What was measured is kept in results.json
beside this file as soon as a discipline is done, so that `--only` measures one of them again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.page.disciplines import DISCIPLINES
from benchmarks.page.scope import Scope
from benchmarks.page.tables import with_tables

HERE = Path(__file__).resolve().parent
RESULTS, PAGE = HERE / "results.json", HERE.parent / "docs" / "benchmarks.md"


def machine() -> str:
    """Return the processor, and how busy it is."""
    names = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    name = names[0].partition(":")[2].strip() if names else platform.processor()
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{name}, {os.cpu_count()} processors{busy}, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8").splitlines()
    except OSError:
        return []


def measure(name: str, scope: Scope) -> dict | None:
    """Return what a discipline measured, and how; None if its tables are not here."""
    about, start = machine(), time.perf_counter()
    try:
        measured = list(DISCIPLINES[name](scope))
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
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for name in DISCIPLINES:
        if options.only.lower() in name.lower() and (found := measure(name, Scope(not options.all, options.data))):
            results[name] = found
            RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    ordered = {name: results[name] for name in DISCIPLINES if name in results}
    options.page.write_text(with_tables(options.page.read_text("utf-8"), ordered), encoding="utf-8")


if __name__ == "__main__":
    main()
