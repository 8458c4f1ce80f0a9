import { el, notice, number, pairs, show, text } from "../dom.js";
import { link } from "../state.js";

/** @import { Best, Point } from "../api" */
/** @import { Panel } from "./panel.js" */

/** @type {Panel<Best>} */
export const points = {
  view: "/best",
  title: "Best points",
  size: "third",
  draw({ body }, { observed, recommended }, { name, seen }) {
    if (!observed) return show(body, notice("No value yet", "The best point stands here once there is one."));
    const list = (/** @type {Point} */ point) => pairs(seen.parameters.map((name) => [name, text(point[name])]));
    const trial = el("a", { href: link(name, `trial/${observed.trial}`) }, `trial ${observed.trial}`);
    show(body, el("p", {}, "Observed: ", el("b", {}, number(observed.value, 6)), " ", trial), list(observed.point));
    if (!recommended) return;
    const expected = `${number(recommended.mean, 5)} ± ${number(recommended.sd, 2)}`;
    const tried = recommended.trial === null ? ", not tried yet" : ` (trial ${recommended.trial})`;
    body.append(el("p", {}, "Recommended: expected ", el("b", {}, expected), tried), list(recommended.point));
  },
};
