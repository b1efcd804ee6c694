// A bright ring around the pointer, to be seen from the back of a room.

import { html } from "../shared/elements.js";

const STYLE = {
  position: "fixed",
  left: "-18px",
  top: "-18px",
  width: "36px",
  height: "36px",
  borderRadius: "50%",
  pointerEvents: "none",
  zIndex: 2147483647,
  transform: "translate(-100px, -100px)", // out of sight until the pointer moves
  background: "radial-gradient(circle, rgb(230 20 20 / 90%) 0 4px, rgb(255 120 0 / 28%) 5px 17px, transparent 18px)",
};

export function laser() {
  const spot = html(document.body, "div", { "aria-hidden": "true", hidden: "" });
  Object.assign(spot.style, STYLE);
  const follow = (e) => (spot.style.transform = `translate(${e.clientX}px, ${e.clientY}px)`);
  document.addEventListener("pointermove", follow);
  return {
    show: (on) => (spot.hidden = !on),
    turn: () => (spot.hidden = !spot.hidden),
    end: () => {
      document.removeEventListener("pointermove", follow);
      spot.remove();
    },
  };
}
