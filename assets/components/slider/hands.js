// Hands on a slider: fingers and pens, keys, and a double click for the default.

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
}

function put(s, act, at) {
  s.input.value = at;
  act.show();
  act.go(true);
}
