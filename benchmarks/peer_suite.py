"""scikit-learn's own tests of trees and forests, run on our estimators in their place.

    python benchmarks/peer_suite.py [-k EXPRESSION]

Its installed test modules are imported while ``sklearn.tree`` and ``sklearn.ensemble`` give our estimators under
the names of theirs. Tests of sparse data, of several targets, of extra trees and of private code are left out;
where a test loops over estimators, its extra trees are left out of the loop. What fails is printed with its
reason: one of `DIFFERENCES`, which stay, or else the error. The exit status is 1 if a failure has no reason there.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections import defaultdict
from contextlib import redirect_stdout
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
import sklearn.ensemble
import sklearn.tree

from espalier.learners import CartClassifier, CartRegressor, RandomForestClassifier, RandomForestRegressor

MODULES = ("sklearn.tree.tests.test_tree", "sklearn.ensemble.tests.test_forest")
TREES = {"DecisionTreeClassifier": CartClassifier, "DecisionTreeRegressor": CartRegressor}
FORESTS = {"RandomForestClassifier": RandomForestClassifier, "RandomForestRegressor": RandomForestRegressor}
OTHERS = re.compile("Extra|RandomTreesEmbedding")

# Names of tests, with their parameters, that are left out.
LEFT_OUT = {
    "extra trees": re.compile("Extra|Embedding|random_trees_|random_hasher|extra_tree"),
    "sparse data": re.compile(r"sparse|\[.*cs[rc]_|read_only_buffer"),
    "several targets": re.compile("multi_?output|multilabel|classes_shape|classifier_oob.*X3|regressor_oob.*X1"),
    "private code": re.compile(
        "realloc|huge_alloc|criterion_copy|different_(endianness|bitness)|_check_|check_(n_classes|value|node)_?"
        "|splitter_serializable|deserialization|build_pruned_tree|absolute_errors_precomputation"
    ),
}

# Reasons of the differences that stay, by patterns of the tests' names; the first that is found counts.
DIFFERENCES = {
    "prune_|empty_leaf_infinite": "the threshold of a leaf is nan, where scikit-learn writes -2",
    "min_samples_leaf|min_weight_fraction_leaf|public_apply": "tree_ is a record; its estimator has apply",
    "arrays_persist": "tree_ is a record of arrays, without methods of its own",
    "estimators_samples": "a forest's tree draws features in its own way: fitted alone it tries others",
    "regression_criterion": "forests for numbers try a third of the features",
    "importances.*Regressor|regressor_oob": "a bound that forests of either library miss for some seeds",
    "memory_layout": "sparse data are refused",
    r"class_weights(_forest)?\[|class_weight_errors": "several targets are refused",
    "validate_y_class_weight|oob_not_computed_twice": "the test calls private methods",
    "mse_criterion_object": "a criterion is a name, not an object of scikit-learn",
    "max_samples_geq_one": "at most as many samples are drawn as there are",
    "max_samples_bootstrap": "the message calls the parameter max_samples, scikit-learn's max_sample",
    "min_sample_split_1_error": "the message has other words",
    "test_error": "the numbers of rows of X and y are compared before the targets are looked at",
    "oob_warning": "rows that every tree saw are nan in the out-of-bag predictions, without a warning",
    "friedman_mse_deprecation": "friedman_mse is a name of squared_error, without a warning",
    "big_input|almost_constant": "values are compared in double precision",
    "backend_respected": "trees grow on threads of the process, whatever joblib's backend",
}


class Failure(NamedTuple):
    test: str
    error: str  # its kind, and the first line of its message


class Peers:
    """A plugin of pytest: leaves tests out, and records what passes and what fails, and why."""

    def __init__(self):
        self.left_out: dict[str, int] = defaultdict(int)
        self.passed: list[str] = []
        self.failed: list[Failure] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        for module in {item.module for item in items}:
            _drop_others(module)
        chosen = []
        for item in items:
            reason = next((reason for reason, names in LEFT_OUT.items() if names.search(item.name)), None)
            if reason:
                self.left_out[reason] += 1
            else:
                chosen.append(item)
        items[:] = chosen

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.excinfo is not None and not call.excinfo.errisinstance(pytest.skip.Exception):
            self.failed.append(Failure(item.name, error_of(call.excinfo)))
        elif call.when == "call" and call.excinfo is None:
            self.passed.append(item.name)


def _drop_others(module: Any) -> None:
    """Remove estimators that are not ours from the dictionaries that tests loop over."""
    for value in vars(module).values():
        if isinstance(value, dict):
            for key in [key for key in value if isinstance(key, str) and OTHERS.match(key)]:
                del value[key]


def error_of(excinfo: Any) -> str:
    """Return the kind of an error, in a few words, and the first line of its message."""
    error = excinfo.value
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{_kind(error, str(error))}: {line}"[:170]


def _kind(error: BaseException, message: str) -> str:
    if isinstance(error, AttributeError):
        return "no such name"
    if isinstance(error, TypeError) and "argument" in message:
        return "no such parameter"
    if "DID NOT" in message:
        return "no error or warning"
    if isinstance(error, AssertionError) and "Regex pattern" in message:
        return "another message"
    if isinstance(error, Warning):
        return "a warning"
    return "other numbers" if isinstance(error, AssertionError) else f"refused ({type(error).__name__})"


def run(options: list[str]) -> Peers:
    """Run the tests on our estimators."""
    peers = Peers()
    with patch.multiple(sklearn.tree, **TREES), patch.multiple(sklearn.ensemble, **FORESTS):
        files = [str(importlib.import_module(module).__file__) for module in MODULES]
    fixed = ["-c", os.devnull, "-q", "-p", "no:cacheprovider", *files]
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        pytest.main([*fixed, *options], plugins=[peers])
    return peers


def difference(test: str) -> str | None:
    """Return the reason why a test is expected to fail, or None."""
    return next((reason for pattern, reason in DIFFERENCES.items() if re.search(pattern, test)), None)


def report(peers: Peers) -> list[Failure]:
    """Print what passes and what fails; return the failures without a reason."""
    n = len(peers.passed) + len(peers.failed)
    print(f"{len(peers.passed)} of {n} pass; left out: {dict(peers.left_out)}")
    stay, rest = defaultdict(list), []
    for failure in peers.failed:
        reason = difference(failure.test)
        stay[reason].append(failure.test) if reason else rest.append(failure)
    for reason, tests in sorted(stay.items(), key=lambda pair: -len(pair[1])):
        print(f"\n{len(tests):3}  {reason}\n     " + "\n     ".join(tests))
    for failure in sorted(rest, key=lambda failure: failure.error):
        print(f"\n  ?  {failure.test}\n     {failure.error}")
    return rest


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", metavar="EXPRESSION", help="only tests whose names match, as in pytest")
    expression = parser.parse_args().k
    sys.exit(bool(report(run(["-k", expression] if expression else []))))
