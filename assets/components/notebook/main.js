// Tree and surface in a notebook, on the model of an anywidget: core/espalier/notebook/widget.py describes what
// it holds. The components of the pages draw them, each in a shadow of its own, where no style of the notebook reaches.

import { channelOf, confirm, say } from "../shared/channel.js";
import { html } from "../shared/elements.js";
import { spoken } from "../shared/language/spoken.js";
import { behind } from "./page.js";

const EVENTS = { tree: "selected", surface: "picked" };

export default function ({ model, el, draw }) {
  const root = html(el, "div", { class: "espalier-notebook" });
  const panes = html(root, "div", { class: "panes" });
  const n = { model, draw, root, places: {}, ends: {}, channel: channelOf(model.get("uid")) };
  chooser(n, panes);
  for (const name of Object.keys(EVENTS)) place(n, panes, name);
  place(n, root, "line", '<div class="what"></div><div class="rule"></div>');
  hideStatic(n);
  const show = () => drawAll(n);
  const tell = () => follow(n, model.get("state"));
  model.on("change:pictures", show);
  model.on("change:state", tell);
  const watch = new MutationObserver(show); // of the notebook's theme
  for (const page of [document.documentElement, document.body])
    watch.observe(page, { attributes: true, attributeFilter: ["class", "style", "data-jp-theme-light", "data-theme"] });
  // A notebook puts the place into its page only after this function.
  requestAnimationFrame(show);
  return () => {
    watch.disconnect();
    model.off("change:pictures", show);
    model.off("change:state", tell);
    for (const end of Object.values(n.ends)) end?.();
  };
}

function place(n, parent, name, inside = "") {
  const host = html(parent, "div", { class: name });
  const shadow = host.attachShadow({ mode: "open" });
  const inner = document.createElement("div");
  inner.innerHTML = `<div class="espalier-${name}"${inside ? ' role="status"' : ""}>${inside}</div>`;
  shadow.append(inner);
  n.places[name] = { host, inner };
}

// Which tree of a forest is shown, from 1.
function chooser(n, parent) {
  const label = html(parent, "label", { class: "number" }, `${spoken("tree")} `);
  n.input = html(label, "input", { type: "number", min: 1, step: 1 });
  n.of = html(label, "span", {});
  n.input.addEventListener("change", () => {
    const at = Number(n.input.value) - 1;
    if (Number.isInteger(at) && at >= 0 && at < n.model.get("n_trees")) {
      n.model.set("tree", at);
      n.model.save_changes();
    } else n.input.value = n.model.get("tree") + 1;
  });
}

// The picture that stays in the notebook: beside the living one it would be said twice. Another notebook in the same
// window may be a copy of this one.
function hideStatic(n) {
  const around = n.root.closest(".jp-OutputArea") ?? document;
  for (const still of around.querySelectorAll("[data-espalier]"))
    if (still.dataset.espalier === n.model.get("uid")) still.hidden = true;
}

function drawAll(n) {
  const pictures = n.model.get("pictures");
  const colours = behind(n.root);
  for (const [name, value] of Object.entries(colours)) n.root.style.setProperty(name, value);
  n.input.parentElement.hidden = n.model.get("n_trees") < 2 || !pictures.tree;
  n.input.value = n.model.get("tree") + 1;
  n.of.textContent = ` ${spoken("of {n}", { n: n.model.get("n_trees") })}`;
  for (const [name, event] of Object.entries(EVENTS)) {
    n.places[name].host.hidden = !pictures[name];
    if (pictures[name]) drawOne(n, name, pictures[name], event);
  }
  const state = n.model.get("state");
  const words = n.channel.describe?.(state) ?? [];
  drawOne(n, "line", { channel: n.model.get("uid"), line: words, rule: "", state });
  hideStatic(n);
}

function drawOne(n, name, data, event) {
  const setStateValue = (what, value) => {
    if (what !== event) return;
    n.model.set("clicked", value);
    n.model.save_changes();
  };
  const { inner } = n.places[name];
  n.ends[name] = n.draw[name]({
    data: new TextEncoder().encode(JSON.stringify(data)),
    parentElement: inner,
    setStateValue,
  });
}

// What Python says is selected: an answer to a click has its time, anything else is new.
function follow(n, state) {
  if (state.at) confirm(n.channel, state);
  else say(n.channel, state);
}
