// How high a canvas is: as Python has it on a laptop, and higher where the window leaves it room.

const AROUND = 240; // pixels of the window above and below the canvases
const PRESENTED = 225; // and in presenter mode
const BELOW = 100; // of them below
const LEAST = 200;
const PHONE = 640; // pixels of width: there tree and surface stand one above the other, and share the height
const PHONE_AROUND = 290; // with the legend of the surface
const PHONE_SHARE = 0.625; // of a tree; a surface takes 0.6 of that
const PHONE_LEAST = 140;

// `grows`, in (0, 1], is the share that it takes of the height of the window; nothing for a canvas of one height. What
// stands above `root` on the page, such as a sentence, is room that it does not have.
export function heightOf(height, grows, root) {
  if (!grows) return height;
  const usual = document.documentElement.classList.contains("espalier-presents") ? PRESENTED : AROUND;
  if (innerWidth < PHONE) return Math.round(Math.max(PHONE_LEAST, PHONE_SHARE * grows * (innerHeight - PHONE_AROUND)));
  const scrolled = document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0;
  const around = Math.max(usual, root.getBoundingClientRect().top + scrolled + BELOW);
  return Math.round(Math.max(LEAST, grows * (innerHeight - around)));
}
