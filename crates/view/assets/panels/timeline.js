import { ago, colour, el, lasting, legend, notice, show, svg } from "../dom.js";
import { ofTrial } from "../tips.js";

/** @import { Span, Timeline, Worker } from "../api" */
/** @import { Context } from "../state.js" */
/** @import { Panel } from "./panel.js" */

const [LANE, GAP] = [17, 9];

const hues = {
  complete: "blue",
  running: "green",
  failed: "vermillion",
  infeasible: "purple",
  lost: "orange",
  released: "soft",
  queued: "orange",
};

// Lengths of time that are easy to count in, in milliseconds.
const DECIMAL = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SIXTIETHS = [1, 2, 5, 10, 15, 30];
const ROUND = [
  ...DECIMAL,
  ...SIXTIETHS.map((s) => s * 1000),
  ...SIXTIETHS.map((min) => min * 60_000),
  ...[1, 2, 6, 12].map((h) => h * 3_600_000),
  ...DECIMAL.map((d) => d * 86_400_000),
];

/**
 * A round length of time in words, without rounding it.
 * @param {number} ms
 */
const inWords = (ms) => {
  const [size, unit] = /** @type {[number, string][]} */ ([
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "min"],
    [100, "s"],
  ]).find(([size]) => ms >= size) ?? [1, "ms"];
  return `${Number((ms / (unit === "s" ? 1000 : size)).toFixed(2))} ${unit}`;
};

/** @param {Worker} worker */
const tall = (worker) => worker.n_lanes * LANE + GAP;

/**
 * An attempt as a bar. One that was lost is dashed.
 * @param {Span} span
 * @param {number} top
 * @param {(time: number) => number} across
 * @param {Context} context
 */
const bar = (span, top, across, context) => {
  const from = across(span.from);
  const box = { x: from, y: top + span.lane * LANE + 1, width: Math.max(across(span.to) - from - 0.5, 1.5) };
  const lost = { "fill-opacity": 0.35, stroke: colour("orange"), "stroke-dasharray": "3 2" };
  const look = span.end === "lost" ? lost : { "fill-opacity": 0.85, stroke: "none" };
  const again = span.attempt > 1 ? `, attempt ${span.attempt}` : "";
  const words = ofTrial(context, span.trial, `${span.end}, ${ago(span.from, span.to)}${again}`);
  const shape = { class: "span", "data-lane": span.lane, ...box, height: LANE - 3, rx: 2 };
  return svg("rect", { ...shape, fill: colour(hues[span.end]), ...look, ...words });
};

/**
 * The lanes of a worker: one that runs several trials at once has a lane for each, and its name beside the first.
 * @param {Worker} worker
 * @param {number} top
 * @param {number} left
 * @param {(time: number) => number} across
 * @param {Context} context
 */
const lanes = (worker, top, left, across, context) => {
  const most = Math.floor(left / 7);
  const name = worker.name.length > most ? `…${worker.name.slice(1 - most)}` : worker.name;
  const beside = { x: left - 8, "text-anchor": "end" };
  return [
    svg("text", { class: "ink", ...beside, y: top + GAP / 2 + 13 }, name),
    worker.n_lanes > 1 && svg("text", { ...beside, y: top + GAP / 2 + 28 }, `${worker.n_lanes} at once`),
    worker.spans.map((span) => bar(span, top + GAP / 2, across, context)),
  ];
};

/**
 * Each worker in numbers: what it ran, and how long that took.
 * @param {Timeline} view
 */
const summary = (view) => {
  const line = (/** @type {Worker} */ { name, spans }) => {
    const count = (/** @type {string} */ end) => spans.filter((span) => span.end === end).length;
    const ended = spans.filter((span) => span.end !== "running");
    const total = ended.reduce((sum, span) => sum + (span.to - span.from) / 1000, 0);
    const cells = [count("complete"), count("failed") + count("infeasible"), count("lost"), count("running")];
    const mean = ended.length ? total / ended.length : null;
    return el(
      "tr",
      {},
      el("td", {}, name),
      [...cells, lasting(mean), lasting(total)].map((cell) => el("td", { class: "num" }, cell)),
    );
  };
  const heads = ["complete", "failed or infeasible", "lost", "running", "mean duration", "total"];
  const head = [el("th", {}, "worker"), heads.map((words) => el("th", { class: "num" }, words))];
  const lines = view.workers.map(line);
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines)));
};

/** @type {Panel<Timeline>} */
export const timeline = {
  view: "/timeline",
  title: "Who ran what",
  page: "workers",
  draw({ body, note }, view, context) {
    if (!view.workers.length) {
      return show(body, notice("No worker has joined yet", "Start one with `elbow worker` or `elbow run`."));
    }
    note.textContent = view.left_out ? `the most recent; ${view.left_out} earlier attempts are not shown` : "";
    const width = Math.max(body.clientWidth, 300);
    const left = Math.min(190, Math.round(width / 3));
    const span = Math.max(view.to - view.from, 1);
    const across = (/** @type {number} */ t) => left + ((t - view.from) / span) * (width - left - 12);
    const height = view.workers.reduce((sum, worker) => sum + tall(worker), 0);
    const root = svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height + 30}`, role: "img" });
    let top = 0;
    for (const worker of view.workers) {
      if (top) root.append(svg("line", { class: "axis", x1: 0, x2: width, y1: top, y2: top }));
      root.append(svg("g", {}, lanes(worker, top, left, across, context)));
      top += tall(worker);
    }
    const least = span / (width < 600 ? 3 : 6);
    const step = ROUND.find((length) => length >= least) ?? least;
    for (let t = 0; t <= span; t += step) {
      const x = across(view.from + t);
      // One that is at the edge would hang over it.
      const side = x > width - 30 ? "end" : "middle";
      root.append(svg("text", { x, y: height + 20, "text-anchor": side }, t ? `+${inWords(t)}` : "start"));
    }
    const meaning = legend(
      ["complete", "blue"],
      ["running", "green"],
      ["failed", "vermillion"],
      ["infeasible", "purple"],
      ["lost, handed out again", "orange", "ring"],
    );
    show(body, el("div", { class: "scroll" }, root), meaning, el("h2", {}, "Workers"), summary(view));
  },
};
