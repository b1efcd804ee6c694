"""Folders of Espalier, in a checkout and installed: the app, its assets, the sample data, compiled kernels."""

import os
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parent
SOURCES = PACKAGE.parent  # `import espalier` finds the package in this folder


def _checkout() -> Path | None:
    """The project's folder if this is the package of a checkout: it has the app beside its source root."""
    project = SOURCES.parent
    return project if SOURCES.name == "core" and (project / "app.py").is_file() else None


def _kernel_cache() -> Path:
    """Root folder of the compiled kernels; NUMBA_CACHE_DIR comes first, as for all that Numba compiles."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen)
    if CHECKOUT is not None and os.access(CHECKOUT, os.W_OK):
        return CHECKOUT / ".numba_cache"
    return platformdirs.user_cache_path("espalier", appauthor=False) / "kernels"


CHECKOUT = _checkout()
APP = CHECKOUT or PACKAGE / "app"  # holds app.py, pages and assets
ASSETS = APP / "assets"
SAMPLE_DATA = (CHECKOUT or PACKAGE) / "sample_data"
KERNEL_CACHE = _kernel_cache()
