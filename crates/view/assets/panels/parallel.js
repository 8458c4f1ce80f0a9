import { colour, el, notice, number, short, show, svg } from "../dom.js";
import { paint } from "../planes.js";

/** @import { Parallel, Tick } from "../api" */
/** @import { Panel } from "./panel.js" */

const HEIGHT = 380;

/** @param {number} u */
const up = (u) => HEIGHT - 30 - u * (HEIGHT - 70);

/**
 * @param {number} x
 * @param {string} name
 * @param {Tick[]} ticks
 */
const axis = (x, name, ticks) => {
  const outline = { "paint-order": "stroke", stroke: colour("card"), "stroke-width": 3 };
  return [
    svg("line", { class: "axis", x1: x, x2: x, y1: up(0), y2: up(1) }),
    svg("text", { class: "ink", x, y: 18, "text-anchor": "middle" }, short(name, 16)),
    ticks.map((t) => svg("text", { x: x + 5, y: up(t.at) + 4, ...outline }, short(t.label, 10))),
  ];
};

/** @type {Panel<Parallel>} */
export const parallel = {
  view: "/parallel",
  title: "Parallel coordinates",
  page: "parallel",
  note: "one line a trial; yellow is better",
  draw({ body }, view) {
    if (!view.lines.length) return show(body, notice("No value yet", "Lines appear as trials are told."));
    const n = view.axes.length + 1;
    const width = Math.max(640, n * 120);
    const across = (/** @type {number} */ i) => 50 + (i * (width - 110)) / Math.max(n - 1, 1);
    const lines = view.lines.map((line) => {
      const points = [...line.u, line.height].map((u, i) => `${across(i)},${up(u)}`).join(" ");
      const size = { "stroke-width": line.good > 0.97 ? 2.6 : 1.2, opacity: 0.25 + 0.7 * line.good };
      const title = svg("title", {}, `trial ${line.trial}: ${number(line.value)}`);
      return svg("polyline", { points, fill: "none", stroke: paint(line.good), ...size }, title);
    });
    const ends = [
      { at: 0, label: number(view.worst, 4) },
      { at: 1, label: number(view.best, 4) },
    ];
    const axes = view.axes.map((a, i) => axis(across(i), a.name, a.ticks));
    const look = { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img" };
    const root = svg("svg", look, lines, axes, axis(across(n - 1), "value", ends));
    show(body, el("div", { class: "scroll" }, root));
  },
};
