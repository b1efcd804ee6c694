// Plans of the cards, in the order in which they are tried: high cards first, then such as are narrower, lower and
// nearer, and only then smaller letters.
//
//     k      scale of the view; the smallest letters have LETTERS pixels at 1
//     high   of a split's card, low of a leaf's; between two levels; world units: pixels at scale 1
//     wide   of a split's card, leaf of a leaf's: the least, where its words need no more; gap between two cards
//     lines  of a split's words, at most

export const LETTERS = 12; // world units
export const LEGIBLE = 11 / LETTERS;

const SHAPES = [
  { high: 190, low: 104, between: 52 },
  { high: 150, low: 88, between: 44 },
  { high: 114, low: 74, between: 36 },
  { high: 96, low: 66, between: 28 },
  { high: 80, low: 62, between: 24 },
  { high: 62, low: 42, between: 22 },
];
const WIDTHS = [
  { wide: 196, leaf: 142, gap: 13, lines: 2 },
  { wide: 164, leaf: 121, gap: 13, lines: 2 },
  { wide: 136, leaf: 102, gap: 13, lines: 2 },
  { wide: 110, leaf: 84, gap: 10, lines: 2 },
  { wide: 72, leaf: 52, gap: 7, lines: 2 },
];
const LAST = { wide: 60, leaf: 44, gap: 4, lines: 3 };

const every = (k, shapes, widths) => shapes.flatMap((shape) => widths.map((width) => ({ k, ...shape, ...width })));

const PLANS = [...every(1, SHAPES, WIDTHS), ...every(LEGIBLE, SHAPES.slice(4), [...WIDTHS.slice(3), LAST])];

// The plans where letters are so many times as large as usual, such as in a lecture hall.
export const plansFor = (letters) => PLANS.map((plan) => ({ ...plan, k: plan.k * letters }));
