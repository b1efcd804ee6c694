// A film that runs in the browser alone. Its steps fold a tree (shared/fold.js), and all that show that follow; or
// they are the frames of its own panels, pictures that differ from step to step by a few texts alone.

import { channelOf } from "../shared/channel.js";
import { html } from "../shared/elements.js";
import { beginWith, foldTo, restore } from "../shared/fold.js";
import { frameOf } from "./panels.js";
import { after, pause } from "./steps.js";

const players = new WeakMap();
const BUTTONS = [
  ["start", "❘◀"],
  ["back", "−1"],
  ["play", "▶"],
  ["step", "+1"],
  ["end", "▶❘"],
];

export default function ({ data, parentElement }) {
  let s = players.get(parentElement);
  if (!s) players.set(parentElement, (s = mountPlayer(parentElement.querySelector(".espalier-player"))));
  receivePlayer(s, data);
  return () => {
    clearTimeout(s.clock);
    delete channelOf(s.data.channel).turnFilm;
    delete channelOf(s.data.channel).begin;
    restore(channelOf(s.data.channel));
    players.delete(parentElement);
  };
}

function mountPlayer(root) {
  const s = { root, buttons: new Map() };
  root.replaceChildren();
  s.bar = html(root, "div", { class: "buttons", role: "toolbar" });
  for (const [act, sign] of BUTTONS) {
    const button = html(s.bar, "button", { type: "button" }, sign);
    button.addEventListener("click", () => turn(s, act));
    s.buttons.set(act, button);
  }
  s.input = html(root, "input", { type: "range", min: 0, step: 1 });
  s.input.addEventListener("input", () => turn(s, Number(s.input.value)));
  s.input.addEventListener("keydown", (e) => {
    if (e.key !== " ") return;
    e.preventDefault();
    turn(s, "play");
  });
  s.said = html(root, "output", {});
  s.panels = html(root, "div", { class: "panels" });
  return s;
}

// A film stands at its beginning when it opens. Of another tree, or another order, it stands at its end, where the
// tree is whole: it would be a single leaf at each step of a slider else.
function receivePlayer(s, data) {
  const isFirst = !s.data;
  const isOther = s.data?.id !== data.id;
  s.data = data;
  s.bar.setAttribute("aria-label", data.words.film);
  s.input.setAttribute("aria-label", data.words.splits);
  for (const [act, button] of s.buttons) named(button, data.words[act]);
  channelOf(data.channel).turnFilm = (act) => turn(s, act);
  if (!isOther) return;
  clearPanels(s);
  clearTimeout(s.clock);
  const most = data.texts.length - 1;
  const channel = channelOf(data.channel);
  s.film = { at: isFirst ? 0 : most, most, isPlaying: false };
  restore(channel);
  if (isFirst) beginWith(channel, data.name, () => turn(s, s.film.at));
  writeFilm(s);
}

function turn(s, act) {
  const channel = channelOf(s.data.channel);
  clearTimeout(s.clock);
  s.film = after(s.film, act);
  if (channel.fold?.name === s.data.name) foldTo(channel, s.data.name, s.film.at);
  if (s.film.isPlaying) s.clock = setTimeout(() => turn(s, "tick"), pause(s.film.most));
  writeFilm(s);
}

function writeFilm(s) {
  const { at, most, isPlaying } = s.film;
  s.input.max = most;
  s.input.value = at;
  s.input.setAttribute("aria-valuetext", s.data.texts[at]);
  s.said.textContent = s.data.texts[at];
  s.said.setAttribute("aria-live", isPlaying ? "off" : "polite");
  writePanels(s);
  const play = s.buttons.get("play");
  play.textContent = isPlaying ? "❚❚" : "▶";
  named(play, s.data.words[isPlaying ? "pause" : "play"]);
}

function clearPanels(s) {
  s.panels.replaceChildren();
  s.pictures = s.data.panels.map(({ title, width }) => {
    const figure = html(s.panels, "figure", {});
    html(figure, "figcaption", {}, title);
    return html(figure, "img", { width });
  });
}

function writePanels(s) {
  s.pictures.forEach((picture, i) => {
    const { title, svg, frames, alts } = s.data.panels[i];
    picture.src = `data:image/svg+xml,${encodeURIComponent(frameOf(svg, frames[s.film.at], s.data.font))}`;
    picture.alt = `${title}. ${alts[s.film.at]}`;
  });
}

function named(button, words) {
  button.title = words;
  button.setAttribute("aria-label", words);
}
