"""How many faults do the tests see? Small faults are put into the sources, one at a time; run as
`python -m benchmarks.mutants`.

150 faults are drawn over kernels, learners, analyses, reading and exports, always the same ones for the same
sources: a bound off by one, a comparison turned, a weight left out, a side swapped, a guard against rounding
dropped. For each the tests that stand nearest to the file run, and if none of them fails, those of all files that
name it; with `--whole` then every test. What came of each is kept in a file, from which another run goes on.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from espalier.paths import CHECKOUT, SOURCES

LAYERS = {  # subjects of faults, and how many are drawn in each
    "kernels": 50, "learners": 35, "tree": 5, "stability": 5, "reliability": 5, "comparison": 5, "forests": 5,
    "data": 20, "export": 20,
}  # fmt: skip
SEED = 20261129
FOLDER = Path(tempfile.gettempdir()) / "espalier-mutants"
PATIENCE_SECONDS = 1_800  # for the tests of one mutant: a fault may make a loop endless, which counts as seen
GUARDS = {"CLOSE", "NOISE", "ROUNDING", "SLACK", "TIE", "FLOAT_ERROR", "SAME"}  # names of guards against rounding
TURNED = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
}  # fmt: skip
OFF_BY_ONE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
SIDES = {
    "left": "right", "right": "left", "low": "high", "high": "low", "yes": "no", "no": "yes", "before": "after",
    "after": "before", "min": "max", "max": "min", "fmin": "fmax", "fmax": "fmin", "minimum": "maximum",
    "maximum": "minimum", "argmin": "argmax", "argmax": "argmin", "first": "last", "last": "first",
}  # fmt: skip
SURVIVES, KILLED, SLOW = "survives", "killed", "killed: no end"


class Mutant(NamedTuple):
    """A fault: part of a file, and what stands in its place."""

    file: str  # below the root of the checkout
    start: int  # place of the part in the file's text
    end: int
    new: str
    kind: str

    def apply(self, text: str) -> str:
        """Return the file's text with the fault."""
        return text[: self.start] + self.new + text[self.end :]

    def in_words(self, text: str) -> str:
        """Return where the fault is, and what it is."""
        line = text.count("\n", 0, self.start) + 1
        return f"{self.file}:{line} {self.kind}: {text[self.start : self.end]!r} -> {self.new!r}"


# ---- which faults there are


def mutants_of(file: str, text: str) -> list[Mutant]:
    """Return every fault of a file, in the order of their places.

    >>> text = "def f(left, weight):\\n    return 2 * weight if left < 3 else 0\\n"
    >>> [mutant.in_words(text).partition(" ")[2] for mutant in mutants_of("f.py", text)][:3]
    ["weight left out: '2 * weight' -> '2'", "comparison turned: 'left < 3' -> 'left >= 3'", \
"bound off by one: 'left < 3' -> 'left <= 3'"]
    """
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    source, found = text.encode(), []
    for node in _nodes(ast.parse(text)):
        begin = starts[node.lineno - 1] + node.col_offset
        stop = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        for kind, new in _faults(node):
            place = len(source[:begin].decode()), len(source[:stop].decode())
            if new != text[slice(*place)]:
                found.append(Mutant(file, *place, new, kind))
    return sorted(found)


def _nodes(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the expressions inside of functions, without annotations, decorators, defaults and what is raised."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        pending: list[ast.AST] = list(function.body)
        while pending:
            node = pending.pop()
            if isinstance(node, ast.FunctionDef | ast.Raise | ast.Assert | ast.JoinedStr | ast.ClassDef):
                continue  # an inner function comes by itself; texts are for people
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                continue
            if isinstance(node, ast.AnnAssign):
                pending += [node.value] if node.value else []
                continue
            if isinstance(node, ast.expr):
                yield node
            pending += ast.iter_child_nodes(node)


def _faults(node: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield kinds of faults with the code that stands in the place of a node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sides, operator = (ast.unparse(node.left), ast.unparse(node.comparators[0])), type(node.ops[0])
        if operator in TURNED:
            yield "comparison turned", f"{sides[0]} {TURNED[operator]} {sides[1]}"
        if operator in OFF_BY_ONE:
            yield "bound off by one", f"{sides[0]} {OFF_BY_ONE[operator]} {sides[1]}"
    if isinstance(node, ast.BinOp):
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        if isinstance(node.op, ast.Add | ast.Sub):
            guards = {n.id for n in ast.walk(node.right) if isinstance(n, ast.Name)} & GUARDS
            tiny = [n for n in ast.walk(node.right) if isinstance(n, ast.Constant) and _is_tiny(n.value)]
            if guards or tiny:
                yield "guard dropped", left
            else:
                yield "sign turned", f"{left} {'-' if isinstance(node.op, ast.Add) else '+'} ({right})"
        if isinstance(node.op, ast.Mult):
            if "weight" in right.lower():
                yield "weight left out", left
            elif "weight" in left.lower():
                yield "weight left out", right
    if isinstance(node, ast.Attribute) and node.attr in SIDES:
        yield "side swapped", f"{ast.unparse(node.value)}.{SIDES[node.attr]}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in SIDES:
            yield (
                "side swapped",
                f"{SIDES[node.func.id]}({', '.join(map(ast.unparse, [*node.args, *node.keywords]))})",
            )
        if node.func.id == "range":
            *before, last = map(ast.unparse, node.args[: 2 if len(node.args) > 1 else 1])
            step = [ast.unparse(argument) for argument in node.args[2:]]
            yield "bound off by one", f"range({', '.join([*before, f'{last} - 1', *step])})"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "condition turned", ast.unparse(node.operand)
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield "condition turned", "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")"


def _is_tiny(value: object) -> bool:
    return isinstance(value, float) and 0 < abs(value) < 1e-6


def draw(root: Path = Path(CHECKOUT or SOURCES.parent), seed: int = SEED) -> list[Mutant]:
    """Return the faults to try: of each layer so many, each kind as often as the others where there are enough."""
    chance, drawn = random.Random(seed), []
    for layer, n in LAYERS.items():
        files = sorted((root / "core" / "espalier" / layer).rglob("*.py"))
        every = [
            m for path in files for m in mutants_of(path.relative_to(root).as_posix(), path.read_text("utf-8"))
        ]
        kinds: dict[str, list[Mutant]] = {}
        for mutant in chance.sample(every, len(every)):
            kinds.setdefault(mutant.kind, []).append(mutant)
        turns = [m for row in zip(*(_padded(k, n) for k in kinds.values()), strict=True) for m in row if m]
        drawn += turns[:n]
    return drawn


def _padded(mutants: list[Mutant], n: int) -> list[Mutant | None]:
    return [*mutants[:n], *[None] * (n - len(mutants))]


# ---- which tests see them


def nearest_tests(file: str, root: Path) -> list[str]:
    """Return the files or the folder of tests that stand nearest to a file: tests mirror the sources."""
    parts = Path(file).relative_to("core/espalier").with_suffix("").parts
    folder = root / "tests"
    for part in parts[:-1]:
        if not (folder / part).is_dir():
            break
        folder /= part
    own = sorted(folder.glob(f"test_*{parts[-1]}*.py"))
    near = [*own, *(path for path in sorted(folder.glob("test_*.py")) if path not in own)]
    return [path.relative_to(root).as_posix() for path in near] or [folder.relative_to(root).as_posix()]


def naming_tests(file: str, root: Path) -> list[str]:
    """Return the test files that name a file's module, or one that imports it directly, but those in a browser."""
    module = ".".join(Path(file).relative_to("core").with_suffix("").parts).removesuffix(".__init__")
    importing = {module} | {name for name, text in _modules(root) if _names(text, module)}
    tests = [path for path in sorted((root / "tests").rglob("test_*.py")) if "browser" not in path.parts]
    return [
        path.relative_to(root).as_posix()
        for path in tests
        if any(_names(path.read_text("utf-8"), name) for name in importing)
    ]


def _modules(root: Path) -> Iterator[tuple[str, str]]:
    for path in (root / "core" / "espalier").rglob("*.py"):
        yield ".".join(path.relative_to(root / "core").with_suffix("").parts), path.read_text("utf-8")


def _names(text: str, module: str) -> bool:
    package, _, last = module.rpartition(".")
    return module in text or (f"from {package} import" in text and last in text)


# ---- trying them


def copy_of(root: Path, folder: Path) -> Path:
    """Return a copy of the checkout in which sources may be changed."""
    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns(
        ".git", ".venv", "__pycache__", ".numba_cache", ".pytest_cache", "node_modules"
    )
    shutil.copytree(root, copy, ignore=ignored)
    return copy


def outcome(mutant: Mutant, copy: Path, whole: bool = False) -> str:
    """Return what the tests make of a fault in a copy of the checkout, whose file is put back."""
    path = copy / mutant.file
    text = path.read_text("utf-8")
    path.write_text(mutant.apply(text), "utf-8")
    try:
        near = nearest_tests(mutant.file, copy)
        others = [tests for tests in naming_tests(mutant.file, copy) if tests not in near]
        for tests in (near, others, *([["tests"]] * whole)):
            said = run(tests, copy) if tests else SURVIVES
            if said != SURVIVES:
                return said
        return SURVIVES
    finally:
        path.write_text(text, "utf-8")


def run(tests: Sequence[str], copy: Path) -> str:
    """Return whether one of the tests fails in a copy of the checkout."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy / "core"), "CI": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        return SLOW
    return SURVIVES if done.returncode in (0, 5) else KILLED  # 5: no test was there


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the faults that were not tried yet, and list those that no test sees; then the exit code is 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of what came of each, and of the copy")
    parser.add_argument("--fresh", action="store_true", help="try all of them anew")
    parser.add_argument(
        "--whole", action="store_true", help="run every test where those of the subject see nothing"
    )
    parser.add_argument("--list", action="store_true", help="only list the faults")
    given = parser.parse_args(arguments)
    root = Path(CHECKOUT or SOURCES.parent)
    mutants = draw(root)
    texts = {m.file: (root / m.file).read_text("utf-8") for m in mutants}
    if given.list:
        print(*(m.in_words(texts[m.file]) for m in mutants), sep="\n")
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    kept = given.out / "outcomes.json"
    known = json.loads(kept.read_text("utf-8")) if kept.exists() and not given.fresh else {}
    copy = copy_of(root, given.out)
    for mutant in mutants:
        words = mutant.in_words(texts[mutant.file])
        if words not in known:
            known[words] = outcome(mutant, copy, given.whole)
            kept.write_text(json.dumps(known, indent=1), "utf-8")
            print(f"{known[words]}  {words}", flush=True)
    survivors = [words for m in mutants if known[words := m.in_words(texts[m.file])] == SURVIVES]
    print(
        f"{len(mutants) - len(survivors)} of {len(mutants)} are seen by the tests; these are not:",
        *survivors,
        sep="\n",
    )
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
