"""A tree with surrogate splits on the page of the questionnaire."""

from streamlit.testing.v1 import AppTest

from pages.shared.words import questionnaire as words
from tests.tools.on_page import APP, engine, whole

__all__ = ["engine"]


def test_a_questionnaire_says_why_it_does_not_ask_a_tree_with_surrogate_splits():
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params["model"], page.query_params["missing"] = "cart", "surrogate"
    page.switch_page("pages/questionnaire.py")
    shown = whole(page.run())
    assert words.NO_SURROGATES in [info.value for info in shown.info]
