// Words on the screen: harmless beside others, measured, and cut to the room there is.

const MOST_WIDTHS = 5000;
const LEAST_ENDS = 12; // letters: fewer have no room for both ends of a name
const END = 0.4; // of a shortened text: its end, which is where names of one family differ
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

// Names of at most so many letters that stand beside each other; those cut alike have a number behind.
export function shortNames(names, most) {
  const short = names.map((name) => withEnds(name, (words) => words.length <= most));
  const times = new Map();
  for (const words of short) times.set(words, (times.get(words) ?? 0) + 1);
  const numbers = new Map();
  return short.map((words, i) => {
    if (times.get(words) === 1 || words === names[i]) return words;
    numbers.set(words, (numbers.get(words) ?? 0) + 1);
    return `${withEnds(names[i], (fewer) => fewer.length <= most - 5)} (${numbers.get(words)})`;
  });
}

// What was measured before the page's font came is measured anew.
function newRuler() {
  document.fonts?.addEventListener("loadingdone", () => widths.clear());
  return document.createElement("canvas").getContext("2d");
}

export function cut(s, words, room, size = 12, weight = 600) {
  return withEnds(words, (shorter) => wide(s, shorter, size, weight) <= room);
}

// The words, or as much of their beginning and of their end as fits.
export function withEnds(words, fits) {
  const short = shortened(words, fits);
  if (short === words || !short.endsWith("…") || short.length < LEAST_ENDS) return short;
  const whole = bare(words);
  const end = Math.floor(END * short.length);
  const both = (n) => whole.slice(0, n).trimEnd() + "…" + whole.slice(-end).trimStart();
  let n = short.length - 1 - end;
  while (n > 1 && !fits(both(n))) n--;
  return both(n);
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

// Names of a table are anybody's: none turns around the signs and numbers beside it. As in espalier/inert.py.

const OPEN = "\u2068"; // first strong isolate
const CLOSE = "\u2069";
const CONTROLS =
  "\\x00-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066\\u2067" +
  "\\ufff9-\\ufffb\\ufeff\\u{d800}-\\u{dfff}\\u{e0000}-\\u{e007f}";
const RIGHT_TO_LEFT =
  "\\u0590-\\u061b\\u061d-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
const special = new RegExp(`[${CONTROLS}${RIGHT_TO_LEFT}${OPEN}${CLOSE}]`, "u");
const controls = new RegExp(`[${CONTROLS}]`, "gu");
const isolates = new RegExp(`[${OPEN}${CLOSE}]`, "g");
const stretch = new RegExp(`[${RIGHT_TO_LEFT}](?:[${RIGHT_TO_LEFT} .'"’()\\[\\]/&_\\-]*[${RIGHT_TO_LEFT}])?`, "gu");

export const bare = (words) => words.replace(isolates, "");

// What was cut within an isolate is isolated anew.
export function legible(words) {
  if (typeof words !== "string" || !special.test(words)) return words;
  const clean = words.replace(controls, "\ufffd");
  const pieces = inPieces(clean) ?? [bare(clean)];
  return pieces.map((piece, i) => (i % 2 ? piece : piece.replace(stretch, `${OPEN}$&${CLOSE}`))).join("");
}

// Every second piece is an isolate with all that it encloses; none where isolates are no pairs.
function inPieces(words) {
  const pieces = [];
  let [depth, first] = [0, 0];
  for (const { 0: sign, index } of words.matchAll(isolates)) {
    depth += sign === OPEN ? 1 : -1;
    if (depth < 0) return null;
    if (depth !== (sign === OPEN ? 1 : 0)) continue;
    const last = depth ? index : index + 1;
    pieces.push(words.slice(first, last));
    first = last;
  }
  return depth ? null : [...pieces, words.slice(first)];
}
