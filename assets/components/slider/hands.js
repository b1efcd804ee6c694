// Hands on a slider: fingers and pens, keys, a double click for the default, and the sign that explains it.

// `act.show` writes the value at once; `act.go(over)` sends it, over or still on the move.
export function listenSlider(s, act) {
  const { input } = s;
  const end = () => {
    s.held = false;
    act.go(true);
  };
  input.addEventListener("input", () => {
    s.held = true;
    act.show();
    act.go(false);
  });
  // A key that is held down changes the value again and again: its move ends when it is let go.
  input.addEventListener("keydown", (e) => (s.key = e.key));
  input.addEventListener("keyup", () => {
    s.key = null;
    if (s.held) end();
  });
  input.addEventListener("change", () => s.key || end());
  input.addEventListener("blur", () => {
    s.key = null;
    if (s.held) end();
  });
  input.addEventListener("dblclick", () => s.data.default !== null && put(s, act, s.data.default));
  listenToQuestions(s);
}

function put(s, act, at) {
  s.input.value = at;
  act.show();
  act.go(true);
}

function listenToQuestions(s) {
  const { ask, help } = s;
  s.ask.addEventListener("click", () => (help.matches(":popover-open") && s.byClick ? hide(s) : show(s, true)));
  ask.addEventListener("pointerenter", (e) => e.pointerType === "mouse" && show(s, false));
  ask.addEventListener("pointerleave", () => s.byClick || hide(s));
  ask.addEventListener("blur", () => hide(s));
  ask.addEventListener("keydown", (e) => e.key === "Escape" && hide(s));
}

function show(s, byClick) {
  const box = s.ask.getBoundingClientRect();
  s.byClick = byClick;
  s.ask.setAttribute("aria-expanded", "true");
  if (!s.help.matches(":popover-open")) s.help.showPopover();
  const { offsetWidth: width, offsetHeight: height } = s.help;
  const top = box.bottom + 6 + height > innerHeight ? box.top - 6 - height : box.bottom + 6;
  s.help.style.left = `${Math.max(8, Math.min(box.left - 20, innerWidth - width - 8))}px`;
  s.help.style.top = `${Math.max(8, top)}px`;
}

function hide(s) {
  s.byClick = false;
  s.ask.setAttribute("aria-expanded", "false");
  if (s.help.matches(":popover-open")) s.help.hidePopover();
}
