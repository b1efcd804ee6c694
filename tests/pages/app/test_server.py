"""The wall around the server: whom it answers to and what it forbids; the components' code that it sends."""

import asyncio
import gzip
import http.client
import re
import subprocess
from typing import Any
from urllib.parse import urlsplit

import pytest

from espalier.display import components
from espalier.language import LANGUAGES, say, speaking
from espalier.questionnaire.sheet import PRINT
from pages.shared.app import server as wall
from tests.tools.node import node

LOOPBACK = ("127.0.0.1", "127.0.0.1:8501", "[::1]:8501", "localhost", "localhost:80", "LOCALHOST", "app.localhost")
NO_HOSTS = (
    "", "a b", "[::1", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example#localhost",
    "evil.example", "user@127.0.0.1", "localhost@evil.example", "127.0.0.1/x", "127.0.0.1:port", "127.0.0.1:99999",
)  # fmt: skip


def test_an_ip_address_localhost_and_names_that_are_given_are_this_server_and_no_other():
    for host in (*LOOPBACK, "192.168.178.20:8501", "[fe80::1]:8501"):
        assert wall.is_ours(host, []), host
    for host in NO_HOSTS:
        assert not wall.is_ours(host, []), host
    names = ["trees.example", "*.school.example"]
    for host in ("trees.example:8501", "Trees.Example.", "class.school.example"):
        assert wall.is_ours(host, names), host
    for host in ("school.example", "oldtrees.example"):
        assert not wall.is_ours(host, names), host
    assert wall.is_ours("anything.example", ["*"])


def answered(middleware, scope):
    """What a middleware sends, and whether the app behind it was asked."""
    sent, asked = [], []

    async def app(scope, receive, send):
        asked.append(scope["path"])
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"x-content-type-options", b"old")]}
        )

    async def send(message):
        sent.append(message)

    asyncio.run(middleware(app)(scope, None, send))
    return sent, bool(asked)


def request(host, path="/", type_="http"):
    hosts = [host] if isinstance(host, str) else host
    return {"type": type_, "path": path, "headers": [(b"host", name.encode()) for name in hosts], "method": "GET"}


def test_a_page_or_socket_of_a_strangers_name_or_of_two_is_refused_in_words_that_are_no_more_than_words():
    sent, asked = answered(wall.Door, request("evil.example:8501"))
    assert not asked
    assert sent[0]["status"] == wall.MISDIRECTED
    assert b"allowedHosts" in sent[1]["body"]
    sent, _ = answered(wall.Door, request("evil\u202e\x1b[31m"))
    assert re.fullmatch(r"[\w \[\],.“”—-]*", sent[1]["body"].decode().strip())
    sent, asked = answered(wall.Door, request("evil.example", type_="websocket"))
    assert not asked
    assert [(one["type"], one["code"]) for one in sent] == [("websocket.close", wall.POLICY_VIOLATION)]
    for hosts in [[], ["127.0.0.1", "evil.example"], ["127.0.0.1", "127.0.0.1"]]:
        assert not answered(wall.Door, request(hosts))[1]


def test_a_link_with_slashes_too_many_leads_to_the_page_and_no_other_host_and_what_is_measured_is_not_told():
    for path, to in [
        ("//", "/?data=iris"),
        ("///tree", "/tree?data=iris"),
        ("//evil.example", "/evil.example?data=iris"),
        ("//\\evil.example", "/evil.example?data=iris"),
        ("//a b\r\nc", "/a%20b%0D%0Ac?data=iris"),
    ]:
        sent, asked = answered(wall.Door, request("127.0.0.1", path) | {"query_string": b"data=iris"})
        assert not asked
        assert (sent[0]["status"], dict(sent[0]["headers"])[b"location"]) == (308, to.encode())
    for path in ["/", "/tree", "/tree//"]:
        assert answered(wall.Door, request("127.0.0.1", path) | {"query_string": b""})[1]
    for path in ["/_stcore/metrics", "/_stcore/metrics/", "/below/_stcore/metrics"]:
        sent, asked = answered(wall.Door, request("127.0.0.1", path))
        assert not asked
        assert sent[0]["status"] == 404


def test_every_answer_has_the_rules_once_and_other_sites_show_the_app_only_where_they_are_named(monkeypatch):
    sent, _ = answered(wall.BrowserRules, request("127.0.0.1:8501"))
    headers = [name.decode().lower() for name, _ in sent[0]["headers"]]
    assert sorted(headers) == sorted({*map(str.lower, wall.HEADERS), "content-security-policy"})
    assert dict(sent[0]["headers"])[b"x-content-type-options"] == b"nosniff"
    monkeypatch.setenv(wall.EMBEDDERS, "https://moodle.example http://*.school.example:8080 nonsense; 'none' *")
    frames = directives(wall.content_policy("127.0.0.1", wall.embedders()))["frame-ancestors"]
    assert frames[3:] == ["https://moodle.example", "http://*.school.example:8080"]
    assert frames[0] == "'self'"


def directives(policy):
    return {name: sources.split() for name, _, sources in (rule.partition(" ") for rule in policy.split("; "))}


def test_no_script_may_stand_in_a_page_but_those_named_and_only_sockets_of_this_server_are_open():
    scripts = directives(wall.content_policy("127.0.0.1"))["script-src"]
    assert "'unsafe-inline'" not in scripts
    assert "'unsafe-eval'" not in scripts
    assert not [source for source in scripts if source.startswith("http")]
    assert PRINT == "print()"
    assert "ws://127.0.0.1:8501" in directives(wall.content_policy("127.0.0.1:8501"))["connect-src"]
    assert "evil" not in wall.content_policy("evil.example; script-src *")


def test_the_running_server_answers_its_own_name_only(server):
    port = urlsplit(server).port

    def get(path, host):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.putrequest("GET", path, skip_host=True)
        connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    page = get("/", f"127.0.0.1:{port}")
    assert page.status == 200
    assert page.headers["Content-Security-Policy"] == wall.content_policy(f"127.0.0.1:{port}")
    assert get("/", f"evil.example:{port}").status == wall.MISDIRECTED
    assert get("/_stcore/stream", f"evil.example:{port}").status == wall.MISDIRECTED
    assert get("/_stcore/metrics", f"127.0.0.1:{port}").status == 404


def test_the_style_of_the_frame_stands_in_every_page_and_in_nothing_else():
    async def app(scope, receive, send):
        kind = b"text/html" if scope["path"] == "/compare" else b"text/css"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})
        for part, more in ((b'<body><div id="ro', True), (b'ot">', False)):
            await send({"type": "http.response.body", "body": part, "more_body": more})

    for path, is_styled in (("/compare", True), ("/static/a.css", False), ("/_stcore/health", False)):
        sent, _ = answered(lambda _: wall.Styled(app), request("localhost", path))
        body = b"".join(message.get("body", b"") for message in sent)
        assert (b"st-key-places" in body) == is_styled
        assert not is_styled or int(dict(sent[0]["headers"])[b"content-length"]) == len(body)


def test_the_server_deletes_its_temporary_folders_when_it_ends(monkeypatch):
    deleted = []
    monkeypatch.setattr(wall, "delete_temporary", lambda: deleted.append(1))

    async def run():
        async with wall.lifespan(None):
            assert not deleted

    asyncio.run(run())
    assert deleted == [1]


END = components.source("dressed.js")
NAME, TEXT = components.script_of("tree/main.js")

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
    asyncio.run(wall.Scripts(app)(scope, receive, send))
    if passed:
        return None
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], headers, messages[1]["body"]


def test_a_script_is_sent_whole_from_wherever_the_app_lies_and_every_other_request_is_passed_on():
    for below in ["", "/trees", "/trees/of/ours"]:
        path = f"{below}/{components.FOLDER}/{NAME}"
        status, headers, body = sent(path)
        assert (status, headers["content-encoding"]) == (200, "gzip")
        assert gzip.decompress(body).decode() == TEXT == sent(path, "identity")[2].decode()
        assert headers["content-type"].startswith("text/javascript")
        assert "immutable" in headers["cache-control"]
    for path in ["/", f"/{components.FOLDER}/", f"/{components.FOLDER}/tree.0.js", f"/{NAME}", ""]:
        assert sent(path) is None


def test_the_loader_names_the_script_and_every_component_has_styles():
    text = components.loader("tree/main.js")
    assert f'"{components.FOLDER}/{NAME}"' in text
    assert "\n" in text
    assert "//" not in text  # it is sent again and again
    assert len(text) < 1_000 < len(TEXT)
    folders = {path.parent.name for path in components.COMPONENTS.glob("*/main.js")}
    assert set(components.STYLES) < folders
    for name in folders:
        assert f".espalier-{name}" in components.script_of(f"{name}/main.js")[1]


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
    script = components.script_of.__wrapped__("paint/main.js")
    (tmp_path / "a.mjs").write_text(script[1], encoding="utf-8")
    use = 'const { default: draw } = await import("./a.mjs"); draw(component);\n'
    use += "console.log(draw(component), root.adoptedStyleSheets.map((sheet) => sheet.text).join());"
    command = [node(), "--input-type=module", "-e", PLACE + use]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, cwd=tmp_path).stdout
    assert said.strip() == "Länge /* paint.css */"


NOTES = "export default (c) => { c.seen.push(c.data); return () => c.seen.push('end'); };"  # what it was asked for


def said(tmp_path, monkeypatch, then, at_once="", script=NOTES, data="1"):
    """What a page prints that uses a loader, does something at once, and something when the script is there."""
    monkeypatch.setattr(components, "script_of", lambda entry: ("a.0.mjs", script))
    (tmp_path / components.FOLDER).mkdir()
    if script:
        (tmp_path / components.FOLDER / "a.0.mjs").write_text(script, encoding="utf-8")
    (tmp_path / "loader.mjs").write_text(components.loader("a/main.js"), encoding="utf-8")
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
