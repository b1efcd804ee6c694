// How high a canvas is: as Python has it on a laptop, and higher where the window leaves it room.

const AROUND = 330; // pixels of a page above and below the canvases
const PRESENTED = 150; // and without what stands around them
const HIGHEST = 1.7;
const PHONE = 500; // pixels of width: there a page is scrolled anyway

export function heightOf(height, grows) {
  if (!grows || innerWidth < PHONE) return height;
  const around = document.documentElement.classList.contains("espalier-presents") ? PRESENTED : AROUND;
  return Math.round(Math.min(Math.max(height, innerHeight - around), HIGHEST * height));
}
