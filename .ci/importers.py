"""The tests of models of other libraries, with the three newest versions of each that install.

`python .ci/importers.py` in an environment with the extras `test` and `importers`. Each version goes into a
folder of its own, before the environment's, which stays as it is. Under the tests' line of a version stand its
lines of the table that `benchmarks.importers.table` prints.
"""

import os
import re
import subprocess
import sys
import tempfile

LIBRARIES = ("scikit-learn", "xgboost", "lightgbm", "catboost", "onnx", "ydf")
TESTS = "tests/learners/imports"
MOST = 3


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip, and keep what it says."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def newest(library: str) -> list[str]:
    """The newest versions of a library, the newest first."""
    found = re.search(r"Available versions: (.*)", pip("index", "versions", library).stdout)
    return found.group(1).split(", ")[:MOST] if found else []


def run(*arguments: str, folder: str) -> subprocess.CompletedProcess[str]:
    """Run a module with the packages of a folder before the environment's."""
    path = os.pathsep.join([folder, "core", os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})


def outcome(library: str, version: str) -> str:
    """What the tests say with this version, and its lines of the table; or that it does not install."""
    with tempfile.TemporaryDirectory() as folder:
        if pip("install", "--no-deps", "--target", folder, f"{library}=={version}").returncode:
            return "does not install"
        tests = run("pytest", "-q", "-n", "0", TESTS, folder=folder)
        if tests.returncode:
            return f"FAILED: {tests.stdout[-3000:]}{tests.stderr[-1000:]}"
        table = run("benchmarks.importers.table", "--only", library, folder=folder)
        return f"passed: {tests.stdout.strip().splitlines()[-1]}\n{table.stdout}{table.stderr[-1000:]}".strip()


def main() -> int:
    """Print a line for each version; return 1 if any test failed."""
    failed = False
    for library in LIBRARIES:
        versions = newest(library)
        if not versions:
            print(f"{library}: no versions are found", flush=True)
        for version in versions:
            said = outcome(library, version)
            failed |= said.startswith("FAILED")
            print(f"{library} {version} {said}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
