"""Notes on jobs: models that are the same are one job, with one bar and one note."""

from types import SimpleNamespace

from streamlit.testing.v1 import AppTest

from pages.shared.jobs import note, watch
from tests.pages.own_models.test_own_model_on_pages import engine
from tests.tools.on_page import APP, until_grown, whole

__all__ = ["engine"]


def test_a_job_of_two_models_that_are_the_same_has_one_bar_under_the_first_title(monkeypatch):
    job = SimpleNamespace(seconds=0.0, progress=SimpleNamespace(is_stopped=False))
    monkeypatch.setattr(watch, "find", lambda key: job)
    monkeypatch.setattr(note, "how_far", lambda line, job: (0.5, line.title))

    def page():
        from pages.shared.jobs import note

        keys = ("one", "first"), ("one", "second"), ("two", "third")
        note.draw([note.Line(key, title, lambda job: note.Far(0.5, "")) for key, title in keys])

    drawn = AppTest.from_function(page).run()
    assert not drawn.exception
    bars = [one.proto.text for one in drawn.get("progress")]
    assert bars == ["first", "third"]


def test_two_models_that_are_the_same_and_cannot_be_tried_are_told_of_once():
    page = AppTest.from_file(APP, default_timeout=300)
    for key, value in {"data": "iris", "m1": "own", "m2": "own", "m3": "none", "m4": "none"}.items():
        page.query_params[key] = value
    page.query_params["onnx"] = "cd" * 16
    page.switch_page("pages/compare.py")
    page = until_grown(whole(page.run()))
    assert not page.exception
    assert sum("Upload the file again" in one.value for one in page.error) == 1
