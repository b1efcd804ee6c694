"""The command ``espalier``: start the app with its own settings, whatever the current folder is.

Streamlit looks for `.streamlit/config.toml` in the current folder. The command hands over the file that travels
with the app, setting by setting; options on the command line and STREAMLIT_… variables win over it. Limits come
from ESPALIER_… variables (`espalier.settings`).
"""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from espalier import settings
from espalier.paths import APP, KERNEL_CACHE, takes_files

NO_CACHE = (
    "Compiled kernels cannot be written to {}, nor to a temporary folder; set NUMBA_CACHE_DIR to one that can."
)


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


def by_limits() -> dict[str, int]:
    """Streamlit's settings of the server that go by the app's limits."""
    most = max(settings.MAX_UPLOAD_MB, settings.MAX_ONNX_MB)
    return {"maxUploadSize": most, "disconnectedSessionTTL": 60 * settings.MAX_SESSION_MINUTES}


def main() -> None:
    """Run the app; arguments go to ``streamlit run``. A setting that is wrong ends it, with a sentence."""
    settings.check()
    if not takes_files(KERNEL_CACHE, 0):
        raise SystemExit(NO_CACHE.format(KERNEL_CACHE))
    file = tomllib.loads((APP / ".streamlit" / "config.toml").read_text("utf-8"))
    own = options(file | {"server": file["server"] | by_limits()}, os.environ)
    sys.argv = ["streamlit", "run", str(APP / "app.py"), *own, *sys.argv[1:]]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=False)


if __name__ == "__main__":
    main()
