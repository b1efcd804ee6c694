// Pictures as files: SVG that brings the page's font along, and PNG drawn from it.

const ALIKE = "'Source Sans 3', 'Source Sans Pro', Arial, sans-serif"; // for programs that read no font in a file

export async function saveSvg(source, name) {
  save(blobOf(await withFont(source)), name);
}

export async function savePng(source, name) {
  const image = new Image();
  const url = URL.createObjectURL(blobOf(await withFont(source)));
  image.onload = () => {
    const scale = Math.min(2, 12000 / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: image.width * scale, height: image.height * scale });
    const c = canvas.getContext("2d");
    c.scale(scale, scale);
    c.drawImage(image, 0, 0);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => blob && save(blob, name));
  };
  image.src = url;
}

// An image sees no font of the page around it. Where the page has none of its own, or it cannot be read, the picture
// stays as it is.
async function withFont(source) {
  const family = /font-family="&quot;([\w -]+)&quot;/.exec(source)?.[1];
  const faces = await facesOf(family).catch(() => []);
  if (!faces.length) return source;
  return source.replace(">", () => `><style>${faces.join("")}text{font-family:'${family}', ${ALIKE}}</style>`);
}

// The upright faces, each with its font in the place of its address. No script reads style sheets of other servers.
async function facesOf(family) {
  const sheets = [...document.styleSheets].filter(({ href }) => !href || href.startsWith(location.origin));
  const faces = sheets.flatMap(({ cssRules }) => [...cssRules]).filter((rule) => rule instanceof CSSFontFaceRule);
  const isOurs = ({ style }) =>
    style.getPropertyValue("font-family").replace(/["']/g, "") === family &&
    style.getPropertyValue("font-style") !== "italic";
  return Promise.all(faces.filter(isOurs).map(packed));
}

async function packed({ cssText, parentStyleSheet }) {
  const [address, file] = /url\("([^"]+)"\)/.exec(cssText);
  const answer = await fetch(new URL(file, parentStyleSheet.href ?? document.baseURI));
  const letters = Array.from(new Uint8Array(await answer.arrayBuffer()), (byte) => String.fromCharCode(byte));
  return cssText.replace(address, `url(data:font/woff2;base64,${btoa(letters.join(""))})`);
}

const blobOf = (source) => new Blob([source], { type: "image/svg+xml" });

function save(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
