// One choice of a person is one step of the browser's history. Streamlit makes a step of everything that the server
// writes into the address: of a page that opens, of the data that it stands for, of the settings that come back. All
// of it after one gesture belongs to the same step, so that Back never shows a state that nobody chose.

const GESTURES = ["pointerdown", "keydown", "input", "change"];

// Lets a gesture make one step of this history, and whatever comes without one correct the last step.
export function oneStepPerGesture(history, place, hasBegun) {
  const push = history.pushState.bind(history);
  const steps = { isFresh: hasBegun };
  history.pushState = (state, title, url) => {
    const goesOn = steps.isFresh && String(new URL(url ?? "", place.href)) !== place.href;
    if (goesOn) steps.isFresh = false;
    if (goesOn) push(state, title, url);
    else history.replaceState(state, title, url);
  };
  return steps;
}

export function listenToGestures() {
  if (globalThis.espalierSteps) return;
  const hasBegun = navigator.userActivation?.hasBeenActive ?? true;
  const steps = (globalThis.espalierSteps = oneStepPerGesture(history, location, hasBegun));
  for (const name of GESTURES) addEventListener(name, () => (steps.isFresh = true), true);
  addEventListener("popstate", () => (steps.isFresh = false), true);
}
