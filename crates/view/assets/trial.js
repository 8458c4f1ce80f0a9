// The page of one trial: what it is, why its point was chosen, and what can be done with it.
import { button, measurements, send, settings } from "./changes.js";
import { card, el, number, pairs, plusMinus, show, tag, text } from "./dom.js";
import { load } from "./panels/panel.js";
import { address } from "./source.js";
import { link } from "./state.js";

/** @import { BeliefThen, Neighbour, Point, TrialAnswer, Why } from "./api" */
/** @import { Context, Draw } from "./state.js" */

/**
 * What is known of it.
 * @param {TrialAnswer} row
 * @param {Context} context
 */
const facts = (row, { seen }) => {
  /** @type {[string, Child][]} */
  const all = [
    ["state", tag(row.state)],
    [seen.metric, number(row.value, 8)],
  ];
  const named = Object.entries(row.results).filter(([name]) => name !== "value" && name !== seen.metric);
  named.forEach(([name, value]) => all.push([name, number(value, 8)]));
  const has = seen.parameters.filter((name) => name in row.point);
  has.forEach((name) => all.push([name, text(row.point[name])]));
  all.push(["source", row.source], ["handed out", row.attempts === 1 ? "once" : `${row.attempts} times`]);
  if (row.worker) all.push(["worker", row.worker]);
  if (row.reason) all.push(["reason", row.reason]);
  if (row.waiting_for?.length) all.push(["waiting for", row.waiting_for.join(", ")]);
  if (row.feasible) all.push(["limits", "keeps them all"]);
  for (const { outcome, value, at_least, at_most } of row.broken_limits ?? []) {
    const limit = [
      at_least !== undefined && `at least ${number(at_least)}`,
      at_most !== undefined && `at most ${number(at_most)}`,
    ];
    all.push(["breaks a limit", `${outcome} is ${number(value)}, but should be ${limit.filter(Boolean).join(", ")}`]);
  }
  // A single measurement is the value above.
  if (row.measurements.some((m) => m.kind !== "first"))
    row.measurements.forEach((m) => all.push(["measured", `${number(m.value, 8)} (${m.kind})`]));
  row.notes.forEach((note) => all.push(["note", note]));
  return pairs(all);
};

/**
 * Trials that lie near.
 * @param {Neighbour[]} all
 * @param {Context} context
 */
const neighbours = (all, { name, seen }) => {
  const line = (/** @type {Neighbour} */ one) =>
    el(
      "tr",
      {},
      el("td", {}, el("a", { href: link(name, `trial/${one.trial}`) }, one.trial)),
      el("td", { class: "num" }, number(one.distance, 3)),
      el("td", { class: "num" }, number(one.value)),
    );
  const heads = [
    el("th", {}, "trial"),
    el("th", { class: "num" }, "lengthscales away"),
    el("th", { class: "num" }, seen.metric),
  ];
  return el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, all.map(line)));
};

/** @param {BeliefThen} belief */
const leaning = ({ exploit }) => {
  const [word, share] = exploit > 0.5 ? ["exploit", 100 * exploit] : ["explore", 100 - 100 * exploit];
  return `${word} (${Math.round(share)} % of the expected improvement)`;
};

/**
 * A point on one line.
 * @param {Point} point
 */
const onOneLine = (point) =>
  Object.entries(point).map(([name, value]) => [el("span", { class: "word" }, `${name}=${text(value)}`), " "]);

/**
 * What the point was worth to the strategy, and the terms that this is the sum of.
 * @param {BeliefThen} belief
 * @returns {[string, Child][]}
 */
const worth = ({ strategy, score }) => [
  [`score for ${strategy.replaceAll("_", " ")}`, number(score.total, 4)],
  ...score.terms
    // What is left after four digits is nothing, and pending trials that take nothing away are left out.
    .map((term) => ({ ...term, value: Math.abs(term.value ?? NaN) < 5e-5 ? 0 : term.value }))
    .filter((term) => term.trial === null || term.value !== 0)
    .map(
      (term) =>
        /** @type {[string, Child]} */ ([
          // "ln" reads as "In" in a font without serifs.
          term.name.replace(/^ln /, "log of ").replaceAll("`", "") +
            (term.trial === null ? "" : ` of trial ${term.trial}`),
          number(term.value, 4),
        ]),
    ),
];

/**
 * What was believed of the point before it was tried.
 * @param {BeliefThen} belief
 * @param {TrialAnswer} row
 * @param {Context} context
 */
const believed = (belief, row, context) => {
  /** @type {[string, Child][]} */
  const all = [
    ["model", `fitted to ${belief.subset ? "some of " : ""}${belief.n_observed} results, best ${number(belief.best)}`],
    [`predicted ${context.seen.metric}`, plusMinus(belief.mean, belief.sd)],
  ];
  if (row.value !== null) all.push([`measured ${context.seen.metric}`, number(row.value)]);
  // The improvement of one of several objectives is not what the point was chosen for.
  const objectives = (context.seen.outcomes ?? []).filter(({ goal, near }) => goal || typeof near === "number");
  if (objectives.length < 2) all.push(["balance", leaning(belief)]);
  if (belief.chance !== null) all.push(["chance of a value", `${Math.round(100 * belief.chance)} %`]);
  all.push(...worth(belief));
  if (belief.pending.length) all.push(["uncertainty with pending", `± ${number(belief.sd_with_pending, 3)}`]);
  if (belief.without_pending) all.push(["if nothing were pending", onOneLine(belief.without_pending)]);
  const pending = [
    el("h2", {}, "Pending at that time", el("small", {}, "the search kept away from these")),
    neighbours(belief.pending.slice(0, 6), context),
  ];
  const nearest = [el("h2", {}, "Nearest results"), neighbours(belief.nearest, context)];
  return [pairs(all), belief.pending.length > 0 && pending, nearest];
};

/**
 * What became of a report, in words for people.
 * @type {Record<string, string>}
 */
const becameOf = {
  recorded: "recorded",
  replicate: "recorded as a further value",
  late: "recorded, although the trial had ended",
  aside: "recorded; the trial still waits for its value",
  appended: "recorded",
  repeated: "recorded before",
  superseded: "not recorded: another worker has this trial by now",
  queued: "it goes to whoever asks next",
};

/** @param {string} word */
const inPlain = (word) => becameOf[word] ?? word;

/**
 * What can be done with it.
 * @param {TrialAnswer} row
 * @param {Context} context
 * @param {HTMLElement} body
 */
const changes = (row, context, body) => {
  const said = el("p", { class: "said", role: "status" });
  const about = { trial: row.trial };
  const act = (/** @type {string} */ label, /** @type {() => Promise<string>} */ work, isMain = false) =>
    button(context, label, said, work, isMain);
  const line = (/** @type {Child[]} */ ...children) => [el("div", { class: "row" }, children), el("p")];

  const results = measurements(context);
  const tell = async () => {
    const measured = results.told();
    if (!measured) throw new Error("enter a number");
    const answer = await send(context, "/tell", { ...about, ...measured });
    return answer.hint ? `${inPlain(answer.told)}: ${answer.hint}` : inPlain(answer.told);
  };

  const reason = el("input", { type: "text", "aria-label": "reason", placeholder: "reason" });
  const fail = async () => inPlain((await send(context, "/fail", { ...about, reason: reason.value })).reported);
  const infeasible = async () =>
    inPlain((await send(context, "/fail", { ...about, reason: reason.value, infeasible: true })).reported);

  const release = async () => inPlain((await send(context, "/release", about)).reported);
  const requeue = async () =>
    inPlain((await context.source.post(address(context.name, "/release"), { ...about, again: true })).reported);

  const edited = settings(context, row.point);
  const replace = async () => {
    const added = await send(context, "/add", { point: edited.point(), instead_of: row.trial });
    return `replaced by trial ${added.trial}`;
  };
  const isUnderWay = ["running", "queued", "lost"].includes(row.state);
  show(
    body,
    line(results.root, act(row.value === null ? "Report" : "Report another value", tell, true)),
    // A failure after a value changes nothing, and only a trial that is under way can be released.
    (isUnderWay || row.state === "complete" || row.state === "failed") &&
      line(reason, isUnderWay && act("Failed", fail), act("Infeasible", infeasible)),
    isUnderWay && line(act("Release", release), act("Hand out again", requeue)),
    isUnderWay && line(edited.root, act("Run this point instead", replace)),
    said,
  );
};

/**
 * @param {string} id
 * @param {HTMLElement} root
 * @param {Context} context
 * @returns {Draw}
 */
export const trial = (id, root, context) => {
  const what = card(`Trial ${id}`);
  const reasons = card("Why this point?", "half");
  const change = context.writes ? card("Change this trial") : null;
  // What it is and what can be done with it, beside why it was chosen.
  const left = el("div", { class: "half stack" }, what.root, change?.root);
  root.append(left, reasons.root);
  let isFirst = true;
  return () =>
    load(context, `/trials/${id}`, what.body, (/** @type {TrialAnswer} */ view) => {
      show(what.body, facts(view, context));
      // Reasons do not change, and what somebody types is not to be drawn over.
      if (!isFirst) return;
      isFirst = false;
      load(context, `/trials/${id}/why`, reasons.body, (/** @type {Why} */ why) => {
        const fallback = why.fallback && el("p", { class: "said" }, why.fallback);
        const belief = why.belief && believed(why.belief, view, context);
        show(reasons.body, el("p", {}, why.summary), fallback, belief);
      });
      if (change) changes(view, context, change.body);
    });
};
