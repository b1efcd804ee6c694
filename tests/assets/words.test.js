// What nodes and cuts say, and words that are cut to their room.

import assert from "node:assert/strict";
import { test } from "node:test";

import { said } from "../../assets/components/curve/reading.js";
import { called } from "../../assets/components/shared/elements.js";
import { bare, legible, shortened, shortNames, wide, withEnds } from "../../assets/components/shared/lettering.js";
import { distinctName } from "../../assets/components/tree/room/fitting.js";
import { broken, narrowest, wordsOf } from "../../assets/components/tree/room/needs.js";
import { edgeWord, hint, inWords, perMille, sizeWords, withoutUnit } from "../../assets/components/tree/words.js";
import { graphOf, iris } from "./trees.js";

const within = (most) => (words) => words.length <= most;

test("a name is cut where no other is cut alike", () => {
  const names = ["worst radius", "worst texture", "worst concavity", "worst concave points", "mean radius", "area"];
  const short = names.map((name) => distinctName(name, names, within(7)));
  assert.deepEqual(short, ["w radi…", "w text…", "w conc…", "w c po…", "mean r…", "area"]);
  const alike = ["mean smoothness", "mean symmetry"];
  assert.deepEqual(
    alike.map((name) => distinctName(name, alike, within(4))),
    ["m sm", "m sy"],
  );
  assert.equal(distinctName("measurement1", ["measurement1", "measurement2"], within(7)), "mea…nt1");
});

test("words that fit stay, others lose their end", () => {
  const cut = [12, 7, 0].map((most) => shortened("petal length", within(most)));
  assert.deepEqual(cut, ["petal length", "petal…", ""]);
});

test("a number is rounded before it is cut", () => {
  assert.equal(shortened("−12.3456", within(6)), "−12.35");
  assert.deepEqual(
    [2, 1].map((most) => shortened("12.3456", within(most))),
    ["12", ""],
  );
});

test("shares of a thousand are written as per cent", () => {
  assert.deepEqual([1000, 456, 50, 45, 0.4].map(perMille), ["100 %", "46 %", "5 %", "4.5 %", "<0.1 %"]);
});

test("a unit in brackets is left out of a name", () => {
  assert.equal(withoutUnit("petal length (cm)"), "petal length");
  assert.equal(withoutUnit("log(dose) today"), "log(dose) today");
});

function graph() {
  const s = graphOf(iris());
  const scales = { 2: { name: "petal length" }, 3: { name: "petal width" } };
  Object.assign(s.cards, { classes: [{ name: "setosa" }, { name: "virginica" }], criterion: "gini", scales });
  for (const node of s.cards.nodes)
    Object.assign(node, { n: 50, percent: "98 %", shares: [20, 980], top: 1, impurity: "0.04" });
  Object.assign(s.cards.nodes[0], { n: 150, test: " ≤ 2.45" });
  s.cards.nodes[2].test = " ≤ 1.75";
  return s;
}

test("a node says its rows, its question and its answer", () => {
  const s = graph();
  assert.equal(hint(s, s.byId.get(0)), "all 150 rows\nsplit: petal length ≤ 2.45\nmostly: virginica, 98 %\ngini 0.04");
  assert.equal(hint(s, s.byId.get(1)), "yes: 50 rows\nleaf: virginica, 98 %\ngini 0.04");
});

test("a node says where missing values go, and how much is closed below it", () => {
  const s = graph();
  s.open.set("R", false);
  const node = Object.assign(s.byId.get(2), { missing: [3, false] });
  assert.match(hint(s, node), /\n3 missing values go to no\n2 more nodes below$/);
});

test("a node of numbers says the mean of its rows, or the median that its tree is made of", () => {
  const s = graph();
  Object.assign(s.byId.get(1), { shares: undefined, says: "151" });
  assert.match(hint(s, s.byId.get(1)), /\nmean 151\n/);
  assert.equal(inWords(s, { id: 1 })[2], "mean 151");
  s.cards.centre = "median";
  assert.match(hint(s, s.byId.get(1)), /\nmedian 151\n/);
  assert.equal(inWords(s, { id: 1 })[2], "median 151");
});

test("the hint of a split says what its column means, where a person said it", () => {
  const s = graph();
  s.cards.scales[2].meaning = "from stalk to tip";
  assert.match(hint(s, s.byId.get(0)), /\nsplit: petal length ≤ 2.45\nfrom stalk to tip\n/);
  assert.doesNotMatch(hint(s, s.byId.get(2)), /stalk/);
});

test("an edge says how many missing values go its way only where the other edge's word has room beside it", () => {
  const s = graph();
  const [yes, no] = s.byId.get(0).kids;
  Object.assign(s.byId.get(0), { missing: [1304, true] });
  Object.assign(yes, { dx: -50 });
  Object.assign(no, { dx: 50 });
  const wide = (letters) => (words) => letters * words.length;
  assert.equal(edgeWord(s, yes, wide(5)), "yes + 1,304 missing");
  assert.equal(edgeWord(s, yes, wide(6)), "yes");
  assert.equal(edgeWord(s, no, wide(1)), "no");
});

test("the line below the graph tells node, answer and rows, and the row that was clicked", () => {
  const s = graph();
  const leaf = ["Leaf 4", " says ", "virginica, 98 %", " · 50 rows, 33.3 %"];
  assert.deepEqual(inWords(s, { id: 4, row: null }), leaf);
  assert.deepEqual(inWords(s, { id: 0, row: { row: 6 } }).slice(-3), ["", " · with ", "row 7"]);
  assert.equal(inWords(s, { id: 0, row: { row: 6, name: "customer 1543" } }).at(-1), "customer 1543");
  assert.equal(inWords(s, { id: 77 }), null);
});

test("one row is a row, and rows may be weighted", () => {
  const s = graph();
  assert.equal(sizeWords(s, { n: 1 }), "1 row");
  assert.equal(sizeWords(s, { n: 12345, weight: "99.5" }), "12,345 rows (99.5)");
});

const curve = {
  ...{ name: "petal length", names: [], stepped: false, whole: false, criterion: "gini", weighted: false },
  ...{ x: [2.45, 4.75], y: [0.333, 0.5], said: ["2.45", "4.75"], left: [50, 95], missing: [0, 1] },
  ...{ total: 150, before: 0.667, best: 0 },
};
const sentence = (...args) => said(...args).map(([, words]) => words);

test("a cut says its test, its gain and its sides", () => {
  const words = ["petal length ≤ 4.75 or missing", "gain 0.167", "gini 0.5", "95 left, 55 right"];
  assert.deepEqual(sentence(curve, 1, false), words);
});

test("the best cut is called so while none is chosen", () => {
  assert.equal(sentence(curve, 0, true).at(-1), "the best on this column");
  assert.equal(sentence(curve, 0, false).at(-1), "50 left, 100 right");
});

test("an axis without cuts says that nothing parts the rows", () => {
  assert.deepEqual(sentence({ ...curve, x: [] }, -1, true), ["Nothing on this axis parts the rows."]);
});

test("a cut between categories names those on its left", () => {
  const colours = { ...curve, name: "colour", names: ["red", "blue", "green"], stepped: true, x: [1] };
  assert.equal(sentence(colours, 0, false)[0], "colour is red or blue");
});

test("the name of a button has the word on it, so that it can be called", () => {
  assert.equal(called("Fit", "show the whole tree (F)"), "Fit: show the whole tree (F)");
  assert.equal(called("SVG", "save as SVG"), "save as SVG");
  assert.equal(called("+", "zoom in (+)"), "zoom in (+)");
});

// ---- Names of strangers beside signs and numbers, and names that are too long for their room.

const HEBREW = "\u05d2\u05d9\u05dc";
const isolated = (words) => `\u2068${words}\u2069`;

test("letters from right to left are apart from signs and numbers, once", () => {
  assert.equal(legible(`${HEBREW} ${HEBREW} ≤ −0.5`), `${isolated(`${HEBREW} ${HEBREW}`)} ≤ −0.5`);
  for (const words of [`${isolated(`${HEBREW} (cm)`)} ≤ 5`, "petal length ≤ 2.45 cm", "Größe > −1", "👩‍🔬 5"])
    assert.equal(legible(words), words);
  assert.equal(legible(`x\u202e${HEBREW}, ${HEBREW}`), `x\ufffd${isolated(HEBREW)}, ${isolated(HEBREW)}`);
});

test("what is cut within an isolate is isolated anew", () => {
  assert.equal(legible(`\u2068${HEBREW}`), isolated(HEBREW));
  assert.equal(legible(`${HEBREW}\u2069 5`), `${isolated(HEBREW)} 5`);
  assert.equal(legible(isolated(`a ${isolated(HEBREW)} b`)), isolated(`a ${isolated(HEBREW)} b`));
});

test("of a long name both ends stay, so that names of a family differ", () => {
  const names = ["A", "B"].map((end) => `${"how satisfied are you with it all in all ".repeat(5)}${end}`);
  const short = names.map((name) => withEnds(name, within(30)));
  assert.notEqual(short[0], short[1]);
  for (const words of short) assert.match(words, /^how satisfied.*….*[AB]$/);
  assert.ok(short.every(within(30)));
  assert.equal(withEnds("petal length", within(12)), "petal length");
  assert.equal(withEnds("petal length", within(7)), "petal…"); // no room for both
});

test("names that would be cut alike have a number", () => {
  const names = ["07", "08"].map((n) => `municipality of region number ${n} in the far north`);
  const short = shortNames([...names, "town"], 24);
  assert.deepEqual(
    short.map((words) => words.replace(/.*(?= \(\d\)$)/, "cut")),
    ["cut (1)", "cut (2)", "town"],
  );
  assert.ok(short.every(within(24)));
});

test("the unit of a name is found within its isolate", () => {
  assert.equal(withoutUnit(isolated(`${HEBREW} (cm)`)), HEBREW);
  assert.equal(bare(isolated(HEBREW)), HEBREW);
});

// ---- Titles of cards broken into lines.

const width = (words) => words.length;
const words = (name, condition) => wordsOf({ cards: { scales: { 0: { name } } } }, { f: 0, test: condition });

test("a sign and its number are one word, an answer in words is several, and a unit is left out", () => {
  assert.deepEqual(words("petal length (cm)", " ≤ 2.45"), ["petal", "length", "≤ 2.45"]);
  assert.deepEqual(words("jacket", " is red or blue"), ["jacket", "is", "red", "or", "blue"]);
});

test("names break between words, and every word and threshold is whole", () => {
  const worst = words("worst concave points", " ≤ 0.14655");
  const lines = [40, 16, 14].map((room) => broken(worst, 3, room, width).join(" / "));
  const titles = ["worst concave points ≤ 0.14655", "worst concave / points ≤ 0.14655"];
  assert.deepEqual(lines, [...titles, "worst concave / points / ≤ 0.14655"]);
  assert.equal(broken(worst, 2, 14, width), null);
  assert.equal(broken(["measurement1", "≤ 2"], 3, 11, width), null);
});

test("the least width of so many lines is that of their longest one", () => {
  const four = ["aa", "b", "cc", "d"];
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((lines) => narrowest(four, lines, width)),
    [9, 4, 4, 2, 2],
  );
});

test("words are measured once for each font, and anew when the page's font has come", () => {
  const measured = [];
  let come;
  const measureText = (words) => ({ width: measured.push(words) });
  globalThis.document = {
    createElement: () => ({ getContext: () => ({ measureText }) }),
    fonts: { addEventListener: (_, hear) => (come = hear) },
  };
  const s = { theme: { font: "Sans" } };
  assert.equal(wide(s, "petal"), wide(s, "petal"));
  wide(s, "petal", 14);
  assert.deepEqual(measured, ["petal", "petal"]);
  come();
  wide(s, "petal");
  assert.equal(measured.length, 3);
  delete globalThis.document;
});
