import { colour, el, notice, number, plusMinus, show, svg } from "../dom.js";
import { frame, sizeIn } from "../planes.js";
import { along, extent, isLog, ticks } from "../scale.js";
import { ofTrial } from "../tips.js";

/** @import { LeftOutResult, Quality } from "../api" */
/** @import { Frame } from "../planes.js" */
/** @import { Context } from "../state.js" */
/** @import { Panel } from "./panel.js" */

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** @param {Frame} f */
const diagonal = (f) => {
  const ends = { x1: f.X(0), y1: f.Y(0), x2: f.X(1), y2: f.Y(1) };
  f.back.append(svg("line", { ...ends, stroke: colour("soft"), "stroke-dasharray": "5 4" }));
};

/**
 * Each result against its prediction from all others.
 * @param {LeftOutResult[]} points
 * @param {Context} context
 * @param {[number, number]} size
 */
const predicted = (points, context, size) => {
  const all = points.flatMap((p) => [p.observed, p.mean]);
  const [low, high] = extent(all);
  const log = isLog(all);
  const inside = (/** @type {number} */ u) => 0.03 + 0.94 * u;
  const U = (/** @type {number} */ v) => inside(along(log ? Math.max(v, low / 10) : v, low, high, log));
  const marks = ticks(low, high, log).map((t) => ({ ...t, at: inside(t.at) }));
  const f = frame({ name: "predicted", ticks: marks }, { name: "observed", ticks: marks }, ...size);
  diagonal(f);
  for (const p of points) {
    const y = f.Y(U(p.observed));
    const ends = { x1: f.X(U(p.mean - p.sd)), x2: f.X(U(p.mean + p.sd)), y1: y, y2: y };
    const words = `${number(p.observed)}, predicted ${plusMinus(p.mean, p.sd)}`;
    const about = p.trial === null ? {} : ofTrial(context, p.trial, words);
    f.back.append(
      svg("line", { ...ends, stroke: colour("sky"), opacity: 0.7 }),
      svg("circle", { cx: f.X(U(p.mean)), cy: y, r: 3.4, fill: colour("blue"), ...about }),
    );
  }
  return f.root;
};

/**
 * How many results are inside of each interval.
 * @param {Quality["calibration"]} shares
 * @param {[number, number]} size
 */
const calibration = (shares, size) => {
  const ticks = QUARTERS.map((t) => ({ at: t, label: `${100 * t}%` }));
  const f = frame({ name: "interval of the prediction", ticks }, { name: "results inside", ticks }, ...size);
  diagonal(f);
  const corners = [[0, 0], ...shares.map((p) => [p.level, p.share]), [1, 1]];
  const points = corners.map(([x, y]) => `${f.X(x)},${f.Y(y)}`).join(" ");
  f.back.append(svg("polyline", { points, fill: "none", stroke: colour("blue"), "stroke-width": 2.2 }));
  return f.root;
};

/** @type {Panel<Quality>} */
export const quality = {
  view: "/quality",
  title: "Model quality",
  page: "model",
  note: "each result predicted from all others",
  draw({ body, note }, view, context) {
    if (view.n < 2) return show(body, notice("a model needs at least two results", "run more trials first"));
    const away = `typical error: ${number(view.deviations, 3)} predicted standard deviations (1 is ideal)`;
    note.textContent = `each of ${view.n} results predicted from all others; ${away}`;
    const [left, right] = [el("div"), el("div")];
    show(body, el("div", { class: "planes two" }, left, right));
    left.append(predicted(view.points, context, sizeIn(left)));
    right.append(calibration(view.calibration, sizeIn(right)));
  },
};
