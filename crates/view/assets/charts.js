// Lines over an axis, drawn by uPlot. A chart is as wide as its place, so that must stand in the page already.
import { colour, el, number, show } from "./dom.js";
import { isLog } from "./scale.js";
import { pointAt } from "./tips.js";

/** @import { History, WatchedHistory } from "./api" */
/** @import { Context } from "./state.js" */
/** @import { Spot } from "./tips.js" */

/** @type {Set<{ place: HTMLElement, chart: Chart }>} */
const drawn = new Set();

/** Ends the charts whose place is gone. */
export const sweep = () => {
  for (const one of drawn) {
    if (one.place.isConnected) continue;
    one.chart.destroy();
    drawn.delete(one);
  }
};

/** Gives every chart the width of its place again. */
export const redraw = () => {
  sweep();
  for (const { place, chart } of drawn) {
    if (place.clientWidth) chart.setSize({ width: place.clientWidth, height: chart.height });
  }
};

/**
 * @param {HTMLElement} root
 * @param {number} height
 * @param {ChartOptions} options
 * @param {Values[]} data
 * @returns {Chart}
 */
export const chart = (root, height, options, data) => {
  const place = el("div");
  show(root, place);
  sweep();
  const axis = {
    stroke: colour("soft"),
    grid: { stroke: colour("faint"), width: 1 },
    ticks: { stroke: colour("line"), width: 1 },
    font: "11px system-ui",
    labelFont: "11px system-ui",
  };
  const full = {
    width: Math.max(place.clientWidth, 200),
    height,
    legend: { show: false },
    cursor: { points: { show: false } },
    ...options,
    axes: (options.axes ?? [{}, {}]).map((own) => ({ ...axis, ...own })),
  };
  const made = new uPlot(full, data, place);
  drawn.add({ place, chart: made });
  return made;
};

/**
 * On a log scale a line for each power of ten is enough.
 * @param {Chart} _chart
 * @param {Values} splits
 */
const decades = (_chart, splits) => {
  const isPower = (/** @type {number} */ v) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;
  return splits.map((v) => (v !== null && isPower(v) ? v : null));
};

/**
 * As many digits as tell neighbours apart.
 * @param {Values} splits
 * @param {number} step
 */
const digits = (splits, step) => {
  const largest = Math.max(...splits.map((v) => Math.abs(v ?? 0)));
  return Math.min(Math.max(4, Math.ceil(Math.log10(largest / step)) + 1 || 4), 9);
};

/** The least height of a label on an axis of values, in pixels. */
const LABEL = 15;

/**
 * The splits whose labels have room below each other: on a log scale every second or third power of ten, and so on.
 * @param {Chart} u
 * @param {Values} splits
 */
const withRoom = (u, splits) => {
  const shown = splits.filter((v) => v !== null);
  const at = shown.map((v) => u.valToPos(v, "y", false));
  const gaps = at.slice(1).map((y, i) => Math.abs(y - at[i]));
  const every = Math.max(1, Math.ceil(LABEL / Math.min(...gaps)));
  // Counted from 1, so that the same powers are labelled whatever the ends of the axis are.
  const isKept = (/** @type {number} */ v) => Math.round(Math.log10(v)) % every === 0;
  return splits.map((v) => (v !== null && (every === 1 || isKept(v)) ? v : null));
};

/**
 * The axis of values.
 * @param {boolean} log
 * @param {number} space The least distance of its labels in pixels: little, so that a low chart has more than one.
 * @returns {AxisOptions}
 */
export const valueAxis = (log, space = 24) => ({
  size: 68,
  space,
  values: (u, splits, _axis, _space, step) =>
    (log ? withRoom(u, splits) : splits).map((v) => (v === null ? "" : number(v, digits(splits, step)))),
  ...(log && {
    grid: { stroke: colour("faint"), width: 1, filter: decades },
    ticks: { stroke: colour("line"), width: 1, filter: decades },
  }),
});

/**
 * The scale of values.
 * @param {boolean} log
 */
export const values = (log) => ({ distr: log ? 3 : 1 });

const stepped = () => ({ paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } });

/**
 * What has no value, with the colour of its crosses.
 * @type {["failed" | "infeasible" | "lost", string][]}
 */
const withoutValue = [
  ["failed", "vermillion"],
  ["infeasible", "purple"],
  ["lost", "orange"],
];

/**
 * The kinds of trials without a value that there are.
 * @param {History} view
 */
export const crossesOf = (view) => withoutValue.filter(([kind]) => view[kind].length);

/**
 * Crosses in a strip of their own above the values, where no line can run through them.
 * @param {History} view
 * @param {number} strip
 */
const crosses = (view, strip) => (/** @type {Chart} */ u) => {
  const { ctx, bbox } = u;
  const r = 3.5 * devicePixelRatio;
  const y = bbox.top - (strip / 2) * devicePixelRatio;
  ctx.save();
  ctx.lineWidth = 1.6 * devicePixelRatio;
  for (const [kind, hue] of crossesOf(view)) {
    ctx.strokeStyle = colour(hue);
    for (const trial of view[kind]) {
      const x = u.valToPos(trial, "x", true);
      ctx.beginPath();
      ctx.moveTo(x - r, y - r);
      ctx.lineTo(x + r, y + r);
      ctx.moveTo(x - r, y + r);
      ctx.lineTo(x + r, y - r);
      ctx.stroke();
    }
  }
  ctx.restore();
};

/**
 * Dashed lines at what a result must keep.
 * @param {{ at_least?: number | null, at_most?: number | null }} view
 */
export const limits = (view) => (/** @type {Chart} */ u) => {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = colour("green");
  ctx.lineWidth = 1.4 * devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const limit of [view.at_least, view.at_most]) {
    if (limit === null || limit === undefined) continue;
    const y = u.valToPos(limit, "y", true);
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
};

/** @param {number[]} all */
const distinct = (all) => [...new Set(all)].sort((a, b) => a - b);

/**
 * The best so far at each of these trials.
 * @param {number[]} xs
 * @param {Pick<History, "best_trial" | "best_value">} view
 */
const bestSoFar = (xs, view) => {
  const at = new Map(view.best_trial.map((trial, i) => [trial, view.best_value[i]]));
  /** @type {number | null} */
  let last = null;
  return xs.map((x) => (last = at.get(x) ?? last));
};

const dotSize = (/** @type {number} */ n) => (n > 1500 ? 4 : n > 300 ? 6 : 9);

/** @type {(u: Chart, low: number, high: number) => [number, number]} */
const aroundTrials = (_u, low, high) => [low - 0.5, Math.max(high, low + 1) + 0.5];

/** Trials are counted in whole numbers. */
const WHOLE = Array.from({ length: 8 }, (_, k) => [1, 2, 5].map((m) => m * 10 ** k)).flat();

/** The axis of trials. */
const trialAxis = () => ({ label: "trial", labelSize: 16, size: 30, incrs: WHOLE });

/**
 * The axes of values by trial.
 * @param {boolean} log
 */
const overTrials = (log) => ({
  scales: { x: { time: false, range: aroundTrials }, y: values(log) },
  axes: [trialAxis(), valueAxis(log)],
});

/**
 * Where a trial is in the place of a chart, in pixels; without a value it is in the strip above.
 * @param {Chart} u
 * @param {number} trial
 * @param {number | null} value
 * @param {string} words
 * @returns {Spot}
 */
const spot = (u, trial, value, words) => {
  const x = u.valToPos(trial, "x", true) / devicePixelRatio;
  const y = value === null ? u.bbox.top / devicePixelRatio - 10 : u.valToPos(value, "y", true) / devicePixelRatio;
  return { trial, x, y, words };
};

/**
 * A dot for each of n trials.
 * @param {number} n
 * @returns {SeriesOptions}
 */
const dots = (n) => ({
  stroke: colour("sky"),
  paths: () => null,
  points: { show: true, size: dotSize(n), fill: colour("sky"), stroke: colour("card"), width: 1 },
});

/**
 * The value of each trial, and the best so far.
 * @param {HTMLElement} root
 * @param {History} view
 * @param {Context} context
 */
export const historyChart = (root, view, context) => {
  const kinds = crossesOf(view);
  const xs = distinct([...view.trial, ...view.best_trial, ...kinds.flatMap(([kind]) => view[kind])]);
  const value = new Map(view.trial.map((trial, i) => [trial, view.value[i]]));
  const strip = kinds.length ? 20 : 0;
  const u = chart(
    root,
    310 + strip,
    {
      padding: [strip || null, null, null, null],
      ...overTrials(isLog(view.value, view.log)),
      series: [{}, dots(view.trial.length), { stroke: colour("blue"), width: 2.2, ...stepped() }],
      hooks: { draw: [crosses(view, strip), limits(view)] },
    },
    [xs, xs.map((trial) => value.get(trial) ?? null), bestSoFar(xs, view)],
  );
  pointAt(context, root, () => [
    ...view.trial.map((trial, i) => spot(u, trial, view.value[i], number(view.value[i]))),
    ...kinds.flatMap(([kind]) => view[kind].map((trial) => spot(u, trial, null, kind))),
  ]);
};

/**
 * A result besides the first objective, of each trial, with the best so far of an objective.
 * @param {HTMLElement} root
 * @param {WatchedHistory} view
 * @param {Context} context
 */
export const watchedChart = (root, view, context) => {
  const best = { best_trial: view.best_trial ?? [], best_value: view.best_value ?? [] };
  const u = chart(
    root,
    180,
    {
      ...overTrials(isLog(view.value, view.log)),
      series: [{}, dots(view.trial.length), { stroke: colour("blue"), width: 2.2, ...stepped() }],
      hooks: { draw: [limits(view)] },
    },
    [view.trial, view.value, bestSoFar(view.trial, best)],
  );
  pointAt(context, root, () =>
    view.trial.map((trial, i) => spot(u, trial, view.value[i], `${view.name} ${number(view.value[i])}`)),
  );
};

/**
 * What holds until the next, by trial.
 * @param {HTMLElement} root
 * @param {number[]} trials
 * @param {number[]} held
 */
export const stepsChart = (root, trials, held) => {
  const series = [{}, { stroke: colour("blue"), width: 2.2, ...stepped() }];
  chart(root, 210, { ...overTrials(isLog(held, false)), series }, [trials, held]);
};

/** @typedef {{ colour: string, dash: number[] | undefined, view: History }} Runner */

/**
 * Best so far of several studies, by number of trials.
 * @param {HTMLElement} root
 * @param {Runner[]} all
 */
export const race = (root, all) => {
  const most = Math.max(1, ...all.map(({ view }) => view.n_trials));
  const xs = distinct(all.flatMap(({ view }) => [...view.best_trial, view.n_trials - 1])).filter((x) => x >= 0);
  const lines = all.map(({ view }) => bestSoFar(xs, view).map((v, i) => (xs[i] >= view.n_trials ? null : v)));
  const best = all.flatMap(({ view }) => view.best_value);
  const log = isLog(best, all.some(({ view }) => view.log)); // prettier-ignore
  chart(
    root,
    320,
    {
      scales: { x: { time: false, range: [0, most] }, y: values(log) },
      axes: [trialAxis(), valueAxis(log)],
      series: [{}, ...all.map((one) => ({ stroke: one.colour, width: 2.2, dash: one.dash, ...stepped() }))],
    },
    [xs, ...lines],
  );
};
