// Keys of a lecture.

import assert from "node:assert/strict";
import { test } from "node:test";

import { tabTarget } from "../../assets/components/stage/drawers.js";
import { heir } from "../../assets/components/stage/focus.js";
import { oneStepPerGesture } from "../../assets/components/stage/history.js";
import { actOf, filmActOf, isTyping, neighbour } from "../../assets/components/stage/keys.js";
import { viewOf } from "../../assets/components/stage/paper.js";
import { joined } from "../../assets/components/stage/units.js";

test("P leads on to the stage and off it, Escape only off it", () => {
  assert.deepEqual([actOf("p", false), actOf("P", true), actOf("Escape", true)], Array(3).fill("present"));
  assert.equal(actOf("Escape", false), undefined);
});

test("a remote control turns pages on the stage alone", () => {
  const acts = ["PageDown", "PageUp", "l", "x"].map((key) => actOf(key, true));
  assert.deepEqual(acts, ["next", "previous", "laser", undefined]);
  assert.equal(actOf("PageDown", false), undefined);
});

test("what is written stays where it is written", () => {
  assert.ok(isTyping({ tagName: "INPUT" }) && isTyping({ tagName: "DIV", isContentEditable: true }));
  assert.ok(!isTyping({ tagName: "BUTTON" }) && !isTyping(null));
});

test("beyond the first and the last page there is none, nor where no page is known", () => {
  const pages = ["data", "tree", "forests"];
  const found = [
    [1, 1],
    [1, -1],
    [2, 1],
    [0, -1],
  ].map(([at, step]) => neighbour(pages, at, step));
  assert.deepEqual(found, ["forests", "data", undefined, undefined]);
  assert.equal(neighbour(pages, -1, 1), undefined);
});

test("arrows step through a film and the space bar plays it, on the stage alone", () => {
  const acts = ["ArrowRight", "ArrowLeft", "Home", "End", " ", "x"].map((key) => filmActOf(key, true));
  assert.deepEqual(acts, ["step", "back", "start", "end", "play", undefined]);
  assert.equal(filmActOf("ArrowRight", false), undefined);
});

test("all of a chart is in its picture on paper", () => {
  const size = { width: "795.2", height: "450" };
  assert.equal(viewOf({ getAttribute: (name) => size[name] }), "0 0 795.2 450");
});

test("a percent sign stays with its number, and other words break as they did", () => {
  assert.equal(joined("right on 8.9 % of 45 rows, 0 % of none"), "right on 8.9\u00a0% of 45 rows, 0\u00a0% of none");
  assert.equal(joined("100% and % alone"), "100% and % alone");
});

const page = { isThere: (one) => !one.gone, again: () => undefined, heading: (part) => part.heading };
const at = (...path) => ({ path });

test("a control that is drawn anew has the focus again", () => {
  const anew = {};
  assert.equal(heir([at({ gone: true }, {})], { ...page, again: () => anew }), anew);
});

test("the result that comes in place of the last question has the focus", () => {
  const result = {};
  assert.equal(heir([at({ gone: true }, { gone: true }, { heading: result })], page), result);
});

test("where no result has a heading the part of the page has the focus", () => {
  const part = {};
  assert.equal(heir([at({ gone: true }, part, { heading: {} })], page), part);
});

test("the button of a drawer that closed has the focus", () => {
  const button = {};
  const trail = [at({ gone: true }, { gone: true }), at({ gone: true }), at(button, {})];
  assert.equal(heir(trail, page), button);
});

test("where nothing had the focus nothing takes it", () => {
  assert.equal(heir([], page), undefined);
});

// ---- Steps of the browser's history.

// A history that keeps its addresses, and the place that they lead to.
function browser(start) {
  const steps = [start];
  let at = 0;
  const place = { href: start };
  const write = (url) => (place.href = String(new URL(url, place.href)));
  const history = {
    pushState: (_, __, url) => steps.splice(++at, steps.length, write(url)),
    replaceState: (_, __, url) => (steps[at] = write(url)),
  };
  const back = () => (place.href = steps[--at]);
  return { history, place, back, paths: () => steps.map((url) => url.slice("http://trees".length)) };
}

test("what the app writes after a page was opened belongs to the step that opened it", () => {
  const { history, place, paths } = browser("http://trees/?data=moons&depth=7");
  const steps = oneStepPerGesture(history, place, false);
  steps.chooses(); // a click on the link of a page
  history.pushState({}, "", "/hesitation");
  history.pushState({}, "", "/hesitation?data=moons");
  steps.chooses(); // and back by its link
  history.pushState({}, "", "/");
  history.pushState({}, "", "/?data=moons");
  history.pushState({}, "", "/?data=moons&depth=7");
  assert.deepEqual(paths(), ["/?data=moons&depth=7", "/hesitation?data=moons", "/?data=moons&depth=7"]);
});

test("every choice is a step, and the same address twice is none", () => {
  const { history, place, paths } = browser("http://trees/");
  const steps = oneStepPerGesture(history, place, false);
  for (const url of ["/?depth=4", "/?depth=4", "/?depth=5"]) {
    steps.chooses();
    history.pushState({}, "", url);
  }
  assert.deepEqual(paths(), ["/", "/?depth=4", "/?depth=5"]);
});

test("what is corrected before anybody did anything is no step", () => {
  const { history, place, paths } = browser("http://trees/?depth=99");
  oneStepPerGesture(history, place, false);
  history.pushState({}, "", "/?depth=20");
  assert.deepEqual(paths(), ["/?depth=20"]);
});

test("the answer to a step that was left too soon is not written over the next one", () => {
  const { history, place, back, paths } = browser("http://trees/?data=moons");
  const steps = oneStepPerGesture(history, place, false);
  for (const url of ["/hesitation?data=moons", "/?data=moons&depth=4"]) {
    steps.chooses();
    history.pushState({}, "", url);
  }
  for (let walked = 0; walked < 2; walked++) {
    back();
    steps.walks();
  }
  history.pushState({}, "", "/hesitation?data=moons"); // the server answers the first of the two
  history.pushState({}, "", "/?data=moons&depth=3"); // and then corrects the settings of the second
  assert.deepEqual(paths(), ["/?data=moons&depth=3", "/hesitation?data=moons", "/?data=moons&depth=4"]);
  steps.chooses();
  history.pushState({}, "", "/hesitation?data=moons"); // by a link
  assert.deepEqual(paths(), ["/?data=moons&depth=3", "/hesitation?data=moons"]);
});

test("Tab leads from a button into its open drawer, back from the first control there, and else where it did", () => {
  const drawer = { button: "button", controls: ["first", "last"] };
  assert.equal(tabTarget("button", false, drawer), "first");
  assert.equal(tabTarget("first", true, drawer), "button");
  for (const [element, isBackward] of [
    ["button", true],
    ["first", false],
    ["last", false],
    ["elsewhere", false],
  ])
    assert.equal(tabTarget(element, isBackward, drawer), undefined);
  assert.equal(tabTarget("button", false, { button: undefined, controls: [] }), undefined, "none is open");
  assert.equal(tabTarget("button", false, { button: "button", controls: [] }), undefined, "it holds nothing to press");
});
