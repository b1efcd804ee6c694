"""A grown tree as text for elsewhere; every ``to_…(tree, features, target)`` returns source text."""

from espalier.views.export.either import drawing, to_dot, to_python, to_rules, to_sql
from espalier.views.export.json import from_json, to_json

__all__ = ["drawing", "from_json", "to_dot", "to_json", "to_python", "to_rules", "to_sql"]
