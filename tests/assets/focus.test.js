import assert from "node:assert/strict";
import { test } from "node:test";

import { heir } from "../../assets/components/stage/focus.js";

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
