"""The command ``espalier``: start the app with its own settings, whatever the current folder is, on any table.

Streamlit looks for `.streamlit/config.toml` in the current folder. The command hands over the file that travels
with the app, setting by setting; options on the command line and STREAMLIT_… variables win over it. Limits come
from ESPALIER_… variables (`espalier.settings`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import os
import re
import runpy
import signal
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from espalier.paths import APP, KERNEL_CACHE, delete_temporary, takes_files
from espalier.servers import is_local

NO_CACHE = (
    "Compiled kernels cannot be written to {}, nor to a temporary folder; set NUMBA_CACHE_DIR to one that can."
)
CLASS = {  # limits for many people at once, where the environment has no others
    "MAX_UPLOAD_MB": 2, "MAX_ONNX_MB": 2, "MAX_STORED_MB": 400, "MAX_JOB_SECONDS": 60, "MAX_FOREST_MB": 300,
    "MAX_APPROXIMATION_SECONDS": 30, "MAX_SESSION_MINUTES": 10,
}  # fmt: skip
LIFTED = {  # limits for a file of this machine, where the environment has no others
    "MAX_UNPACKED_MB": 10_000, "MAX_ROWS": 100_000_000, "MAX_CELLS": 500_000_000, "MAX_READ_SECONDS": 600,
}  # fmt: skip
USUAL_MEMORY_MB = 8_000  # where the system does not say how much there is
EVERYBODY, LOCALHOST = "0.0.0.0", "127.0.0.1"
HELP = """\
espalier [TABLE] [OPTIONS]         start the app in the browser
espalier check TABLE               how a table is read, and what misleads
espalier lesson check FILES        check lessons that you wrote
espalier practice collect FILES    put the results of students into one table
espalier compile                   compile all kernels, once on each computer

TABLE is a file: CSV, TSV, Excel, Parquet, ARFF or JSON lines, also packed.
  --target COLUMN     the column to predict; without it, the page asks
  --learner NAME      what grows on it: cart, cultivated, optimal, random, ...

For a class or a server
  --lecture [ROOM]    let other machines in, with smaller limits for each
  --uploads SIZE      the largest upload, such as 2MB; off allows none
  --workers N         so many servers beside each other

  --server.port N     like all other options of Streamlit: streamlit run --help
  --version           say the version
  --help              say this; espalier check --help says more of that
"""
NOT_OPENED = ("baseline", "approximation")  # learners that no page opens with a table alone


def options(settings: Mapping[str, Any], environment: Mapping[str, str], section: str = "") -> Iterator[str]:
    """Streamlit's command line options for nested settings, without those that the environment sets.

    >>> list(options({"server": {"port": 80, "headless": True}}, {"STREAMLIT_SERVER_PORT": "90"}))
    ['--server.headless=true']
    >>> list(options({"theme": {"chartCategoricalColors": ["red", "blue"]}}, {}))
    ['--theme.chartCategoricalColors=["red", "blue"]']
    """
    for key, value in settings.items():
        name = f"{section}{key}"
        if isinstance(value, Mapping):
            yield from options(value, environment, f"{name}.")
        elif variable(name) not in environment:
            yield f"--{name}={value if isinstance(value, str) else json.dumps(value)}"


def variable(name: str) -> str:
    """Name of the environment variable that sets an option of Streamlit.

    >>> variable("server.maxUploadSize")
    'STREAMLIT_SERVER_MAX_UPLOAD_SIZE'
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace(".", "_"))
    return f"STREAMLIT_{words.upper()}"


def by_limits() -> dict[str, Any]:
    """Streamlit's settings of the server that go by the app's limits; a class comes from other machines."""
    from espalier import settings  # which reads the environment, once

    most = max(settings.MAX_UPLOAD_MB, settings.MAX_ONNX_MB, 1)
    of_class = {"address": EVERYBODY} if settings.ROOM else {}
    return {"maxUploadSize": most, "disconnectedSessionTTL": 60 * settings.MAX_SESSION_MINUTES, **of_class}


def take_own(arguments: Sequence[str], environment: MutableMapping[str, str]) -> list[str]:
    """Put the command's own options into the environment, where the server finds them; return Streamlit's.

    ``--lecture ROOM`` is for a class, with smaller limits; ``--uploads`` is a size, or ``off``; ``--workers`` is a
    number of server processes.

    >>> environment = {}
    >>> take_own(["--lecture", "Room 12", "--uploads", "off", "--server.port", "80"], environment)
    ['--server.port', '80']
    >>> environment["ESPALIER_ROOM"], environment["ESPALIER_MAX_UPLOAD_MB"]
    ('Room 12', '0')
    """
    parser = argparse.ArgumentParser(prog="espalier", add_help=False, allow_abbrev=False)
    parser.add_argument("--lecture", nargs="?", const="Lecture")
    parser.add_argument("--uploads", type=megabytes)
    parser.add_argument("--workers")
    own, others = parser.parse_known_args(arguments)
    if own.workers is not None:
        environment["ESPALIER_WORKERS"] = own.workers
    if own.uploads is not None:
        environment.update(dict.fromkeys(("ESPALIER_MAX_UPLOAD_MB", "ESPALIER_MAX_ONNX_MB"), str(own.uploads)))
    if own.lecture is not None:
        environment["ESPALIER_ROOM"] = own.lecture
        for name, limit in CLASS.items():
            environment.setdefault(f"ESPALIER_{name}", str(limit))
    return others


def megabytes(text: str) -> int:
    """Megabytes of a size in words. Raises ArgumentTypeError for what is none.

    >>> megabytes("2MB"), megabytes("off")
    (2, 0)
    """
    if text == "off":
        return 0
    size = re.fullmatch(r"(\d+) ?(MB)?", text, re.IGNORECASE)
    if size is None:
        raise argparse.ArgumentTypeError(f"“{text}” should be off, or a size in megabytes such as 2MB")
    return int(size[1])


def take_table(arguments: Sequence[str], environment: MutableMapping[str, str]) -> list[str]:
    """Put the table that the command opens into the environment, where the app finds it; return other arguments.

    The table is the first argument that is no option of ours, ``--target`` its target, ``--learner`` what grows on
    it. Raises ValueError for a file that is not there, a learner that is none, or a server open to others.
    """
    parser = argparse.ArgumentParser(prog="espalier", add_help=False, allow_abbrev=False)
    parser.add_argument("--target", default="")
    parser.add_argument("--learner", default="")
    given, others = parser.parse_known_args(arguments)
    if not others or others[0].startswith("-"):
        if given.target or given.learner:
            raise ValueError("--target and --learner go with a table, which stands first: espalier table.csv")
        return others
    path = Path(others.pop(0))
    check_file(path)
    check_local(others, environment)
    lift_limits(environment)
    own = {"TABLE": str(path.resolve()), "TARGET": given.target, "LEARNER": given.learner}
    environment.update({f"ESPALIER_{name}": value for name, value in own.items()})
    check_learner(given.learner)  # last: the catalogue imports the settings, which read the environment
    return others


def check_file(path: Path) -> None:
    """Raise ValueError for a file that cannot be opened."""
    try:
        with path.open("rb"):
            return
    except OSError as wrong:
        raise ValueError(f"The file “{path}” cannot be opened: {wrong.strerror}") from wrong


def check_local(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Raise ValueError if the server would answer other machines, too: whoever reached it would get the file.

    >>> check_local(["--server.address=127.0.0.1"], {})
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    usual = EVERYBODY if environment.get("ESPALIER_ROOM") else LOCALHOST
    given = environment.get(variable("server.address"), usual)
    parser.add_argument("--server.address", dest="address", default=given)
    address = parser.parse_known_args(arguments)[0].address
    if not is_local(address):
        raise ValueError(
            f"A table is opened on a server for this machine alone, but the address of this one is {address}: "
            "whoever reaches it would get the file. Leave out --lecture and --server.address, or bring the table "
            "in the app, where its name at the top opens the data"
        )


def check_learner(name: str) -> None:
    """Raise ValueError for the name of no learner; an empty one is none that is asked for."""
    from espalier.learners.catalogue import KINDS

    offered = [kind.name for kind in KINDS if kind.name not in NOT_OPENED]
    if name and name not in offered:
        raise ValueError(f"There is no learner “{name}” to open a table with; there are {', '.join(offered)}")


def lift_limits(environment: MutableMapping[str, str]) -> None:
    """Let the memory of this machine alone limit a file, where the environment sets no limits.

    Settings read the environment when they are imported, so this comes before.
    """
    memory = min(max(memory_mb(), 200), 100_000)  # as the limit of memory allows
    kept = max(memory // 2, 1_500)  # else a large table would leave no room for its trees
    for name, limit in (LIFTED | {"MAX_READ_MEMORY_MB": memory, "MAX_RESULTS_MB": kept}).items():
        environment.setdefault(f"ESPALIER_{name}", str(limit))


def memory_mb() -> int:
    """The memory of this machine in MB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 10**6
    except (AttributeError, ValueError, OSError):  # as on Windows
        return USUAL_MEMORY_MB


def check(arguments: Sequence[str]) -> int:
    """Run ``espalier check``; its exit code."""
    lift_limits(os.environ)
    from espalier import check, settings

    settings.check()
    return check.main(arguments)


def check_lessons(arguments: Sequence[str]) -> int:
    """Run ``espalier lesson check``; its exit code. The app's own pages say what they understand of links."""
    sys.path.insert(0, str(APP))
    logging.disable(logging.WARNING)  # Streamlit warns of pages that run without a server
    return importlib.import_module("pages.shared.lessons.opening").main(arguments)


def collect_results(arguments: Sequence[str]) -> int:
    """Run ``espalier practice collect``; its exit code."""
    from espalier.practice import results

    return results.main(arguments)


def compile_kernels() -> int:
    """Run ``espalier compile``; its exit code."""
    from espalier.kernels import compile_all

    begun = time.monotonic()
    print(f"Compiling the kernels into {KERNEL_CACHE}; this takes some minutes.", flush=True)
    compile_all.main(lambda stage: print(f"  {stage}: {time.monotonic() - begun:.0f} s", flush=True))
    print("All kernels are compiled.")
    return 0


def several(n: int, arguments: Sequence[str]) -> int:
    """Run so many servers until the system ends them; the exit code. A wrong port ends it, with a sentence."""
    from espalier import servers

    try:
        return servers.serve(n, arguments, os.environ, print)
    except ValueError as wrong:
        raise SystemExit(f"{wrong}.") from None


def leave(number: int, _: object) -> None:
    """End by this signal, but leave no temporary folder: Python's own way out would wait for jobs."""
    delete_temporary()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def main() -> None:
    """Run the app, check a table or lessons, collect results, or say how; other arguments go to ``streamlit run``.

    A setting that is wrong ends it, with a sentence.
    """
    if sys.argv[1:2] in (["--help"], ["-h"]):
        raise SystemExit(print(HELP, end=""))
    if sys.argv[1:2] == ["--version"]:
        raise SystemExit(print(f"espalier {metadata.version('espalier')}"))
    if sys.argv[1:2] == ["check"]:
        raise SystemExit(check(sys.argv[2:]))
    if sys.argv[1:] == ["compile"]:
        raise SystemExit(compile_kernels())
    if sys.argv[1:3] == ["lesson", "check"]:
        raise SystemExit(check_lessons(sys.argv[3:]))
    if sys.argv[1:3] == ["practice", "collect"]:
        raise SystemExit(collect_results(sys.argv[3:]))
    others = take_own(sys.argv[1:], os.environ)
    try:
        others = take_table(others, os.environ)
    except ValueError as wrong:
        raise SystemExit(f"{wrong}.") from None
    from espalier import settings

    settings.check()
    if not takes_files(KERNEL_CACHE, 0):
        raise SystemExit(NO_CACHE.format(KERNEL_CACHE))
    if settings.WORKERS > 1:
        raise SystemExit(several(settings.WORKERS, others))
    file = tomllib.loads((APP / ".streamlit" / "config.toml").read_text("utf-8"))
    own = options(file | {"server": file["server"] | by_limits()}, os.environ)
    signal.signal(signal.SIGTERM, leave)  # the server ends its work first, and then raises it again
    sys.argv = ["streamlit", "run", str(APP / "app.py"), *own, *others]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
