// The way of a slider's values, or of what a hand drags, to Python: at most one message is under way, the last value
// always wins, nothing queues. A message is {at: number of the value, or what stands for it, over: whether the move has
// ended, n: which message}; Python sends the last `n` that it knows of back.

export const courierOf = (send, clock = Date.now) => ({ send, clock, under: null, next: null, said: null, n: 0 });

export const isBusy = (c) => c.under !== null || c.next !== null;

// What was said already is not said again, but that the move has ended.
export function move(c, at, over) {
  const last = c.next ?? c.under ?? c.said;
  if (last && last.at === at && (last.over || !over)) return;
  c.next = { at, over };
  flush(c);
}

// The message under way has been answered, or is taken for lost.
export function landed(c) {
  c.said = c.under ?? c.said;
  c.under = null;
  flush(c);
}

// Python's value, where nobody moves the slider: by Undo, by a link, by another control.
export function told(c, at) {
  c.said = { at, over: true };
}

function flush(c) {
  if (c.under || !c.next) return;
  c.n = Math.max(c.clock(), c.n + 1);
  [c.under, c.next] = [{ ...c.next, n: c.n }, null];
  c.send(c.under);
}
