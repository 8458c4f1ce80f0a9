// Drawings over two axes, as SVG of our own.
import { el, number, short, svg } from "./dom.js";
import { along, ticks } from "./scale.js";
import { ofTrial } from "./tips.js";

/** @import { Tick } from "./api" */
/** @import { Context } from "./state.js" */

/** @typedef {{ name: string, ticks: Tick[] }} Side */
/**
 * What the darkest and the brightest colour stand for; turned, the other way round.
 * @typedef {{ low: number, high: number, log: boolean, turned?: boolean }} Colours
 */

/**
 * A frame with two axes over [0, 1]².
 * @typedef {object} Frame
 * @property {SVGSVGElement} root
 * @property {SVGGElement} back Behind everything, and cut off at the edge.
 * @property {SVGGElement} front Cut off at the edge.
 * @property {SVGGElement} over May stand on the edge, and is seen whole.
 * @property {(u: number) => number} X
 * @property {(v: number) => number} Y
 * @property {number} left
 * @property {number} top
 * @property {number} width
 * @property {number} height
 */

// Names of clipping paths, which must differ within a page.
let frames = 0;

/**
 * The size of a drawing that is as wide as its place, so that its texts are as large as all others.
 * @param {HTMLElement} place
 * @param {number} ratio The height of a drawing of width 1.
 * @returns {[number, number]}
 */
export const sizeIn = (place, ratio = 0.75) => {
  const width = Math.max(Math.round(place.clientWidth), 280);
  return [width, Math.min(Math.max(Math.round(width * ratio), 260), 460)];
};

/** The room that a colour bar takes at the right. */
export const BAR = 82;

/**
 * @param {Side} x
 * @param {Side} y
 * @returns {Frame}
 */
export const frame = (x, y, w = 460, h = 400, right = 18) => {
  const [left, top, bottom] = [62, 8, 40];
  const [width, height, base] = [w - left - right, h - top - bottom, h - bottom];
  const X = (/** @type {number} */ u) => left + u * width;
  const Y = (/** @type {number} */ v) => base - v * height;
  const box = { x: left, y: top, width, height };
  const marks = svg("g");
  for (const t of x.ticks) {
    marks.append(
      svg("text", { x: X(t.at), y: base + 15, "text-anchor": "middle" }, short(t.label, 9)),
      svg("line", { class: "axis", x1: X(t.at), x2: X(t.at), y1: base, y2: base + 4 }),
    );
  }
  for (const t of y.ticks) {
    marks.append(
      svg("text", { x: left - 7, y: Y(t.at) + 4, "text-anchor": "end" }, short(t.label, 9)),
      svg("line", { class: "axis", x1: left - 4, x2: left, y1: Y(t.at), y2: Y(t.at) }),
    );
  }
  const upright = `translate(13 ${top + height / 2}) rotate(-90)`;
  marks.append(
    svg("rect", { class: "axis", ...box }),
    svg("text", { class: "ink", x: left + width / 2, y: h - 6, "text-anchor": "middle" }, x.name),
    svg("text", { class: "ink", transform: upright, "text-anchor": "middle" }, y.name),
  );
  frames += 1;
  const id = `clip${frames}`;
  const [back, front, over] = [svg("g"), svg("g"), svg("g")];
  const root = svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${w} ${h}`, role: "img" },
    svg("defs", {}, svg("clipPath", { id }, svg("rect", box))),
    svg("g", { "clip-path": `url(#${id})` }, back, front),
    marks,
    over,
  );
  return { root, back, front, over, X, Y, width, height, left, top };
};

// Cividis, which all eyes read alike.
const stops = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [166, 157, 117],
  [195, 180, 105],
  [225, 204, 85],
  [254, 232, 56],
];

/** @param {number} t */
const rgb = (t) => {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((c, k) => Math.round(c + (at - i) * (stops[i + 1][k] - c)));
};

/**
 * The colour of something between 0 and 1.
 * @param {number} t
 */
export const paint = (t) => `rgb(${rgb(t).join(" ")})`;

const CONTOURS = 14;

/**
 * What the colours of a drawing mean: a bar at its right, in the room that the frame leaves there.
 * @param {Frame} f
 * @param {Tick[]} marks
 * @param {string} label
 */
export const colourBar = (f, marks, label) => {
  const [x, width, step] = [f.left + f.width + 12, 11, f.height / CONTOURS];
  const cells = Array.from({ length: CONTOURS }, (_, i) =>
    svg("rect", { x, width, y: f.Y(0) - (i + 1) * step, height: step + 0.5, fill: paint((i + 0.5) / CONTOURS) }),
  );
  const words = marks.map((t) => [
    svg("line", { class: "axis", x1: x + width, x2: x + width + 3, y1: f.Y(t.at), y2: f.Y(t.at) }),
    svg("text", { x: x + width + 5, y: f.Y(t.at) + 4 }, short(t.label, 8)),
  ]);
  const name = svg("text", { x: f.left + f.width + BAR - 4, y: f.top + f.height + 17, "text-anchor": "end" }, label);
  f.root.append(svg("g", { class: "bar-of-colours" }, cells, words, name));
};

/**
 * What is written beside the colours of ranks: the values that have these ranks.
 * @param {{ value: number, good: number }[]} points
 * @returns {Tick[]}
 */
export const rankTicks = (points) => {
  const sorted = [...points].sort((a, b) => a.good - b.good);
  const at = sorted.length > 1 ? [0, 0.25, 0.5, 0.75, 1] : sorted.map(() => 1);
  return at.map((t) => ({ at: t, label: number(sorted[Math.round(t * (sorted.length - 1))].value, 3) }));
};

/**
 * Values on an n × n grid as a picture, bilinear between its points and in steps, so that the steps are contours.
 * @param {number} n
 * @param {number[]} values Row by row from below.
 * @param {Colours} colours
 */
const raster = (n, values, { low, high, log, turned }) => {
  const size = 4 * n;
  const canvas = el("canvas", { width: size, height: size });
  const ctx = canvas.getContext("2d");
  if (!ctx) return canvas;
  const image = ctx.createImageData(size, size);
  const onGrid = (/** @type {number} */ pixel) => Math.min(Math.max((pixel + 0.5) / 4 - 0.5, 0), n - 1);
  const at = (/** @type {number} */ i, /** @type {number} */ j) => values[j * n + i];
  for (let r = 0; r < size; r++) {
    for (let c = 0; c < size; c++) {
      const [u, v] = [onGrid(c), onGrid(size - 1 - r)];
      const [i, j] = [Math.min(Math.floor(u), n - 2), Math.min(Math.floor(v), n - 2)];
      const [fu, fv] = [u - i, v - j];
      const lower = (1 - fu) * at(i, j) + fu * at(i + 1, j);
      const upper = (1 - fu) * at(i, j + 1) + fu * at(i + 1, j + 1);
      const value = (1 - fv) * lower + fv * upper;
      const share = Math.min(Math.max(along(value, low, high, log), 0), 1);
      const t = turned ? 1 - share : share;
      image.data.set([...rgb((Math.floor(t * CONTOURS * 0.9999) + 0.5) / CONTOURS), 255], 4 * (r * size + c));
    }
  }
  ctx.putImageData(image, 0, 0);
  return canvas;
};

/** @typedef {{ trial: number, x: number, y: number, r: number, fill: string, words: string }} Dot */

/**
 * Values on an n × n grid, row by row from below, as contours with points upon them and what their colours mean.
 * @param {Side} x
 * @param {Side} y
 * @param {number} n
 * @param {number[]} values
 * @param {Dot[]} dots
 * @param {Colours} colours
 * @param {Context} context
 * @param {[number, number]} size
 */
export const heatmap = (x, y, n, values, dots, colours, context, size) => {
  const f = frame(x, y, ...size, BAR);
  const href = raster(n, values, colours).toDataURL();
  const box = { x: f.left, y: f.top, width: f.width, height: f.height };
  f.back.append(svg("image", { href, ...box, preserveAspectRatio: "none" }));
  for (const { trial, x, y, r, fill, words } of dots) {
    const look = { cx: f.X(x), cy: f.Y(y), r, fill, stroke: "#000", "stroke-width": 1 };
    f.front.append(svg("circle", { ...look, ...ofTrial(context, trial, words) }));
  }
  const marks = ticks(colours.low, colours.high, colours.log);
  colourBar(f, colours.turned ? marks.map((t) => ({ ...t, at: 1 - t.at })) : marks, "");
  return f.root;
};
