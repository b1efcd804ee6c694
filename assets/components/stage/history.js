// One choice of a person is one step of the browser's history. Streamlit makes a step of everything that the server
// writes into the address: of a page that opens, of the data that it stands for, of the settings that come back. All
// of it after one gesture belongs to the same step, so that Back never shows a state that nobody chose.
//
// Whoever goes back two steps at once is at the second before the server has answered the first. That answer names
// another page than the address does, and must not be written over the step that is now shown.

const GESTURES = ["pointerdown", "keydown", "input", "change"];

// Lets a gesture make one step of this history, and whatever comes without one correct the last step: its settings
// only, if a step of the browser led there.
export function oneStepPerGesture(history, place, hasBegun) {
  const push = history.pushState.bind(history);
  const steps = { isFresh: hasBegun, isWalked: false };
  history.pushState = (state, title, url) => {
    const next = new URL(url ?? "", place.href);
    if (steps.isWalked && next.pathname !== new URL(place.href).pathname) return; // too late
    const goesOn = steps.isFresh && String(next) !== place.href;
    if (goesOn) steps.isFresh = false;
    if (goesOn) push(state, title, url);
    else history.replaceState(state, title, url);
  };
  steps.chooses = () => Object.assign(steps, { isFresh: true, isWalked: false });
  steps.walks = () => Object.assign(steps, { isFresh: false, isWalked: true });
  return steps;
}

export function listenToGestures() {
  if (globalThis.espalierSteps) return;
  const hasBegun = navigator.userActivation?.hasBeenActive ?? true;
  const steps = (globalThis.espalierSteps = oneStepPerGesture(history, location, hasBegun));
  for (const name of GESTURES) addEventListener(name, steps.chooses, true);
  addEventListener("popstate", steps.walks, true);
}
