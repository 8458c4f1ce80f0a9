import { stepsChart } from "../charts.js";
import { colour, el, legend, notice, number, pairs, show, svg, text } from "../dom.js";
import { frame } from "../planes.js";
import { along, extent, isLog, ticks } from "../scale.js";
import { link } from "../state.js";
import { hideTip, tipOf } from "../tips.js";
import { list } from "./panel.js";

/** @import { Front, FrontTrial, OutcomeAxis } from "../api" */
/** @import { Frame } from "../planes.js" */
/** @import { Context } from "../state.js" */
/** @import { Panel } from "./panel.js" */

/**
 * Which results are across and up, and which trial is picked.
 * @typedef {{ x: number, y: number, trial: number | null }} Choice
 */

// What was chosen, by study: it stays when the panel is drawn anew.
/** @type {Map<string, Choice>} */
const choices = new Map();

/**
 * Where a value is on its axis, from 0 to 1.
 * @param {OutcomeAxis} axis
 * @param {number} value
 */
const position = ({ low, high, log }, value) => along(value, low, high, log);

const MARGIN = 0.04;

/**
 * The axis of a result on the scale that is chosen.
 * @param {Front} view
 * @param {number} k
 * @returns {OutcomeAxis}
 */
const scaled = (view, k) => {
  const axis = view.outcomes[k];
  const all = [...view.trials.map((trial) => trial.values[k]), axis.at_least, axis.at_most];
  const log = isLog(all, axis.log);
  if (log === axis.log) return axis;
  const [least, most] = extent(all);
  const margin = log ? (most / least) ** MARGIN : MARGIN * (most - least) || 0.5;
  const [low, high] = log ? [least / margin, most * margin] : [least - margin, most + margin];
  return { ...axis, log, low, high, ticks: ticks(low, high, log) };
};

const within = (/** @type {number} */ u) => Math.min(Math.max(u, 0), 1);

/**
 * What is wanted of a result, in words.
 * @param {OutcomeAxis} axis
 */
const wanted = ({ goal, at_least, at_most }) =>
  [goal, at_least !== null && `at least ${number(at_least)}`, at_most !== null && `at most ${number(at_most)}`]
    .filter(Boolean)
    .join(", ");

/**
 * The name of a result, with what is wanted of it.
 * @param {OutcomeAxis} axis
 */
const label = (axis) => (wanted(axis) ? `${axis.name} (${wanted(axis)})` : axis.name);

/**
 * The part of a drawing in which both results keep their limits, and the limits themselves.
 * @param {Frame} f
 * @param {OutcomeAxis} x
 * @param {OutcomeAxis} y
 */
const shade = (f, x, y) => {
  const ends = (/** @type {OutcomeAxis} */ axis) => [
    axis.at_least === null ? 0 : within(position(axis, axis.at_least)),
    axis.at_most === null ? 1 : within(position(axis, axis.at_most)),
  ];
  const isLimited = (/** @type {OutcomeAxis} */ axis) => axis.at_least !== null || axis.at_most !== null;
  if (!isLimited(x) && !isLimited(y)) return false;
  const [[left, right], [bottom, top]] = [ends(x), ends(y)];
  const box = { x: f.X(left), y: f.Y(top), width: f.X(right) - f.X(left), height: f.Y(bottom) - f.Y(top) };
  f.back.append(svg("rect", { class: "feasible", ...box, fill: colour("green"), "fill-opacity": 0.12 }));
  const dashed = { stroke: colour("green"), "stroke-dasharray": "5 4" };
  const inside = (/** @type {number} */ u) => u > 0 && u < 1;
  for (const u of [left, right].filter(inside)) {
    f.back.append(svg("line", { x1: f.X(u), x2: f.X(u), y1: f.Y(0), y2: f.Y(1), ...dashed }));
  }
  for (const v of [bottom, top].filter(inside)) {
    f.back.append(svg("line", { x1: f.X(0), x2: f.X(1), y1: f.Y(v), y2: f.Y(v), ...dashed }));
  }
  return true;
};

/**
 * The border of what the front dominates, where the front has these two objectives alone.
 * @param {Frame} f
 * @param {[u: number, v: number][]} points
 * @param {OutcomeAxis} x
 */
const staircase = (f, points, x) => {
  const sorted = [...points].sort((a, b) => a[0] - b[0]);
  const corners = sorted.flatMap(([u, v], i) => {
    const next = sorted[i + 1];
    if (!next) return [[u, v]];
    return x.goal === "minimize" ? [[u, v], [next[0], v]] : [[u, v], [u, next[1]]]; // prettier-ignore
  });
  const path = corners.map(([u, v]) => `${f.X(u)},${f.Y(v)}`).join(" ");
  f.front.append(svg("polyline", { points: path, fill: "none", stroke: colour("blue"), "stroke-width": 1.8 }));
};

/**
 * How a trial is marked.
 * @param {FrontTrial} trial
 * @returns {"front" | "waiting" | "broken" | "other"}
 */
const kindOf = (trial) => {
  if (trial.on_front) return "front";
  if (trial.feasible === false) return "broken";
  return trial.waiting_for.length ? "waiting" : "other";
};

/**
 * The mark of a trial, which can be picked.
 * @param {Frame} f
 * @param {FrontTrial} trial
 * @param {number} u
 * @param {number} v
 * @param {boolean} isPicked
 * @param {() => void} pick
 * @param {(place: PointerEvent) => void} tip
 */
const mark = (f, trial, u, v, isPicked, pick, tip) => {
  const [cx, cy, kind] = [f.X(u), f.Y(v), kindOf(trial)];
  const ring = { stroke: colour("card"), "stroke-width": 1 };
  const looks = {
    front: () => svg("circle", { cx, cy, r: 6, fill: colour("blue"), ...ring }),
    other: () => svg("circle", { cx, cy, r: 4.2, fill: colour("sky"), ...ring }),
    waiting: () => svg("circle", { cx, cy, r: 4.5, fill: "none", stroke: colour("orange"), "stroke-width": 1.8 }),
    broken: () =>
      svg("path", { d: `M${cx - 4} ${cy - 4}l8 8m0 -8l-8 8`, stroke: colour("purple"), "stroke-width": 1.8 }),
  };
  const words = { tabindex: 0, role: "button", "aria-label": `trial ${trial.trial}`, class: `mark ${kind}` };
  const press = (/** @type {Event} */ event) => {
    if (!(event instanceof KeyboardEvent) || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    pick();
  };
  const point = (/** @type {Event} */ event) => event instanceof PointerEvent && tip(event);
  const listeners = { onclick: pick, onkeydown: press, onpointerenter: point, onpointerleave: hideTip };
  // The circle that is not seen makes small marks easy to hit.
  f.over.append(
    svg(
      "g",
      { ...words, "data-trial": trial.trial, style: { cursor: "pointer" }, ...listeners },
      svg("circle", { cx, cy, r: 10, fill: "transparent" }),
      isPicked && svg("circle", { cx, cy, r: 9.5, fill: "none", stroke: colour("ink"), "stroke-width": 1.6 }),
      looks[kind](),
    ),
  );
};

/**
 * A trial that was picked: its results and its parameters.
 * @param {Front} view
 * @param {FrontTrial} trial
 * @param {string} name
 */
const picked = (view, trial, name) => {
  const says = {
    front: "on the front",
    broken: "breaks a limit",
    waiting: `waiting for ${trial.waiting_for.join(", ")}`,
    other: "",
  };
  const results = view.outcomes.map(
    (axis, k) => /** @type {[string, Child]} */ ([axis.name, number(trial.values[k], 6)]),
  );
  const settings = view.parameters.map((one, i) => /** @type {[string, Child]} */ ([one, text(trial.point[i])]));
  return [
    el(
      "h3",
      {},
      el("a", { href: link(name, `trial/${trial.trial}`) }, `trial ${trial.trial}`),
      " ",
      says[kindOf(trial)],
    ),
    pairs(results),
    pairs(settings),
  ];
};

/**
 * The trials on the front as rows; a row picks its trial.
 * @param {Front} view
 * @param {(trial: number) => void} pick
 */
const rows = (view, pick) => {
  const alignment = (/** @type {unknown} */ value) => (typeof value === "number" ? "num" : "");
  const shown = view.trials.filter((trial) => trial.on_front);
  const line = (/** @type {FrontTrial} */ trial) => {
    const values = view.objectives.map(
      (one) => trial.values[view.outcomes.findIndex((axis) => axis.name === one.name)],
    );
    return el(
      "tr",
      {},
      el("td", {}, el("button", { onclick: () => pick(trial.trial) }, trial.trial)),
      values.map((value) => el("td", { class: "num" }, number(value, 6))),
      trial.point.map((value) => el("td", { class: alignment(value) }, text(value))),
    );
  };
  const head = [
    el("th", {}, "trial"),
    view.objectives.map((one) => el("th", { class: "num" }, `${one.name}, ${one.goal}`)),
    view.parameters.map((one, i) => el("th", { class: alignment(shown[0]?.point[i]) }, one)),
  ];
  const lines = shown.map(line);
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines)));
};

/**
 * The drawing of the two results that are chosen.
 * @param {Front} view
 * @param {Choice} choice
 * @param {(trial: number) => void} pick
 * @param {Context} context
 */
const plane = (view, choice, pick, context) => {
  const [x, y] = [scaled(view, choice.x), scaled(view, choice.y)];
  // A drawing is as wide as its place: on a telephone a smaller one has texts that can be read.
  const [width, height] = matchMedia("(max-width: 600px)").matches ? [340, 320] : [520, 420];
  const f = frame({ name: label(x), ticks: x.ticks }, { name: label(y), ticks: y.ticks }, width, height);
  const isShaded = shade(f, x, y);
  const at = (/** @type {FrontTrial} */ trial) => {
    const [a, b] = [trial.values[choice.x], trial.values[choice.y]];
    return a === null || b === null ? null : /** @type {[number, number]} */ ([position(x, a), position(y, b)]);
  };
  const shown = view.trials.flatMap((trial) => {
    const place = at(trial);
    return place ? [{ trial, place }] : [];
  });
  const isFront = view.objectives.length === 2 && x.goal !== null && y.goal !== null && choice.x !== choice.y;
  if (isFront) {
    const points = shown.filter(({ trial }) => trial.on_front).map(({ place }) => place);
    staircase(f, points, x);
  }
  // What matters most lies on top.
  const order = ["broken", "waiting", "other", "front"];
  shown.sort((a, b) => order.indexOf(kindOf(a.trial)) - order.indexOf(kindOf(b.trial)));
  for (const { trial, place } of shown) {
    const tip = (/** @type {PointerEvent} */ event) => {
      const [a, b] = [trial.values[choice.x], trial.values[choice.y]];
      tipOf(context, event, trial.trial, `${x.name} ${number(a)}, ${y.name} ${number(b)}`);
    };
    mark(f, trial, place[0], place[1], trial.trial === choice.trial, () => pick(trial.trial), tip);
  }
  const has = (/** @type {string} */ kind) => shown.some(({ trial }) => kindOf(trial) === kind);
  const meaning = legend(
    has("front") ? ["on the front", "blue"] : null,
    has("other") ? ["measured", "sky"] : null,
    has("waiting") ? ["waiting for a result", "orange", "ring"] : null,
    has("broken") ? ["breaks a limit", "purple", "cross"] : null,
    isShaded ? ["within the limits", "green", "line"] : null,
  );
  const n = view.trials.length - shown.length;
  const missing = n > 0 && el("p", { class: "said" }, `${n} trials lack one of the two results and are not drawn.`);
  return [f.root, meaning, missing];
};

/** @type {Panel<Front>} */
export const front = {
  view: "/front",
  title: "Trade-offs",
  page: "front",
  draw({ body, note }, view, context) {
    const { name } = context;
    note.textContent = view.n_left_out ? `the oldest ${view.n_left_out} trials are not shown` : "";
    if (view.outcomes.length < 2) {
      return show(
        body,
        notice("This study has one result", "Trials with two or more named results are compared here."),
      );
    }
    if (!view.trials.length) {
      return show(body, notice("No values yet", "Trials appear here as their results are reported."));
    }
    const objectives = view.outcomes.map((axis, k) => (axis.goal ? k : -1)).filter((k) => k >= 0);
    const choice = choices.get(name) ?? { x: 0, y: objectives[1] ?? 1, trial: null };
    choices.set(name, choice);
    const [drawing, detail, growth] = [el("div"), el("div", { class: "picked" }), el("div")];
    const pick = (/** @type {number} */ trial) => {
      choice.trial = trial;
      draw();
    };
    const axes = /** @type {const} */ (["x", "y"]).map((which) =>
      list(
        which === "x" ? "across" : "up",
        view.outcomes.map((axis, k) => [String(k), axis.name]),
        () => String(choice[which]),
        (k) => {
          choice[which] = Number(k);
          draw();
        },
      ),
    );
    const draw = () => {
      axes.forEach((one) => one.agree());
      show(drawing, plane(view, choice, pick, context));
      const trial = view.trials.find((one) => one.trial === choice.trial);
      show(
        detail,
        trial ? picked(view, trial, name) : notice("Pick a trial", "Its results and parameters are shown here."),
      );
    };
    const several = view.objectives.length > 1;
    const references = view.objectives.map(
      ({ name, reference, is_inferred }) => `${name} ${number(reference)}${is_inferred ? " (inferred)" : ""}`,
    );
    show(
      body,
      el(
        "div",
        { class: "row" },
        axes.map((one) => one.root),
      ),
      el("div", { class: "tradeoff" }, drawing, detail),
      several && [
        el(
          "h2",
          {},
          "On the front",
          el("small", {}, `${view.points.length} trials that no other trial beats in every objective`),
        ),
        rows(view, pick),
        el("h2", {}, "Hypervolume", el("small", {}, `of the front so far, measured from ${references.join(", ")}`)),
        growth,
      ],
    );
    draw();
    if (!several) return;
    if (view.history.length) {
      // It holds until the last trial, also of those that do not count.
      const last = { trial: view.trials[view.trials.length - 1].trial, hypervolume: view.hypervolume ?? 0 };
      const steps = view.history[view.history.length - 1].trial < last.trial ? [...view.history, last] : view.history;
      stepsChart(
        growth,
        steps.map((step) => step.trial),
        steps.map((step) => step.hypervolume),
      );
    } else
      show(growth, notice("No trial counts yet", "A trial counts once it has every objective and keeps all limits."));
  },
};
