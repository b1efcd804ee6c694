"""A tree with surrogate splits on the page of the questionnaire: who does not know is asked another question."""

from streamlit.testing.v1 import AppTest

from pages.shared.questionnaire import answering as questionnaire_answering
from pages.shared.questionnaire import asking as questionnaire_asking
from tests.tools.on_page import APP, engine, whole

__all__ = ["engine"]


def press(page, label):
    next(button for button in page.button if button.label == label).click()
    return whole(page.run())


def texts(page):
    return [one.value for one in [*page.markdown, *page.caption]]


def test_who_does_not_know_is_asked_the_surrogate_question_and_the_answer_names_it():
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params.update({"data": "iris", "model": "cart", "missing": "surrogate", "depth": "1"})
    page.switch_page("pages/questionnaire.py")
    own = next(text for text in texts(whole(page.run())) if text.startswith("### "))
    press(page, "I do not know")
    other = next(text for text in texts(page) if text.startswith("### "))
    assert other != own
    assert questionnaire_asking.substitute_note("**petal length**") in texts(page)
    press(page, "Yes")
    assert any("petal length** is not known; in its place, **petal width** is at most" in t for t in texts(page))
    assert any(questionnaire_answering.substitutes_note(["**petal length**"]) in text for text in texts(page))
