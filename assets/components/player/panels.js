// The pictures of a film: each is one text for all of its steps, with {0}, {1}, … where they differ.

// An image sees no font of the page around it: the font's style comes first in it.
export const frameOf = (svg, parts, font) =>
  svg.replace(/\{(\d+)\}/g, (_, number) => parts[number]).replace(">", () => `>${font}`);
