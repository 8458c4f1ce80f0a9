import { ago, el, lasting, number } from "../dom.js";

/** @import { Overview } from "../api" */

/**
 * How long ago the last event was.
 * @param {Overview} seen
 */
export const since = (seen) => (seen.now && seen.changed ? `${ago(seen.changed, seen.now)} ago` : "–");

/**
 * How long ago the study was created.
 * @param {Overview} seen
 */
export const lasted = (seen) =>
  seen.now && seen.created ? `the study was created ${ago(seen.created, seen.now)} ago` : "";

/**
 * The last event of a report, which is read at any time after it was written: its date.
 * @param {Overview} seen
 */
const dated = (seen) => {
  if (!seen.changed) return tile("last event", "–", "");
  // Swedes write dates as ISO 8601 does.
  const [date, time] = new Date(seen.changed).toLocaleString("sv").split(" ");
  const after = seen.created ? `, ${ago(seen.created, seen.changed)} after the study was created` : "";
  return tile("last event", date, `${time}${after}`);
};

/**
 * @param {string} label
 * @param {Child} big
 * @param {Child} under
 * @param {number} [share] How full its meter is.
 */
const tile = (label, big, under, share) => {
  const width = `${Math.min(100, 100 * (share ?? 0))}%`;
  return el(
    "div",
    { class: "tile" },
    el("div", { class: "label" }, label),
    el("div", { class: typeof big === "string" && big.length > 8 ? "big long" : "big" }, big),
    el("div", { class: "under" }, under || "\u00a0"),
    share !== undefined && el("div", { class: "meter" }, el("i", { style: { width } })),
  );
};

/**
 * Where the estimate of the time left comes from, or why there is none.
 * @param {Overview} seen
 */
const leftUnder = (seen) => {
  if (seen.budget === null) return "no budget is set";
  if (seen.seconds_left !== null) return "at the pace of the last trials";
  if (seen.budget_left === 0 && !seen.counts.running) return "the budget is used up";
  return seen.counts.running ? "no trial has ended yet" : "nothing is running";
};

/**
 * A study in six numbers.
 * @param {Overview} seen
 * @param {boolean} [isReport]
 */
export const tiles = (seen, isReport) => {
  const { best, counts, budget } = seen;
  const used = (budget ?? 0) - (seen.budget_left ?? 0);
  const breaks = best?.breaks ? `, breaks the constraint ${best.breaks}` : "";
  const isLimited = seen.n_feasible !== undefined && seen.n_feasible !== null;
  const feasible = isLimited ? `, ${seen.n_feasible} keep the limits` : "";
  const nothing = isLimited && counts.complete ? "no trial keeps all limits yet" : "no values yet";
  return el(
    "div",
    { class: "tiles", id: "tiles" },
    seen.front
      ? tile("on the front", seen.front.n_points, `hypervolume ${number(seen.front.hypervolume)}${feasible}`)
      : tile(`best (${seen.goal})`, number(best?.value, 6), best ? `trial ${best.trial}${breaks}` : nothing),
    budget
      ? tile("complete", counts.complete, `${used} of ${budget} trials handed out`, used / budget)
      : tile("complete", counts.complete, `${seen.n_trials} trials`),
    tile("running", counts.running, counts.queued ? `${counts.queued} queued` : "none queued"),
    tile("failed", counts.failed, `${counts.infeasible} infeasible, ${counts.lost} lost`),
    tile("time left", seen.seconds_left === null ? "–" : `≈ ${lasting(seen.seconds_left)}`, leftUnder(seen)),
    isReport
      ? dated(seen)
      : tile("last event", el("span", { id: "since" }, since(seen)), el("span", { id: "lasted" }, lasted(seen))),
  );
};
