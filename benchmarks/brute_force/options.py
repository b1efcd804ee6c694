"""The options that tables are drawn with, and which of them can be drawn together."""

from __future__ import annotations

from typing import NamedTuple

CLASSES, NUMBERS = "OptimalClassifier", "OptimalRegressor"
BOTH = CLASSES, NUMBERS


class Option(NamedTuple):
    """A level of one of the learners' options, or of a property of tables."""

    group: str  # of which a table has at most one
    learners: tuple[str, ...]
    parameter: str = ""  # as a refusal names it


OPTIONS = {
    "depth 1": Option("depth", BOTH, "max_depth"),
    "depth 2": Option("depth", BOTH, "max_depth"),
    "depth 3": Option("depth", BOTH, "max_depth"),
    "depth 4": Option("depth", BOTH, "max_depth"),
    "two classes": Option("classes", (CLASSES,), "two classes"),
    "three classes": Option("classes", (CLASSES,), "classes"),
    "every threshold": Option("thresholds", BOTH, "max_thresholds"),
    "a few thresholds": Option("thresholds", BOTH, "max_thresholds"),
    "thresholds by size": Option("thresholds", BOTH, "max_thresholds"),
    "few levels": Option("levels", BOTH),
    "many levels": Option("levels", BOTH),
    "rows that repeat": Option("repeats", BOTH),
    "whole weights": Option("weights", BOTH, "sample_weight"),
    "weights with a measure": Option("weights", BOTH, "sample_weight"),
    "odd weights": Option("weights", BOTH, "sample_weight"),
    "rows of no weight": Option("nothing", BOTH, "sample_weight"),
    "class weights": Option("class weights", (CLASSES,), "class_weight"),
    "balanced classes": Option("class weights", (CLASSES,), "class_weight"),
    "costs": Option("costs", (CLASSES,), "misclassification_cost"),
    "least weight of leaves": Option("leaf", (CLASSES,), "min_weight_fraction_leaf"),
    "least rows of leaves": Option("leaf", (NUMBERS,), "min_samples_leaf"),
    "least share of leaves": Option("leaf", (NUMBERS,), "min_samples_leaf"),
    "missing values": Option("missing", BOTH, "missing"),
    "ordered categories": Option("categories", BOTH, "ordered"),
    "one category": Option("categories", BOTH, "categories"),
    "sets of categories": Option("categories", (CLASSES,), "categories"),
    "directions": Option("directions", (CLASSES,), "monotonic_cst"),
    "forced splits": Option("forced", (CLASSES,), "forced_splits"),
    "forbidden columns": Option("forbidden", BOTH, "forbidden_features"),
    "few splits": Option("splits", BOTH, "max_splits"),
    "any number of splits": Option("fewest", BOTH, "fewest_splits"),
    "sorted columns": Option("search", (CLASSES,)),
    "little memory": Option("memory", (CLASSES,), "max_memory"),
    "two threads": Option("threads", (CLASSES,), "n_jobs"),
    "stopped and continued": Option("stop", BOTH, "go_on"),
    "target far from zero": Option("target", (NUMBERS,)),
    "list of functions": Option("as good", (CLASSES,), "trees as good"),
    "count of trees": Option("as good", (CLASSES,), "trees as good"),
}
NEEDED = "depth", "classes", "thresholds"  # groups of which every table has one


def options_of(learner: str) -> list[str]:
    """Return the names of a learner's options."""
    return [name for name, option in OPTIONS.items() if learner in option.learners]


def go_together(names: set[str] | frozenset[str]) -> bool:
    """Return whether no two options are levels of one."""
    groups = [OPTIONS[name].group for name in names]
    return len(set(groups)) == len(groups)
