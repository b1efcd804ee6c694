"""A class: the link to the page as it is, as a QR code, and smaller limits; no uploads where none are wanted."""

import doctest
import re

import pytest
from streamlit.testing.v1 import AppTest

from espalier import __main__ as command
from pages.shared.app import embedding, lecture
from pages.shared.data import intake
from pages.shared.words import lecture as lecture_words
from pages.shared.words.data import page as data_words

LINK = "http://trees:8501/forests?data=iris&a-trees=20"


def dark_modules(svg):
    """Dark modules of a code: the lengths of the strokes that segno draws row by row."""
    (path,) = re.findall(r'class="qrline"[^>]* d="([^"]*)"', svg) or re.findall(
        r'stroke="#000"[^>]* d="([^"]*)"', svg
    )
    return sum(int(n) for n in re.findall(r"h(\d+)", path))


def test_the_code_is_that_of_the_link():
    segno = pytest.importorskip("segno")
    svg = lecture.code(LINK)
    assert svg is not None
    whole = segno.make(LINK, error="l", micro=False)
    assert dark_modules(svg) == sum(map(sum, whole.matrix))
    assert svg != lecture.code(LINK + "0")


def test_without_the_package_there_is_no_code(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(lecture.importlib, "import_module", missing)
    assert lecture.code(LINK) is None


def test_a_link_that_no_camera_would_read_has_no_code():
    pytest.importorskip("segno")
    assert lecture.code(LINK + "9" * lecture.LONGEST) == ""


@pytest.mark.parametrize("host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501"])
def test_others_find_the_machine_by_its_name(host):
    assert lecture.link(f"http://{host}/forests", {}, "trees") == "http://trees:8501/forests"


def test_an_address_that_others_can_open_stays_as_it_is():
    assert lecture.link("http://192.168.0.7:8501/", {}, "trees") == "http://192.168.0.7:8501/"


def test_limits_that_are_given_win_over_those_of_a_class():
    environment = {"ESPALIER_MAX_JOB_SECONDS": "600"}
    assert command.take_own(["--lecture"], environment) == []
    assert environment["ESPALIER_MAX_JOB_SECONDS"] == "600"
    assert environment["ESPALIER_MAX_UPLOAD_MB"] == "2"
    assert environment["ESPALIER_ROOM"]


def test_a_size_that_is_none_is_refused_with_what_it_should_be(capsys):
    with pytest.raises(SystemExit):
        command.take_own(["--uploads", "big"], {})
    assert "“big” should be off, or a size in megabytes such as 2MB" in capsys.readouterr().err


def test_a_server_that_takes_no_tables_says_so_in_place_of_the_controls(monkeypatch):
    def page():
        from pages.shared.data import intake

        intake.bring()

    monkeypatch.setattr(intake, "MAX_UPLOAD_MB", 0)
    app = AppTest.from_function(page).run()
    assert [info.value for info in app.info] == [data_words.NO_UPLOADS]
    assert not app.text_area
    assert not app.exception


def test_the_examples_are_true():
    assert doctest.testmod(lecture).failed == doctest.testmod(embedding).failed == 0


def test_the_room_opens_the_link_at_the_top_of_the_rail(monkeypatch):
    def page():
        import streamlit as st

        from pages.shared.app import lecture

        top = lecture.top_of_rail()
        st.sidebar.caption("below")
        st.query_params["depth"] = "4"
        lecture.draw(top, url="http://trees:8501/")

    monkeypatch.setattr(lecture, "ROOM", "Room 12")
    app = AppTest.from_function(page)
    app.session_state["share"] = True
    app.run()
    assert not app.exception
    assert app.sidebar.code[0].value == "http://trees:8501/?depth=4"
    assert app.sidebar.caption[-1].value == "below"


def test_without_a_class_the_link_stands_at_the_foot_of_the_rail():
    def page():
        import streamlit as st

        from pages.shared.app import lecture

        st.sidebar.caption("above")
        st.query_params["depth"] = "4"
        lecture.draw(lecture.top_of_rail(), url="http://trees:8501/")

    app = AppTest.from_function(page)
    app.session_state["share"] = True
    app.run()
    assert not app.exception
    link, frame = (code.value for code in app.sidebar.code)
    assert link == "http://trees:8501/?depth=4"
    assert "depth=4&amp;embed=true" in frame
    assert app.sidebar.caption[0].value == "above"


def test_the_caption_of_a_frame_names_the_figures_that_it_can_show_alone():
    assert "`&figure=tree` or `&figure=surface` or `&figure=view`" in lecture_words.frame(embedding.FIGURES[""])
    assert "figure" not in lecture_words.frame(())


def note_of(monkeypatch, **query):
    """What a frame says of the figure that its address asks for."""

    def page():
        from pages.shared.app import embedding

        embedding.note("compare")

    monkeypatch.setattr(embedding, "is_on", lambda: True)
    app = AppTest.from_function(page)
    for key, value in query.items():
        app.query_params[key] = value
    return [note.value for note in app.run().warning]


def test_a_frame_that_asks_for_a_figure_which_the_page_lacks_names_those_it_has(monkeypatch):
    (note,) = note_of(monkeypatch, figure="surfcae")
    assert "`surfcae`" in note
    assert all(f"`{name}`" in note for name in embedding.FIGURES["compare"])
    assert not note_of(monkeypatch, figure="folds")
    assert not note_of(monkeypatch)


def test_a_closed_drawer_of_the_link_costs_no_code():
    def page():
        from pages.shared.app import lecture

        lecture.draw(None, url="http://trees:8501/")

    assert not AppTest.from_function(page).run().sidebar.code
