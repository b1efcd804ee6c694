// The colours and the font of the page that a component stands on.

export function themeOf(root) {
  const style = getComputedStyle(root);
  const get = (name, other) => style.getPropertyValue(name).trim() || other;
  const paper = get("--st-background-color", "#ffffff");
  const ink = get("--st-text-color", "#31333f");
  const dark = light(paper) < 0.5;
  return {
    paper,
    ink,
    dark,
    card: dark ? get("--st-secondary-background-color", "#262730") : paper,
    accent: get("--st-primary-color", "#0072B2"),
    line: dark ? "#56585f" : "#c9ccd3",
    edge: dark ? "#4a4d55" : "#d3d6dc",
    muted: dark ? "#b9bdc7" : "#5f6470",
    tie: "#8a8d98", // of an answer that classes tie for
    font: get("--st-font", "sans-serif"),
    letters: Number(get("--espalier-letters", "1")), // larger in a lecture hall
  };
}

const lightness = new Map(); // reading a pixel back is slow

function light(colour) {
  if (!lightness.has(colour)) {
    const c = document.createElement("canvas").getContext("2d");
    c.fillStyle = colour;
    c.fillRect(0, 0, 1, 1);
    const [r, g, b] = c.getImageData(0, 0, 1, 1).data;
    lightness.set(colour, (0.3 * r + 0.6 * g + 0.1 * b) / 255);
  }
  return lightness.get(colour);
}
