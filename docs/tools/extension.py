"""What griffe, which reads the code for the API reference, is taught of the project's docstrings."""

import inspect
import sys
from pathlib import Path
from typing import Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))  # griffe imports this file by its path, not from a package

from docstrings import as_markdown, fields_as_markdown


class Docstrings(griffe.Extension):
    """Docstrings become Markdown; those of records end with their fields and the comments beside these."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace the docstring of one module, class, function or attribute."""
        if not obj.docstring:
            return
        obj.docstring.value = as_markdown(inspect.cleandoc(obj.docstring.value))
        if isinstance(obj, griffe.Class) and any(str(base) == "NamedTuple" for base in obj.bases):
            obj.docstring.value += "\n\n" + fields_as_markdown("\n".join(obj.lines))
