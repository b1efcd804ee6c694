"""The Data page, the library of tables behind every page, and what about a table misleads."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest

from espalier.data import Feature, HeldOut, make_dataset, samples
from espalier.data.column_changes import roles_text
from espalier.data.columns.kinds import ColumnPlan, guess_kinds, summarise
from espalier.data.table import read_table
from espalier.display.column_stacks import stacks_card
from pages.shared.app.store import size_of
from pages.shared.data import columns, findings, gallery, library
from pages.shared.data import draft as drafts
from pages.shared.data.findings import CheckJob
from pages.shared.data.new_table import editor_frame, plans_of
from pages.shared.jobs.run import RUNNER
from pages.shared.models import drawer
from tests.findings.planted import known_after, noise, planned, table, with_column
from tests.tools import on_page
from tests.tools.on_page import address_of, press, whole, words_of

GOOD = "id;age;smoker;stage;ill\n" + "".join(
    f"{i};{20 + i},5;{'yes' if i % 3 else 'no'};{'low' if i % 2 else 'high'};{'sick' if i % 5 else 'well'}\n"
    for i in range(1, 31)
)
UNEQUAL = "a,b\n1,x\n2\n3,y\n4,x\n"


@pytest.fixture
def page():
    app = AppTest.from_file(on_page.APP, default_timeout=120)
    app.session_state[drawer.SETTINGS] = True
    app.switch_page("pages/data.py")
    return app


def paste(page, text):
    return on_page.paste(page.run(), text)


def keys(page):
    return [button.key for button in page.button]


def title(page):
    return page.subheader[0].value.replace("\\", "")


def test_the_gallery_shows_every_table_with_its_facts_a_persons_own_first_and_takes_it_into_use(page):
    page.session_state[gallery.MORE] = True
    paste(page, GOOD)
    page = press(page, "use")
    page.switch_page("pages/data.py")
    tiles = {
        button.label.replace("\\", ""): button
        for button in whole(page.run()).button
        if (button.key or "").startswith("take ")
    }
    assert list(tiles)[:2] == ["Pasted table", "Iris flowers"]
    for card in map(samples.card, samples.names()):
        facts = tiles[card.title].help
        assert card.description in facts
        assert f"{card.n_rows:,} rows × {card.n_columns} column{'s' * (card.n_columns != 1)}" in facts
        assert f"{card.source} · {card.licence}" in facts
    page.button(key="take wine").click()
    assert title(whole(page.run())) == "Wine"  # beside the draft, to which a button leads back
    assert title(press(page, "Back to Pasted table")) == "Pasted table"
    page.button(key="take two-gaussians").click()
    assert "The paper's Figure 3" in words_of(whole(page.run()))
    press(page, "grow")
    assert page.query_params["data"] in ("two-gaussians", ["two-gaussians"])


def columns_of(page):
    """By name, the role of each column that the page shows, and its rows by bin and class."""
    card = on_page.data_for(page, "espalier_columns")
    return {one["name"]: (one["role"], one["counts"], one["roles"]) for one in card["columns"]}


def test_a_column_gets_another_role_which_the_link_has_and_which_can_be_taken_back(page):
    there = columns_of(page.run())
    assert [role for role, *_ in there.values()] == ["target", *["feature"] * 4]
    assert np.sum(there["petal width"][1], axis=0).tolist() == [50, 50, 50]
    assert [role for role, _ in there["petal width"][2]] == ["feature", "target", "out", "weight", "group", "time"]
    text = "iris" + roles_text({"petal length": "out", "petal width": "target"})
    page.query_params["data"] = text
    there = {name: role for name, (role, *_) in columns_of(whole(page.run())).items()}
    assert (there["petal length"], there["petal width"], there["species"]) == ("out", "target", "feature")
    assert "predicts *petal width*" in words_of(page)
    press(page, "grow")
    assert page.query_params["data"] in (text, [text])


def test_a_role_chosen_on_a_card_moves_it_from_the_column_that_had_it(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", {})
    monkeypatch.setattr(library, "chosen_key", lambda: st.session_state.get(library.CHOSEN, "iris~c3-1-2"))
    steps = [("petal length", "out"), ("petal width", "target"), ("sepal width", "target"), ("species", "target")]
    for name, role in steps:
        columns.assign(name, role)
    assert st.session_state[library.CHOSEN] == "iris" + roles_text({"petal length": "out"})
    for name in ("petal width", "sepal length", "sepal width"):
        columns.assign(name, "out")
    assert "no column would be left" in st.session_state[columns.WRONG]
    card = stacks_card(*[samples.load("iris")] * 3)
    assert columns.role_sent({"column": "petal width", "role": "weight"}, card) == ("petal width", "weight")
    for sent in ({"column": "species", "role": "out"}, {"column": ["x"], "role": "out"}, None):
        assert columns.role_sent(sent, card) is None


def test_a_card_names_the_ends_of_its_picture_below_it_and_counts_what_is_missing_beside_the_kind():
    features, target = [Feature("x")], Feature("y", "category", ("no", "yes"))
    table = make_dataset("gap", np.array([[1.0], [np.nan], [3.0]]), features, np.array([0, 0, 1]), target)
    card = stacks_card(table, table, table)["columns"][-1]
    assert card["foot"] == ["1", "3"]
    assert card["kind"] == "numbers · 1 missing"
    assert card["alt"].endswith("1, 3, 1 missing")


def test_a_link_names_the_sample_which_stays_when_another_page_is_opened_from_the_menu(page):
    page.query_params["data"] = "moons"
    page.run()
    page.query_params.clear()
    page.switch_page("pages/tree.py")
    page.run()
    assert "Two moons" in words_of(page)
    page.query_params.clear()
    page.switch_page("pages/data.py")
    page.run()
    assert title(page) == "Two moons"


def test_a_link_to_a_table_that_is_gone_gives_iris_says_what_to_do_and_cannot_bring_formatting(page):
    page.query_params["data"] = "0123456789abcdef0123456789abcdef"
    whole(page.run())
    assert title(page) == "Iris flowers"
    assert "upload the table" in page.warning[0].value.lower()
    page.query_params["data"] = "](http://example.org)![x](y)<b>"
    whole(page.run())
    assert "(http" not in page.warning[0].value
    assert "<b>" not in page.warning[0].value


def test_a_pasted_table_is_read_shown_and_used_with_the_kinds_and_values_of_the_draft(page):
    paste(page, GOOD)
    assert not page.error
    assert page.selectbox(key="delimiter 1").value == ";"
    assert page.selectbox(key="decimal 1").value == ","
    assert page.selectbox(key="target 1").value == "ill"
    assert "“id” (it numbers the rows)" in page.info[0].value.replace("\\", "")
    press(page, "use")
    dataset = page_dataset(page)
    key = library.key_of(dataset)
    assert key not in samples.names()
    assert page.query_params["data"] in (key, [key])
    assert "Pasted table" in words_of(page)
    assert [(f.name, f.kind) for f in dataset.features] == [
        ("age", "number"), ("smoker", "yes/no"), ("stage", "ordered"),
    ]  # fmt: skip
    assert dataset.X[0].tolist() == [21.5, 1, 0]
    assert dataset.classes == ("sick", "well")


def page_dataset(page):
    dataset = library.store().find(page.session_state[library.CHOSEN])
    assert dataset is not None
    return dataset


def test_missing_texts_the_target_and_its_task_can_be_corrected_and_what_is_worth_knowing_is_told(page):
    paste(page, "region,x,y\nNA,1,a\nEU,2,b\nNA,3,a\nUS,4,b\nEU,5,a\n")
    assert page.multiselect(key="missing 1").value == ["(empty cell)", "NA"]
    assert "is read as missing" in page.info[0].value
    page.multiselect(key="missing 1").set_value(["(empty cell)"])
    page.run()
    frame = page.session_state[drafts.KEY].table.frame
    assert frame["region"].tolist()[0] == "NA"
    assert frame["region"].notna().all()
    page.selectbox(key="target 1").set_value("x").run()
    page.radio(key="task 1 x").set_value("regression").run()
    assert page.session_state[drafts.KEY].task == "regression"
    paste(page, "row,amount\n" + "".join(f"{i},{i}.50 {'CR' if i % 3 else 'DR'}\n" for i in range(1, 31)))
    assert "No column can be the target" in page.error[0].value
    assert "“amount” holds numbers, but also “1.50 CR”" in page.info[0].value.replace("\\", "")


def test_a_bad_table_gets_a_message_and_the_data_set_stays(page):
    page.query_params["data"] = "wine"
    for text, expected in [
        ("", "The file is empty."),
        ("a\n1\n2\n", "only one column"),
        (UNEQUAL, "line 3 (1 cell)"),
        ("a,b\n", "no rows"),
        ("a,b\n,\n,\n", "Every cell of the table is missing"),
        ("a,b\n7,x\n7,y\n", "No column is left"),
        (",".join(["c"] * 20_001) + "\n" + ",".join(["1"] * 20_001), "20,000 columns"),
    ]:
        paste(page, text)
        assert not page.exception
        assert expected in page.error[0].value.replace("\\", "")
        assert "use" not in keys(page)
        assert "**Wine**" in words_of(page)  # in the bar


def test_names_in_a_table_cannot_format_the_page(page):
    paste(page, "![x](http://example.org/a.png),<script>\n1,2\n3\n")
    assert "![x](http" not in words_of(page)
    paste(page, "**[x](http://example.org)**,y\n5,a\n5,b\n6,a\n")
    assert "[x](http" not in words_of(page)


def test_the_work_on_a_table_survives_another_page_with_the_kinds_chosen_and_can_be_discarded(page):
    paste(page, GOOD)
    page.selectbox(key="target 1").set_value("stage")
    page.run()
    page.switch_page("pages/tree.py")
    page.run()
    page.switch_page("pages/data.py")
    whole(page.run())
    assert page.selectbox(key="target 1").value == "stage"
    assert page.selectbox(key="delimiter 1").value == ";"
    assert "use" in keys(page)
    plans = page.session_state[drafts.KEY].plans
    chosen = ColumnPlan("age", "ignored", (), "by your choice")
    page.session_state[drafts.KEY] = page.session_state[drafts.KEY]._replace(plans=(plans[0], chosen, *plans[2:]))
    page.selectbox(key="decimal 1").set_value(".").run()
    assert not page.exception
    assert chosen in page.session_state[drafts.KEY].plans
    press(page, "Discard")
    assert drafts.KEY not in page.session_state
    assert "use" not in keys(page)


def test_an_uploaded_file_becomes_the_draft_and_streamlit_keeps_no_copy(page, monkeypatch):
    removed = []
    monkeypatch.setattr(
        MemoryUploadedFileManager, "remove_file", lambda *_, file_id, **__: removed.append(file_id)
    )
    page.run()
    page.file_uploader(key="upload").set_value(("people.csv", GOOD.encode(), "text/csv"))
    page.run()
    assert len(removed) == 1
    assert not page.exception
    assert title(page) == "people.csv"


def test_rows_held_out_are_a_control_in_the_address_and_reading_options_can_be_corrected(page):
    page.run()
    on_page.Slider(page, "held").set_value(50)
    page.number_input(key="seed").set_value(7)
    page.run()
    assert page.query_params["held"] in ("50", ["50"])
    assert page.query_params["seed"] in ("7", ["7"])
    paste(page, GOOD)
    page.toggle(key="header 1").set_value(False)
    whole(page.run())
    assert page.selectbox(key="target 1").value == "column 5"
    page.selectbox(key="delimiter 1").set_value(",")
    page.toggle(key="header 1").set_value(True)
    page.run()
    whole(page.run())
    assert len(page.session_state[drafts.KEY].table.frame.columns) == 2  # parted at the decimal commas


def draft_of(text):
    table = read_table(text.encode(), "x.csv")
    plans = tuple(guess_kinds(table.frame))
    return drafts.Draft(1, b"", "x.csv", table.options, table, None, plans, tuple(summarise(table.frame)))


def test_the_editor_shows_a_row_per_column_and_its_changes_become_plans():
    draft = draft_of(GOOD)
    shown = editor_frame(draft.plans, draft)
    assert shown["name"].tolist() == ["id", "age", "smoker", "stage", "ill"]
    assert shown["kind"].tolist() == ["identifier", "number", "yes/no", "ordered", "category"]
    assert shown["order"].tolist()[3] == "low < high"
    assert plans_of(shown, draft) == draft.plans
    shown.loc[1, "kind"] = "ignored"
    shown.loc[3, "order"] = "high < low"
    changed = plans_of(shown, draft)
    assert changed[1] == ColumnPlan("age", "ignored", (), "by your choice")
    assert changed[3].categories == ("high", "low")
    assert changed[0] == draft.plans[0]
    frame = pd.DataFrame({"empty": [None, None], "when": pd.to_datetime(["2024-01-01", None])})
    assert [summary.n_missing for summary in summarise(frame)] == [2, 1]


def dataset(seed, name="table.csv", n=1000):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    return make_dataset(name, X, [Feature("a"), Feature("b")], X[:, 0], Feature("y"))


def test_tables_of_the_same_name_or_content_never_mix_and_a_copy_of_a_sample_is_not_the_sample():
    store = library.TableStore()
    mine, yours = dataset(1), dataset(2)
    store.put(mine)
    store.put(yours)
    assert store.find(mine.digest) is mine
    assert store.find(yours.digest) is yours
    assert store.find("table.csv") is None
    mine, yours = dataset(1, "my salaries.csv"), dataset(1, "table.csv")
    assert mine.digest != yours.digest
    iris = samples.load("iris")
    assert library.key_of(iris) == "iris"
    assert library.key_of(iris._replace(name="my flowers")) == iris.digest


def test_the_store_lets_the_table_unused_for_longest_go_but_not_the_only_one():
    tables = [dataset(seed) for seed in range(4)]
    store = library.TableStore(megabytes=3.01 * size_of(tables[0]).megabytes)
    for one in tables[:3]:
        store.put(one)
    assert store.find(tables[0].digest) is tables[0]  # used again: now the second is the oldest
    store.put(tables[3])
    assert store.find(tables[1].digest) is None
    assert [store.find(tables[i].digest) for i in (0, 2, 3)] == [tables[0], tables[2], tables[3]]
    store = library.TableStore(megabytes=0.001)
    big, next_one = dataset(1), dataset(2)
    store.put(big)
    assert store.find(big.digest) is big
    store.put(next_one)
    assert store.find(big.digest) is None
    assert store.find(next_one.digest) is next_one


DATED = "sent,age,late\n" + "".join(
    f"{i % 12 + 1:02d}/{i % 11 + 1:02d}/20{18 + i % 4},{i},{'no' if i % 3 else 'yes'}\n" for i in range(60)
)


def test_a_day_that_could_be_a_month_is_a_question(page):
    paste(page, DATED)
    assert "Which date is “12/01/2021”" in words_of(page).replace("\\", "")  # not 01/01/2018, one day in both
    assert page.session_state["draft"].plans[0].form == "dmy"
    press(page, "Read it so")
    assert page.session_state["draft"].plans[0].form == "mdy"


HOLDOUT = HeldOut(30)


def leaky():
    one = noise()
    return with_column(one, one.y, names=["age", "pulse", "weight", "height", "code"])


def work_on(page, dataset):
    """Take a table into use that has been looked at already."""
    library.store().put(dataset)
    RUNNER.keep(CheckJob(dataset, HOLDOUT).key, checking_outcome(dataset))
    page.query_params["data"] = dataset.digest
    return page.run()


def checking_outcome(dataset):
    job = CheckJob(dataset, HOLDOUT)
    function, arguments, _ = job.tasks()[0]
    return findings.Outcome(job.gathered([function(*arguments)]))


def drawers(page):
    return [one.label for one in page.expander]


def test_the_list_says_what_was_found_and_its_button_leaves_the_column_out(page):
    work_on(page, leaky())
    assert not page.exception
    assert "What to look at first (1)" in drawers(page)  # and open, as what is serious is
    assert "“code” has one value for each class of “illness”." in words_of(page).replace("\\", "")
    next(button for button in page.button if button.label == "Leave it out").click()
    whole(page.run())
    left: Any = library.find(address_of(page)["data"])
    assert left.X.shape[1] == 4
    assert not [label for label in drawers(page) if "look at first" in label]


def test_a_date_is_left_out_with_all_of_its_parts(page):
    data = planned(known_after("date"), "date")
    assert [f.name for f in data.features if f.moment] == ["ended", "ended (month)", "ended (weekday)"]
    work_on(page, data)
    (button,) = [button for button in page.button if button.label == "Leave it out"]
    button.click()
    whole(page.run())
    left: Any = library.find(address_of(page)["data"])
    assert [f.name for f in left.features] == ["age", "pulse"]


def test_nothing_is_drawn_where_nothing_was_found_and_the_tree_page_says_the_most_serious_once(page):
    one = noise()
    work_on(page, table(one.X, one.y))
    assert not [label for label in drawers(page) if "look at first" in label]
    assert not page.exception
    work_on(page, leaky())
    page.switch_page("pages/tree.py")
    page.query_params["data"] = leaky().digest
    whole(page.run())
    assert "These scores may mislead." in words_of(page).replace("\\", "")
    page.button(key="dismiss findings").click()
    page.run()
    assert "These scores may mislead." not in words_of(page).replace("\\", "")
