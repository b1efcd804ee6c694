// The columns of the table in use: each as stacks of its rows by class, with what it is for, which can be changed.
// A change goes back as {column, role}.

import { SCALE } from "../shared/colours.js";
import { html, svg } from "../shared/elements.js";
import { spoken } from "../shared/language/spoken.js";
import { SIZE, stackPaths } from "./stacks.js";

const FEW = 6; // columns that are drawn larger
const FIRST = 12; // columns that are there at once
const grids = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".espalier-columns");
  const before = grids.get(parentElement);
  const s = { data, isOpen: before?.isOpen ?? false };
  s.send = (column, role) => setStateValue("role", { column, role, at: Date.now() });
  grids.set(parentElement, s);
  const focus = root.getRootNode().activeElement?.dataset?.column; // a change leaves the keyboard where it was
  root.replaceChildren();
  root.style.setProperty("--least", data.columns.length > FEW ? "190px" : "240px");
  data.columns.slice(0, FIRST).forEach((column) => drawColumn(s, root, column));
  if (data.columns.length > FIRST) drawMore(s, root);
  if (focus !== undefined) root.querySelector(`select[data-column="${CSS.escape(focus)}"]`)?.focus();
}

function drawMore(s, root) {
  const n = s.data.columns.length - FIRST;
  const more = html(root, "details", { class: "handle" });
  html(more, "summary", {}, spoken("and {n} more", { n }));
  const rest = html(more, "div", { class: "espalier-columns" });
  const fill = () => rest.childElementCount || s.data.columns.slice(FIRST).forEach((one) => drawColumn(s, rest, one));
  more.addEventListener("toggle", () => (s.isOpen = more.open) && fill());
  if (s.isOpen) fill();
  more.open = s.isOpen;
}

function drawColumn(s, grid, { name, key, kind, role, roles, counts, foot, alt }) {
  const card = html(grid, "div", { class: `handle ${role}`, role: "group", "aria-label": name });
  html(card, "b", { title: name }, name);
  const line = html(card, "div", { class: "kind" });
  html(line, "span", {}, kind);
  const select = html(line, "select", { "aria-label": spoken("Role of {name}", { name }), "data-column": key });
  for (const [value, word] of roles) html(select, "option", { value, ...(value === role && { selected: "" }) }, word);
  select.disabled = !s.data.changes || roles.length < 2;
  select.addEventListener("change", () => s.send(key, select.value));
  const picture = svg(card, "svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", "aria-label": alt });
  const { paths, size } = stackPaths(counts);
  paths.forEach((d, group) => d && svg(picture, "path", { d, style: strokes(size, colour(s, role, group)) }));
  const words = html(card, "div", { class: "foot" });
  foot.forEach((text) => html(words, "span", { title: text }, text));
}

// Hue belongs to classes and to the target's numbers: a column that is left out has none.
function colour({ data: { classes } }, role, group) {
  if (role === "out") return "color-mix(in srgb, currentColor 35%, transparent)";
  return classes.length ? `light-dark(${classes[group].light}, ${classes[group].dark})` : SCALE[group];
}

const strokes = (size, ink) =>
  size ? `stroke: ${ink}; stroke-width: ${size * 0.9}; stroke-linecap: round; fill: none` : `fill: ${ink}`;
