// The picture that a slider's answer brings along while it moves, as pages/shared/tree/moving.py writes it:
//
//     {"channel", "cards", "surface", "numbers", "note"}
//
// Tree, surface and numbers show it in place of their own, until the move has ended and the page has run.

// `draw` is called with a picture, or with null when what Python has last sent is to be drawn again. The function
// returned ends it.
export function followPicture(s, channel, draw) {
  const hear = (picture) => {
    s.isPictured = picture !== null;
    if (!s.isFolded) draw(picture);
  };
  channel.pictured ??= new Set();
  channel.pictured.add(hear);
  return () => channel.pictured.delete(hear);
}

// What rests meanwhile is pale (assets/frame.css): it is of the tree before.
export function showPicture(channel, picture) {
  globalThis.document?.documentElement.classList.toggle("espalier-moves", picture !== null);
  for (const hear of [...(channel.pictured ?? [])]) hear(picture);
}
