// How wide words are on the screen, and words cut to the room there is.

let ruler = null;

export function wide(s, words, size = 12, weight = 600) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${weight} ${size}px ${s.theme.font}`;
  return ruler.measureText(words).width;
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
