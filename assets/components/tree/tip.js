// The whole words of the card that has the keyboard's focus; under the mouse the browser shows them itself.

import { html } from "../shared/elements.js";
import { hint } from "./words.js";

export function listenToFocus(s) {
  s.tip = html(s.root, "div", { class: "tip", "aria-hidden": "true" });
  s.tip.hidden = true;
  s.svg.addEventListener("focusin", (e) => {
    const g = e.target.closest?.(".node");
    if (g?.matches(":focus-visible")) show(s, s.byKey.get(g.dataset.key), g);
  });
  for (const name of ["focusout", "pointerdown"]) s.svg.addEventListener(name, () => (s.tip.hidden = true));
}

// At the foot of the canvas, or at its head where the card stands at the foot.
function show(s, node, g) {
  if (!node) return;
  s.tip.textContent = hint(s, node);
  s.tip.hidden = false;
  const canvas = s.root.getBoundingClientRect();
  const card = g.getBoundingClientRect();
  const isLow = card.bottom > canvas.bottom - s.tip.offsetHeight - 12;
  const covers = isLow && card.top < canvas.top + s.tip.offsetHeight + 12;
  s.tip.hidden = covers;
  s.tip.classList.toggle("high", isLow);
}
