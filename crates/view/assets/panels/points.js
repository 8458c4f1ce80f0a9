import { el, notice, number, pairs, plusMinus, show, text } from "../dom.js";
import { link } from "../state.js";

/** @import { Best, FrontAnswer, FrontPoint, Point } from "../api" */
/** @import { Panel } from "./panel.js" */

const ROWS = 12;

/**
 * The trials on the front, as far as there is room.
 * @param {FrontAnswer} front
 * @param {string} name
 * @param {(trial: number) => Child} linked
 */
const frontOf = (front, name, linked) => {
  const heads = ["", ...front.objectives.map((one) => `${one.name}, ${one.goal}`)];
  const line = (/** @type {FrontPoint} */ one) =>
    el(
      "tr",
      {},
      el("td", {}, linked(one.trial)),
      one.values.map((value) => el("td", { class: "num" }, number(value))),
    );
  const head = heads.map((words, i) => el("th", { class: i ? "num" : "" }, words));
  const lines = front.points.slice(0, ROWS).map(line);
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines));
  const more = front.points.length > ROWS ? `Show all ${front.points.length}` : "Show them as a picture";
  return [
    el("p", {}, "The front: no other trial beats these in every objective."),
    el("div", { class: "scroll" }, table),
    el("p", {}, el("a", { href: link(name, "front") }, more)),
  ];
};

/** @type {Panel<Best>} */
export const points = {
  view: "/best",
  title: "Best points",
  size: "third",
  draw({ body }, { observed, recommended, front, least_infeasible }, { name, seen }) {
    const linked = (/** @type {number} */ trial) => el("a", { href: link(name, `trial/${trial}`) }, `trial ${trial}`);
    const list = (/** @type {Point} */ point) => pairs(seen.parameters.map((name) => [name, text(point[name])]));
    if (!observed && least_infeasible) {
      const broken = (least_infeasible.broken_limits ?? []).map((one) => `${one.outcome} is ${number(one.value)}`);
      return show(
        body,
        el("p", {}, el("b", {}, "No trial keeps all limits. "), "The closest is ", linked(least_infeasible.trial)),
        el("p", {}, broken.join(", ")),
        list(least_infeasible.point),
      );
    }
    if (!observed) return show(body, notice("No values yet", "The best point is shown here once there is one."));
    if (front) return show(body, frontOf(front, name, linked));
    const keeps = observed.feasible ? ", the best that keeps all limits" : "";
    const words = [el("b", {}, number(observed.value, 6)), " ", linked(observed.trial), keeps];
    show(body, el("p", {}, "Observed: ", words), list(observed.point));
    if (!recommended) return;
    const expected = plusMinus(recommended.mean, recommended.sd);
    if (recommended.trial === observed.trial) {
      body.append(el("p", {}, "Recommended: the same point, expected ", el("b", {}, expected)));
      return;
    }
    const tried = recommended.trial === null ? ", not tried yet" : [" at ", linked(recommended.trial)];
    body.append(el("p", {}, "Recommended: expected ", el("b", {}, expected), tried), list(recommended.point));
  },
};
