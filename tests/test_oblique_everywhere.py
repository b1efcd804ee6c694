"""Every public function of a tree takes an oblique tree, or refuses it by name with a reason."""

import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np

from espalier.data import samples
from espalier.learners import ObliqueClassifier
from espalier.learners.pruning import prune, reduced_error
from espalier.predict import leaves
from tests.tools.cases import case

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
IRIS = samples.load("iris")
TREE: Any = ObliqueClassifier(max_depth=4).fit(IRIS.X, IRIS.y).tree_
ARGUMENTS = {
    "dataset": IRIS, "X": IRIS.X, "x": IRIS.X[60], "y": IRIS.y, "features": IRIS.features, "target": IRIS.target,
    "alpha": 0.01, "node": 0, "others": [TREE, TREE], "combine": "votes", "b": TREE, "feature": 0,
}  # fmt: skip
OWN = {"espalier.analysis.pair_dependence": {"features": (0, 1)}}  # where a name means something else
DESCRIBED = {"features", "target"}  # which an estimator brings along, and a tree does not
OF_THE_RECORD = {"check_tree", "prune_to", "softened"}  # of `Tree` itself; `ObliqueTree` has its own, or none


def functions_of_trees():
    """Documented functions whose first argument may be a `Tree`, by name; exports also take an estimator."""
    pages = "\n".join(page.read_text("utf-8") for page in REFERENCE.glob("*.md"))
    found = {}
    for path in re.findall(r"^::: (\S+)", pages, re.MULTILINE):
        module, _, name = path.rpartition(".")
        one = getattr(importlib.import_module(module), name, None) if importlib.util.find_spec(module) else None
        if inspect.isfunction(one) and name not in OF_THE_RECORD and _takes_a_tree(one):
            found[path] = one
    return found


def _takes_a_tree(function) -> bool:
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is not None and first.name == "model" and "export" in function.__module__:
        return not function.__name__.startswith("forest_")
    return first is not None and bool(re.fullmatch(r"(Any|Some)?Tree( \|.*)?", str(first.annotation)))


FUNCTIONS = functions_of_trees()


def test_the_walk_finds_functions_of_every_subject():
    assert {path.split(".")[1] for path in FUNCTIONS} >= {"analysis", "learners", "predict", "trees", "views"}


def refusal_of(function, given) -> str | None:
    """None if the tree is taken; "oblique" if the refusal says that word, else what it says."""
    try:
        function(TREE, **given)
    except ValueError as wrong:
        return "oblique" if "oblique" in str(wrong) else str(wrong)
    return None


def test_a_public_function_takes_an_oblique_tree_or_refuses_it_by_name():
    for path in FUNCTIONS:
        with case(path):
            function = FUNCTIONS[path]
            _, *others = inspect.signature(function).parameters.values()
            known = ARGUMENTS | OWN.get(path, {})
            needed = (
                one.name for one in others if one.default is inspect.Parameter.empty or one.name in DESCRIBED
            )
            given = {name: known[name] for name in needed}
            assert refusal_of(function, given) in (None, "oblique")


def test_a_pruned_oblique_tree_is_a_part_of_the_whole_one():
    rows = np.arange(150) % 3 == 0
    whole: Any = ObliqueClassifier().fit(IRIS.X[~rows], IRIS.y[~rows]).tree_
    for pruned in (prune(whole, 0.05), reduced_error(whole, IRIS.X[rows], IRIS.y[rows])):
        assert 1 < pruned.n_leaves <= whole.n_leaves
        where = leaves(whole, IRIS.X)
        parts = {(leaf, part) for leaf, part in zip(where.tolist(), leaves(pruned, IRIS.X).tolist(), strict=True)}
        assert len(parts) == len(set(where.tolist()))
