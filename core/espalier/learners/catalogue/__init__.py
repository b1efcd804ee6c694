"""The one list of learners and their settings: pages, addresses and estimators are derived from it."""

from espalier.learners.catalogue.estimators import CommonTerms
from espalier.learners.catalogue.kinds import KINDS, Model, ModelKind, model, named, offered
from espalier.learners.catalogue.setting import Setting

__all__ = ["KINDS", "CommonTerms", "Model", "ModelKind", "Setting", "model", "named", "offered"]
