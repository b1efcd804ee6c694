"""Exports of grown trees and forests: to text by ``to_…(tree, features, target)``, and to scikit-learn."""

from espalier.export.json import forest_from_json, forest_to_json, from_json, to_json
from espalier.export.onnx import forest_to_onnx
from espalier.export.python import forest_to_python, to_python
from espalier.export.rules import drawing, to_dot, to_rules
from espalier.export.sklearn import to_sklearn
from espalier.export.sql import forest_to_sql, to_sql

__all__ = [
    "drawing", "forest_from_json", "forest_to_json", "forest_to_onnx", "forest_to_python", "forest_to_sql",
    "from_json", "to_dot", "to_json", "to_python", "to_rules", "to_sklearn", "to_sql",
]  # fmt: skip
