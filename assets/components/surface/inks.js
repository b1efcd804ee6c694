// Colours of classes and of doubt.

export const classInk = (s, i) => s.data.surface.classes[i][s.theme.dark ? "dark" : "light"];

let probe = null;

export function hex(colour) {
  probe ??= document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour;
  return probe.fillStyle.slice(0, 7);
}

const DOUBT = { light: "#6d2e8f", dark: "#c79be6" };

export const doubtInk = (s) => DOUBT[s.theme.dark ? "dark" : "light"];

export const SIGMA = { light: "#7a3e12", dark: "#b58462" };

export const inkOf = (pair, s) => pair[s.theme.dark ? "dark" : "light"];
