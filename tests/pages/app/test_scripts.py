"""The components' code: at an address of its own, asked for once, and loaded before it draws."""

import asyncio
import gzip
import subprocess
from typing import Any

import pytest

from espalier.display import components
from espalier.language import LANGUAGES, say, speaking
from pages.shared.canvas import scripts
from tests.tools.node import node

END = scripts.source("dressed.js")
NAME, TEXT = scripts.script_of("tree/main.js")

PAGE = """
globalThis.document = {{ baseURI: "file://{folder}/forests" }};
const load = await import("file://{folder}/loader.mjs");
const seen = [];
const parentElement = {{}};
const end = load.default({{ data: {data}, seen, parentElement }});
{at_once}
await new Promise((done) => setTimeout(done, 50));
{then}
"""


def sent(path: str, accept: str = "gzip") -> Any:
    """Status, headers and body of the answer to a request; None where it was passed on."""
    messages, passed = [], []

    async def app(scope, receive, send):
        passed.append(scope)

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        messages.append(message)

    scope = {"type": "http", "path": path, "method": "GET", "headers": [(b"accept-encoding", accept.encode())]}
    asyncio.run(scripts.Scripts(app)(scope, receive, send))
    if passed:
        return None
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], headers, messages[1]["body"]


def test_a_script_is_sent_whole_from_wherever_the_app_lies_and_every_other_request_is_passed_on():
    for below in ["", "/trees", "/trees/of/ours"]:
        path = f"{below}/{scripts.FOLDER}/{NAME}"
        status, headers, body = sent(path)
        assert (status, headers["content-encoding"]) == (200, "gzip")
        assert gzip.decompress(body).decode() == TEXT == sent(path, "identity")[2].decode()
        assert headers["content-type"].startswith("text/javascript")
        assert "immutable" in headers["cache-control"]
    for path in ["/", f"/{scripts.FOLDER}/", f"/{scripts.FOLDER}/tree.0.js", f"/{NAME}", ""]:
        assert sent(path) is None


def test_the_loader_names_the_script_and_every_component_has_styles():
    text = scripts.loader("tree/main.js")
    assert f'"{scripts.FOLDER}/{NAME}"' in text
    assert "\n" in text
    assert "//" not in text  # it is sent again and again
    assert len(text) < 1_000 < len(TEXT)
    folders = {path.parent.name for path in scripts.COMPONENTS.glob("*/main.js")}
    assert set(components.STYLES) < folders
    for name in folders:
        assert f".espalier-{name}" in scripts.script_of(f"{name}/main.js")[1]


PLACE = """
globalThis.CSSStyleSheet = class { replaceSync(text) { this.text = text; } };
const root = { adoptedStyleSheets: [] };
const component = {
  parentElement: { getRootNode: () => root },
  data: new TextEncoder().encode('{"name": "L\u00e4nge"}'),
};
"""


def test_a_script_has_its_styles_which_it_puts_in_place_once_and_its_data_come_as_objects(tmp_path, monkeypatch):
    monkeypatch.setattr(components, "join_modules", lambda entry: "export default ({ data }) => data.name;\n")
    monkeypatch.setattr(
        components, "source", lambda *names: f"/* {' '.join(names)} */" if "paint.css" in names else END
    )
    script = scripts.script_of.__wrapped__("paint/main.js")
    (tmp_path / "a.mjs").write_text(script[1], encoding="utf-8")
    use = 'const { default: draw } = await import("./a.mjs"); draw(component);\n'
    use += "console.log(draw(component), root.adoptedStyleSheets.map((sheet) => sheet.text).join());"
    command = [node(), "--input-type=module", "-e", PLACE + use]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path).stdout
    assert said.strip() == "Länge /* paint.css */"


NOTES = "export default (c) => { c.seen.push(c.data); return () => c.seen.push('end'); };"  # what it was asked for


def said(tmp_path, monkeypatch, then, at_once="", script=NOTES, data="1"):
    """What a page prints that uses a loader, does something at once, and something when the script is there."""
    monkeypatch.setattr(scripts, "script_of", lambda entry: ("a.0.mjs", script))
    (tmp_path / scripts.FOLDER).mkdir()
    if script:
        (tmp_path / scripts.FOLDER / "a.0.mjs").write_text(script, encoding="utf-8")
    (tmp_path / "loader.mjs").write_text(scripts.loader("a/main.js"), encoding="utf-8")
    page = PAGE.format(folder=tmp_path, at_once=at_once, then=then, data=data)
    command = [node(), "--input-type=module", "-e", page]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_what_is_asked_for_before_the_script_is_there_is_drawn_when_it_comes_and_then_at_once(
    tmp_path, monkeypatch
):
    then = "load.default({ data: 2, seen, parentElement }); end(); console.log(seen.join());"
    assert said(tmp_path, monkeypatch, then) == "1,2,end"


def test_a_component_that_left_before_the_script_came_is_not_drawn(tmp_path, monkeypatch):
    then = "console.log(seen.join());"
    assert said(tmp_path, monkeypatch, then, at_once="end();") == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_script_that_does_not_come_leaves_a_sentence_in_the_language_of_the_page(
    tmp_path, monkeypatch, language
):
    then = "console.log(parentElement.textContent);"
    data = f'new TextEncoder().encode(\'{{"spoken":"{language}"}}\')'
    found = said(tmp_path, monkeypatch, then, script="", data=data)
    with speaking(language):
        assert found == say("This picture could not be loaded. Reload the page; what you have set stays.")
