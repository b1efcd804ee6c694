// The growth of a tree as a film: from a single leaf, one split at a time. It runs in the browser alone: the tree is
// folded (shared/fold.js), and all that show it follow.

import { channelOf } from "../shared/channel.js";
import { html } from "../shared/elements.js";
import { foldTo, restore } from "../shared/fold.js";
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
  return s;
}

// Another tree, or another order: the film stands at its end, where the tree is whole.
function receivePlayer(s, data) {
  const isOther = s.data?.id !== data.id;
  s.data = data;
  s.bar.setAttribute("aria-label", data.words.film);
  s.input.setAttribute("aria-label", data.words.splits);
  for (const [act, button] of s.buttons) named(button, data.words[act]);
  if (!isOther) return;
  clearTimeout(s.clock);
  const most = data.texts.length - 1;
  s.film = { at: most, most, isPlaying: false };
  restore(channelOf(data.channel));
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
  const play = s.buttons.get("play");
  play.textContent = isPlaying ? "❚❚" : "▶";
  named(play, s.data.words[isPlaying ? "pause" : "play"]);
}

function named(button, words) {
  button.title = words;
  button.setAttribute("aria-label", words);
}
