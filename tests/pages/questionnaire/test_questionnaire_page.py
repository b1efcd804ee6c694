"""The questionnaire as a page: asking, going back, the answer, the full model, paper, links; without a browser."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from espalier.data import samples
from espalier.data.dataset import Feature, make_dataset
from espalier.questionnaire import answers, questionnaire
from espalier.questionnaire.questionnaire import Questionnaire, side_answer, unknown
from espalier.trees import LEAF
from pages.shared.data import library
from tests.tools import on_page, random_trees
from tests.tools.on_page import address_of, begin_page, press, run_until, whole, words_of

LENGTH = "2b2.0"  # iris: the petal is at most 2 long


def open_questions(**address):
    """The page once there is a tree."""
    return run_until(begin_page("questionnaire", **({"model": "cart"} | address)), headline)


def open_model(**address):
    return open_questions(**{"model": "approximation", "samples": "1000"} | address)


def headline(page):
    """The question or the answer."""
    return next((m.value[4:].replace("*", "") for m in page.markdown if m.value.startswith("### ")), "")


def to_the_end(page, keys=("choice 0",)):
    """Answer every question by these buttons in turn."""
    for n in range(30):
        if not any(button.key == "choice 0" for button in page.button):
            return page
        press(page, keys[n % len(keys)])
    pytest.fail("there is no end to the questions")


def progress_of(page):
    return next(p.proto.text for p in page.get("progress") if p.proto.text.startswith("Question"))


def test_a_newcomer_is_asked_one_question_in_words_and_every_button_has_its_key_and_a_way_back():
    page = open_questions()
    assert re.fullmatch(r"Is petal (length|width) at most [\d\\.]+\?", headline(page))
    assert progress_of(page) == "Question 1: 1 to 3 questions left"
    labels = [b.label for b in page.button if b.label not in ("Undo", "Redo", "Reset")][:5]
    assert labels == ["Yes", "No", "I do not know", "Back", "Start again"]
    assert page.button(key="back").disabled
    assert "of 4 endings are left" in words_of(page)
    assert address_of(page) == {"model": "cart"}
    shortcuts = [page.button(key=key).proto.shortcut for key in ("choice 0", "choice 1", "do-not-know", "back")]
    assert shortcuts == ["y", "n", "u", "backspace"]
    press(page, "choice 1")
    press(page, "Undo")
    assert "said" not in address_of(page)
    first = headline(page)
    press(page, "choice 1")
    press(page, "choice 0")
    assert headline(press(page, "change 0")) == first


def test_answers_lead_to_an_answer_with_its_reasons_stand_in_the_address_and_are_taken_back():
    page = open_questions()
    press(page, "choice 1")
    assert "Question 2" in progress_of(page)
    to_the_end(page, ["choice 0"])
    assert re.match(r"The answer is (versicolor|virginica) \(.+\)", headline(page))
    assert "**petal length** is above" in words_of(page)
    assert "rows of the table led here" in words_of(page)
    assert "kept for testing" in words_of(page)
    again = open_questions(**address_of(page))
    assert headline(again) == headline(page)
    assert words_of(again) == words_of(page)
    page = open_questions()
    first = headline(page)
    press(page, "choice 1")
    second = headline(page)
    press(page, "choice 0")
    assert headline(press(page, "back")) == second
    assert headline(press(page, "back")) == first
    assert "said" not in address_of(page)
    to_the_end(page, ["choice 1"])
    assert headline(press(page, "start-again")) == first


def test_the_value_itself_answers_all_questions_on_it_and_one_that_no_row_has_is_warned_of():
    page = open_questions(said="3v0.2")
    feature = 2 if "length" in headline(page) else 3
    field = page.number_input(key=f"value-of {feature}")
    field.set_value(1.3)
    whole(page.run())
    assert "is 1.3, which is" in words_of(page)
    assert "setosa" in headline(page)
    assert "2v1.3" in address_of(page)["said"]
    page = open_questions(said="2v900.0_3v900.0")
    assert "the answer is a guess" in words_of(page)


def test_not_knowing_makes_the_answer_less_sure_except_of_what_the_table_lacks_itself():
    page = to_the_end(open_questions(), ["do-not-know"])
    assert "is not known; assumed:" in words_of(page)
    assert "If all were known: **" in words_of(page)
    assert headline(page).startswith("Perhaps ")
    x = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, np.nan, np.nan] * 4)
    y = (np.nan_to_num(x, nan=9) > 4).astype(int)
    feature, target = Feature("dose (mg)"), Feature("outcome", "category", ("well", "ill"))
    own = make_dataset("doses with gaps", x[:, None], [feature], y, target)
    library.store().put(own)
    page = open_questions(data=own.digest, held="0")
    assert headline(page).replace("\\", "") == "Is dose at most 4 mg?"
    press(page, "do-not-know")
    assert "is not known" in words_of(page)
    assert "assumed" not in words_of(page)
    assert "ill" in headline(page)


def test_other_data_are_asked_from_the_start_also_where_they_were_chosen_on_another_page():
    page = open_questions(said=LENGTH)
    whole(page.selectbox(key="data-picker").set_value("wine").run())
    assert "said" not in address_of(page)
    assert "Question 1" in progress_of(page)
    page = open_questions(said=LENGTH)
    page.switch_page("pages/data.py")
    whole(page.run())
    page.query_params["data"] = "wine"  # as the Data page writes it
    whole(page.run())
    page.switch_page("pages/questionnaire.py")
    page.query_params["data"] = "wine"
    whole(page.run())
    assert "Wine" in words_of(page)
    assert not [button for button in page.button if button.label == "Change"]


def test_fewer_questions_can_be_asked_what_that_costs_is_told_and_how_sure_is_enough_can_be_set():
    page = open_questions(depth="4")
    whole(on_page.Slider(page, "questions").set_value(1).run())
    assert "the last question" in progress_of(page)
    assert address_of(page)["questions"] == "1"
    assert "of rows kept for testing" in words_of(page)
    press(page, "choice 1")
    assert headline(page).startswith("Not sure")  # two species are left
    assert "Most likely" in words_of(page)
    page = open_questions(questions="1", sure="40")
    press(page, "choice 1")
    assert headline(page).startswith("Tie: versicolor, virginica")  # a share of 50 % is sure enough
    page = open_questions(said=LENGTH)
    whole_tree = headline(page)
    assert headline(open_questions(said=LENGTH, questions="1")) == whole_tree


def test_an_answer_from_few_rows_is_warned_of_and_a_tree_without_questions_answers_at_once():
    x, target = np.arange(1.0, 21), Feature("outcome", "category", ("well", "ill"))
    own = make_dataset("two of twenty", x[:, None], [Feature("dose")], (x <= 2).astype(int), target)
    library.store().put(own)
    page = press(open_questions(data=own.digest, held="0"), "choice 0")
    assert "2 rows of the table led here. Take the answer with care" in words_of(page)
    assert "with care" not in words_of(press(press(page, "back"), "choice 1"))
    page = open_questions(leaf="1000")
    assert headline(page).startswith("Not sure")
    assert "nothing needs to be asked" in words_of(page)
    assert opened(page, "sheet", "lengths").get("iframe")


def test_the_tree_of_a_full_model_is_asked_at_first_and_says_how_close_it_is():
    assert begin_page("questionnaire").session_state["asking"] == "approximation"
    page = to_the_end(open_model())
    assert headline(page).startswith("The model would say")
    assert "made-up cases that end here, the random forest takes" in words_of(page)
    assert "It answers as the random forest does in" in words_of(page).replace("\\", "")


def opened(page, *expanders):
    for key in expanders:
        page.session_state[key] = True
    return whole(page.run())


def test_the_sheet_and_the_table_of_lengths_are_drawn_when_they_are_opened():
    page = opened(open_questions(), "sheet", "lengths")
    assert page.get("iframe")
    table = page.dataframe[0].value
    assert table["questions, at most"].tolist() == [0, 1, 2, 3]
    assert table["right"].iloc[-1].endswith("%")
    assert float(table["asked on average"].iloc[-1]) <= 3


def test_a_number_is_answered_by_its_mean_and_range_and_every_sample_can_be_asked_to_the_end():
    page = to_the_end(open_questions(data="diabetes"))
    assert re.fullmatch(r"The answer is about [\d\\.]+", headline(page))
    assert "Nine in ten of these rows: " in words_of(page)
    assert "sure" not in address_of(page)
    assert "optimal" not in page.segmented_control(key="asking").options
    for name in ("tic-tac-toe", "questionnaire", "sine"):
        assert name in samples.names()
        page = to_the_end(open_questions(data=name), ["choice 1", "do-not-know", "choice 0"])
        assert re.match("The answer|Not sure|Perhaps", headline(page))


def test_answers_that_mean_nothing_are_noted_and_so_is_the_form_of_the_full_model_which_has_gone():
    assert "Ask it asks a full model" in open_questions(filled="1v2.0").warning[0].value
    for wrong in ["9u", "2b", "x", "2vnan", "2b1_", "0o1", "2v1e999", "2u1"]:
        page = open_questions(said=wrong)
        assert "Part of the link was not understood" in page.warning[0].value
        assert "Question 1" in progress_of(page)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_what_was_said_comes_back_from_the_address(data):
    features = data.draw(random_trees.features())
    tree = data.draw(random_trees.trees(features, data.draw(random_trees.targets())))
    form = Questionnaire(tree, features, np.ones(len(features), bool))
    splits = np.flatnonzero(tree.feature != LEAF).tolist()
    told = [side_answer(form, node, left) for node in splits for left in (True, False)]
    told += [unknown(f) for f in range(len(features))]
    told += [questionnaire.value_answer(f, 1.0, feature) for f, feature in enumerate(features)]
    possible = [a for a in told if a.bound.categories]  # of no category at all: nobody can say that
    assert answers.read_answers(answers.write_answers(possible), features) == possible


def test_who_does_not_know_is_asked_the_surrogate_question_and_the_answer_names_it():
    page = open_questions(missing="surrogate", depth="1")
    own = headline(page)
    assert headline(press(page, "I do not know")) != own
    assert "This tells most nearly what **petal length** would." in words_of(page)
    press(page, "Yes")
    assert "petal length** is not known; in its place, **petal width** is at most" in words_of(page)
