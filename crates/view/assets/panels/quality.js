import { colour, el, number, show, svg } from "../dom.js";
import { frame } from "../planes.js";

/** @import { LeftOutResult, Quality } from "../api" */
/** @import { Frame } from "../planes.js" */
/** @import { Panel } from "./panel.js" */

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** @param {Frame} f */
const diagonal = (f) => {
  const ends = { x1: f.X(0), y1: f.Y(0), x2: f.X(1), y2: f.Y(1) };
  f.back.append(svg("line", { ...ends, stroke: colour("soft"), "stroke-dasharray": "5 4" }));
};

/**
 * Each result against its prediction from all others. Positive values over decades are told apart on a log scale, as in
 * the history.
 * @param {LeftOutResult[]} points
 */
const predicted = (points) => {
  const all = points.flatMap((p) => [p.observed, p.mean]);
  const least = Math.min(...all);
  const log = least > 0 && Math.max(...all) / least > 30;
  const to = (/** @type {number} */ v) => (log ? Math.log10(Math.max(v, least / 10)) : v);
  const from = (/** @type {number} */ v) => (log ? 10 ** v : v);
  const low = to(least);
  const span = to(Math.max(...all)) - low || 1;
  const U = (/** @type {number} */ v) => 0.03 + 0.94 * ((to(v) - low) / span);
  const ticks = QUARTERS.map((t) => from(low + t * span)).map((v) => ({ at: U(v), label: number(v, 3) }));
  const f = frame({ name: "predicted", ticks }, { name: "observed", ticks }, 460, 330);
  diagonal(f);
  for (const p of points) {
    const y = f.Y(U(p.observed));
    const ends = { x1: f.X(U(p.mean - p.sd)), x2: f.X(U(p.mean + p.sd)), y1: y, y2: y };
    const title = svg("title", {}, p.trial === null ? "" : `trial ${p.trial}`);
    f.back.append(
      svg("line", { ...ends, stroke: colour("sky"), opacity: 0.7 }),
      svg("circle", { cx: f.X(U(p.mean)), cy: y, r: 3, fill: colour("blue") }, title),
    );
  }
  return f.root;
};

/**
 * How many results are inside of each interval.
 * @param {Quality["calibration"]} shares
 */
const calibration = (shares) => {
  const ticks = QUARTERS.map((t) => ({ at: t, label: `${100 * t}%` }));
  const f = frame({ name: "interval of the prediction", ticks }, { name: "results inside", ticks }, 460, 330);
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
  draw({ body, note }, view) {
    const away = `they are ${number(view.deviations, 3)} predicted deviations away (1 is right)`;
    note.textContent = `each of ${view.n} results predicted from all others; ${away}`;
    show(body, el("div", { class: "planes wide" }, predicted(view.points), calibration(view.calibration)));
  },
};
