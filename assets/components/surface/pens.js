// A pen of three methods, path, text and image, by which screen and SVG are drawn with the same code.

import { svg } from "../shared/elements.js";
import { legible } from "../shared/lettering.js";
import { round } from "../shared/numbers.js";

export function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  Object.assign(canvas.style, { width: width + "px", height: height + "px" });
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
}

export function canvasPen(c, theme) {
  return {
    path(d, { fill, stroke, width = 1, alpha = 1, dash = [] }) {
      const p = new Path2D(d);
      c.globalAlpha = alpha;
      c.setLineDash(dash);
      if (fill) {
        c.fillStyle = fill;
        c.fill(p);
      }
      if (stroke) {
        c.strokeStyle = stroke;
        c.lineWidth = width;
        c.lineJoin = "round";
        c.stroke(p);
      }
      c.globalAlpha = 1;
    },
    text(x, y, words, { size = 11, anchor = "start", weight = 400, fill = theme.ink, turned = false }) {
      c.save();
      c.translate(x, y);
      if (turned) c.rotate(-Math.PI / 2);
      Object.assign(c, {
        font: `${weight} ${size * theme.letters}px ${theme.font}`,
        fillStyle: fill,
        textAlign: anchor === "middle" ? "center" : anchor,
      });
      c.fillText(legible(words), 0, 0);
      c.restore();
    },
    image(picture, x, y, w, h) {
      c.drawImage(picture, x, y, w, h);
    },
  };
}

export function svgPen(parent, theme) {
  return {
    path(d, { fill = "none", stroke = "none", width = 1, alpha = 1, dash = [] }) {
      svg(parent, "path", {
        d,
        fill,
        stroke,
        "stroke-width": width,
        opacity: alpha,
        "stroke-dasharray": dash.join(" ") || "none",
        "stroke-linejoin": "round",
      });
    },
    text(x, y, words, { size = 11, anchor = "start", weight = 400, fill = theme.ink, turned = false }) {
      svg(
        parent,
        "text",
        {
          transform: `translate(${round(x)} ${round(y)})${turned ? " rotate(-90)" : ""}`,
          "font-size": size * theme.letters,
          "font-weight": weight,
          "font-family": theme.font,
          fill,
          "text-anchor": anchor,
        },
        words,
      );
    },
    image(picture, x, y, width, height) {
      svg(parent, "image", { href: picture.toDataURL(), x, y, width, height, preserveAspectRatio: "none" });
    },
  };
}
