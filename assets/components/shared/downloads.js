// Pictures as files: SVG as it is, PNG drawn from it.

export function saveSvg(source, name) {
  save(new Blob([source], { type: "image/svg+xml" }), name);
}

export function savePng(source, name) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([source], { type: "image/svg+xml" }));
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

function save(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
