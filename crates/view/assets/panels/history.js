import { crossesOf, historyChart, watchedChart } from "../charts.js";
import { el, legend, notice, number, show } from "../dom.js";

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
  draw({ body, note }, view) {
    const kinds = crossesOf(view);
    note.textContent = view.thinned
      ? `${view.n_values} values; the extremes of each stretch are drawn`
      : "each trial, and the best so far";
    const watched = view.watched ?? [];
    if (!view.n_values && !kinds.length && !watched.length) {
      return show(body, notice("No value yet", "Values appear here as trials are told."));
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
    historyChart(place, view);
    others.forEach(({ one, place }) => watchedChart(place, one));
  },
};
