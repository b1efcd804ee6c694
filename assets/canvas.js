// What the tree graph and the decision surface share; Python puts it in front of either, as one module.

const SVG = "http://www.w3.org/2000/svg";

function themeOf(root) {
  const style = getComputedStyle(root), get = (name, other) => style.getPropertyValue(name).trim() || other;
  const paper = get("--st-background-color", "#ffffff"), ink = get("--st-text-color", "#31333f"), dark = light(paper) < 0.5;
  return { paper, ink, dark, card: dark ? get("--st-secondary-background-color", "#262730") : paper, accent: get("--st-primary-color", "#0072B2"),
    line: dark ? "#56585f" : "#c9ccd3", edge: dark ? "#4a4d55" : "#d3d6dc", muted: dark ? "#b9bdc7" : "#5f6470", font: get("--st-font", "sans-serif") };
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

const round = (x) => Math.round(x * 100) / 100;

function saveSvg(source, name) {
  save(new Blob([source], { type: "image/svg+xml" }), name);
}

function savePng(source, name) {
  const image = new Image(), url = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
  image.onload = () => {
    const scale = Math.min(2, 12000 / Math.max(image.width, image.height)), canvas = document.createElement("canvas");
    Object.assign(canvas, { width: image.width * scale, height: image.height * scale });
    const c = canvas.getContext("2d");
    c.scale(scale, scale);
    c.drawImage(image, 0, 0);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => blob && save(blob, name));
  };
  image.src = url;
}

function save(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

function svg(parent, name, attributes, words) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== undefined) made.textContent = words;
  parent?.append(made);
  return made;
}

function html(parent, name, attributes, words) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== undefined) made.textContent = words;
  parent.append(made);
  return made;
}

const ruler = document.createElement("canvas").getContext("2d");

function wide(s, words, size = 12, weight = 600) {
  ruler.font = `${weight} ${size}px ${s.theme.font}`;
  return ruler.measureText(words).width;
}

function cut(s, words, room, size = 12, weight = 600) {
  const fits = (shorter) => wide(s, shorter, size, weight) <= room;
  if (fits(words)) return words;
  if (/^[−-]?\d+\.\d+$/.test(words)) { // a number is rounded before it is cut
    const rounded = [2, 1, 0].map((places) => Number(words.replace("−", "-")).toFixed(places).replace("-", "−")).find(fits);
    if (rounded) return rounded;
  }
  let n = words.length;
  while (n > 0 && wide(s, words.slice(0, n) + "…", size, weight) > room) n--;
  return n ? words.slice(0, n).trimEnd() + "…" : "";
}

function buttons(bar, entries) {
  for (const [word, hint, act] of entries)
    html(bar, "button", { type: "button", title: hint, "aria-label": hint }, word).addEventListener("click", act);
}

const SCALE = ["#2a2f80", "#2a6ca6", "#2d9a9b", "#7fc47a", "#f5e663"]; // ever lighter: reads without colour too

function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

function blend(colours, weights) { // in squared values, so that halves do not turn muddy
  const sum = [0, 0, 0];
  colours.forEach((c, i) => rgb(c).forEach((v, j) => (sum[j] += weights[i] * v * v)));
  return "#" + sum.map((v) => Math.round(Math.sqrt(Math.min(v, 65025))).toString(16).padStart(2, "0")).join("");
}

function scaled(t) {
  const at = Math.min(Math.max(t, 0), 1) * (SCALE.length - 1), i = Math.min(Math.floor(at), SCALE.length - 2);
  return blend([SCALE[i], SCALE[i + 1]], [1 - at + i, at - i]);
}

const part = (x, [low, high]) => (high > low ? (x - low) / (high - low) : 0.5);

function ramp(parent, colours, low, high) {
  const entry = html(parent, "span", {}, low);
  html(entry, "i", { class: "ramp" }).style.background = `linear-gradient(90deg, ${colours.join()})`;
  entry.append(high);
}

function ticks(axis, many) {
  if (axis.names) return axis.names.map((name, i) => [i, name]);
  const span = axis.high - axis.low, rough = span / many, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough) ?? 10 * power, marks = [];
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  for (let i = Math.ceil(axis.low / step - 1e-9); i * step <= axis.high + 1e-9 * span && marks.length < 50; i++)
    marks.push([i * step, axis.percent ? `${Math.round(100 * i * step)} %` : plain(i * step, places)]);
  return marks;
}

function plain(x, places) {
  const size = Math.abs(x), digits = Math.min(places, 10);
  const words = size >= 1e15 || (x && size < 1e-4) ? x.toPrecision(3)
    : size >= 9999.5 ? x.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) : x.toFixed(digits);
  return words.replace("-", "−");
}

function short(x, digits = 4) { // a number in a readout
  if (x === null) return "missing";
  return plain(x, Math.max(0, Math.min(digits - 1 - Math.floor(Math.log10(Math.abs(x) || 1)), 8))).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
