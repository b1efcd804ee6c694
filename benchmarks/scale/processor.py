"""What the vectors of AVX-512 are worth: Espalier compiled for this processor and for one without them.

    python -m benchmarks.scale.processor [--turns N] [--data DIR]

Each turn is two processes, one for either processor, which measure Espalier and the rivals that are installed one
after the other. Rivals bring their own machine code, the same for both. Kernels for the processor without AVX-512
(haswell: AVX2 and FMA) are compiled into a folder of their own, which takes minutes at the first time. The table
has medians of processor time; × says how many times ours a rival takes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_classification

from benchmarks import cart, forests
from benchmarks.cultivated import folds
from benchmarks.page.measured import OURS, in_turn
from espalier.data import samples
from espalier.kernels.cultivated.chunks import score_cuts
from espalier.kernels.cultivated.neighbourhood import BEGINS, PlaceRange
from espalier.kernels.parts import OPTIONS
from espalier.learners import CartClassifier, CultivatedClassifier, OptimalClassifier
from espalier.paths import KERNEL_CACHE

HERE = "with", "without"
EXTENSIONS = (
    "sse,sse2,sse3,ssse3,sse4.1,sse4.2,avx,avx2,fma,bmi,bmi2,lzcnt,popcnt,cx16,f16c,movbe,fsgsbase,sahf,cmov,mmx,"
    "x87,fxsr,xsave,xsaveopt,aes,pclmul"
)
ROUNDS = 3


class Time(NamedTuple):
    """The median time of a program in one process."""

    case: str
    program: str
    ms: float


def without_avx512() -> dict[str, str]:
    """Return the variables that compile for a processor without AVX-512; with its name alone, features stay."""
    features = ",".join(f"+{name}" for name in EXTENSIONS.split(","))
    folder = str(KERNEL_CACHE / "without-avx512")
    return {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": folder}


def wide_registers() -> int:
    """Return how often the machine code of a kernel, compiled anew, names what AVX-512 brought: zmm, or a mask."""
    kernel: Any = score_cuts
    anew = type(kernel)(kernel.py_func, targetoptions=OPTIONS)
    anew(np.full(9, BEGINS), np.ones((2, 9)).cumsum(axis=1), np.full(2, 9.0), PlaceRange(0, 8), np.empty(9))
    (code,) = anew.inspect_asm().values()
    return code.count("%zmm") + code.count("{%k")


def times(data: Path | None) -> Iterator[Time]:
    """Measure every case here."""
    for case, programs in _cases(data):
        for one in in_turn(case, "ms", programs, ROUNDS):
            if one.values:
                yield Time(case, one.program, statistics.median(one.values))


def _cases(data: Path | None) -> Iterator[tuple[str, dict]]:
    """Each case, and what its programs run."""
    for name in ("classification 10k x 20", "regression 10k x 20"):
        classes, make = cart.TABLES[name]
        X, y = make()
        yield (
            f"CART, {name}",
            {
                OURS: cart.ours(np.asfortranarray(X), y, classes, None),
                "scikit-learn": cart.scikit_learn(np.ascontiguousarray(X, dtype=np.float32), y, classes, None),
                "ydf": cart.of_ydf(X, y, classes, None),
            },
        )
    for name in ("classification 10k x 20", "regression 10k x 20"):
        classes, make = forests.TABLES[name]
        X, y = make()
        table = forests.Table(X, y, classes, "random")
        rivals = [forests.ours(table), forests.scikit_learn(table), forests.of_ydf(table)]
        names = OURS, "scikit-learn", "ydf"
        yield f"forest, {name}", {who: one and one.fit for who, one in zip(names, rivals, strict=True)}
        fitted = {who: (one, one.fit()) for who, one in zip(names, rivals, strict=True) if one}
        yield (
            f"forest predicts, {name}",
            {who: lambda one=one, model=model: one.predict(model) for who, (one, model) in fitted.items()},
        )
    yield from _own_cases(data)


def _own_cases(data: Path | None) -> Iterator[tuple[str, dict]]:
    """Cases without a rival."""
    if data:
        (magic,) = folds.tables(str(data / "crf"), "magic")
        X, y = magic.X, magic.y
    else:
        X, y = make_classification(19_020, 10, n_informative=6, random_state=0)
    name = "magic" if data else "classification 19k x 10"
    yield f"cultivated, {name}", {OURS: lambda: CultivatedClassifier().fit(X, y)}
    yield f"CART of depth 14, {name}", {OURS: lambda: CartClassifier(max_depth=14).fit(X, y)}
    wine = samples.load("wine")
    yield "optimal, wine, depth 3", {OURS: lambda: OptimalClassifier(max_depth=3).fit(wine.X, wine.y)}


def measure(data: Path | None) -> None:
    """Print what is measured in this process, as JSON."""
    warnings.filterwarnings("ignore")
    print(json.dumps({"wide": wide_registers(), "times": list(times(data))}))


def elsewhere(variables: dict[str, str], data: Path | None) -> dict:
    """Return what a process with these variables measures."""
    command = [sys.executable, "-m", "benchmarks.scale.processor", "--measure"]
    command += ["--data", str(data)] if data else []
    done = subprocess.run(command, env=os.environ | variables, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure in turns, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--data", type=Path, help="folder of the papers' tables")
    parser.add_argument("--measure", action="store_true", help="here, once, and print JSON")
    options = parser.parse_args()
    if options.measure:
        measure(options.data)
    else:
        print_table(in_turns(options.turns, options.data))


def in_turns(turns: int, data: Path | None) -> dict[tuple[str, str], dict[str, float]]:
    """Return the median milliseconds of each case and program, on either processor."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for turn in range(turns):
        for where, variables in zip(HERE, ({}, without_avx512()), strict=True):
            run = elsewhere(variables, data)
            print(
                f"turn {turn + 1}, {where}: {run['wide']} words of AVX-512 in a kernel",
                file=sys.stderr,
                flush=True,
            )
            for case, program, ms in run["times"]:
                found.setdefault((case, program), {}).setdefault(where, []).append(ms)
    return {key: {where: statistics.median(each) for where, each in of.items()} for key, of in found.items()}


def print_table(found: dict[tuple[str, str], dict[str, float]]) -> None:
    """Print ours, with and without AVX-512, and how many times ours a rival takes beside each."""
    rivals = ["scikit-learn", "ydf"]
    print("| case | ms | ms without | " + " | ".join(f"× {one} | × without" for one in rivals) + " |")
    print("|---" * (3 + 2 * len(rivals)) + "|")
    for case in dict.fromkeys(case for case, _ in found):
        own = found[case, OURS]
        cells = [f"{own[where]:.3g}" for where in HERE]
        for rival in rivals:
            theirs = found.get((case, rival))
            cells += [f"{theirs[where] / own[where]:.1f}" if theirs else "–" for where in HERE]
        print(f"| {case} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
