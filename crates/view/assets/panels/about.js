import { button } from "../changes.js";
import { el, number, pairs, show } from "../dom.js";
import { address } from "../source.js";

/** @import { Outcome, Overview } from "../api" */
/** @import { Context } from "../state.js" */
/** @import { Panel } from "./panel.js" */

/**
 * Another budget, for whoever may write.
 * @param {Context} context
 */
export const budget = (context) => {
  const said = el("span", { class: "said", role: "status" });
  const trials = el("input", { id: "budget", type: "number", min: 1, step: 1, placeholder: "no limit" });
  trials.value = String(context.seen.budget ?? "");
  const set = button(context, "Set the budget", said, async () => {
    const wanted = { trials: trials.value === "" ? null : Number(trials.value) };
    const answer = await context.source.post(address(context.name, "/budget"), wanted);
    return answer.trials === null ? "the budget is now unlimited" : `the budget is now ${answer.trials} trials`;
  });
  return el("div", { class: "row" }, el("label", {}, "budget, in trials", trials), set, said);
};

/**
 * What is wanted of every result.
 * @param {Overview} seen
 */
const goals = (seen) => {
  const one = (/** @type {Outcome} */ { name, goal, near, worst, at_least, at_most, score }) =>
    [
      `${goal ? `${goal} ` : ""}${name}`,
      present(near) && `near ${number(near)}`,
      present(at_least) && `at least ${number(at_least)}`,
      present(at_most) && `at most ${number(at_most)}`,
      present(worst) && `(worst ${number(worst)})`,
      score && `= ${score}`,
    ]
      .filter(Boolean)
      .join(" ");
  // What is only recorded is no goal.
  const wanted = (seen.outcomes ?? []).filter((o) => o.goal || [o.near, o.at_least, o.at_most].some(present));
  return wanted.length ? wanted.map(one).join("; ") : seen.goal;
};

/** @param {number | null | undefined} value */
const present = (value) => value !== null && value !== undefined;

/** @type {Panel<Overview>} */
export const about = {
  view: "",
  title: "This study",
  size: "half",
  draw({ root, body }, seen, context) {
    if (context.writes && !root.querySelector("#budget")) root.append(budget(context));
    const builds = (seen.builds ?? []).map((build) => `elbowroom ${build}`);
    show(
      body,
      pairs([
        ["strategy", seen.strategy],
        ["goal", goals(seen)],
        ["initial design", `${seen.n_initial} points`],
        ["seed", String(seen.seed)],
        ["budget", String(seen.budget ?? "none")],
        ["events", String(seen.revision)],
        ["log hash", el("code", {}, seen.log_hash)],
        ["chosen by", builds.join("; ") || "no trials yet"],
        ["shown by", `elbowroom ${seen.version}`],
        ["constraints", seen.constraints.join("; ") || "none"],
      ]),
    );
  },
};
