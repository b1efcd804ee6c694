"""ES modules that are joined into one text: scopes, order, and the errors that name a file."""

import re
import subprocess

import pytest

from espalier.display.components import ModuleError, join_modules
from tests.tools.node import node


@pytest.fixture
def write(tmp_path):
    """Function that writes modules, by their names without .js, below a folder; it returns the folder."""

    def write_(**texts):
        for name, text in texts.items():
            path = tmp_path / f"{name.replace('__', '/')}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write_


def said_by(text, tmp_path):
    """What the function that the joined module exports returns, in node."""
    file = tmp_path / "joined.mjs"
    file.write_text(text, encoding="utf-8")
    script = f"import({file.as_uri()!r}).then((all) => console.log(all.default()))"
    return subprocess.run([node(), "-e", script], capture_output=True, text=True, check=True, timeout=60).stdout


def test_every_module_keeps_its_own_names(write, tmp_path):
    folder = write(
        one='const own = "one";\nexport const say = () => own;\n',
        two='const own = "two";\nexport function say() {\n  return own;\n}\n',
        main='import { say } from "./one.js";\nimport { say as other } from "./two.js";\n\nconst own = "main";\n'
        "export default () => [say(), other(), own].join();\n",
    )
    assert said_by(join_modules("main.js", folder), tmp_path) == "one,two,main\n"


def test_a_module_comes_after_all_that_it_imports_and_once(write, tmp_path):
    folder = write(
        parts__deep="export const two = 2;\n",
        parts__a='import { two } from "./deep.js";\n\nexport const four = two * two;\n',
        parts__b='import { two } from "./deep.js";\nimport { four } from "./a.js";\n\n'
        "export const six = two + four;\n",
        entries__main='import {\n  six,\n} from "../parts/b.js";\nimport { four } from "../parts/a.js";\n\n'
        "export default function () {\n  return six + four;\n}\n",
    )
    text = join_modules("entries/main.js", folder)
    names = re.findall("^// (.*)$", text, re.MULTILINE)
    assert names == ["parts/deep.js", "parts/a.js", "parts/b.js", "entries/main.js"]
    assert text.count("const two = 2;") == 1
    assert said_by(text, tmp_path) == "10\n"


def test_the_lines_of_a_module_stay_together_below_its_name_and_no_import_is_kept_by_hand(write):
    body = 'import {\n  a,\n} from "./a.js";\n\nconst b = a;\n\nexport default () => b;\n'
    text = join_modules("main.js", write(a="export const a = 1;\n", main=body))
    lines = text[text.index("// main.js\n") :].split("\n")[1:]
    assert [i for i, line in enumerate(lines) if line] == [0, 4, 6]
    assert lines[0] == "const { a } = $a;"
    folder = write(a="export const a = 1;\n", main='import { a } from "./a.js";\nexport default () => a;\n')
    assert "const a = 1" in join_modules("main.js", folder)
    write(main="export default () => 2;\n")
    assert "const a = 1" not in join_modules("main.js", folder)


def test_a_missing_module_a_circle_of_imports_and_a_name_that_is_not_exported_are_errors_that_name_them(write):
    folder = write(main='import { a } from "./parts/a.js";\nexport default a;\n')
    with pytest.raises(ModuleError, match=r"^main\.js imports parts/a\.js: there is no such file$"):
        join_modules("main.js", folder)
    folder = write(
        a='import { b } from "./b.js";\nexport const a = 1;\n',
        b='import { a } from "./a.js";\nexport const b = 1;\n',
        main='import { a } from "./a.js";\nexport default a;\n',
    )
    with pytest.raises(ModuleError, match=r"circle: (a\.js imports b\.js imports a\.js|b\.js .* a\.js .* b\.js)$"):
        join_modules("main.js", folder)
    folder = write(a="const a = 1;\n", main='import { a } from "./a.js";\nexport default a;\n')
    with pytest.raises(ModuleError, match=r"^main\.js imports a, which a\.js does not export$"):
        join_modules("main.js", folder)


@pytest.mark.parametrize(
    "statement",
    [
        'import a from "./a.js";',
        'import * as a from "./a.js";',
        'import "./a.js";',
        "import { a } from './a.js';",
        "export { a };",
        "export let a = 1;",  # what imports it would keep its first value
        'export * from "./a.js";',
    ],
)
def test_a_form_that_is_not_understood_is_an_error_with_its_line(write, statement):
    folder = write(main=f"// a file\n{statement}\nexport default () => 1;\n", a="export const a = 1;\n")
    with pytest.raises(ModuleError, match=r"^main\.js, line 2: this form is not understood: (import|export)"):
        join_modules("main.js", folder)


def test_only_the_entry_has_a_default_export_and_it_has_one(write):
    folder = write(main="export const a = 1;\n", other='import { a } from "./twice.js";\nexport default a;\n')
    with pytest.raises(ModuleError, match=r"^main\.js: the entry"):
        join_modules("main.js", folder)
    write(twice="export default 1;\nexport const a = 1;\n")
    with pytest.raises(ModuleError, match=r"^twice\.js, line 1"):
        join_modules("other.js", folder)


@pytest.mark.parametrize("path", ["lodash", "../outside.js", "/etc/a.js", "./A.js", "./a"])
def test_paths_lead_to_files_of_the_folder(write, path):
    folder = write(main=f'import {{ a }} from "{path}";\nexport default a;\n')
    with pytest.raises(ModuleError, match=r"^main\.js imports "):
        join_modules("main.js", folder)
