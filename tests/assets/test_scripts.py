"""The scripts of the browser components: their tests in node, and what is asked of their files."""

import collections
import subprocess
from pathlib import Path

from espalier.display.components import COMPONENTS, add_texts, join_modules
from espalier.language import say, speaking
from tests.tools.node import node

TESTS = sorted(Path(__file__).parent.glob("*.test.js"))
SCRIPTS = sorted(COMPONENTS.rglob("*.js"))
ENTRIES = [path.relative_to(COMPONENTS).as_posix() for path in SCRIPTS if path.name == "main.js"]


def run(*arguments):
    """Run node; what it says is shown if it fails."""
    ran = subprocess.run([node(), *map(str, arguments)], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_scripts_do_what_their_tests_in_node_say():
    run("--test", *TESTS)


def test_every_component_is_one_module_with_one_function(tmp_path):
    for entry in ENTRIES:
        (tmp_path / entry).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / entry).with_suffix(".mjs").write_text(join_modules(entry), encoding="utf-8")
    files = {entry: (tmp_path / entry).with_suffix(".mjs").as_uri() for entry in ENTRIES}
    print_exports = "console.log(name, Object.keys(all).join(), typeof all.default)"
    code = f"for (const [name, file] of Object.entries({files})) import(file).then((all) => {print_exports})"
    assert sorted(run("--eval", code).splitlines()) == sorted(f"{entry} default function" for entry in ENTRIES)


def test_a_component_speaks_the_language_of_its_page(tmp_path):
    script = f"{add_texts(join_modules('tree/main.js'))}\nexport const speak = $shared$language$spoken.spoken;"
    (tmp_path / "tree.mjs").write_text(script, encoding="utf-8")
    code = f"""
    const {{ speak }} = await import("{(tmp_path / "tree.mjs").as_uri()}");
    for (const lang of ["en", "de", "de-x"]) {{
      globalThis.document = {{ documentElement: {{ lang }} }};
      console.log(speak("and {{n}} more", {{ n: 3 }}), speak("nobody says this"));
    }}"""
    said = run("--input-type=module", "--eval", code).splitlines()
    with speaking("de"):
        german = say("and {n} more", n=3)
    assert said == [f"{text} nobody says this" for text in ("and 3 more", german, "and 3 more")]


def test_every_script_is_part_of_a_component():
    texts = "\n".join(join_modules(entry) for entry in ENTRIES)
    names = {path.relative_to(COMPONENTS).as_posix() for path in SCRIPTS}
    assert len(ENTRIES) == 15
    assert not {name for name in names if f"// {name}\n" not in texts}


def test_scripts_are_short_files_of_short_lines_in_small_folders():
    for path in [*SCRIPTS, *TESTS]:
        lines = path.read_text(encoding="utf-8").split("\n")
        assert len(lines) < 400, path
        assert max(map(len, lines)) <= 120, path
    folders = collections.Counter(path.parent for path in SCRIPTS)
    assert not {folder: n for folder, n in folders.items() if n > 16}
