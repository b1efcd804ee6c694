"""Approximation trees: section 4.1 of Zhou & Hooker (2016), the paper's numbers and a reference's beside ours.

    python -m benchmarks.approximation.speed [--quick] [--only accuracy,stability,trustee,speed]

Data are the paper's: 1,000 points of the five-covariate simulation, a forest of 100 trees of them, and trees of
four splits on the way. The accuracy is over `--sets` data sets. The stability is that of one forest (`--seed`):
`--replications` trees, grown from pseudo-samples, for every number of `--sizes` up to `--real` a node; CART grows
on as many pseudo-samples with what the forest says of them. `--at-limit` and `--depth` are those of the trees.
Tables are Markdown; times are seconds, by the clock and of the processor.

trustee (Jacobs et al. 2022) is left out where it is not installed: pip install -e ".[bench]".
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier as TheirForest

from benchmarks.approximation.paper import ACCURACY, PAPER_STABILITY, SPEED, STABILITY, TRUSTEE
from espalier.approximation.fidelity import fidelity, replications
from espalier.data.samples.redrawn import five_covariate_logit
from espalier.learners import ApproximationClassifier, CartClassifier, CartRegressor, RandomForestClassifier
from espalier.stability.structures import structures
from espalier.trees import Tree, make_tree

try:
    from trustee import ClassificationTrustee
except ImportError:  # python -m pip install -e ".[bench]"
    ClassificationTrustee = None

N_POINTS, N_TREES, N_TEST = 1000, 100, 20_000
NOTIONS: dict[str, float | None] = {"exact": 0.0, "within 0.05": 0.05, "features": None}


class Case(NamedTuple):
    """A data set, its forest, and points to compare on."""

    X: np.ndarray
    y: np.ndarray
    forest: RandomForestClassifier
    test: tuple[np.ndarray, np.ndarray]
    near: np.ndarray  # pseudo-samples: points of the kernel density


def points(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 5))
    return np.asfortranarray(X), (rng.random(n) < 1 / (1 + np.exp(-five_covariate_logit(X)))).astype(int)


def case(seed: int) -> Case:
    X, y = points(N_POINTS, seed)
    forest = RandomForestClassifier(n_estimators=N_TREES, random_state=seed).fit(X, y)
    some = ApproximationClassifier(forest, max_depth=1, initial_samples=1000, max_samples=1000).fit(X)
    return Case(X, y, forest, points(N_TEST, 10_000 + seed), np.asfortranarray(some.pseudo_samples(N_TEST, seed)))


def approximation(one: Case, options: argparse.Namespace, **settings: Any) -> ApproximationClassifier:
    settings = {"random_state": options.seed, "max_depth": options.depth, "at_limit": options.at_limit} | settings
    return ApproximationClassifier(one.forest, **settings).fit(one.X)


def table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
    header = list(header)
    for cells in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    print()


# ---- accuracy


def quality(one: Case, says: Callable[[np.ndarray], np.ndarray]) -> list[float]:
    """Accuracy on test points; agreement with the forest and L1 on uniform and on kernel points."""
    X, y = one.test
    found = [float((says(X).argmax(axis=1) == y).mean())]
    for rows in (X, one.near):
        told = fidelity(one.forest.predict_proba(rows), says(rows), True)
        found += [told.agreement, told.distance]
    return found


def accuracy(options: argparse.Namespace) -> None:
    found: dict[str, list[list[float]]] = {}
    for seed in range(1, options.sets + 1):
        one = case(seed)
        models = {"forest": one.forest, "CART": CartClassifier(max_depth=options.depth).fit(one.X, one.y)}
        for size in options.sizes:
            if size <= options.real:
                models[f"{size:,}"] = approximation(one, options, max_samples=size)
        models["exact"] = approximation(one, options, method="exact")
        for name, model in models.items():
            found.setdefault(name, []).append(quality(one, model.predict_proba))
    print(f"### Accuracy: {options.sets} data sets, depth {options.depth}; mean (standard deviation)\n")
    names = (
        "",
        "accuracy",
        "agrees, uniform",
        "L1, uniform",
        "agrees, kernel",
        "L1, kernel",
        "paper",
        "reference",
    )
    table(names, ([name, *map(mean_sd, zip(*rows, strict=True)), *ACCURACY[name]] for name, rows in found.items()))


def mean_sd(values: Iterable[float]) -> str:
    array = np.array(list(values))
    return f"{array.mean():.3f} ({array.std():.3f})"


# ---- stability


def stability(options: argparse.Namespace) -> None:
    one, n = case(options.seed), options.replications
    rows = [["exact method", "", *counted([approximation(one, options, method="exact").tree_])]]
    for size in options.sizes:
        model = approximation(one, options, max_samples=10_000).set_params(max_samples=size)
        if size <= options.real:
            rows.append(
                [f"tree, {size:,}", *timed(lambda m=model: [r.tree for r in replications(m, n, n_jobs=2)])]
            )
        rows += theirs("tree", size)
        if size <= options.cart:
            rows.append([f"CART, {size:,}", *timed(lambda m=model, s=size: cart_trees(m, n, s))])
            rows += theirs("CART", size)
    print(f"### Stability: {n} replications, data seed {options.seed}, at_limit {options.at_limit!r}")
    print(f"Structures down to the depths 1 to {options.depth} (share of the most frequent at the last)\n")
    table(("", "seconds (processor)", *NOTIONS, "nodes"), rows)


def theirs(name: str, size: int) -> list[list[str]]:
    """What others report of the same, where they do."""
    rows = [["– the reference's", "", *STABILITY[name, size], ""]] if (name, size) in STABILITY else []
    paper = PAPER_STABILITY.get((name, size))
    return rows + ([["– the paper's", "", paper, "", "", ""]] if paper else [])


def timed(grow: Callable[[], list[Tree]]) -> list[str]:
    began, of_processor = time.perf_counter(), time.process_time()
    trees = grow()
    took = f"{time.perf_counter() - began:.1f} ({time.process_time() - of_processor:.1f})"
    return [took, *counted(trees)]


def counted(trees: list[Tree]) -> list[str]:
    depth, cells = max(tree.depth for tree in trees), []
    for tolerance in NOTIONS.values():
        found = structures(trees, depth, tolerance)
        cells.append(f"{'/'.join(map(str, found.n_structures))} ({100 * found.top_share[-1]:.0f} %)")
    return [*cells, f"{np.mean([tree.n_nodes for tree in trees]):.0f}"]


def cart_trees(model: ApproximationClassifier, n: int, size: int) -> list[Tree]:
    """CART on what the forest says of fresh pseudo-samples: half the Gini of two shares is the variance of one."""
    grown = []
    for number in range(n):
        rows = np.asfortranarray(model.pseudo_samples(size, 1000 + number))
        said = model.model_.predict_proba(rows)[:, 1]
        grown.append(CartRegressor(max_depth=model.max_depth).fit(rows, said).tree_)
    return grown


# ---- trustee


def trustee(options: argparse.Namespace) -> None:
    print(f"### trustee: {options.students} runs\n")
    if ClassificationTrustee is None:
        print('trustee is not installed: pip install -e ".[bench]"\n')
        return
    one, found, trees = case(options.seed), [], []
    began = time.perf_counter()
    for number in range(options.students):
        np.random.seed(number)  # noqa: NPY002, trustee draws from there
        student: Any = ClassificationTrustee(expert=one.forest)
        student.fit(
            one.X, one.forest.predict(one.X), max_depth=options.depth, num_samples=500, num_stability_iter=10
        )
        best = student.explain()[0]
        found.append(quality(one, lambda rows, best=best: best.predict_proba(rows)))
        trees.append(of_theirs(best.tree_))
    seconds = (time.perf_counter() - began) / options.students
    names = ("", "accuracy", "agrees, uniform", "L1, uniform", "agrees, kernel", "L1, kernel")
    table(names, [["trustee", *map(mean_sd, zip(*found, strict=True))]])
    table(("", "seconds a run", *NOTIONS, "nodes"), [["trustee", f"{seconds:.1f}", *counted(trees)]])
    print(f"The reference: agrees {TRUSTEE}.\n")


def of_theirs(tree: Any) -> Tree:
    """The record of a tree of scikit-learn."""
    leaf = tree.children_left < 0
    value = tree.value[:, 0] / tree.value[:, 0].sum(axis=1, keepdims=True)
    nothing = np.zeros(tree.node_count)
    threshold = np.where(leaf, np.nan, tree.threshold)
    return make_tree(
        np.where(leaf, -1, tree.feature), threshold, tree.children_left, tree.children_right, nothing, nothing,
        tree.n_node_samples, tree.weighted_n_node_samples, value, tree.impurity,
    )  # fmt: skip


# ---- speed


def speed(options: argparse.Namespace) -> None:
    one = case(options.seed)
    kinds: dict[str, dict[str, Any]] = {f"{n:,}": {"max_samples": n} for n in options.sizes}
    print("### Time for one tree, one thread: the least of the rounds\n")
    rows = []
    for name, settings in (kinds | {"exact": {"method": "exact"}}).items():
        taken, models = [], []
        for _ in range(options.rounds):
            began = time.process_time()
            models.append(approximation(one, options, **settings))
            taken.append(time.process_time() - began)
        best = min(models, key=lambda model: model.seconds_)
        asked, part = best.oracle_.n_asked, best.oracle_.seconds / best.seconds_
        clock = f"{best.seconds_:.2f} ({min(taken):.2f})"
        rows.append([name, clock, SPEED.get(name, ""), f"{asked:,}", f"{100 * part:.0f} %"])
    table(("samples a node", "seconds (processor)", "reference", "rows asked", "share of the oracle"), rows)
    prediction(one, options.rounds)


def prediction(one: Case, rounds: int) -> None:
    """Our forest and scikit-learn's of the same settings on the same points, one thread."""
    theirs = TheirForest(n_estimators=N_TREES, n_jobs=1, random_state=0).fit(one.X, one.y)
    X = np.ascontiguousarray(one.test[0])
    ours = least(rounds, lambda: one.forest.predict_proba(X))
    other = least(rounds, lambda: theirs.predict_proba(X.astype(np.float32)))
    oracle = approximation(one, argparse.Namespace(seed=0, depth=1, at_limit="best"), max_samples=1000).oracle_
    ranked = least(rounds, lambda: oracle.labels(X))
    microseconds = [f"{1e6 * seconds / len(X):.2f}" for seconds in (ours, ranked, other)]
    print("### Predicting class shares, one core: microseconds a row\n")
    names = ("ours", "ours, as the oracle", "scikit-learn", "times as fast", "oracle")
    table(names, [[*microseconds, f"{other / ours:.1f}", f"{other / ranked:.1f}"]])


def least(rounds: int, do: Callable[[], object]) -> float:
    taken = []
    for _ in range(max(rounds, 3)):
        began = time.process_time()
        do()
        taken.append(time.process_time() - began)
    return min(taken)


PARTS = {"accuracy": accuracy, "stability": stability, "trustee": trustee, "speed": speed}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--only", default=",".join(PARTS), help="parts, with commas between them")
    add("--quick", action="store_true", help="two data sets, ten replications, up to 10,000 real samples")
    add("--seed", type=int, default=1, help="of the data whose forest's stability is measured")
    add("--sets", type=int, default=20, help="data sets for the accuracy")
    add("--replications", type=int, default=100)
    add("--sizes", default="10000,100000,1000000", help="most samples a node")
    add("--real", type=int, default=100_000, help="most samples a node that are drawn")
    add("--cart", type=int, default=100_000, help="most samples for CART beside it")
    add("--students", type=int, default=5, help="runs of trustee")
    add("--rounds", type=int, default=3, help="turns of each for the time")
    add("--depth", type=int, default=4)
    add("--at-limit", default="best", choices=("best", "order"))
    options = parser.parse_args()
    options.sizes = [int(size) for size in options.sizes.split(",")]
    if options.quick:
        options.sets, options.replications, options.students, options.rounds = 2, 10, 1, 1
        options.real = options.cart = 10_000
    return options


def main() -> None:
    warnings.filterwarnings("ignore")
    options = arguments()
    for name in options.only.split(","):
        PARTS[name](options)


if __name__ == "__main__":
    main()
