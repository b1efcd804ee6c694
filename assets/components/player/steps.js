// Where a film stands: the number of splits that the tree has, and whether it is running.

const SLOWEST_MS = 1100;
const WHOLE_MS = 30000; // that a film lasts at most
const LEAST_MS = 80;

export const pause = (most) => Math.max(Math.min(SLOWEST_MS, WHOLE_MS / Math.max(most, 1)), LEAST_MS);

// What a button or the clock makes of it; "play" starts again from a single leaf where the film has ended.
export function after(film, act) {
  const { at, most } = film;
  const to = (place, isPlaying = false) => ({ most, at: Math.max(0, Math.min(place, most)), isPlaying });
  if (act === "start") return to(0);
  if (act === "back") return to(at - 1);
  if (act === "step") return to(at + 1);
  if (act === "end") return to(most);
  if (act === "play") return film.isPlaying ? to(at) : to(at >= most ? 0 : at, most > 0);
  if (act === "tick") return to(at + 1, film.isPlaying && at + 1 < most);
  return to(act);
}
