"""How often options have met in tables, alone, in pairs and in triples; and which are to meet next."""

from __future__ import annotations

import json
import os
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.brute_force.options import NEEDED, OPTIONS, go_together, options_of

PAIRS, TRIPLES = 3000, 600  # tables that each is to meet
OUTCOMES = "right", "wrong", "refused", "unreached"
BESIDE = len(OUTCOMES)  # place of the tables that were refused for other options
TRIED = 12  # tables after which what is always refused is drawn no more
MOST_MORE = 6  # options beside those that are to meet


class Wrong(NamedTuple):
    """A table of which a learner said what is not so."""

    seed: int
    options: list[str]
    reason: str


class Cover:
    """The counts of one learner's options, kept in a file."""

    def __init__(self, learner: str, path: Path | None = None, seed: int = 0):
        self.learner, self.path, self.names = learner, path, options_of(learner)
        n = len(self.names)
        self.number = {name: at for at, name in enumerate(self.names)}
        self.alone = np.zeros((BESIDE + 1, n), np.int64)
        self.pairs = np.zeros((BESIDE + 1, n, n), np.int32)  # above the diagonal
        self.triples = np.zeros((BESIDE + 1, n, n, n), np.int32)
        self.total = np.zeros(BESIDE + 1, np.int64)
        self.seed, self.seconds = seed, 0.0
        self.wrong: list[Wrong] = []
        self.reasons: dict[str, str] = {}  # of refusals, by the options that they name
        self._next: list[frozenset[str]] = []
        groups = [OPTIONS[name].group for name in self.names]
        apart = np.array([[a != b for b in groups] for a in groups])
        self.may_be_pair = np.triu(apart, 1)
        three = apart[:, :, None] & apart[:, None, :] & apart[None, :, :]
        order = np.arange(n)
        self.may_be_triple = three & (order[:, None, None] < order[:, None]) & (order[:, None] < order)
        if path is not None and path.exists():
            self._read(path)

    def add(self, seed: int, options: frozenset[str], outcome: str, reason: str = "") -> None:
        """Count a table; a refusal counts for the options that it names."""
        if outcome == "refused":
            self._count(options, BESIDE, 1)
            options = frozenset(reason.split(": ")[0].split(" + "))
            self.reasons.setdefault(" + ".join(sorted(options)), reason)
        if outcome == "wrong":
            self.wrong.append(Wrong(seed, sorted(options), reason))
        self._count(options, OUTCOMES.index(outcome), 1)

    def forget(self, wrong: Wrong) -> None:
        """Count a wrong table no more."""
        self.wrong.remove(wrong)
        self._count(frozenset(wrong.options), OUTCOMES.index("wrong"), -1)

    def _count(self, options: frozenset[str], at: int, more: int) -> None:
        numbers = sorted(self.number[name] for name in options)
        self.total[at] += more
        self.alone[at, numbers] += more
        for i, j in combinations(numbers, 2):
            self.pairs[at, i, j] += more
        for i, j, k in combinations(numbers, 3):
            self.triples[at, i, j, k] += more

    def refused_pairs(self) -> np.ndarray:
        """Return which pairs (n, n) are always refused, by either order."""
        above = (self.pairs[2] >= TRIED) & (self.pairs[0] == 0)
        return above | above.T

    def compared(self, counts: np.ndarray) -> np.ndarray:
        """Return how many tables were compared, right or wrong."""
        return counts[0] + counts[1]

    def closed(self, counts: np.ndarray) -> np.ndarray:
        """Return what many tables have met and none could be compared of: refused, or not reached."""
        return (counts[2:].sum(axis=0) >= 4 * TRIED) & (self.compared(counts) == 0)

    def lacking_pairs(self) -> np.ndarray:
        """Return the share of its tables that each pair lacks, (n, n); 0 where it needs none."""
        is_open = self.may_be_pair & ~self.refused_pairs() & ~self.closed(self.pairs)
        return np.where(is_open, np.maximum(1 - self.compared(self.pairs) / PAIRS, 0), 0)

    def lacking_triples(self) -> np.ndarray:
        """Return the same of triples, (n, n, n)."""
        is_open = self.open_triples() & ~self.closed(self.triples)
        return np.where(is_open, np.maximum(1 - self.compared(self.triples) / TRIPLES, 0), 0)

    def open_triples(self) -> np.ndarray:
        """Return which triples (n, n, n) have no refused pair."""
        refused = self.refused_pairs()
        return self.may_be_triple & ~(refused[:, :, None] | refused[:, None, :] | refused[None, :, :])

    def draw(self, rng: np.random.Generator) -> frozenset[str]:
        """Return options for the next table: those that lack most, and a few others."""
        if not self._next:
            self._next = self._fill(rng)
        chosen = set(self._next.pop())
        refused = self.refused_pairs()
        more = rng.permutation(self.names)[: int(rng.integers(0, MOST_MORE + 1))].tolist()
        for name in [*more, *self._needed(rng)]:
            fits = not any(refused[self.number[name], self.number[other]] for other in chosen)
            if fits and go_together(chosen | {name}):
                chosen.add(name)
        return frozenset(chosen)

    def _needed(self, rng: np.random.Generator) -> list[str]:
        return [name for name in rng.permutation(self.names).tolist() if OPTIONS[name].group in NEEDED]

    def _fill(self, rng: np.random.Generator) -> list[frozenset[str]]:
        found = []
        for lack in (self.lacking_pairs(), self.lacking_triples()):
            flat = lack.ravel() ** 2
            if flat.sum() > 0:
                for at in rng.choice(len(flat), 100, p=flat / flat.sum()).tolist():
                    numbers = np.unravel_index(at, lack.shape)
                    found.append(frozenset(self.names[int(number)] for number in numbers))
        rng.shuffle(found)  # type: ignore[arg-type]
        return found or [frozenset()]

    # ---- the file

    def save(self) -> None:
        """Write the counts, so that another run goes on from them."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = {
            "names": self.names, "seed": self.seed, "seconds": self.seconds, "wrong": self.wrong,
            "reasons": self.reasons,
        }  # fmt: skip
        part = self.path.with_suffix(".part.npz")
        np.savez_compressed(
            part,
            total=self.total,
            alone=self.alone,
            pairs=self.pairs,
            triples=self.triples,
            kept=np.array(json.dumps(kept)),
        )
        os.replace(part, self.path)

    def _read(self, path: Path) -> None:
        with np.load(path) as file:
            kept = json.loads(str(file["kept"]))
            if kept["names"] != self.names:
                raise ValueError(f"{path} counts other options than there are today; begin another file")
            self.total, self.alone = file["total"], file["alone"]
            self.pairs, self.triples = file["pairs"], file["triples"]
        self.seed, self.seconds, self.reasons = kept["seed"], kept["seconds"], kept["reasons"]
        self.wrong = [Wrong(*one) for one in kept["wrong"]]
