"""Models of other libraries as forests of ours, without fitting them again."""

from espalier.learners.imports.model import ImportedForest
from espalier.learners.imports.read import read_file, read_model

__all__ = ["ImportedForest", "read_file", "read_model"]
