"""The exports of the Forests page: what a forest is offered as, with its size, and why something is not."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from espalier.data import HeldOut, samples
from espalier.data.columns.convert import to_dataset
from espalier.data.columns.kinds import guess_kinds
from espalier.data.reading.table import read_table
from espalier.language import Refusal
from espalier.learners.catalogue import Model
from espalier.progress import Progress
from pages.shared.data import library
from pages.shared.forests import heading
from pages.shared.forests.forest_job import ForestJob
from tests.tools.on_page import APP, engine, until_grown, whole

__all__ = ["engine"]

FORMATS = {form.ending: form for form in heading.FORMATS}
BEGINS = {"py": "# Forest for species: 3 trees", "sql": "-- Forest for species: 3 trees"}


def grown(name="random", data="iris"):
    return ForestJob(samples.load(data), HeldOut(30), Model(name, (("trees", 3),)))(Progress())


@pytest.mark.parametrize("ending", BEGINS)
def test_a_forest_is_saved_as_code(ending):
    text = heading.code(grown(), FORMATS[ending], {"dialect": "duckdb"} if ending == "sql" else {})
    assert isinstance(text, str)
    assert text.startswith(BEGINS[ending])


def test_a_forest_is_saved_as_onnx():
    onnx = pytest.importorskip("onnx")
    model = onnx.load_from_string(heading.code(grown(), FORMATS["onnx"], {}))
    assert [one.name for one in model.graph.output] == ["prediction", "shares"]


def test_what_a_forest_cannot_be_saved_as_has_a_reason(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Refusal, match="the package onnx, which is not installed here"):
        FORMATS["onnx"].check(grown().forest)


def test_a_database_whose_dates_are_not_written_has_a_reason_in_place_of_the_button():
    """On both pages, as soon as it is chosen."""
    days = [f"{2019 + i % 4}-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(120)]
    text = "sent,late\n" + "".join(f"{day},{'yes' if day > '2021' else 'no'}\n" for day in days)
    read = read_table(text.encode(), "letters.csv")
    plans = guess_kinds(read.frame)
    data = to_dataset(read.frame, plans, "late", "letters", read.origins)[0]
    library.store().put(data)
    of_forests = {"a-trees": "3", "b-trees": "3"}
    for name, opened, box in (
        ("tree", "export menu", "SQL dialect"),
        ("forests", "forest exports", "SQL dialect of forests"),
    ):
        page = AppTest.from_file(APP, default_timeout=300)
        page.query_params.update({"data": data.digest} | (of_forests if name == "forests" else {}))
        page.session_state[opened] = True
        page.switch_page(f"pages/{name}.py")
        page = until_grown(whole(page.run()))
        n_files = len([button for button in page.get("download_button") if "(.sql" in button.proto.label])
        assert n_files == (2 if name == "forests" else 1)
        page.selectbox(key=box).select("sqlite")
        whole(page.run())
        assert not [button for button in page.get("download_button") if "(.sql" in button.proto.label]
        reasons = [one.value for one in page.caption if "SQL for SQLite is not written for dates" in one.value]
        assert len(reasons) == n_files


def test_the_page_offers_both_forests_as_code_and_says_how_large_the_files_are():
    page = AppTest.from_file(APP, default_timeout=300)
    page.query_params.update({"a-trees": "9", "b-trees": "9"})
    page.session_state["forest exports"] = True
    page.switch_page("pages/forests.py")
    page = until_grown(whole(page.run()))
    labels = [button.proto.label for button in page.get("download_button")]
    for side in "AB":
        for begin in (f"Python function of forest {side} (.py, ", f"ONNX file of forest {side} (.onnx, "):
            (size,) = [label.removeprefix(begin) for label in labels if label.startswith(begin)]
            assert 1 < int(size.removesuffix(" kB)")) < 100
        assert any(re.fullmatch(rf"Forest {side} \(\.json, \d+ kB\)", label) for label in labels)
        assert any(re.fullmatch(rf"Trees of forest {side} \(\.zip of \.json, \d+ kB\)", label) for label in labels)
