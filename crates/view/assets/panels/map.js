import { capital, colour, el, legend, number, show, stopped, svg } from "../dom.js";
import { BAR, colourBar, frame, paint, rankTicks, sizeIn } from "../planes.js";
import { ofTrial } from "../tips.js";

/** @import { Map as MapView, Pending } from "../api" */
/** @import { Context } from "../state.js" */
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
 * @param {Context} context
 */
const pending = (f, p, context) => {
  const at = { cx: f.X(p.x), cy: f.Y(p.y) };
  if (p.rx !== null && p.ry !== null) {
    const size = { rx: Math.max(p.rx * f.width, 1), ry: Math.max(p.ry * f.height, 1) };
    const look = { fill: colour("green"), "fill-opacity": 0.13, stroke: colour("green"), "stroke-dasharray": "4 3" };
    f.front.append(svg("ellipse", { class: "room", ...at, ...size, ...look }));
  }
  const look = { r: 5, fill: colour("green"), stroke: colour("card"), "stroke-width": 1.5 };
  const words = `running, ${p.worker || "unknown worker"}`;
  f.over.append(svg("circle", { class: "pending", ...at, ...look, ...ofTrial(context, p.trial, words) }));
};

/** @type {Panel<MapView>} */
export const map = {
  view: "/map",
  title: "Where the workers are",
  page: "map",
  overTwo: true,
  size: "half",
  note: "running trials, and the room each one keeps free",
  draw({ body }, view, context) {
    const hasColours = view.observed.length > 0;
    const f = frame(view.x, view.y, ...sizeIn(body, 0.8), hasColours ? BAR : 18);
    if (hasColours) colourBar(f, rankTicks(view.observed), context.seen.metric);
    for (const p of view.observed) {
      const look = { r: 4, fill: paint(p.good), stroke: colour("soft"), "stroke-width": 0.7 };
      const at = { cx: f.X(p.x), cy: f.Y(p.y) };
      f.over.append(svg("circle", { ...at, ...look, ...ofTrial(context, p.trial, number(p.value)) }));
    }
    for (const [kind, hue] of /** @type {const} */ ([
      ["failed", "vermillion"],
      ["infeasible", "purple"],
    ])) {
      for (const p of view[kind]) {
        const d = `M${f.X(p.x) - 4} ${f.Y(p.y) - 4}l8 8m0 -8l-8 8`;
        f.over.append(svg("path", { d, stroke: colour(hue), "stroke-width": 1.6, ...ofTrial(context, p.trial, kind) }));
      }
    }
    for (const p of view.pending) pending(f, p, context);
    if (view.best) {
      const d = star(f.X(view.best.x), f.Y(view.best.y), 8);
      const look = { fill: colour("orange"), stroke: colour("ink"), "stroke-width": 0.8 };
      f.over.append(svg("path", { d, ...look, ...ofTrial(context, view.best.trial, "the best") }));
    }
    const meaning = legend(
      view.pending.length ? ["running, with the room it keeps free", "green"] : null,
      view.observed.length ? ["measured, brighter is better", "soft"] : null,
      view.best ? ["best", "orange"] : null,
      view.failed.length ? ["failed", "vermillion", "cross"] : null,
      view.infeasible.length ? ["infeasible", "purple", "cross"] : null,
    );
    show(body, f.root, meaning, view.note && el("p", { class: "said" }, stopped(capital(view.note))));
  },
};
