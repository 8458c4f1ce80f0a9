import { crossesOf, historyChart } from "../charts.js";
import { el, legend, notice, show } from "../dom.js";

/** @import { History } from "../api" */
/** @import { Panel } from "./panel.js" */

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
    if (!view.n_values && !kinds.length) {
      return show(body, notice("No value yet", "Values appear here as trials are told."));
    }
    const place = el("div");
    const crosses = kinds.map(([kind, hue]) => /** @type {[string, string, string]} */ ([kind, hue, "cross"]));
    show(body, place, legend(["value", "sky"], ["best so far", "blue", "line"], ...crosses));
    historyChart(place, view);
  },
};
