"""How large is the house? Run as `python -m benchmarks.house`; `--still` leaves out the traced walks (a minute).

Prints what the checkout has of statements, files, names and so on, each beside the goals, and how many files of
ours a reader enters on five walks: they are traced in a process of their own, in which kernels are plain Python.
`MOST` is a ratchet: `tests/benchmarks/test_house.py` fails where a figure rises above it.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import NamedTuple
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
OURS = ("app.py", "core", "pages")

MOST = {  # what each figure may be at most: lower it where the figure fell, raise none
    "statements": 62_447,
    "modules": 507,
    "functions": 7_507,
    "classes": 830,
    "names": 167,
    "lines of tests": 61_892,
}


class Goal(NamedTuple):
    """A figure: what it was before the house was turned, and what it shall become."""

    name: str
    before: int | None
    soon: int | None  # after the turn of the library
    last: int | None  # after the pages and the engines, too


GOALS = (  # what was before is counted by this script at f13c3cce
    Goal("statements", 79_475, 66_000, 56_000),
    Goal("lines", 141_327, 118_000, 100_000),
    Goal("modules", 1_175, 650, 450),
    Goal("folders", 155, 90, 60),
    Goal("functions", 10_153, 8_200, 6_800),
    Goal("classes", 1_131, 850, 700),
    Goal("statements in pages", 24_634, None, 13_000),
    Goal("CartClassifier.fit: files", 16, 12, 10),
    Goal("CartClassifier.fit with one nan: files", 28, 16, 14),
    Goal("OptimalClassifier.fit: files", 28, 16, 14),
    Goal("CSV to Dataset: files", 32, 22, 20),
    Goal("depth slider at rest: files", 157, None, 55),
    Goal("depth slider at rest: functions", 658, None, 280),
    Goal("names", 2_894, 579, 579),
    Goal("lines of tests", 69_546, 62_000, 54_000),
    Goal("lines of JS", 6_515, 6_515, 6_515),
    Goal("lines of .po", 6_341, None, None),
    Goal("lines of TOML", 3_457, None, None),
    Goal("lines of benchmarks", 7_236, 7_236, 7_236),
    Goal("lines of docs/tools", 345, 345, 345),
)

# A name says what a thing is: no bare participle, no preposition at its beginning, no word that may be anything.
BAD = re.compile(
    "begun|brought|built|caught|chosen|dealt|done|drawn|found|given|gone|grown|heard|held|hidden|kept|known|laid|lost"
    "|made|meant|met|paid|said|seen|sent|shown|sought|sold|spent|spoken|stood|taken|told|understood|won|worn|written"
    "|(?!embed|hundred)[a-z]+[^e]ed"
    "|(of|in|by|with)_.+"
    "|one|whole|others"
)


def is_bad(name: str) -> bool:
    """Return whether a name is a bare participle, begins with a preposition, or says nothing.

    >>> [is_bad(name) for name in ("found", "_of_rows", "IN_WORDS", "one", "scaled", "seed", "is_found", "row")]
    [True, True, True, True, True, False, False, False]
    """
    return bool(BAD.fullmatch(name.strip("_").lower()))


def names(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield names of functions and of what is assigned to, without the public members of records."""
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    records = [node for node in classes if "NamedTuple" in map(ast.unparse, node.bases)]
    members = {id(getattr(member, "target", member)) for record in records for member in record.body}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        else:
            continue
        if name.startswith("_") or id(node) not in members:
            yield name


def files(folders: Iterable[str], ending: str = ".py") -> list[Path]:
    """Return the files with this ending in folders of the checkout, without what Python wrote."""
    paths = [path for folder in folders for path in [ROOT / folder, *(ROOT / folder).rglob("*")]]
    return sorted(path for path in paths if path.suffix == ending and path.is_file())


def lines(folders: Iterable[str], ending: str = ".py") -> int:
    """Return how many lines such files have."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in files(folders, ending))


def is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a text alone, as docstrings are."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)


def code_figures() -> dict[str, int]:
    """Return the figures that the ratchet holds, and those that come with them."""
    kinds = {"statements": ast.stmt, "functions": ast.FunctionDef | ast.AsyncFunctionDef, "classes": ast.ClassDef}
    figures = dict.fromkeys([*kinds, "statements in pages", "names"], 0)
    gc.disable()  # which would walk a million nodes again and again, and find none to free
    for path in files(OURS):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        statements = [node for node in nodes if isinstance(node, ast.stmt) and not is_text(node)]
        for name, kind in kinds.items():
            figures[name] += sum(isinstance(node, kind) for node in statements)
        if path.is_relative_to(ROOT / "core"):
            figures["names"] += sum(map(is_bad, names(nodes)))
        else:
            figures["statements in pages"] += len(statements)
    gc.enable()
    modules = files(OURS)
    return figures | {
        "modules": len(modules),
        "folders": len({path.parent for path in modules} - {ROOT}),
        "lines of tests": lines(["tests"]),
    }


def other_figures() -> dict[str, int]:
    """Return the lines of what stands beside."""
    return {
        "lines": lines(OURS),
        "lines of JS": lines(["assets"], ".js"),
        "lines of .po": lines(["core"], ".po"),
        "lines of TOML": lines(["assets", "benchmarks", "core", "pyproject.toml", ".streamlit"], ".toml"),
        "lines of benchmarks": lines(["benchmarks"]),
        "lines of docs/tools": lines(["docs/tools"]),
    }


def walks() -> dict[str, int]:
    """Return how many of our files, and functions with a name, each walk enters where Numba compiles nothing."""
    import numpy as np
    from streamlit.testing.v1 import AppTest

    from espalier.data import samples
    from espalier.data.columns.convert import to_dataset
    from espalier.data.columns.kinds import guess_kinds
    from espalier.data.table import read_table
    from espalier.kernels import compile_all
    from espalier.learners import CartClassifier, OptimalClassifier
    from tests.tools.on_page import APP, Slider, until_grown

    iris = samples.load("iris")
    X = np.array(iris.X)
    with_gap = X.copy()
    with_gap[0, 0] = np.nan
    cells = [[*map(str, x), f"species {k:g}"] for x, k in zip(X, iris.y, strict=True)]
    csv = "\n".join(map(",".join, [["a", "b", "c", "d", "species"], *cells])).encode()

    def read() -> None:
        table = read_table(csv, "iris.csv")
        to_dataset(table.frame, guess_kinds(table.frame), "species", table.name, table.origins)

    mock.patch.object(
        compile_all, "is_warm", return_value=True
    ).start()  # so that the app compiles nothing beside it
    page = until_grown(AppTest.from_file(APP, default_timeout=300).run())
    page = until_grown(page.switch_page("pages/tree.py").run())
    depths = iter((4, 5))
    actions: dict[str, Callable[[], object]] = {
        "CartClassifier.fit": lambda: CartClassifier(max_depth=3).fit(X, iris.y),
        "CartClassifier.fit with one nan": lambda: CartClassifier(max_depth=3).fit(with_gap, iris.y),
        "OptimalClassifier.fit": lambda: OptimalClassifier(max_depth=2).fit(X, iris.y),
        "CSV to Dataset": read,
        "depth slider at rest": lambda: Slider(page, "depth").set_value(next(depths)).run(),
    }
    entered = {name: traced(action) for name, action in actions.items()}
    n_files = {f"{name}: files": len({place.file for place in places}) for name, places in entered.items()}
    n_functions = {
        f"{name}: functions": sum(place.is_named for place in places) for name, places in entered.items()
    }
    return n_files | n_functions


class Place(NamedTuple):
    """A piece of our code that was entered."""

    file: str
    name: str
    is_named: bool  # whether it is a function with a name: no lambda, comprehension or module


def traced(action: Callable[[], object]) -> set[Place]:
    """Return the code of ours that an action enters, on whatever thread, when it is done for the second time."""
    folders = tuple(str(ROOT / part) for part in OURS)
    places: set[Place] = set()

    def note(frame, event, arg) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folders):
            is_named = bool(code.co_flags & CO_OPTIMIZED) and not code.co_name.startswith("<")
            places.add(Place(code.co_filename, code.co_qualname, is_named))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()  # imports, and fills caches
        places.clear()
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return places


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--still", action="store_true", help="without the traced walks")
    parser.add_argument("--walks", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.walks:
        print(json.dumps(walks()))
        return
    figures = code_figures() | other_figures()
    if not options.still:
        command = [sys.executable, "-m", "benchmarks.house", "--walks"]
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
        ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if ran.returncode:
            sys.exit(ran.stderr)
        figures |= json.loads(ran.stdout.splitlines()[-1])
    print("| | before | now | goal | last goal |", "|---|---|---|---|---|", sep="\n")
    for goal in GOALS:
        cells = [goal.before, figures.get(goal.name), goal.soon, goal.last]
        print(f"| {goal.name} | {' | '.join('' if cell is None else f'{cell:,}' for cell in cells)} |")
    if lower := {name: figures[name] for name, most in MOST.items() if figures[name] < most}:
        print(f"\nMOST in benchmarks/house.py can be lowered to {lower}.")


if __name__ == "__main__":
    main()
