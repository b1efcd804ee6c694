// The stacks of a column.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dotSize, stackPaths } from "../../assets/components/columns/stacks.js";

test("dots are as large as the fullest stack allows, and none where they would be too small", () => {
  assert.equal(dotSize([1, 4], 14, 14), 7);
  assert.equal(dotSize([1, 5], 14, 14), 4.5);
  assert.equal(dotSize([1, 900], 14, 14), 0);
});

test("a stack has a dot for each row, one class above the other; bars are as high as their rows are many", () => {
  const few = stackPaths([[1, 2]], { width: 9, height: 14 });
  assert.deepEqual(few.paths, ["M4.5 11.75h0", few.paths[1]]);
  assert.equal(few.paths[1].match(/M/g).length, 2);
  const many = stackPaths([[100, 300]], { width: 10, height: 40 });
  assert.deepEqual(many, { paths: ["M1 40h8v-10h-8z", "M1 30h8v-30h-8z"], size: 0 });
});
