// The colours of the notebook around a widget, under the names that the components ask for. Jupyter, VS Code, Colab
// and marimo each call them something else, so they are read from what is painted.

const CLEAR = /^(transparent|rgba\(.*, 0\))$/;

const parentOf = (element) => element.parentElement ?? element.getRootNode().host ?? null;

export function behind(root) {
  const { color, fontFamily } = getComputedStyle(root);
  const paper = paperOf(root);
  return {
    "--st-background-color": paper,
    "--st-secondary-background-color": `color-mix(in srgb, ${color} 8%, ${paper})`,
    "--st-border-color": `color-mix(in srgb, ${color} 20%, ${paper})`,
    "--st-text-color": color,
    "--st-font": fontFamily,
  };
}

export function paperOf(element) {
  for (let at = element; at; at = parentOf(at)) {
    const { backgroundColor } = getComputedStyle(at);
    if (!CLEAR.test(backgroundColor)) return backgroundColor;
  }
  return "#ffffff";
}
