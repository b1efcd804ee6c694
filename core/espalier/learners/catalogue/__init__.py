"""The one list of learners and their settings: pages, addresses and estimators are derived from it."""

from espalier.learners.catalogue.estimators import CommonTerms
from espalier.learners.catalogue.kinds import (
    FORMER_KINDS,
    KINDS,
    OWN_MODEL,
    Model,
    ModelKind,
    find_kind,
    kinds_for,
    model,
)
from espalier.learners.catalogue.settings import Setting

__all__ = [
    "FORMER_KINDS",
    "KINDS",
    "OWN_MODEL",
    "CommonTerms",
    "Model",
    "ModelKind",
    "Setting",
    "find_kind",
    "kinds_for",
    "model",
]
