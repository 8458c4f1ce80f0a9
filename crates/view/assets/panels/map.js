import { colour, el, legend, number, show, svg } from "../dom.js";
import { frame, paint } from "../planes.js";

/** @import { Map as MapView, Pending } from "../api" */
/** @import { Frame } from "../planes.js" */
/** @import { Panel } from "./panel.js" */

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
const star = (x, y, r) => {
  const corner = (/** @type {number} */ i) => {
    const angle = (Math.PI * i) / 5 - Math.PI / 2;
    const far = i % 2 ? r * 0.45 : r;
    return `${(x + far * Math.cos(angle)).toFixed(1)} ${(y + far * Math.sin(angle)).toFixed(1)}`;
  };
  return `M${Array.from({ length: 10 }, (_, i) => corner(i)).join("L")}Z`;
};

/**
 * A pending point, and the room that it keeps free.
 * @param {Frame} f
 * @param {Pending} p
 */
const pending = (f, p) => {
  const at = { cx: f.X(p.x), cy: f.Y(p.y) };
  if (p.rx !== null && p.ry !== null) {
    const size = { rx: Math.max(p.rx * f.width, 1), ry: Math.max(p.ry * f.height, 1) };
    const look = { fill: colour("green"), "fill-opacity": 0.13, stroke: colour("green"), "stroke-dasharray": "4 3" };
    f.front.append(svg("ellipse", { class: "room", ...at, ...size, ...look }));
  }
  const look = { r: 5, fill: colour("green"), stroke: colour("card"), "stroke-width": 1.5 };
  const title = svg("title", {}, `trial ${p.trial}, ${p.worker || "unknown worker"}`);
  f.over.append(svg("circle", { class: "pending", ...at, ...look }, title));
};

/** @type {Panel<MapView>} */
export const map = {
  view: "/map",
  title: "Where the workers are",
  page: "map",
  overTwo: true,
  size: "half",
  note: "pending points and the room each one keeps free",
  draw({ body }, view) {
    const f = frame(view.x, view.y);
    for (const p of view.observed) {
      const look = { r: 3.6, fill: paint(p.good), stroke: colour("soft"), "stroke-width": 0.7 };
      const title = svg("title", {}, `trial ${p.trial}: ${number(p.value)}`);
      f.over.append(svg("circle", { cx: f.X(p.x), cy: f.Y(p.y), ...look }, title));
    }
    for (const [kind, hue] of /** @type {const} */ ([
      ["failed", "vermillion"],
      ["infeasible", "purple"],
    ])) {
      for (const p of view[kind]) {
        const d = `M${f.X(p.x) - 4} ${f.Y(p.y) - 4}l8 8m0 -8l-8 8`;
        const title = svg("title", {}, `trial ${p.trial}: ${kind}`);
        f.over.append(svg("path", { d, stroke: colour(hue), "stroke-width": 1.6 }, title));
      }
    }
    for (const p of view.pending) pending(f, p);
    if (view.best) {
      const d = star(f.X(view.best.x), f.Y(view.best.y), 8);
      const title = svg("title", {}, `best: trial ${view.best.trial}`);
      f.over.append(svg("path", { d, fill: colour("orange"), stroke: colour("ink"), "stroke-width": 0.8 }, title));
    }
    const meaning = legend(
      ["pending, with its exclusion radius", "green"],
      ["observed, yellow is better", "soft"],
      ["best", "orange"],
      view.failed.length ? ["failed", "vermillion", "cross"] : null,
      view.infeasible.length ? ["infeasible", "purple", "cross"] : null,
    );
    show(body, f.root, meaning, view.note && el("p", { class: "said" }, view.note));
  },
};
