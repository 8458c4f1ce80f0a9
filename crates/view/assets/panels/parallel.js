import { colour, el, notice, number, short, show, svg } from "../dom.js";
import { paint } from "../planes.js";
import { along, extent, isLog, ticks, whyLinear } from "../scale.js";
import { ofTrial } from "../tips.js";

/** @import { Parallel, Tick } from "../api" */
/** @import { Panel } from "./panel.js" */

const HEIGHT = 400;

// Below the axes, for trials that do not have a parameter.
const ABSENT = -0.1;

/** @param {number} u */
const up = (u) => HEIGHT - 50 - u * (HEIGHT - 90);

/**
 * @param {number} x
 * @param {string} name
 * @param {Tick[]} ticks
 * @param {number} most Letters of its name.
 */
const axis = (x, name, ticks, most = 18) => {
  const outline = { "paint-order": "stroke", stroke: colour("card"), "stroke-width": 3 };
  return [
    svg("line", { class: "axis", x1: x, x2: x, y1: up(0), y2: up(1) }),
    // The name of the first axis would hang over the edge if it were long and centred.
    svg(
      "text",
      { class: "ink", x: Math.max(x, 3.4 * Math.min(name.length, most)), y: 18, "text-anchor": "middle" },
      short(name, most),
    ),
    ticks.map((t) => svg("text", { x: x + 5, y: up(t.at) + 4, ...outline }, short(t.label, most - 6))),
  ];
};

/**
 * The axis of values, with the best on top.
 * @param {Parallel} view
 */
const heights = (view) => {
  const all = view.lines.map((line) => line.value);
  const [low, high] = extent(all);
  const log = isLog(all);
  const isDown = (view.best ?? 0) < (view.worst ?? 0);
  const turned = (/** @type {number} */ u) => (isDown ? 1 - u : u);
  return {
    at: (/** @type {number} */ value) => (high > low ? turned(along(value, low, high, log)) : 1),
    ticks: ticks(low, high, log).map((t) => ({ ...t, at: turned(t.at) })),
  };
};

/** @type {Panel<Parallel>} */
export const parallel = {
  view: "/parallel",
  title: "Parallel coordinates",
  page: "parallel",
  note: "one line for each trial; brighter is better",
  draw({ body, note }, view, context) {
    if (!view.lines.length) return show(body, notice("No values yet", "Lines appear as results are reported."));
    const why = whyLinear(view.lines.map((line) => line.value));
    note.textContent = ["one line for each trial; brighter is better", why].filter(Boolean).join("; ");
    const n = view.axes.length + 1;
    const width = Math.max(body.clientWidth, n * 110, 320);
    const step = (width - 130) / Math.max(n - 1, 1);
    const across = (/** @type {number} */ i) => 50 + i * step;
    // As many letters as have room between the axes.
    const most = Math.max(18, Math.floor((50 + step / 2) / 7));
    const height = heights(view);
    // On a dark ground the darkest colours would not be seen.
    const [darkest, faintest] = document.documentElement.dataset.theme === "dark" ? [0.35, 0.5] : [0, 0.25];
    const lines = view.lines.map((line) => {
      const corners = [...line.u, height.at(line.value)].map((u, i) => `${across(i)},${up(u ?? ABSENT)}`);
      const size = { "stroke-width": line.good > 0.97 ? 2.6 : 1.2, opacity: faintest + (0.95 - faintest) * line.good };
      const shape = {
        points: corners.join(" "),
        fill: "none",
        stroke: paint(darkest + (1 - darkest) * line.good),
        ...size,
      };
      // A wide stroke that is not seen makes thin lines easy to hit.
      const hit = { d: `M${corners.join("L")}`, fill: "none", stroke: "transparent", "stroke-width": 9 };
      const words = ofTrial(context, line.trial, number(line.value));
      return svg("g", { class: "line" }, svg("polyline", shape), svg("path", { ...hit, ...words }));
    });
    const lacks = (/** @type {number} */ i) => view.lines.some((line) => line.u[i] === null);
    const axes = view.axes.map((a, i) => {
      const absent = lacks(i) ? [{ at: ABSENT, label: "absent" }] : [];
      return axis(across(i), a.name, [...a.ticks, ...absent], most);
    });
    const look = { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", style: { width: `${width}px` } };
    const root = svg("svg", look, lines, axes, axis(across(n - 1), context.seen.metric, height.ticks));
    show(body, el("div", { class: "scroll" }, root));
  },
};
