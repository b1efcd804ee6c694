// Colours of classes and of doubt.

import { inkOf as inkOfClass } from "../shared/colours.js";

export const classInk = (s, i) => inkOfClass(s.data.surface.classes, i, s.theme.dark, { chosen: s.channel?.chosen });

const hexes = new Map(); // reading a pixel back is slow

// A canvas says "#rrggbb" of old kinds of colours alone; marimo has others, such as color(srgb 1 1 1).
export function hex(colour) {
  if (!hexes.has(colour)) hexes.set(colour, painted(colour));
  return hexes.get(colour);
}

function painted(colour) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour;
  if (probe.fillStyle.startsWith("#")) return probe.fillStyle;
  probe.fillRect(0, 0, 1, 1);
  const { data } = probe.getImageData(0, 0, 1, 1);
  return "#" + [...data.slice(0, 3)].map((v) => v.toString(16).padStart(2, "0")).join("");
}

const DOUBT = { light: "#6d2e8f", dark: "#c79be6" };

export const doubtInk = (s) => DOUBT[s.theme.dark ? "dark" : "light"];

export const SIGMA = { light: "#7a3e12", dark: "#b58462" };

export const inkOf = (pair, s) => pair[s.theme.dark ? "dark" : "light"];
