// The end of a component's script: gives its place the styles in $STYLE, once, and its function the data as objects.
// `display/components.py` puts it below the modules, whose entry is `$main`; `canvas/components.py` sends bytes.
/* global $main, $STYLE */

const $sheet = new CSSStyleSheet();
$sheet.replaceSync($STYLE);

export default function (component) {
  const root = component.parentElement.getRootNode();
  if (!root.adoptedStyleSheets.includes($sheet)) root.adoptedStyleSheets.push($sheet);
  const { spoken, ...data } = JSON.parse(new TextDecoder().decode(component.data));
  if (globalThis.document && spoken) document.documentElement.lang = spoken; // for readers, and all components
  return $main({ ...component, data });
}
