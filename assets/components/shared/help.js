// A sign that explains what it stands beside: by pointer, click and key.

import { html } from "./elements.js";
import { spoken } from "./language/spoken.js";
import { paragraphs } from "./prose.js";

// The sign goes into `beside`, and the box of its words into `root`, under this name.
export function helpOf(root, beside, id) {
  const ask = html(beside, "button", { type: "button", class: "ask", "aria-expanded": "false" }, "?");
  const box = html(root, "div", { class: "help", id, popover: "manual" });
  const h = { ask, box, byClick: false, words: undefined };
  ask.addEventListener("click", () => (box.matches(":popover-open") && h.byClick ? hide(h) : show(h, true)));
  ask.addEventListener("pointerenter", (e) => e.pointerType === "mouse" && show(h, false));
  ask.addEventListener("pointerleave", () => h.byClick || hide(h));
  ask.addEventListener("blur", () => hide(h));
  ask.addEventListener("keydown", (e) => e.key === "Escape" && hide(h));
  return h;
}

export function explain(h, label, words) {
  if (h.words === words) return;
  h.words = words;
  h.ask.hidden = !words;
  h.ask.setAttribute("aria-label", spoken("{name}: what it means", { name: label }));
  h.box.replaceChildren();
  for (const line of paragraphs(words)) {
    const paragraph = html(h.box, "p", {});
    for (const [kind, part] of line) kind ? html(paragraph, kind, {}, part) : paragraph.append(part);
  }
}

function show(h, byClick) {
  const sign = h.ask.getBoundingClientRect();
  h.byClick = byClick;
  h.ask.setAttribute("aria-expanded", "true");
  if (!h.box.matches(":popover-open")) h.box.showPopover();
  const { offsetWidth: width, offsetHeight: height } = h.box;
  const top = sign.bottom + 6 + height > innerHeight ? sign.top - 6 - height : sign.bottom + 6;
  h.box.style.left = `${Math.max(8, Math.min(sign.left - 20, innerWidth - width - 8))}px`;
  h.box.style.top = `${Math.max(8, top)}px`;
}

function hide(h) {
  h.byClick = false;
  h.ask.setAttribute("aria-expanded", "false");
  if (h.box.matches(":popover-open")) h.box.hidePopover();
}
