// A control that goes away with the focus leaves its reader nowhere: Tab then begins at the top of the page.
// The focus goes to what came in the control's place instead.

const QUIET = 250; // ms after a change of the page until the focus is looked for
const KEPT = 20; // places of the focus that are remembered

// What is to have the focus after a control that is gone: itself, drawn anew; the heading of the part of the page
// that it stood in, or that part; and where that is gone as well, as a drawer is, what had the focus before.
export function heir(trail, { isThere, again, heading }) {
  const [last, ...before] = trail;
  if (!last) return undefined;
  const part = last.path.find(isThere);
  const earlier = before.map(({ path: [one] }) => one).find((one) => one && isThere(one));
  return again(last) ?? (part && (heading(part) ?? part)) ?? earlier;
}

const isThere = (element) =>
  element.isConnected && !element.matches(":disabled") && element.getClientRects().length > 0;

const keyOf = (path) =>
  path.flatMap((element) => [...(element.classList ?? [])]).find((name) => name.startsWith("st-key-"));

// The control under the same key of the page; of several in one part none is known to be the same.
function again({ path }) {
  const name = keyOf(path);
  const found = name ? document.querySelectorAll(`.${CSS.escape(name)} :is(button, input)`) : [];
  return found.length === 1 && isThere(found[0]) ? found[0] : undefined;
}

const heading = (part) => [...part.querySelectorAll("h1, h2, h3")].find(isThere);

function take(element) {
  if (element.tabIndex < 0) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
}

const elements = (event) =>
  event.composedPath().filter((one) => one instanceof Element && !["BODY", "HTML"].includes(one.tagName));

const isBusy = () => document.querySelector("[data-test-script-state=running]") !== null;

// Watches over the focus until the function that is returned is called.
export function keepFocus() {
  let trail = [];
  let timer;
  const arrive = (event) => (trail = [{ path: elements(event) }, ...trail].slice(0, KEPT));
  const leave = () => (trail = [{ path: [] }, ...trail]); // whoever clicks beside a control has left it
  const look = () => {
    timer = undefined;
    const last = trail[0]?.path[0];
    if (!last || document.activeElement !== document.body || isThere(last)) return;
    if (isBusy()) return wait();
    const found = heir(trail, { isThere, again, heading });
    if (found) take(found);
  };
  const wait = () => (timer ??= setTimeout(look, QUIET));
  const watch = new MutationObserver(wait);
  watch.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", arrive, true);
  document.addEventListener("pointerdown", leave, true);
  return () => {
    watch.disconnect();
    clearTimeout(timer);
    document.removeEventListener("focusin", arrive, true);
    document.removeEventListener("pointerdown", leave, true);
  };
}
