"""The one list of learners and their settings: pages, addresses and estimators are derived from it."""

from espalier.learners.catalogue.estimators import CommonTerms
from espalier.learners.catalogue.kinds import BROUGHT, FORMER_KINDS, KINDS, Model, ModelKind, model, named, offered
from espalier.learners.catalogue.setting import Setting

__all__ = [
    "BROUGHT",
    "FORMER_KINDS",
    "KINDS",
    "CommonTerms",
    "Model",
    "ModelKind",
    "Setting",
    "model",
    "named",
    "offered",
]
