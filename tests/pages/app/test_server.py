"""The wall around the server: whom it answers to, and what it tells browsers to forbid."""

import asyncio
import http.client
import re
from urllib.parse import urlsplit

from espalier.questionnaire.sheet import PRINT
from pages.shared.app import server as wall

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
