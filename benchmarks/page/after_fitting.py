"""Disciplines of what comes after a fit: explanations, models of others, approximation, stability and promises."""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import espalier
from benchmarks import promises, stability
from benchmarks.approximation import speed as approximation
from benchmarks.as_good import table as as_good
from benchmarks.as_good.rivals import Ours, Question
from benchmarks.explanation import counterfactuals, shapley
from benchmarks.importers import table as importers
from benchmarks.page.measured import ENOUGH, OURS, Measured, in_turn, version_of
from benchmarks.page.scope import Scope
from espalier.analysis import shapley_values
from espalier.data import samples
from espalier.learners import CartClassifier

TO_EXPLAIN, SECONDS = "ms to explain", 10.0
AS_GOOD = {OURS: "espalier", "tree-praxis": "tree-praxis exact", "arborenum": "arborenum exact"}
MOST_COMPARED = 20_000  # trees whose functions are compared
LEVEL = 0.9  # of rows whose truth a promised set holds


def of_shapley(scope: Scope) -> Iterator[Measured]:
    """Shapley values of 100 boosted trees, along their paths; shap explains a hundredth of the rows, times 100."""
    model, n = shapley.model_of(100, 6), 10_000 if scope.is_quick else 100_000
    X, forest = shapley.table(n), shapley.our_forest(model)
    there: dict[str, Any] = {"shap": None, "woodelf": None} | shapley.rivals(model)
    programs = {OURS: lambda: shapley_values(forest, X)} | {
        who: explain and (lambda one=explain: one(X)) for who, explain in there.items()
    }
    for one in in_turn(f"{n:,} rows", TO_EXPLAIN, programs, scope.rounds):
        times = shapley.SOME if one.program == "shap" else 1
        yield one._replace(values=tuple(times * value for value in one.values))


def of_counterfactuals(scope: Scope) -> Iterator[Measured]:
    """The smallest change that alters a forest's answer: a time for each row, and how many are proved."""
    data = counterfactuals.table(8)
    chosen = np.random.default_rng(0).choice(len(data.y), 10 if scope.is_quick else 50, replace=False)
    for trees in (30, 100):
        model = RandomForestClassifier(trees, max_depth=6, random_state=0).fit(data.X, data.y)
        read, other = espalier.read_model(model), counterfactuals.rival(model, data)
        counterfactuals.ours(read, data, data.X[0], SECONDS)
        found: dict[str, list[counterfactuals.Found]] = {OURS: [], "treecf": []}
        for x in data.X[chosen]:
            found[OURS].append(counterfactuals.ours(read, data, x, SECONDS))
            if other is not None:
                package, explainer = other
                found["treecf"].append(counterfactuals.theirs(explainer, package, data, x, model, SECONDS))
        for who, rows in found.items():
            case, version = f"{trees} trees of depth 6, 8 columns", version_of(who)
            yield Measured(case, "ms a row", who, version, tuple(1000 * one.seconds for one in rows))
            proved = (sum(one.is_proved for one in rows),) if rows else ()
            yield Measured(case, f"proved of {len(chosen)}", who, version, proved, True)


def of_importers(scope: Scope) -> Iterator[Measured]:
    """Models of other libraries, 100 trees, beside the library itself on the same rows."""
    rng, n = np.random.default_rng(0), 20_000 if scope.is_quick else 100_000
    X, y = importers.table(3_000, rng)
    for fitted in importers.models(None):
        theirs = fitted.make(100).fit(X, y)
        read: Any = espalier.read_model(importers.source_of(theirs))
        rows = importers.rows_at_thresholds(read, n, rng)
        programs = {
            OURS: lambda one=read, rows=rows: one.predict_proba(rows),
            fitted.library: lambda one=theirs, rows=rows: one.predict_proba(rows),
        }
        case = f"{fitted.library}, {fitted.name}"
        yield from in_turn(case, f"ms to predict {n:,} rows", programs, scope.rounds)
        apart = float(np.abs(read.predict_proba(rows) - theirs.predict_proba(rows)).max())
        yield Measured(case, "largest difference of a share", OURS, version_of(OURS), (apart,), None)


def of_approximation(scope: Scope) -> Iterator[Measured]:
    """A tree of depth 4 in place of a forest of 100: time, and agreement with the forest on new rows."""
    case, options = "five covariates, 100 trees", argparse.Namespace(seed=1, depth=4, at_limit="best")
    one = approximation.case(options.seed)
    made: dict[str, Callable[[], Any]] = {
        OURS: lambda: approximation.approximation(one, options, max_samples=100_000),
        "Espalier, CART": lambda: CartClassifier(max_depth=options.depth).fit(one.X, one.forest.predict(one.X)),
    }
    rivals = made | {"trustee": approximation.ClassificationTrustee and (lambda: student(one, options.depth))}
    agreement: dict[str, list[float]] = {who: [] for who in rivals}
    taken: dict[str, list[float]] = {who: [] for who in rivals}
    made[OURS]()
    for _ in range(scope.rounds):
        for who, make in rivals.items():
            if make is None or (who == "trustee" and taken[who] and scope.is_quick):  # it takes so long
                continue
            start = time.process_time()
            tree = make()
            taken[who].append(1000 * (time.process_time() - start))
            agreement[who].append(approximation.quality(one, tree.predict_proba)[1])
    for who in rivals:
        yield Measured(case, "ms to fit", who, version_of(who), tuple(taken[who]))
        yield Measured(case, "agreement on new rows", who, version_of(who), tuple(agreement[who]), True)


def student(one: approximation.Case, depth: int) -> Any:
    """Return trustee's best tree of a forest."""
    theirs: Any = approximation.ClassificationTrustee
    found = theirs(expert=one.forest)
    says = one.forest.predict(one.X)
    found.fit(one.X, says, max_depth=depth, num_samples=500, num_stability_iter=10, verbose=False)
    return found.explain()[0]


def of_stability(scope: Scope) -> Iterator[Measured]:
    """Trees of rows drawn again, 1,000 rows of 10 numbers: ours beside the same loop, written by hand."""
    data, n = stability.table(), 20 if scope.is_quick else 1_000
    for name, rivals in stability.RIVALS.items():
        programs: dict[str, Any] = {OURS: lambda one=rivals.ours: stability.ours(one, data, n)}
        for loop, (learner, threads) in rivals.loops.items():
            who = "scikit-learn" if isinstance(learner, DecisionTreeClassifier) else "Espalier, by a loop"
            if loop != "the same by joblib":
                programs[who] = lambda one=learner, t=threads: stability.loop(one, data, n, t)
        yield from in_turn(f"{name}, {n:,} trees", "ms to grow", programs, scope.rounds)


def of_promises(scope: Scope) -> Iterator[Measured]:
    """Sets of classes that hold the truth of nine rows in ten: how many they hold on new rows, and their size."""
    for name in ("breast-cancer", "wine", "tic-tac-toe", "xor"):
        data = samples.load(name)
        halves = [
            promises.halved(data, np.random.default_rng(seed)) for seed in range(10 if scope.is_quick else 50)
        ]
        for who, sets in {OURS: promises.our_sets, "mapie": promises.sets_of_mapie}.items():
            found = [promises.coverage(sets(one, LEVEL), one.y) for one in halves] if _is_here(who) else []
            held, size = zip(*found, strict=True) if found else ((), ())
            yield Measured(name, "truth held, 90 % promised", who, version_of(who), held, None)
            yield Measured(name, "classes in a set", who, version_of(who), size, None)


def _is_here(name: str) -> bool:
    try:
        importlib.import_module(name.lower())
    except ImportError:
        return False
    return True


def of_as_good(scope: Scope) -> Iterator[Measured]:
    """All trees of depth 3 as good as the best one, by errors alone, and by errors and leaves; exact settings."""
    folder = scope.folder("binary")
    for name in ("hepatitis", "lymph") if scope.is_quick else as_good.NAMES:
        X, y = as_good.table(folder / f"{name}.txt")
        for price, goal in ((0, "errors"), (1, "errors and leaves")):
            best = as_good.least(X, y, argparse.Namespace(depth=3, price=price))
            question = Question(X, y, 3, price, best + 1)
            Ours(question)  # loads the kernels, also for the processes to come
            known = {who: answers(program, question, best, scope.rounds) for who, program in AS_GOOD.items()}
            yield from _as_good(f"{name}, {goal}", known)


def _as_good(case: str, known: dict[str, list[as_good.Answer]]) -> Iterator[Measured]:
    """Yield times, and numbers of functions of the programs whose trees were compared."""
    for who, found in known.items():
        yield Measured(case, "ms to find all", who, version_of(who), tuple(1000 * one.seconds for one in found))
    functions = {who: found[0].functions for who, found in known.items() if found}
    for who, each in functions.items():
        if each is not None and functions.get(OURS) is not None:
            yield Measured(case, "different functions", who, version_of(who), (float(len(each)),), None)


def answers(program: str, question: Question, best: int, rounds: int) -> list[as_good.Answer]:
    """Return what a program answers in turns; it is not asked again where it took too long, or is not here."""
    found = []
    for turn in range(rounds if program in as_good.programs(question, best) else 0):
        told = argparse.Namespace(seconds=60, most=0 if turn else MOST_COMPARED)
        one = as_good.asked(program, question, best, told)
        if not isinstance(one, as_good.Answer):
            print(f"{program} is left out: {one}")
            break
        found.append(one)
        if 1000 * sum(each.seconds for each in found) > ENOUGH:
            break
    return found
