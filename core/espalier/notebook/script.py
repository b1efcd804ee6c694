"""The script of the widget: the components of the pages, and what joins them in a notebook."""

from __future__ import annotations

import functools
import re

from espalier.display.components.modules import joined
from espalier.display.components.scripts import script, with_texts

PARTS = ("tree", "surface", "line")
EXPORT = re.compile("^export default ", re.MULTILINE)


@functools.cache
def widget_script() -> str:
    """Return the module of an anywidget: its `render` draws in the place that the notebook gives it.

    >>> widget_script().count("export default")
    1
    """
    parts = (f"draw.{name} = (() => {{\n{_returned(script(f'{name}/main.js'))}\n}})();" for name in PARTS)
    notebook = f"const show = (() => {{\n{_returned(with_texts(joined('notebook/main.js')))}\n}})();"
    render = "export default { render: ({ model, el }) => show({ model, el, draw }) };"
    return "\n".join(["const draw = {};", *parts, notebook, render, ""])


def _returned(module: str) -> str:
    return EXPORT.sub("return ", module)
