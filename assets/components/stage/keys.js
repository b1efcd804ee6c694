// Keys of a lecture.

const ALWAYS = { p: "present" };
const ON_STAGE = { escape: "present", l: "laser", pagedown: "next", pageup: "previous" };
const OF_FILMS = { arrowright: "step", arrowleft: "back", home: "start", end: "end", " ": "play" };

// What a key does, or undefined; remote controls of slides send PageDown and PageUp.
export function actOf(key, presents) {
  const name = key.toLowerCase();
  return ALWAYS[name] ?? (presents ? ON_STAGE[name] : undefined);
}

// What a key of the stage does to the films of the page.
export const filmActOf = (key, presents) => (presents ? OF_FILMS[key.toLowerCase()] : undefined);

// Whether a key belongs to what is written in.
export const isTyping = (element) =>
  Boolean(element?.isContentEditable) || ["INPUT", "TEXTAREA", "SELECT"].includes(element?.tagName);

// The entry so many places further, if there is one.
export const neighbour = (entries, here, by) => (here < 0 ? undefined : entries[here + by]);
