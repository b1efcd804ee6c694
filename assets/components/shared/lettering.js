// How wide words are on the screen, and words cut to the room there is.

const MOST_WIDTHS = 5000;
const widths = new Map(); // by font and words: a tree that folds measures the same words in every frame
let ruler = null;

export function wide(s, words, size = 12, weight = 600) {
  ruler ??= newRuler();
  const font = `${weight} ${size}px ${s.theme.font}`;
  const key = `${font} ${words}`;
  if (!widths.has(key)) {
    if (widths.size >= MOST_WIDTHS) widths.clear();
    ruler.font = font;
    widths.set(key, ruler.measureText(words).width);
  }
  return widths.get(key);
}

// What was measured before the page's font came is measured anew.
function newRuler() {
  document.fonts?.addEventListener("loadingdone", () => widths.clear());
  return document.createElement("canvas").getContext("2d");
}

export function cut(s, words, room, size = 12, weight = 600) {
  return shortened(words, (shorter) => wide(s, shorter, size, weight) <= room);
}

// The words, or as much of them as fits; a function says whether it does.
export function shortened(words, fits) {
  if (fits(words)) return words;
  if (/^[−-]?\d+\.\d+$/.test(words)) {
    // a number is rounded before it is cut
    const rounded = [2, 1, 0]
      .map((places) => Number(words.replace("−", "-")).toFixed(places).replace("-", "−"))
      .find(fits);
    if (rounded) return rounded;
  }
  let n = words.length;
  while (n > 0 && !fits(words.slice(0, n) + "…")) n--;
  return n ? words.slice(0, n).trimEnd() + "…" : "";
}
