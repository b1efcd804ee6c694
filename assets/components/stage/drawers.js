// Streamlit puts an open drawer at the end of the page: by Tab one would pass all the rest of the page before it.
// Tab leads from the button into its drawer, and Shift and Tab from there back to the button.

const BUTTON = "[data-testid=stPopoverButton][aria-expanded=true]";
const DRAWER = "[data-testid=stPopoverBody]";
const CONTROLS = "a[href], button, input, select, textarea, [tabindex]";

const canHave = (element) => !element.disabled && element.tabIndex >= 0 && element.getClientRects().length > 0;

// Where Tab leads from an element, if it leads into a drawer or out of it at its beginning.
export function tabTarget(element, isBackward, { button, controls }) {
  if (!button || !controls.length) return undefined;
  if (isBackward) return element === controls[0] ? button : undefined;
  return element === button ? controls[0] : undefined;
}

// Leads Tab so until the function that is returned is called.
export function leadIntoDrawers() {
  const lead = (event) => {
    if (event.key !== "Tab" || event.defaultPrevented) return;
    const drawer = document.querySelector(DRAWER);
    const controls = drawer ? [...drawer.querySelectorAll(CONTROLS)].filter(canHave) : [];
    const place = { button: document.querySelector(BUTTON), controls };
    const next = tabTarget(document.activeElement, event.shiftKey, place);
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  document.addEventListener("keydown", lead);
  return () => document.removeEventListener("keydown", lead);
}
