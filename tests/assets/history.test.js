// Steps of the browser's history.

import assert from "node:assert/strict";
import { test } from "node:test";

import { oneStepPerGesture } from "../../assets/components/stage/history.js";

// A history that keeps its addresses, and the place that they lead to.
function browser(start) {
  const steps = [start];
  const place = { href: start };
  const write = (url) => (place.href = String(new URL(url, place.href)));
  const history = {
    pushState: (_, __, url) => steps.push(write(url)),
    replaceState: (_, __, url) => (steps[steps.length - 1] = write(url)),
  };
  return { history, place, paths: () => steps.map((url) => url.slice("http://trees".length)) };
}

test("what the app writes after a page was opened belongs to the step that opened it", () => {
  const { history, place, paths } = browser("http://trees/?data=moons&depth=7");
  const steps = oneStepPerGesture(history, place, false);
  steps.isFresh = true; // a click on the link of a page
  history.pushState({}, "", "/hesitation");
  history.pushState({}, "", "/hesitation?data=moons");
  steps.isFresh = true; // and back by its link
  history.pushState({}, "", "/");
  history.pushState({}, "", "/?data=moons");
  history.pushState({}, "", "/?data=moons&depth=7");
  assert.deepEqual(paths(), ["/?data=moons&depth=7", "/hesitation?data=moons", "/?data=moons&depth=7"]);
});

test("every choice is a step, and the same address twice is none", () => {
  const { history, place, paths } = browser("http://trees/");
  const steps = oneStepPerGesture(history, place, false);
  for (const url of ["/?depth=4", "/?depth=4", "/?depth=5"]) {
    steps.isFresh = true;
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
