"""Folders of Espalier, in a checkout and installed: the app, its assets, the sample data, compiled kernels."""

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).resolve().parent
SOURCES = PACKAGE.parent  # `import espalier` finds the package in this folder
CACHE_VARIABLE = "NUMBA_CACHE_DIR"
ROOM_MB = 150  # what all kernels of a version take, three times over


_FOLDERS_IN_USE: list[Path] = []


def _checkout() -> Path | None:
    """The project's folder if this is the package of a checkout: it has the app beside its source root."""
    project = SOURCES.parent
    return project if SOURCES.name == "core" and (project / "app.py").is_file() else None


def _kernel_cache() -> Path:
    """Root folder of the compiled kernels, or a temporary one that takes its place while it takes no new files."""
    wanted = _wanted_cache()
    if takes_files(wanted, mode=0o777 if CACHE_VARIABLE in os.environ else 0o700) and _is_trusted(wanted):
        return wanted
    spare = next((folder for folder in _temporary() if takes_files(folder)), None)
    return wanted if spare is None else linked(wanted, spare)


def _wanted_cache() -> Path:
    """Root folder of the compiled kernels, one for all checkouts and environments of a user.

    NUMBA_CACHE_DIR comes first, as for all that Numba compiles: whoever sets it trusts the folder.
    """
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return platformdirs.user_cache_path("espalier", appauthor=False) / "kernels"


def _is_trusted(folder: Path) -> bool:
    """Return whether machine code is run from the folder: it is this user's, and no other may write to it."""
    if CACHE_VARIABLE in os.environ or not hasattr(os, "getuid"):
        return True
    try:
        state = folder.stat()
    except OSError:
        return False
    return state.st_uid == os.getuid() and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _temporary() -> Iterator[Path]:
    with contextlib.suppress(FileNotFoundError):  # which is raised where no folder takes a file
        yield Path(tempfile.gettempdir())
    yield Path("/dev/shm")  # memory, on Linux: there also when every disk is full


def takes_files(folder: Path, megabytes: float = ROOM_MB, mode: int = 0o777) -> bool:
    """Return whether the folder, which is made where it is missing, can be written and has so much room left."""
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
        return shutil.disk_usage(folder).free >= megabytes * 1e6
    except OSError:
        return False


@cache
def scratch() -> Path:
    """Return the folder for temporary files of this process, which is deleted when Python ends."""
    return _temporary_folder("espalier-")


def _temporary_folder(prefix: str, where: Path | None = None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=where))
    _FOLDERS_IN_USE.append(folder)
    return folder


@atexit.register
def delete_temporary() -> None:
    """Delete the temporary folders of this process."""
    while _FOLDERS_IN_USE:
        shutil.rmtree(_FOLDERS_IN_USE.pop(), ignore_errors=True)


def linked(folder: Path, spare: Path) -> Path:
    """Return a new folder in `spare` with links to all files of `folder`, deleted when Python ends.

    Numba uses no cache that it cannot write. Here it finds what is compiled, and puts down what is new. Processes
    that this one starts share the new folder.
    """
    new = _temporary_folder("espalier-kernels-", spare)
    for file in folder.rglob("*") if _is_trusted(folder) else ():
        if file.is_file():
            link = new / file.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copy2 if os.name == "nt" else os.symlink)(file, link)  # there links need a privilege
    os.environ[CACHE_VARIABLE] = str(new)
    return new


CHECKOUT = _checkout()
APP = CHECKOUT or PACKAGE / "app"  # holds app.py, pages and assets
ASSETS = APP / "assets"
SAMPLE_DATA = (CHECKOUT or PACKAGE) / "sample_data"
KERNEL_CACHE = _kernel_cache()
