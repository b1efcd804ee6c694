// The picture that a slider brings along: who shows it, and when the page's own comes back.

import assert from "node:assert/strict";
import { test } from "node:test";

import { followPicture, showPicture } from "../../assets/components/shared/live.js";

function follower(channel, s = {}) {
  const drawn = [];
  return { s, drawn, leave: followPicture(s, channel, (picture) => drawn.push(picture)) };
}

test("all that follow a channel draw the picture, and then Python's own again", () => {
  const channel = {};
  const [one, two] = [follower(channel), follower(channel)];
  showPicture(channel, { cards: 1 });
  assert.ok(one.s.isPictured && two.s.isPictured);
  showPicture(channel, null);
  assert.ok(!one.s.isPictured);
  assert.deepEqual(one.drawn, [{ cards: 1 }, null]);
  assert.deepEqual(two.drawn, one.drawn);
});

test("a tree that the browser folds is not drawn over", () => {
  const channel = {};
  const { drawn } = follower(channel, { isFolded: true });
  showPicture(channel, { cards: 1 });
  assert.deepEqual(drawn, []);
});

test("who has left hears nothing more", () => {
  const channel = {};
  const { drawn, leave } = follower(channel);
  leave();
  showPicture(channel, { cards: 1 });
  assert.deepEqual(drawn, []);
});
