"""The script of a component: all its modules, with its texts and styles, and a function that draws it."""

from __future__ import annotations

import json
import re

from espalier.display.components.assets import source
from espalier.display.components.modules import joined
from espalier.language import ENGLISH, LANGUAGES, texts

STYLES = {
    "bars": ("canvas.css", "stability.css"),
    "curve": ("canvas.css", "curve.css"),
    "numbers": ("help.css", "numbers.css"),
    "slider": ("help.css", "slider.css"),
    "surface": ("canvas.css", "surface.css"),
    "tree": ("canvas.css", "tree.css"),
}  # by component; others have the one of their name
NO_TEXTS = "const TEXTS = {};"  # in `shared/language/spoken.js`
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def script(entry: str) -> str:
    """Return the module of an entry, "tree/main.js": `assets/dressed.js` stands around it.

    >>> script("line/main.js").count("export default")
    1
    """
    name = entry.split("/")[0]
    modules = re.sub("^export default ", "const $main = ", with_texts(joined(entry)), flags=re.MULTILINE)
    style = f"const $STYLE = {json.dumps(source(*STYLES.get(name, (f'{name}.css',))), ensure_ascii=False)};"
    return "\n".join([modules, style, source("dressed.js")])


def with_texts(modules: str) -> str:
    """Return joined modules with the texts of other languages for those of their literals that have any.

    >>> with_texts('const TEXTS = {}; spoken("decision surface");')
    'const TEXTS = {"de": {"decision surface": "Entscheidungsfläche"}}; spoken("decision surface");'
    """
    literals = set(LITERAL.findall(modules))
    spoken = {
        language: {english: text for english, text in texts(language).items() if english in literals}
        for language in LANGUAGES
        if language != ENGLISH
    }
    return modules.replace(NO_TEXTS, f"const TEXTS = {json.dumps(spoken, ensure_ascii=False)};")
