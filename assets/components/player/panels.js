// The pictures of a film: each is one text for all of its steps, with {0}, {1}, … where they differ.

export const frameOf = (svg, parts) => svg.replace(/\{(\d+)\}/g, (_, number) => parts[number]);
