"""All trees as good as the best one: our set beside those of tree-praxis, arborenum and treefarms, in one run.

    python -m benchmarks.as_good.table --data DIR [--depth 3] [--more 1] [--price 1] [--seconds 120] [--most N]

DIR holds the ten tables of `benchmarks/optimal.py`. All programs get the same yes/no questions and the same goal:
trees of at most so many splits on a path whose errors, plus `--price` errors for each leaf, are at most `--more`
above the fewest. Each runs in a process of its own; times are processor seconds from the table to the number of
trees, without compilation.

Trees are compared as functions of the questions, since programs count differently: splits into two leaves of the
same class, and leaves that no row comes to, are counted by some and are left out here. A tree is *wrong* if it is
too deep, or makes more errors than the goal allows. *Missing* are the functions that some other program found and
that the goal allows. "exact" are settings that the rivals' authors give for exact sets; the others are their
defaults, which they call approximate.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from benchmarks.as_good.functions import Judge
from benchmarks.as_good.rivals import Ours, Question, programs
from espalier.learners.optimal import OptimalClassifier

NAMES = (
    "anneal", "hepatitis", "hypothyroid", "kr-vs-kp", "lymph", "primary-tumor", "soybean", "tic-tac-toe", "vote",
    "yeast",
)  # fmt: skip


class Answer(NamedTuple):
    """What a program found."""

    seconds: float
    n_trees: int
    functions: frozenset[int] | None  # that the goal allows; None for more trees than are compared
    n_wrong: int  # trees


def main() -> None:
    """Print a row for each table and program."""
    told = arguments()
    Ours(Question(np.eye(4, dtype=int), np.array([0, 1, 0, 1]), told.depth, told.price, 9))  # loads the kernels
    print(
        f"{'table':14} {'program':18} {'seconds':>8} {'trees':>10} {'functions':>10} {'missing':>8} {'wrong':>6}"
    )
    for name in told.names.split(","):
        X, y = table(Path(told.data) / f"{name}.txt")
        best = least(X, y, told)
        question = Question(X, y, told.depth, told.price, best + told.more)
        show(name, {program: asked(program, question, best, told) for program in programs(question, best)})


def arguments() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--names", default=",".join(NAMES))
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--more", type=int, default=1)
    parser.add_argument("--price", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--most", type=int, default=100_000)
    return parser.parse_args()


def table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the questions that part the rows, (n_rows, n_questions), and the classes, (n_rows,)."""
    rows = np.loadtxt(path, dtype=int)
    X = rows[:, 1:]
    return X[:, X.min(axis=0) < X.max(axis=0)], rows[:, 0]


def least(X: np.ndarray, y: np.ndarray, told: argparse.Namespace) -> int:
    """Return the least of errors and price of leaves: over numbers of splits, the fewest errors of so many."""
    most = 2**told.depth - 1
    limits = range(most + 1) if told.price else [most]
    return min(fewest_errors(X, y, told.depth, n) + told.price * (n + 1) * bool(told.price) for n in limits)


def fewest_errors(X: np.ndarray, y: np.ndarray, depth: int, n_splits: int) -> int:
    """Return the fewest errors of a tree of at most so many splits."""
    model = OptimalClassifier(max_depth=depth, max_splits=n_splits, max_thresholds=None)
    return int(model.fit(X.astype(float), y).proof_.objective)


def asked(program: str, question: Question, best: int, told: argparse.Namespace) -> Answer | str:
    """Return the answer of a program, or what went wrong."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_ask, args=(there, program, question, best, told.most))
    process.start()
    there.close()
    is_there = here.poll(told.seconds)
    try:
        return here.recv() if is_there else "too long"
    except EOFError:
        return "crashed"
    finally:
        process.kill()
        process.join()


def _ask(pipe, program: str, question: Question, best: int, most: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # rivals print
    ask = programs(question, best)[program]
    begun = time.process_time()
    found = ask()
    seconds = time.process_time() - begun
    if found.n_trees > most:
        pipe.send(Answer(seconds, found.n_trees, None, 0))
        return
    judge, functions, wrong = Judge(question.X, question.y), set(), 0
    for leaves in found.trees():
        judged = judge.judged(leaves)
        cost = judged.errors + question.price * len(leaves)
        if judged.depth > question.depth or cost > question.most:
            wrong += 1
        elif judged.is_clean:
            functions.add(judged.function)
    pipe.send(Answer(seconds, found.n_trees, frozenset(functions), wrong))


def show(name: str, answers: dict[str, Answer | str]) -> None:
    """Print the rows of a table."""
    sets = [one.functions for one in answers.values() if isinstance(one, Answer) and one.functions is not None]
    every = frozenset().union(*sets)
    for program, one in answers.items():
        if isinstance(one, str):
            print(f"{name:14} {program:18} {one}", flush=True)
            continue
        compared = ("–", "–", "–")
        if one.functions is not None:
            compared = (f"{len(one.functions)}", f"{len(every - one.functions)}", f"{one.n_wrong}")
        functions, missing, wrong = compared
        print(
            f"{name:14} {program:18} {one.seconds:8.3f} {one.n_trees:10d} {functions:>10} {missing:>8} {wrong:>6}",
            flush=True,
        )


if __name__ == "__main__":
    main()
