// What Streamlit sends of a component: it fetches the component's script from ADDRESS, once, and calls it.
// `display/components.py` writes both constants above it, and leaves out comments: it is sent again and again.
/* global ADDRESS, LOST */

// The address is relative to that of the page: the app may lie below a path of a proxy.
const code = import(new URL(ADDRESS, document.baseURI).href);
let draw;
code.then(
  (module) => {
    draw = module.default;
  },
  () => {},
);

export default function (component) {
  if (draw) return draw(component);
  let isOver;
  let end;
  code.then(
    (module) => {
      if (!isOver) end = module.default(component);
    },
    () => {
      const { spoken } = JSON.parse(new TextDecoder().decode(component.data));
      component.parentElement.textContent = LOST[spoken];
    },
  );
  return () => {
    isOver = true;
    end?.();
  };
}
