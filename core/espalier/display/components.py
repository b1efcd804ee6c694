"""ES modules of the browser components, joined into the one text per component that Streamlit takes.

Every module that a component's entry imports, however far down, becomes a scope of its own: a constant that holds
its exports. The text has them in dependency order, each below a comment with its file's name, and the entry last:

    // shared/numbers.js
    const $shared$numbers = (() => {
    const round = …;
    return { round };
    })();

    // tree/main.js
    const { round } = $shared$numbers;
    export default function …

Statements are known by their place at the start of a line. These are understood: ``import { a, b as c } from
"./file.js";``, and in front of a declaration ``export`` and, in the entry, ``export default``. Any other is an
error.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import posixpath
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from espalier.language import ENGLISH, LANGUAGES, say, speaking, texts
from espalier.paths import ASSETS


def source(*names: str) -> str:
    """Text of files of the folder `assets`, one after the other."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)


COMPONENTS = ASSETS / "components"

NAME = re.compile(r"[a-z_]+(?:/[a-z_]+)*\.js")  # of a module: the name of its scope is then its own, too
IMPORT = re.compile(r'^import \{([^{}]*)\} from "([^"\n]+)";$', re.MULTILINE)
IMPORT_NAME = re.compile(r"([\w$]+)(?: as ([\w$]+))?")
EXPORT = re.compile(r"^export (?=(?:async function|function|const|class)\b\*? ?([\w$]+))", re.MULTILINE)
DEFAULT = re.compile(r"^export default ", re.MULTILINE)
STATEMENT = re.compile(r"^(?:import|export)\b(?!\s*\().*", re.MULTILINE)


class ModuleError(ValueError):
    """A module that cannot be joined with others: which one, and why."""


class Script(NamedTuple):
    """A module as it was read."""

    name: str  # its path below the folder of components: "tree/main.js"
    text: str
    imports: tuple[str, ...]  # names of modules
    exports: tuple[str, ...]  # names of what it exports, without the default

    @property
    def scope(self) -> str:
        """Name of the constant that holds its exports."""
        return scope_of(self.name)


def join_modules(entry: str, folder: Path = COMPONENTS) -> str:
    """One module with the entry, whose path is given below the folder, and everything that it imports.

    Raises ModuleError, which names the file, where one is missing, where imports go in a circle, where a module
    does not export what is imported from it, and where a statement is of a form that is not understood.
    """
    scripts = _read_scripts(entry, folder)
    for script in scripts.values():
        _check(script, scripts, is_entry=script.name == entry)
    *parts, last = [scripts[name] for name in _order(scripts)]
    return "\n".join([*map(_scope, parts), f"// {last.name}\n{_replace_imports(last)}"])


def scope_of(name: str) -> str:
    """Name of the constant for a module.

    >>> scope_of("surface/cells/form.js")
    '$surface$cells$form'
    """
    return "$" + name.removesuffix(".js").replace("/", "$")


def _read_scripts(entry: str, folder: Path) -> dict[str, Script]:
    """The entry and all modules that it imports, at whatever depth, by their names."""
    scripts: dict[str, Script] = {}
    waiting = [(entry, "")]
    while waiting:
        name, importer = waiting.pop()
        if name not in scripts:
            scripts[name] = _read(name, importer, folder)
            waiting += [(other, name) for other in scripts[name].imports]
    return scripts


def _read(name: str, importer: str, folder: Path) -> Script:
    import_words = f"{importer} imports {name}" if importer else name
    if not NAME.fullmatch(name):
        raise ModuleError(f"{import_words}: the path of a module is of small letters and _, below {folder.name}")
    if not (folder / name).is_file():
        raise ModuleError(f"{import_words}: there is no such file")
    text = (folder / name).read_text(encoding="utf-8")
    imports = tuple(dict.fromkeys(_target(name, path) for _, path in IMPORT.findall(text)))
    return Script(name, text, imports, tuple(EXPORT.findall(text)))


def _target(name: str, path: str) -> str:
    """Name of the module that another imports by a path."""
    if not path.startswith(("./", "../")):
        raise ModuleError(f'{name} imports "{path}": a path starts with ./ or ../')
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _check(script: Script, scripts: dict[str, Script], *, is_entry: bool) -> None:
    for statement in STATEMENT.finditer(script.text):
        line = script.text.count("\n", 0, statement.start()) + 1
        forms = [IMPORT, EXPORT, DEFAULT] if is_entry else [IMPORT, EXPORT]
        if not any(form.match(script.text, statement.start()) for form in forms):
            raise ModuleError(f"{script.name}, line {line}: this form is not understood: {statement[0]}")
    if is_entry and len(DEFAULT.findall(script.text)) != 1:
        raise ModuleError(f"{script.name}: the entry of a component has one export default")
    for names, path in IMPORT.findall(script.text):
        other = scripts[_target(script.name, path)]
        for theirs, _ in _pairs(script.name, names):
            if theirs not in other.exports:
                raise ModuleError(f"{script.name} imports {theirs}, which {other.name} does not export")


def _pairs(name: str, names: str) -> Iterator[tuple[str, str]]:
    """Yield (name where it is exported, name here) for each import between braces."""
    for part in filter(None, (part.strip() for part in names.split(","))):
        match = IMPORT_NAME.fullmatch(part)
        if match is None:
            raise ModuleError(f"{name}: this import is not understood: {part}")
        yield match[1], match[2] or match[1]


def _order(scripts: dict[str, Script]) -> list[str]:
    """Names of modules, each after those that it imports: the entry comes last."""
    try:
        return list(TopologicalSorter({s.name: s.imports for s in scripts.values()}).static_order())
    except CycleError as wrong:
        circle = " imports ".join(reversed(wrong.args[1]))
        raise ModuleError(f"imports in a circle: {circle}") from None


def _scope(script: Script) -> str:
    body = EXPORT.sub("", _replace_imports(script)).rstrip("\n")
    exports = ", ".join(script.exports)
    return f"// {script.name}\nconst {script.scope} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"


def _replace_imports(script: Script) -> str:
    """The text with a constant for every import, on as many lines."""

    def constant(match: re.Match[str]) -> str:
        pairs = _pairs(script.name, match[1])
        names = ", ".join(here if here == theirs else f"{theirs}: {here}" for theirs, here in pairs)
        return f"const {{ {names} }} = {scope_of(_target(script.name, match[2]))};" + "\n" * match[0].count("\n")

    return IMPORT.sub(constant, script.text)


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
    modules = re.sub("^export default ", "const $main = ", add_texts(join_modules(entry)), flags=re.MULTILINE)
    style = f"const $STYLE = {json.dumps(source(*STYLES.get(name, (f'{name}.css',))), ensure_ascii=False)};"
    return "\n".join([modules, style, source("dressed.js")])


def add_texts(modules: str) -> str:
    """Return joined modules with the texts of other languages for those of their literals that have any.

    >>> add_texts('const TEXTS = {}; spoken("decision surface");')
    'const TEXTS = {"de": {"decision surface": "Entscheidungsfläche"}}; spoken("decision surface");'
    """
    literals = set(LITERAL.findall(modules))
    translations = {
        language: {english: text for english, text in texts(language).items() if english in literals}
        for language in LANGUAGES
        if language != ENGLISH
    }
    return modules.replace(NO_TEXTS, f"const TEXTS = {json.dumps(translations, ensure_ascii=False)};")


# ---- scripts at addresses of their own

FOLDER = "espalier-scripts"  # part of the addresses


def loader(entry: str) -> str:
    """Return the module that Streamlit sends: it loads the script of the entry, "tree/main.js", and calls it."""
    messages = {}  # in the place of a lost script, by language: a loader is written once for all sessions
    for code in LANGUAGES:
        with speaking(code):
            messages[code] = say("This picture could not be loaded. Reload the page; what you have set stays.")
    constants = {"ADDRESS": f"{FOLDER}/{script_of(entry)[0]}", "LOST": messages}
    lines = [f"const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in constants.items()]
    code = (line.strip() for line in source("loader.js").splitlines())
    return "\n".join([*lines, *(line for line in code if line and not line.startswith(("//", "/*")))])


@cache
def script_of(entry: str) -> tuple[str, str]:
    """Return the name of the file with a digest of its text, and the text, of the script whose entry this is."""
    text = script(entry)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{entry.split('/')[0]}.{digest}.js", text


@cache
def packed_scripts() -> dict[str, bytes]:
    """Return the text of every component's script by its name, compressed."""
    scripts = (script_of(f"{path.parent.name}/main.js") for path in sorted(COMPONENTS.glob("*/main.js")))
    return {name: gzip.compress(text.encode(), mtime=0) for name, text in scripts}
