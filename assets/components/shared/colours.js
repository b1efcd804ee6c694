// Colours as numbers: mixing them, and the scale from low to high.

// Ever lighter: reads without colour too.
export const SCALE = ["#2a2f80", "#2a6ca6", "#2d9a9b", "#7fc47a", "#f5e663"];

export function rgb(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// In squared values, so that halves do not turn muddy.
export function blend(colours, weights) {
  const sum = [0, 0, 0];
  colours.forEach((c, i) => rgb(c).forEach((v, j) => (sum[j] += weights[i] * v * v)));
  return (
    "#" +
    sum
      .map((v) =>
        Math.round(Math.sqrt(Math.min(v, 65025)))
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")
  );
}

export function scaled(t) {
  const at = Math.min(Math.max(t, 0), 1) * (SCALE.length - 1);
  const i = Math.min(Math.floor(at), SCALE.length - 2);
  return blend([SCALE[i], SCALE[i + 1]], [1 - at + i, at - i]);
}

// Of more classes no two colours are far enough apart.
export const MANY = 8;
const NEUTRAL = { light: "#a9adb8", dark: "#70737c" };

// The colour of a class. Of many classes the chosen one has its own, else the one `at` hand, which a node or a row is
// answered with, and the rest shares a neutral one; where there is neither, each has its own.
export function inkOf(classes, i, isDark, { chosen, at } = {}) {
  const side = isDark ? "dark" : "light";
  const chosenAt = chosen ? classes.findIndex(({ name }) => name === chosen) : -1;
  const alone = chosenAt < 0 ? (at ?? -1) : chosenAt;
  return classes.length > MANY && alone >= 0 && alone !== i ? NEUTRAL[side] : classes[i][side];
}

// Which of many classes a legend names: the first ones and the chosen one, or all.
export function listed(classes, chosen, isOpen, first = MANY) {
  const all = classes.map((_, i) => i);
  return classes.length <= MANY || isOpen ? all : all.filter((i) => i < first || classes[i].name === chosen);
}
