"""The questionnaire in a real browser: answered with the keyboard alone, on a phone, and on paper."""

import pytest

from tests.tools.in_browser import asks, eventually, insist

pytestmark = pytest.mark.browser


def headline(page):
    return page.locator(".st-key-question h3, .st-key-answer h3").first.inner_text()


def press(page, key, question):
    """Press a key until something holds: the page hears none before it has set itself up."""
    insist(page, lambda: page.keyboard.press(key), question)


def test_the_keyboard_alone_leads_to_an_answer_which_has_the_focus_and_back(app, open_page):
    page = open_page(f"{app}/questionnaire?model=cart&questions=2")
    eventually(page, lambda: "at most" in headline(page))
    first = headline(page)
    page.wait_for_timeout(500)  # the keys are listened to a moment after they are shown
    press(page, "y", lambda: headline(page).startswith("The answer is setosa"))
    press(page, "Backspace", lambda: headline(page) == first)
    press(page, "n", lambda: headline(page) not in ("", first))
    press(page, "u", lambda: "u" in page.url.partition("said=")[2] and page.locator(".st-key-answer").is_visible())
    assert "said=" in page.url
    press(page, "Backspace", lambda: headline(page) not in ("", first))
    press(page, "Backspace", lambda: headline(page) == first)
    yes, no = (page.locator(".st-key-choices button").nth(n) for n in (0, 1))
    insist(page, no.click, lambda: headline(page) not in ("", first))
    colour = "(one) => getComputedStyle(one).backgroundColor"  # none looks as if it were given
    assert yes.evaluate(colour) == no.evaluate(colour)
    press(page, "Backspace", lambda: headline(page) == first)
    answer = page.locator(".st-key-answer")
    insist(page, lambda: yes.is_visible() and (yes.focus(), page.keyboard.press("Enter")), answer.is_visible)
    here = page.locator(".st-key-answer h3")
    eventually(page, lambda: here.evaluate("(one) => one === document.activeElement"))
    page.keyboard.press("Tab")
    assert page.locator(".st-key-answer :focus").count()  # the heading's link, and not the top of the page


@pytest.mark.slow
def test_what_is_typed_into_the_field_is_no_answer_by_key(app, open_page):
    page = open_page(f"{app}/questionnaire?model=cart&said=3a1.0")
    field = page.locator(".st-key-question input[type=number]")
    eventually(page, field.is_visible)

    def type_a_value():
        field.fill("")
        field.press_sequentially("5.12")
        field.press("Backspace")
        field.press("Enter")

    insist(page, type_a_value, asks(page, "said=3a1.0_2v5.1"))


def height(button):
    """Pixels; 0 where it is not there."""
    return button.bounding_box()["height"] if button.count() else 0


def test_a_phone_shows_a_whole_question_with_large_buttons(app, open_page):
    page = open_page(f"{app}/questionnaire?model=cart")
    page.set_viewport_size({"width": 390, "height": 844})
    buttons = page.locator(".st-key-choices button")
    eventually(
        page, lambda: [n for n in range(3) if height(buttons.nth(n)) >= 48] == [0, 1, 2]
    )  # styles come late
    for n in range(3):
        box = buttons.nth(n).bounding_box()
        assert box["width"] > 250
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert box["y"] + box["height"] <= 844  # without scrolling
