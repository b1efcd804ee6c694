// A slider over a list of values, which acts while it is moved. The browser's own input has the keys, the touch and
// the words for screen readers. Python says where the handle is whenever nobody moves it.

import { html, svg } from "../shared/elements.js";
import { explain, helpOf } from "../shared/help.js";
import { foldTo, foldedBy, isPart, unfold } from "../shared/fold.js";
import { channelOf } from "../shared/channel.js";
import { showPicture } from "../shared/live.js";
import { afterRun } from "../shared/runs.js";
import { courierOf, isBusy, landed, move, told } from "../shared/courier.js";
import { listenSlider } from "./hands.js";

const LATE_MS = 4000; // after which a message is taken for lost
const MOST_TICKS = 31;
const sliders = new WeakMap();
let count = 0;

export default function ({ data, parentElement, setStateValue }) {
  let s = sliders.get(parentElement);
  if (!s) sliders.set(parentElement, (s = mountSlider(parentElement.querySelector(".espalier-slider"))));
  s.tell = (message) => setStateValue("moved", message);
  receiveSlider(s, data);
  return () => {
    clearTimeout(s.late);
    endPicture(s);
    sliders.delete(parentElement);
  };
}

function mountSlider(root) {
  const s = { root, held: false };
  const id = `slider-${++count}`;
  root.replaceChildren(); // Streamlit may start the script anew in a place that it has filled before
  const head = html(root, "div", { class: "head" });
  s.label = html(head, "label", { for: id });
  s.help = helpOf(root, head, `${id}-help`);
  s.said = html(head, "output", { for: id, "aria-hidden": "true" });
  s.rail = html(root, "div", { class: "rail" });
  s.behind = svg(s.rail, "svg", { class: "behind", preserveAspectRatio: "none", "aria-hidden": "true" });
  s.ticks = html(s.rail, "div", { class: "ticks", "aria-hidden": "true" });
  s.input = html(s.rail, "input", { type: "range", id, min: 0, step: 1, "aria-describedby": `${id}-help` });
  s.courier = courierOf((message) => depart(s, message));
  listenSlider(s, { show: () => showValue(s), go: (over) => go(s, over) });
  return s;
}

// A tree that the browser can cut off by itself follows at once; Python hears where the slider comes to rest.
function go(s, over) {
  const at = Number(s.input.value);
  s.folds = foldedBy(s.data.name) ?? s.folds;
  if (s.folds?.fold) foldTo(s.folds, s.data.name, s.data.values[at]);
  if (over || !s.folds || isPart(s.folds)) move(s.courier, at, over);
  if (over) settle(s);
}

function depart(s, message) {
  s.tell(message);
  clearTimeout(s.late);
  s.late = setTimeout(() => arrive(s), LATE_MS);
}

function arrive(s) {
  clearTimeout(s.late);
  landed(s.courier);
  settle(s);
}

function receiveSlider(s, data) {
  const isOther = JSON.stringify(data.texts) !== JSON.stringify(s.data?.texts);
  s.data = data;
  write(s.label, data.label);
  s.input.disabled = data.disabled;
  s.input.max = data.texts.length - 1;
  if (isOther) drawTicks(s);
  drawBehind(s);
  explain(s.help, data.label, data.help);
  const { under } = s.courier;
  if (data.picture && data.n === under?.n) bringPicture(s, data.picture);
  else if (under && data.n === under.n) afterRun(() => s.courier.under === under && arrive(s));
  settle(s);
}

// While it moves, the rest of the page rests.
function bringPicture(s, picture) {
  const { under } = s.courier;
  s.pictured = channelOf(picture.channel);
  showPicture(s.pictured, picture);
  setTimeout(() => s.courier.under === under && arrive(s)); // the slider is all that the run draws
}

function endPicture(s) {
  if (s.pictured) showPicture(s.pictured, null);
  s.pictured = null;
}

// Python's value counts when all that was said has been answered, and no hand is on the slider.
function settle(s) {
  if (s.held || isBusy(s.courier)) return showValue(s);
  s.input.value = s.data.at;
  if (s.folds) unfold(s.folds, s.data.name);
  s.folds = null;
  endPicture(s);
  told(s.courier, s.data.at);
  showValue(s);
}

function showValue(s) {
  const at = Number(s.input.value);
  const note = at === s.data.at && s.data.picture?.note;
  const text = note ? `${s.data.texts[at]}, ${note}` : s.data.texts[at];
  write(s.said, text);
  s.input.setAttribute("aria-valuetext", text);
  s.rail.style.setProperty("--at", at / Math.max(s.data.texts.length - 1, 1));
}

function drawTicks(s) {
  const many = s.data.texts.length;
  s.ticks.replaceChildren();
  if (many <= MOST_TICKS) for (let i = 0; i < many; i++) html(s.ticks, "i", {});
}

// Curves over the first values, from nothing at the bottom to the greatest of all at the top.
function drawBehind(s) {
  const curves = s.data.behind ?? [];
  s.root.classList.toggle("curved", curves.length > 0);
  s.behind.replaceChildren();
  s.behind.setAttribute("viewBox", `0 0 ${Math.max(s.data.texts.length - 1, 1)} 1`);
  const top = Math.max(...curves.flat(), 1e-9);
  curves.forEach((curve, i) => {
    const points = curve.map((y, x) => `${x},${0.97 - (0.94 * y) / top}`).join(" ");
    svg(s.behind, "polyline", { points, class: i ? "dashed" : "", "vector-effect": "non-scaling-stroke" });
  });
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}
