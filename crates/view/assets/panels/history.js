import { crossesOf, historyChart, watchedChart } from "../charts.js";
import { el, legend, notice, number, show } from "../dom.js";
import { whyLinear } from "../scale.js";

/** @import { History } from "../api" */
/** @import { Panel } from "./panel.js" */

/**
 * What is wanted of a result, in words.
 * @param {{ goal?: string | null, at_least?: number | null, at_most?: number | null }} one
 */
const wanted = ({ goal, at_least, at_most }) =>
  [
    goal,
    at_least !== undefined && `at least ${number(at_least)}`,
    at_most !== undefined && `at most ${number(at_most)}`,
  ]
    .filter(Boolean)
    .join(", ");

/** @type {Panel<History>} */
export const history = {
  view: "/history",
  title: "Values",
  size: "two",
  draw({ body, note }, view, context) {
    const kinds = crossesOf(view);
    const shown = view.thinned
      ? `${view.n_values} values; only the extremes of each stretch are drawn`
      : "each trial, and the best so far";
    note.textContent = [shown, whyLinear(view.value)].filter(Boolean).join("; ");
    const watched = view.watched ?? [];
    if (!view.n_values && !kinds.length && !watched.length) {
      return show(body, notice("No values yet", "They appear here as results are reported."));
    }
    const place = el("div");
    const crosses = kinds.map(([kind, hue]) => /** @type {[string, string, string]} */ ([kind, hue, "cross"]));
    const others = watched.map((one) => ({ one, place: el("div", { "data-result": one.name }) }));
    show(
      body,
      place,
      legend([view.metric, "sky"], ["best so far", "blue", "line"], ...crosses),
      others.map(({ one, place }) => [el("h2", {}, one.name, el("small", {}, wanted(one))), place]),
    );
    historyChart(place, view, context);
    others.forEach(({ one, place }) => watchedChart(place, one, context));
  },
};
