"""The script of a component: all its modules, with its styles, and a function that draws it."""

from __future__ import annotations

import json
import re

from espalier.views.components.assets import source
from espalier.views.components.modules import joined

STYLES = {
    "bars": ("canvas.css", "stability.css"),
    "curve": ("canvas.css", "curve.css"),
    "numbers": ("help.css", "numbers.css"),
    "slider": ("help.css", "slider.css"),
    "surface": ("canvas.css", "surface.css"),
    "tree": ("canvas.css", "tree.css"),
}  # by component; others have the one of their name


def script(entry: str) -> str:
    """Return the module of an entry, "tree/main.js": `assets/dressed.js` stands around it.

    >>> script("line/main.js").count("export default")
    1
    """
    name = entry.split("/")[0]
    modules = re.sub("^export default ", "const $main = ", joined(entry), flags=re.MULTILINE)
    style = f"const $STYLE = {json.dumps(source(*STYLES.get(name, (f'{name}.css',))), ensure_ascii=False)};"
    return "\n".join([modules, style, source("dressed.js")])
