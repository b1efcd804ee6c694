"""The command ``espalier``: start the app with its own settings, whatever the current folder is.

Streamlit looks for `.streamlit/config.toml` in the current folder. The command hands over the file that travels
with the app, setting by setting; options on the command line and STREAMLIT_… variables win over it. Limits come
from ESPALIER_… variables (`espalier.settings`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import signal
import sys
import tomllib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from espalier.paths import APP, KERNEL_CACHE, delete_temporary, takes_files

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
EVERYBODY = "0.0.0.0"


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


def lift_limits(environment: MutableMapping[str, str]) -> None:
    """Let the memory of this machine alone limit a file, where the environment sets no limits.

    Settings read the environment when they are imported, so this comes before.
    """
    memory = min(max(memory_mb(), 200), 100_000)  # as the limit of memory allows
    for name, limit in (LIFTED | {"MAX_READ_MEMORY_MB": memory}).items():
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
    """Run the app, or check a table; other arguments go to ``streamlit run``.

    A setting that is wrong ends it, with a sentence.
    """
    if sys.argv[1:2] == ["check"]:
        raise SystemExit(check(sys.argv[2:]))
    others = take_own(sys.argv[1:], os.environ)
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
