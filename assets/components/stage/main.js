// What stands around all pages: the sentence of a first visit, and the stage of a lecture, which has figures alone.

import { html } from "../shared/elements.js";
import { spoken } from "../shared/language/spoken.js";
import { leadIntoDrawers } from "./drawers.js";
import { keepFocus } from "./focus.js";
import { listenToGestures } from "./history.js";
import { actOf, filmActOf, isTyping, neighbour } from "./keys.js";
import { laser } from "./laser.js";
import { fitChartsToPaper } from "./paper.js";
import { mendRoles } from "./roles.js";
import { keepUnits } from "./units.js";

const SEEN = "espalier-welcome"; // in the browser's storage
const WORK = ".espalier-tree, .espalier-surface, [data-testid=stBottom]"; // who begins here needs no sentence any more
const TURN = 200; // milliseconds
const stages = new WeakMap();
let entered = 0; // times that the button has put this session on the stage; a page may be mounted anew since

export default function ({ data, parentElement, setStateValue }) {
  let s = stages.get(parentElement);
  if (!s) stages.set(parentElement, (s = mountStage(parentElement.querySelector(".espalier-stage"))));
  s.send = (scheme) => setStateValue("scheme", scheme);
  welcome(s, data);
  if ((data.present && !s.begun) || data.entered > entered) present(s, true);
  s.begun = true;
  entered = data.entered;
  return () => {
    document.removeEventListener("keydown", s.hear);
    s.laser.end();
    s.ends.forEach((end) => end());
    stages.delete(parentElement);
  };
}

function mountStage(root) {
  const s = { root, begun: false, laser: laser(), ends: [keepFocus(), leadIntoDrawers(), mendRoles(), keepUnits()] };
  s.ends.push(followScheme(s), fitChartsToPaper(), offerLeaving(s));
  s.hear = (e) => key(s, e);
  document.addEventListener("keydown", s.hear);
  s.ends.push(dismissAtWork(s));
  listenToGestures();
  if (presents()) s.laser.show(true);
  return s;
}

// The server draws some pictures in the colours of the page: it does so anew when that turns dark or light.
function followScheme(s) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const tell = () => setTimeout(() => s.send(dark.matches ? "dark" : "light"), TURN); // Streamlit turns first
  dark.addEventListener("change", tell);
  return () => dark.removeEventListener("change", tell);
}

function welcome(s, { welcome: words, dismiss }) {
  s.root.replaceChildren();
  const isShown = Boolean(words) && !remembered();
  document.documentElement.classList.toggle("espalier-welcomes", isShown);
  if (!isShown) return;
  const note = html(s.root, "div", { class: "welcome", role: "note" });
  html(note, "span", {}, words);
  html(note, "button", { type: "button" }, dismiss).addEventListener("click", () => endWelcome(s));
}

function endWelcome(s) {
  remember();
  welcome(s, {});
}

function dismissAtWork(s) {
  const hear = (e) => s.root.firstChild && e.composedPath().some((part) => part.matches?.(WORK)) && endWelcome(s);
  document.addEventListener("pointerdown", hear, true); // before a canvas keeps it for itself
  return () => document.removeEventListener("pointerdown", hear, true);
}

// A browser may keep nothing: then the sentence comes back.
function remembered() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(SEEN, "yes");
  } catch {
    document.documentElement.classList.remove("espalier-welcomes");
  }
}

const presents = () => document.documentElement.classList.contains("espalier-presents");

function present(s, on) {
  document.documentElement.classList.toggle("espalier-presents", on);
  s.laser.show(on);
  dispatchEvent(new Event("resize")); // charts measure themselves anew
}

// Who does not know the key sees the way out, too; the style of the page shows it on the stage alone.
function offerLeaving(s) {
  const words = spoken("Leave the stage");
  const button = html(document.body, "button", { class: "espalier-leave", title: words, "aria-label": words }, "✕ Esc");
  button.addEventListener("click", () => present(s, false));
  return () => button.remove();
}

function key(s, e) {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || isTyping(e.composedPath()[0])) return;
  const act = actOf(e.key, presents());
  if (!act) return filmKey(e);
  e.preventDefault();
  if (act === "present") present(s, !presents());
  else if (act === "laser") s.laser.turn();
  else turn(act === "next" ? 1 : -1);
}

// Where nothing on the page has the keys, they are those of its films.
function filmKey(e) {
  const act = e.target === document.body && filmActOf(e.key, presents());
  const films = [...(globalThis.espalier?.values() ?? [])].filter((channel) => act && channel.turnFilm);
  if (!films.length) return;
  e.preventDefault();
  for (const channel of films) channel.turnFilm(act);
}

// Within a lesson to the step beside this one, else to the page beside this one, as its link would lead there.
function turn(by) {
  const way = document.querySelector(`.st-key-lesson-${by > 0 ? "on" : "back"} button`);
  if (way) return way.click();
  const links = [...document.querySelectorAll(".st-key-places a")];
  const here = links.findIndex((link) => link.closest(".st-key-place-here"));
  neighbour(links, here, by)?.click();
}
