// Steps of the browser's history.

import assert from "node:assert/strict";
import { test } from "node:test";

import { oneStepPerGesture } from "../../assets/components/stage/history.js";

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
