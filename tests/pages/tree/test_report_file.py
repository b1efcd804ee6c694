"""The report and the script of a tree, as the Tree page saves them."""

from espalier.data import HeldOut, samples
from espalier.display.theme import percent
from espalier.language import as_spoken, speaking
from espalier.learners.catalogue import Model
from pages.shared.tree import exports as report_file
from pages.shared.tree import report
from pages.shared.tree.exports import PageState
from pages.shared.tree.results import grown
from tests.tools.uneven import loans

CART = Model("cart", (("depth", 3),))


def test_the_report_and_the_script_have_the_held_out_score_of_the_page_and_its_language():
    tree = grown(samples.load("iris"), HeldOut(30), CART)
    page, script = report_file.html(tree, PageState("http://here")), report_file.script(tree)
    score = report.headlines(tree)["held-out"].tree
    assert percent(round(score, 3)) in page.replace("\u00a0", " ")
    assert "http://here" in page
    assert script.endswith(f"# here it was {score:.6g}")
    assert f"# here it was {score:.6g}" in report_file.notebook(tree)
    with speaking("de"):
        later = as_spoken(lambda: report_file.html(tree))
    assert "<h2>Wie gut er ist</h2>" in later()
    tree = grown(data := loans(), HeldOut(30), CART)
    assert data.digest in report_file.html(tree)
    assert not report_file.script(tree)
