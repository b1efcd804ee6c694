"""The widget: tree and surface of the pages on an anywidget, which Jupyter, VS Code, Colab and marimo show."""

from __future__ import annotations

import functools
import re
import uuid
from typing import Any

import anywidget
import traitlets

from espalier.display.components import add_texts, join_modules, script, source
from espalier.notebook.pictures import is_place, leaf_of_sample, pictures, selection_sent, state_of
from espalier.notebook.shown import ShownModel
from espalier.notebook.static import behind_widget, html_of

PARTS = ("tree", "surface", "line")
EXPORT = re.compile("^export default ", re.MULTILINE)


@functools.cache
def widget_script() -> str:
    """Return the module of an anywidget: its `render` draws in the place that the notebook gives it.

    >>> widget_script().count("export default")
    1
    """
    parts = (f"draw.{name} = (() => {{\n{_as_function(script(f'{name}/main.js'))}\n}})();" for name in PARTS)
    notebook = f"const show = (() => {{\n{_as_function(add_texts(join_modules('notebook/main.js')))}\n}})();"
    render = "export default { render: ({ model, el }) => show({ model, el, draw }) };"
    return "\n".join(["const draw = {};", *parts, notebook, render, ""])


def _as_function(module: str) -> str:
    return EXPORT.sub("return ", module)


class TreeWidget(anywidget.AnyWidget):
    """A tree or forest to explore. Traits may be set and observed.

    Attributes
    ----------
    node : the selected node, or None
    sample : the selected row, from 0, or None; setting it selects its leaf, too
    tree : of a forest, the number of the tree that is drawn, from 0
    """

    _esm = traitlets.Unicode(widget_script()).tag(sync=True)
    _css = traitlets.Unicode(source("notebook.css")).tag(sync=True)
    uid = traitlets.Unicode().tag(sync=True)
    pictures = traitlets.Dict().tag(sync=True)  # what is drawn
    state = traitlets.Dict().tag(sync=True)  # the selection, as the components read it
    clicked = traitlets.Dict().tag(sync=True)  # the last click in the browser
    n_trees = traitlets.Int(1).tag(sync=True)
    tree = traitlets.Int(0).tag(sync=True)
    node = traitlets.Int(None, allow_none=True).tag(sync=True)
    sample = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, model: ShownModel, axes: Any = None):
        self._model, self._axes, self._at = model, axes, 0.0
        uid = f"espalier-{uuid.uuid4().hex}"
        components, self._shown = pictures(model, axes, 0, uid)
        n_trees = getattr(model.record, "n_trees", 1)
        super().__init__(uid=uid, pictures=components, state=self._state(), n_trees=n_trees)

    def _state(self) -> dict[str, Any]:
        if self._shown is None:
            return {"tree": None, "id": 0, "end": 0, "row": None, "at": self._at}
        return state_of(self._shown, self.node, self.sample, self._at)

    def _ipython_display_(self, **options: Any) -> None:
        """Leave a picture in the notebook, which the living one hides, and which is there without a kernel."""
        from IPython.display import display

        still = behind_widget(html_of(self._model), self.uid)
        display({"text/html": still, "text/plain": repr(self)}, raw=True)
        bundle: Any = self._repr_mimebundle_()
        data, about = bundle if isinstance(bundle, tuple) else (bundle, {})
        display(data, metadata=about, raw=True)

    def __repr__(self) -> str:
        return f"<{self._model.name}>"

    @traitlets.validate("node", "sample", "tree")
    def _check_place(self, proposal: Any) -> int | None:
        """Return the value. Raises TraitError for one that is not there."""
        name, value, picture = proposal["trait"].name, proposal["value"], self._shown
        counts = {"tree": self.n_trees, "node": 0, "sample": 0}
        if picture is not None:
            counts |= {"node": picture.tree.n_nodes, "sample": len(picture.data.y)}
        if not is_place(value, counts[name]):
            raise traitlets.TraitError(f"{name} is {value}; there are {counts[name]} {name}s, from 0")
        return value

    @traitlets.observe("clicked")
    def _hear(self, change: Any) -> None:
        message = change["new"]
        selection = None if self._shown is None else selection_sent(message, self._shown)
        if selection is not None:
            at = message.get("at")
            self._at = float(at) if isinstance(at, int | float) else 0.0
            self._select(*selection)

    @traitlets.observe("sample")
    def _follow_sample(self, change: Any) -> None:
        if self._shown is not None and change["new"] is not None:
            self._select(*leaf_of_sample(self._shown, change["new"]))

    @traitlets.observe("node")
    def _follow_node(self, change: Any) -> None:
        self.state = self._state()

    @traitlets.observe("tree")
    def _draw(self, change: Any) -> None:
        self.pictures, self._shown = pictures(self._model, self._axes, change["new"], self.uid)
        self._select(None, None)

    def _select(self, node: int | None, sample: int | None) -> None:
        if (self.node, self.sample) != (node, sample):
            self.set_trait("sample", sample)
            self.set_trait("node", node)
        self.state, self._at = self._state(), 0.0
