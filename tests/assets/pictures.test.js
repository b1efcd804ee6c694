// Pictures as files.

import assert from "node:assert/strict";
import { test } from "node:test";

import { saveSvg } from "../../assets/components/shared/downloads.js";

class Face {
  constructor(family, style = "normal") {
    const values = { "font-family": `"${family}"`, "font-style": style };
    this.style = { getPropertyValue: (name) => values[name] };
    this.parentStyleSheet = { href: "http://here/static/page.css" };
    this.cssText = `@font-face {font-family: "${family}"; src: url("${family.replace(" ", "-")}-${style}.woff2")}`;
  }
}

async function saved(t, picture, sheets) {
  let file;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(URL, "createObjectURL", (blob) => (file = blob) && "blob:1");
  const fetched = (url) => ({ arrayBuffer: async () => new TextEncoder().encode(`letters of ${url}`) });
  t.mock.method(globalThis, "fetch", async (url) => fetched(url));
  const document = { styleSheets: sheets, createElement: () => ({ click() {} }) };
  Object.assign(globalThis, { document, location: { origin: "http://here" }, CSSFontFaceRule: Face });
  await saveSvg(picture, "impurity.svg");
  return file.text();
}

const CURVE = '<svg xmlns="s"><text font-family="&quot;Page Sans&quot;, sans-serif">0.5</text></svg>';

test("a saved picture brings the upright faces of the page's font, and no other font, along", async (t) => {
  const cssRules = [new Face("Page Sans"), new Face("Page Sans", "italic"), new Face("Icons"), {}];
  const elsewhere = { href: "http://there/page.css" }; // whose rules no script may read
  const file = await saved(t, CURVE, [{ cssRules }, elsewhere]);
  const [, css, rest] = /^<svg xmlns="s"><style>(.*)<\/style>(.*)$/.exec(file);
  const letters = btoa("letters of http://here/static/Page-Sans-normal.woff2");
  assert.deepEqual(css.match(/url\([^)]*\)/g), [`url(data:font/woff2;base64,${letters})`]);
  assert.match(css, /text\{font-family:'Page Sans'/);
  assert.equal(`<svg xmlns="s">${rest}`, CURVE);
});

test("a picture of a page without a font of its own is saved as it is", async (t) => {
  assert.equal(await saved(t, CURVE, []), CURVE);
});
