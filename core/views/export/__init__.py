"""A grown tree as text for elsewhere; every ``to_…(tree, features, target)`` returns source text."""

from core.views.dot import to_dot
from core.views.export.json import from_json, to_json
from core.views.export.python import to_python
from core.views.export.rules import to_rules
from core.views.export.sql import to_sql

__all__ = ["from_json", "to_dot", "to_json", "to_python", "to_rules", "to_sql"]
