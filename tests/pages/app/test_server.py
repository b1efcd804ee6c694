"""The wall around the server: whom it answers to, and what it tells browsers to forbid."""

import asyncio
import http.client
import re
from urllib.parse import urlsplit

import pytest

from espalier.questionnaire.sheet import PRINT
from pages.shared.app import server as wall

LOOPBACK = ("127.0.0.1", "127.0.0.1:8501", "[::1]:8501", "localhost", "localhost:80", "LOCALHOST", "app.localhost")
NO_HOSTS = (
    "", "a b", "[::1", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example#localhost",
    "evil.example", "user@127.0.0.1", "localhost@evil.example", "127.0.0.1/x", "127.0.0.1:port", "127.0.0.1:99999",
)  # fmt: skip


def test_an_ip_address_and_localhost_are_always_this_server():
    cases = [*LOOPBACK, "192.168.178.20:8501", "[fe80::1]:8501"]
    for host in cases:
        assert wall.is_ours(host, []), host


def test_any_other_host_is_not():
    for host in NO_HOSTS:
        assert not wall.is_ours(host, []), host


def test_names_that_are_given_are_this_server_and_so_is_what_a_star_stands_for():
    names = ["trees.example", "*.school.example"]
    assert wall.is_ours("trees.example:8501", names)
    assert wall.is_ours("Trees.Example.", names)
    assert wall.is_ours("class.school.example", names)
    assert not wall.is_ours("school.example", names)
    assert not wall.is_ours("oldtrees.example", names)
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


def test_a_page_of_a_strangers_name_is_refused_with_what_to_do():
    sent, asked = answered(wall.HostCheck, request("evil.example:8501"))
    assert not asked
    assert sent[0]["status"] == wall.MISDIRECTED
    assert b"allowedHosts" in sent[1]["body"]


def test_a_refusal_repeats_nothing_of_the_host_that_could_be_read_as_more_than_a_name():
    sent, _ = answered(wall.HostCheck, request("evil\u202e\x1b[31m"))
    assert re.fullmatch(r"[\w \[\],.“”—-]*", sent[1]["body"].decode().strip())


def test_a_web_socket_of_a_strangers_name_is_closed_before_it_opens():
    sent, asked = answered(wall.HostCheck, request("evil.example", type_="websocket"))
    assert not asked
    assert sent == [{"type": "websocket.close", "code": wall.POLICY_VIOLATION}]


@pytest.mark.parametrize("hosts", [[], ["127.0.0.1", "evil.example"], ["127.0.0.1", "127.0.0.1"]])
def test_a_request_without_just_one_host_is_refused(hosts):
    assert not answered(wall.HostCheck, request(hosts))[1]


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/metrics/", "/below/_stcore/metrics"])
def test_what_the_server_measures_of_itself_is_not_told(path):
    sent, asked = answered(wall.Closed, request("127.0.0.1", path))
    assert not asked
    assert sent[0]["status"] == 404


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("//", "/?data=iris"), ("///tree", "/tree?data=iris"), ("//evil.example", "/evil.example?data=iris"),
        ("//\\evil.example", "/evil.example?data=iris"), ("//a b\r\nc", "/a%20b%0D%0Ac?data=iris"),
    ],
)  # fmt: skip
def test_a_link_with_slashes_too_many_leads_to_the_page_and_never_to_another_host(path, to):
    sent, asked = answered(wall.OneSlash, request("127.0.0.1", path) | {"query_string": b"data=iris"})
    assert not asked
    assert (sent[0]["status"], dict(sent[0]["headers"])[b"location"]) == (308, to.encode())


@pytest.mark.parametrize("path", ["/", "/tree", "/tree//"])
def test_other_paths_pass(path):
    assert answered(wall.OneSlash, request("127.0.0.1", path) | {"query_string": b""})[1]


def test_every_answer_has_the_rules_once():
    sent, _ = answered(wall.BrowserRules, request("127.0.0.1:8501"))
    headers = [name.decode().lower() for name, _ in sent[0]["headers"]]
    assert sorted(headers) == sorted({*map(str.lower, wall.HEADERS), "content-security-policy"})
    assert dict(sent[0]["headers"])[b"x-content-type-options"] == b"nosniff"


def directives(policy):
    return {name: sources.split() for name, _, sources in (rule.partition(" ") for rule in policy.split("; "))}


def test_no_script_may_stand_in_a_page_but_those_that_are_named():
    scripts = directives(wall.content_policy("127.0.0.1"))["script-src"]
    assert "'unsafe-inline'" not in scripts
    assert "'unsafe-eval'" not in scripts
    assert not [source for source in scripts if source.startswith("http")]
    assert PRINT == "print()"


def test_only_sockets_of_this_server_are_open_and_only_for_a_host_that_is_its_own():
    assert "ws://127.0.0.1:8501" in directives(wall.content_policy("127.0.0.1:8501"))["connect-src"]
    assert "evil" not in wall.content_policy("evil.example; script-src *")


def test_other_sites_show_the_app_in_a_frame_only_where_they_are_named(monkeypatch):
    monkeypatch.setenv(wall.EMBEDDERS, "https://moodle.example http://*.school.example:8080 nonsense; 'none' *")
    frames = directives(wall.content_policy("127.0.0.1", wall.embedders()))["frame-ancestors"]
    assert frames[3:] == ["https://moodle.example", "http://*.school.example:8080"]
    assert frames[0] == "'self'"


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
