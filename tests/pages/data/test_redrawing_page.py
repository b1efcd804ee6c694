"""Draw again, and the sliders of a simulation: they stand in the address, and the tree grows on what they draw."""

from tests.tools import on_page
from tests.tools.on_page import address_of, engine, open_tree, whole

__all__ = ["engine"]


def press(page, key):
    page.button(key=key).click()
    return whole(page.run())


def test_a_link_draws_a_simulated_sample_anew_and_draw_again_takes_the_next_seed():
    page = whole(open_tree(data="moons~r100~t45"))
    assert any(
        "turned by 45" in text.value.replace("\\", "") and "100 rows" in text.value for text in page.markdown
    )
    press(page, "draw-again")
    assert address_of(page)["data"] == "moons~r100~t45~d1"


def test_a_slider_of_the_simulation_changes_the_data_of_the_address_alone():
    page = whole(open_tree(data="xor", depth="2"))
    on_page.Slider(page, "redraw-turn").set_value(30)
    whole(page.run())
    assert address_of(page) == {"data": "xor~t30", "depth": "2"}
    next(button for button in page.button if button.label == "As it was").click()
    whole(page.run())
    assert address_of(page) == {"data": "xor", "depth": "2"}


def test_while_a_slider_moves_the_tree_is_of_what_it_draws_and_the_address_of_where_it_began():
    page = whole(open_tree(data="xor"))
    whole(on_page.Slider(page, "redraw-rows").set_value(100, over=False).run())
    assert address_of(page) == {"data": "xor"}
    assert any("100 rows" in text.value for text in page.markdown)
    whole(on_page.Slider(page, "redraw-rows").set_value(100).run())
    assert address_of(page) == {"data": "xor~r100"}


def test_draw_again_holds_out_other_rows_of_data_that_are_not_simulated():
    page = press(whole(open_tree(data="iris")), "draw-again")
    assert address_of(page) == {"data": "iris", "seed": "1"}


def test_a_redrawing_that_cannot_be_is_said_and_iris_shown():
    page = whole(open_tree(data="moons~n99"))
    assert page.warning
    assert any("Iris" in text.value for text in page.markdown)
