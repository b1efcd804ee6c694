"""What is approximated, and by what tree: the controls, as parts of the address; other pages have the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import streamlit as st

from espalier.data import Dataset
from espalier.learners.black_boxes.models import BLACK_BOXES, black_box
from pages.shared.app import address
from pages.shared.app.address import Entry, decimal, one_of, whole
from pages.shared.app.frame import plain
from pages.shared.approximation import orders, uploads
from pages.shared.models import forests, rail
from pages.shared.models.rail import BIG, Help, pick

OURS = {"forest-a": "a", "forest-b": "b"}  # forests of the Forests page, by their side there
OWN = "onnx"
COUNTED = ("forest", "svm", "network", "cultivated")  # black boxes that have an article
TREES = {"cart", "optimal"}  # what forests are made of whose trees have boxes for leaves
MAX_DEPTH = 8
SAMPLES = {1_000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1M"}
METHODS = {"sampled": "By made-up cases", "exact": "Exactly"}
VARIANCES = {"full": "Shares of the sides estimated too", "fixed": "Shares of the sides fixed (the paper)"}
AT_LIMIT = {"best": "The best so far", "order": "The first column that is not worse"}
WIDTHS = {"0.01": "1 %", "0.02": "2 %", "0.05": "5 %", "0.1": "10 %", "0.2": "20 %", "normal": "Normal reference"}
HELP = {
    "box": Help(
        "Black box",
        "The model that the tree is to stand in for. It learns from the rows that are not held out.\n"
        + "\n".join(f"- **{box.title}.** {box.words}" for box in BLACK_BOXES)
        + "\n- **Forest A, forest B.** As they are set on the Forests page."
        + "\n- **Your own model.** An ONNX file; it is run here, not trained.",
    ),
    "ap-depth": Help(
        "Questions, at most",
        "How many questions may follow each other from the root to a leaf. *Term:* `max_depth`; the paper counts "
        "layers, one more than questions.",
    ),
    "ap-samples": Help(
        "Made-up cases a split, at most",
        "New rows are drawn around those of the table, and the black box says what they are, until a test is sure "
        "of the best split; or until there are so many. *Paper:* pseudo-samples, N_ps (section 2.4).",
    ),
    "ap-method": Help(
        "Splits are found",
        "Exactly: by integrals instead of samples, as endless sampling would find them; the same tree every time. "
        "Only where the black box is a tree or a forest of ours with one leaf for every row. *Term:* `method`.",
    ),
    "ap-alpha": Help(
        "Doubt that is allowed, α",
        "How likely other made-up cases may be to prefer another split. Less doubt takes more of them. *Symbol:* "
        "α, the level of the better-split test (equation 4).",
    ),
    "ap-width": Help(
        "Width of the smoothing",
        "How far made-up cases lie from rows of the table, in parts of a column's span. *Term:* bandwidth of the "
        "Gaussian kernel (section 3.1).",
    ),
    "ap-jump": Help(
        "Categories that jump, %",
        "How often a made-up case has another category, or the next level of a scale, than its row; at "
        "an end of a scale half as often, since there is only one next level. *Paper:* section 3.1.",
    ),
    "ap-variance": Help(
        "Variance of the test",
        "Whether the shares of rows on either side of a split count as estimated, or as known as in the paper's "
        "section 2.1. *Term:* `variance`.",
    ),
    "ap-limit": Help(
        "If the test decides nothing",
        "What is taken where all made-up cases allowed decide nothing: the best split so far (section 2.4), or, "
        "of those not found worse, the first in the table's order (section 2.3). *Term:* `at_limit`.",
    ),
    "ap-seed": Help("Seed of the made-up cases", "Another number draws others: a stable tree stays the same."),
    "ap-box-seed": Help("Seed of the black box", "Of what it leaves to chance while it learns."),
}


class ApproximationRecipe(NamedTuple):
    """A black box and how its tree is grown; a hashable key of caches."""

    box: str  # name in `BLACK_BOXES`, in `OURS`, or `OWN`
    of: Any  # the seed of the first; the forest; an `uploads.Brought`
    max_depth: int
    max_samples: int
    alpha: float
    method: str
    bandwidth: float | str
    jump: float
    variance: str
    at_limit: str
    seed: int

    @property
    def title(self) -> str:
        """What the black box is called on the page."""
        if self.box in OURS:
            return f"Forest {forests.title(OURS[self.box])}"
        return "Your model" if self.box == OWN else black_box(self.box).title

    @property
    def in_sentence(self) -> str:
        """The same in the middle of a sentence."""
        if self.box in OURS:
            return f"forest {forests.title(OURS[self.box])}"
        name = f"{self.title[0].lower()}{self.title[1:]}"
        return f"the {name}" if self.box in COUNTED else name

    @property
    def most_samples(self) -> int:
        """Made-up cases, if all splits need all they may."""
        return self.max_samples * (2**self.max_depth - 1)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the approximation that the controls stand for."""
        names = ("max_depth", "max_samples", "alpha", "method", "bandwidth", "jump", "variance", "at_limit")
        return {name: getattr(self, name) for name in names} | {"random_state": self.seed}


def url_entries() -> list[Entry]:
    """All controls, the rows held out among them; and those of the forests that may be the black box."""
    return [
        *rail.held_out_entries(),
        Entry("box", "forest", one_of(names())),
        Entry("ap-depth", 4, whole(1, MAX_DEPTH), name="depth"),
        Entry("ap-samples", 100_000, _samples, name="samples"),
        Entry("ap-method", "sampled", one_of(METHODS), name="method"),
        Entry("ap-alpha", 0.1, decimal(0.001, 0.49), name="level"),
        Entry("ap-width", "0.05", one_of(WIDTHS), name="width"),
        Entry("ap-jump", 20, whole(0, 100), name="jump"),
        Entry("ap-variance", "full", one_of(VARIANCES), name="variance"),
        Entry("ap-limit", "best", one_of(AT_LIMIT), name="undecided"),
        Entry("ap-seed", 0, whole(0, BIG), name="random"),
        Entry("ap-box-seed", 0, whole(0, BIG), name="box-random"),
        *uploads.url_entries(),
        *forests.url_entries(),
    ]


def names() -> list[str]:
    """What may be approximated, by its name in the address."""
    return [*(box.name for box in BLACK_BOXES), *OURS, OWN]


def _samples(text: str) -> int:
    return int(one_of(str(n) for n in SAMPLES)(text))


def drop_invalid(dataset: Dataset) -> list[str]:
    """Give way to a target of another kind (see `forest_controls.settle`) and to other columns; notes on these."""
    forests.drop_invalid(dataset)
    return orders.drop_invalid(dataset)


def recipe() -> ApproximationRecipe:
    """What the controls stand for."""
    state = st.session_state
    box = state["box"]
    of = state["ap-box-seed"]
    if box in OURS:
        of = forests.model(OURS[box])
    elif box == OWN:
        of = uploads.brought()
    width = state["ap-width"]
    return ApproximationRecipe(
        box, of, state["ap-depth"], state["ap-samples"], float(state["ap-alpha"]), _method(),
        width if width == "normal" else float(width), state["ap-jump"] / 100, state["ap-variance"],
        state["ap-limit"], state["ap-seed"],
    )  # fmt: skip


def can_be_exact() -> bool:
    """Whether the black box is made of trees with one leaf for every row."""
    box = st.session_state["box"]
    if box not in OURS:
        return box == "forest"
    found = forests.model(OURS[box])
    return found.name == "random" or dict(found.settings).get("base") in TREES


def _method() -> str:
    return st.session_state["ap-method"] if can_be_exact() else "sampled"


def draw(dataset: Dataset) -> None:
    """The controls on the page: the black box, the tree's size, and the samples; the rest is folded away."""
    pick(HELP, "box", st.selectbox, options=names(), format_func=_title)
    box = st.session_state["box"]
    if box == OWN:
        uploads.draw(dataset)
    elif box in OURS:
        _show_forest(OURS[box])
    pick(HELP, "ap-depth", st.slider, min_value=1, max_value=MAX_DEPTH)
    pick(
        HELP, "ap-samples", st.segmented_control, options=list(SAMPLES), format_func=SAMPLES.get, required=True,
        width="stretch", disabled=_method() == "exact",
    )  # fmt: skip
    with st.expander("Advanced"):
        _draw_more()
    rail.draw_held_out()


def _show_forest(side: str) -> None:
    """What the forest of this side is, and the way to its page."""
    st.caption(f"{plain(forests.short(forests.model(side)))}.")
    there = address.texts([*forests.url_entries(), *rail.held_out_entries()])
    here = {key: text for key, text in st.query_params.to_dict().items() if key == "data"}
    st.page_link(
        "pages/forests.py", label="Change it on its page", icon=":material/forest:", query_params=here | there
    )


def _draw_more() -> None:
    is_exact = _method() == "exact"
    pick(HELP, "ap-method", st.radio, options=list(METHODS), format_func=METHODS.get, disabled=not can_be_exact())
    if not can_be_exact():
        st.caption("Only a tree or forest of ours can be asked exactly.")
    pick(
        HELP, "ap-alpha", st.number_input, min_value=0.001, max_value=0.49, step=0.01, format="%g",
        disabled=is_exact,
    )  # fmt: skip
    pick(HELP, "ap-width", st.selectbox, options=list(WIDTHS), format_func=WIDTHS.get)
    pick(HELP, "ap-jump", st.slider, min_value=0, max_value=100, step=5, format="%d %%")
    for key, words in (("ap-variance", VARIANCES), ("ap-limit", AT_LIMIT)):
        pick(HELP, key, st.selectbox, options=list(words), format_func=words.get, disabled=is_exact)
    pick(HELP, "ap-seed", st.number_input, min_value=0, max_value=BIG, disabled=is_exact)
    if st.session_state["box"] not in (*OURS, OWN):
        pick(HELP, "ap-box-seed", st.number_input, min_value=0, max_value=BIG)


def _title(name: str) -> str:
    if name in OURS:
        return f"Forest {forests.title(OURS[name])} of the Forests page"
    return "Your own model (ONNX file)" if name == OWN else black_box(name).title
