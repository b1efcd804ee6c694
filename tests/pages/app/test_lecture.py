"""A class: the link to the page as it is, as a QR code, and smaller limits; no uploads where none are wanted."""

import doctest
import re
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from espalier import __main__ as command
from pages.shared.app import frame, lecture
from pages.shared.data import intake

LINK = "http://trees:8501/forests?data=iris&a-trees=20"


def dark_modules(svg):
    """Dark modules of a code: the lengths of the strokes that segno draws row by row."""
    (path,) = re.findall(r'class="qrline"[^>]* d="([^"]*)"', svg) or re.findall(
        r'stroke="#000"[^>]* d="([^"]*)"', svg
    )
    return sum(int(n) for n in re.findall(r"h(\d+)", path))


def test_the_code_is_that_of_the_link_where_a_camera_would_read_it_and_the_package_is_there(monkeypatch):
    segno = pytest.importorskip("segno")
    svg = lecture.code(LINK)
    assert svg is not None
    whole = segno.make(LINK, error="l", micro=False)
    assert dark_modules(svg) == sum(map(sum, whole.matrix))
    assert svg != lecture.code(LINK + "0")
    assert lecture.code(LINK + "9" * lecture.LONGEST) is None
    monkeypatch.setattr(lecture.importlib.util, "find_spec", lambda _: None)
    assert lecture.code(LINK) is None


# Where the server listens (`server.address`, `browser.serverAddress`), what the browser has, and what others open.
HERE, EVERYWHERE, ONE = "127.0.0.1", "0.0.0.0", "192.168.0.7"
LINKS = [
    (HERE, "", "http://localhost:8501/forests", None),
    (HERE, "", "http://127.0.0.1:8501/forests", None),
    (HERE, "", "http://[::1]:8501/forests", None),
    (HERE, "", "http://trees.localhost:8501/forests", None),
    ("::1", "", "http://localhost:8501/forests", None),
    ("localhost", "", "http://localhost:8501/forests", None),
    (HERE, "", "http://trees:8501/forests", None),  # the machine's file of hosts has its name as 127.0.0.1
    (HERE, "", "http://trees/forests", "http://trees/forests"),  # a proxy at its own port
    (HERE, "", "https://school.example/trees/forests", "https://school.example/trees/forests"),
    (HERE, "", "https://school.example:8443/trees/", "https://school.example:8443/trees/"),
    (HERE, "school.example", "http://localhost:8501/forests", "http://school.example:8501/forests"),
    (EVERYWHERE, "", "http://localhost:8501/trees/forests", "http://trees:8501/trees/forests"),
    (EVERYWHERE, "", "http://0.0.0.0:8501/", "http://trees:8501/"),
    (EVERYWHERE, "", "http://[::1]:8501/", "http://trees:8501/"),
    (EVERYWHERE, "", "http://192.168.0.7:8501/", "http://192.168.0.7:8501/"),
    (EVERYWHERE, "", "https://localhost/", "https://trees/"),
    ("::", "", "http://localhost:8501/", "http://trees:8501/"),
    (None, "", "http://localhost:8501/", "http://trees:8501/"),
    ("", "", "http://localhost:8501/", "http://trees:8501/"),
    (ONE, "", "http://192.168.0.7:8501/", "http://192.168.0.7:8501/"),
    (ONE, "", "http://localhost:8501/", "http://192.168.0.7:8501/"),
    ("fe80::7", "", "http://localhost:8501/", "http://[fe80::7]:8501/"),
]


def test_a_link_is_that_which_others_can_open_or_is_said_to_be_for_this_machine_alone():
    for address, name, url, elsewhere in LINKS:
        server, query = lecture.Listener(address, 8501, "trees", name), {"data": "iris"}
        added = "?data=iris"
        assert lecture.link(url, query, server) == (elsewhere or url) + added, (address, url)
        assert (lecture.host_elsewhere(url, server) is None) == (elsewhere is None), (address, url)
        report = lecture.link_in_report(url, query, server)
        assert report == (elsewhere + added if elsewhere else "")


def shared(monkeypatch, address):
    """The drawer of a page at http://localhost:8501 of a server that listens at an address."""

    def page():
        import streamlit as st

        from pages.shared.app import lecture

        lecture.draw(st.container(), url="http://localhost:8501/")

    monkeypatch.setattr(lecture, "listener", lambda: lecture.Listener(address, 8501, "trees"))
    monkeypatch.setattr(lecture.pictures, "show", lambda svg, *_: st.caption("a code"))
    app = AppTest.from_function(page)
    app.session_state["share"] = True
    return app.run()


def test_no_code_is_shown_of_a_link_that_nobody_else_can_open_but_what_to_do(monkeypatch):
    pytest.importorskip("segno")
    here = shared(monkeypatch, HERE)
    assert ["`espalier --lecture`" in info.value for info in here.info] == [True]
    assert here.code[0].value == "http://localhost:8501/"
    assert "a code" not in [caption.value for caption in here.caption]
    everywhere = shared(monkeypatch, EVERYWHERE)
    assert not everywhere.info
    assert everywhere.code[0].value == "http://trees:8501/"
    assert "a code" in [caption.value for caption in everywhere.caption]


def test_every_link_on_a_page_and_in_a_report_is_made_by_the_one_rule():
    """Nothing else asks for the browser's address, which others cannot open."""
    root = Path(lecture.__file__).parents[2]
    who = {
        path.relative_to(root).as_posix() for path in root.rglob("*.py") if "st.context.url" in path.read_text()
    }
    assert who == {"shared/app/lecture.py", "shared/lessons/listing.py", "shared/tree/exports.py"}
    assert all("lecture.link" in (root / name).read_text() for name in who - {"shared/app/lecture.py"})


def test_limits_that_are_given_win_over_those_of_a_class_and_a_size_that_is_none_is_refused(capsys):
    environment = {"ESPALIER_MAX_JOB_SECONDS": "600"}
    assert command.take_own(["--lecture"], environment) == []
    assert environment["ESPALIER_MAX_JOB_SECONDS"] == "600"
    assert environment["ESPALIER_MAX_UPLOAD_MB"] == "2"
    assert environment["ESPALIER_ROOM"]
    with pytest.raises(SystemExit):
        command.take_own(["--uploads", "big"], {})
    assert "“big” should be off, or a size in megabytes such as 2MB" in capsys.readouterr().err
    assert doctest.testmod(lecture).failed == doctest.testmod(frame).failed == 0


def test_a_server_that_takes_no_tables_says_so_in_place_of_the_controls(monkeypatch):
    def page():
        from pages.shared.data import intake

        intake.bring()

    monkeypatch.setattr(intake, "MAX_UPLOAD_MB", 0)
    app = AppTest.from_function(page).run()
    assert [info.value for info in app.info] == ["This server takes no tables: choose one of the samples."]
    assert not app.text_area
    assert not app.exception


def test_the_link_stands_in_its_place_as_it_is_when_the_page_has_run_and_under_the_name_of_the_class(monkeypatch):
    def page():
        import streamlit as st

        from pages.shared.app import lecture

        place = st.container()
        st.query_params["depth"] = "4"
        lecture.draw(place, url="http://trees:8501/")

    app = AppTest.from_function(page)
    assert not app.run().code  # a closed drawer costs no code
    for room in ("", "Room 12"):
        monkeypatch.setattr(lecture, "ROOM", room)
        app = AppTest.from_function(page)
        app.session_state["share"] = True
        assert not app.run().exception
        link, frame = (code.value for code in app.code)
        assert link == "http://trees:8501/?depth=4"
        assert "depth=4&amp;embed=true" in frame
        assert app.get("popover")[0].proto.popover.label == (room or "Share")


def test_the_caption_of_a_frame_names_the_figures_that_it_can_show_alone(monkeypatch):
    def page():
        import streamlit as st

        from pages.shared.app import lecture

        lecture.draw(st.container(), path="compare", url="http://trees:8501/compare")

    app = AppTest.from_function(page)
    app.session_state["share"] = True
    (caption,) = (one.value for one in app.run().caption if "frame" in one.value)
    assert all(f"`&figure={name}`" in caption for name in frame.FIGURES["compare"])
