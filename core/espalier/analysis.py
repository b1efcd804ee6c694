"""What one can ask of tables, trees, forests and models: the public names of all features in one place.

Names are imported on first use, so that importing one subject does not load the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from espalier.data.folds import Fold, Folds, deal, folds_of

if TYPE_CHECKING:
    from espalier.approximation.fidelity import fidelity, replications
    from espalier.comparison.class_rates import rates
    from espalier.comparison.cross_validation import compare, validate
    from espalier.comparison.scores import calibration, class_scores, mean_scores, subgroups
    from espalier.decisions.decision import Decision, cost_curve, decided, rates_by_group, rows_of_folds
    from espalier.explanation.dependence import (
        AccumulatedEffects,
        FeatureCurves,
        PairDependence,
        accumulated_effects,
        feature_curves,
        pair_dependence,
    )
    from espalier.explanation.shapley import (
        ShapleyInteractions,
        ShapleyValues,
        shapley_interactions,
        shapley_values,
    )
    from espalier.findings.check import check_table
    from espalier.findings.finding import Finding
    from espalier.forests.agreement import agreement, mean_agreement, strength_and_correlation
    from espalier.forests.growth import permutation_importance
    from espalier.new_rows.answers import TableModel
    from espalier.new_rows.promises import LeafAnswers, promised_intervals, promised_leaves, promised_sets
    from espalier.new_rows.scoring import ScoringRules, drift, score_rows
    from espalier.reliability.explanation import story
    from espalier.reliability.reliability import answered, area, ask
    from espalier.reliability.uncertainty import contributions
    from espalier.stability.replicates import Plan, StructureRule, replicate, tally_structures
    from espalier.stability.resampling import Redraw
    from espalier.stability.splits import split_recurrence
    from espalier.stability.structures import Equality, levels, structures_of
    from espalier.tree.differences import NodeChange, TreeDifference, tree_difference
    from espalier.tree.pruning import pruning_sequence, subtree_errors
    from espalier.tuning.search import TuningPlan, TuningRun, tune

__all__ = [
    "AccumulatedEffects",
    "Decision",
    "Equality",
    "FeatureCurves",
    "Finding",
    "Fold",
    "Folds",
    "LeafAnswers",
    "NodeChange",
    "PairDependence",
    "Plan",
    "Redraw",
    "ScoringRules",
    "ShapleyInteractions",
    "ShapleyValues",
    "StructureRule",
    "TableModel",
    "TreeDifference",
    "TuningPlan",
    "TuningRun",
    "accumulated_effects",
    "agreement",
    "answered",
    "area",
    "ask",
    "calibration",
    "check_table",
    "class_scores",
    "compare",
    "contributions",
    "cost_curve",
    "deal",
    "decided",
    "drift",
    "feature_curves",
    "fidelity",
    "folds_of",
    "levels",
    "mean_agreement",
    "mean_scores",
    "pair_dependence",
    "permutation_importance",
    "promised_intervals",
    "promised_leaves",
    "promised_sets",
    "pruning_sequence",
    "rates",
    "rates_by_group",
    "replicate",
    "replications",
    "rows_of_folds",
    "score_rows",
    "shapley_interactions",
    "shapley_values",
    "split_recurrence",
    "story",
    "strength_and_correlation",
    "structures_of",
    "subgroups",
    "subtree_errors",
    "tally_structures",
    "tree_difference",
    "tune",
    "validate",
]

__path__: list[str] = []  # so that an import of a part that it had once is refused by name (`moved`)
_NAMES = {
    "approximation.fidelity": ("fidelity", "replications"),
    "comparison.class_rates": ("rates",),
    "comparison.cross_validation": ("compare", "validate"),
    "comparison.scores": ("calibration", "class_scores", "mean_scores", "subgroups"),
    "findings.check": ("check_table",),
    "findings.finding": ("Finding",),
    "decisions.decision": ("Decision", "cost_curve", "decided", "rates_by_group", "rows_of_folds"),
    "explanation.dependence": (
        "AccumulatedEffects",
        "FeatureCurves",
        "PairDependence",
        "accumulated_effects",
        "feature_curves",
        "pair_dependence",
    ),
    "explanation.shapley": ("ShapleyInteractions", "ShapleyValues", "shapley_interactions", "shapley_values"),
    "forests.agreement": ("agreement", "mean_agreement", "strength_and_correlation"),
    "forests.growth": ("permutation_importance",),
    "new_rows.answers": ("TableModel",),
    "new_rows.scoring": ("ScoringRules", "drift", "score_rows"),
    "new_rows.promises": ("LeafAnswers", "promised_intervals", "promised_leaves", "promised_sets"),
    "reliability.uncertainty": ("contributions",),
    "reliability.explanation": ("story",),
    "reliability.reliability": ("answered", "area", "ask"),
    "stability.replicates": ("Plan", "StructureRule", "replicate", "tally_structures"),
    "stability.resampling": ("Redraw",),
    "stability.splits": ("split_recurrence",),
    "stability.structures": ("Equality", "levels", "structures_of"),
    "tree.differences": ("NodeChange", "TreeDifference", "tree_difference"),
    "tree.pruning": ("pruning_sequence", "subtree_errors"),
    "tuning.search": ("TuningPlan", "TuningRun", "tune"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str):
    if name in _MODULES:
        return getattr(import_module(f"espalier.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
