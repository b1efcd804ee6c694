// What tree graph, surface and the line below them show as selected, within one page: the component that is clicked
// tells the others at once, in the same frame; Python's word comes a moment later and confirms or corrects it.
//
//     state = {tree: id of the cards, id: node, row: null | {row, x, y, target}, at: when it was clicked}
//
// In a cultivated tree Python adds row.fractions = {node: per mille, …}, which the browser does not know.

const LATE_MS = 3000; // an answer of Python to an earlier click is dropped, within this time of a later one

// Every component is a module of its own, so what they share hangs on the window.
export function channelOf(name) {
  const all = (globalThis.espalier ??= new Map());
  if (!all.has(name))
    all.set(name, {
      at: 0,
      state: null,
      listeners: new Set(),
      describe: null,
      cut: null,
      cutting: new Set(),
      chosen: null,
      colouring: new Set(),
    });
  return all.get(name);
}

// A click.
export function say(channel, state) {
  channel.at = Math.max(Date.now(), channel.at + 1);
  spread(channel, { ...state, at: channel.at });
  return channel.at;
}

// Python's word; false where the browser is already further.
export function confirm(channel, state) {
  if (state.at !== channel.at && Date.now() - channel.at < LATE_MS) return false;
  spread(channel, state);
  return true;
}

// A cut that a person moves on a curve, {column, at}, or null when there is none any more.
export function showCut(channel, cut) {
  channel.cut = cut;
  for (const hear of [...channel.cutting]) hear(cut);
}

// The class, by its name, that alone has its colour where there are many; null: none.
export function chooseClass(channel, name) {
  channel.chosen = name;
  for (const hear of [...channel.colouring]) hear();
}

function spread(channel, state) {
  channel.state = state;
  for (const hear of [...channel.listeners]) hear(state);
}
