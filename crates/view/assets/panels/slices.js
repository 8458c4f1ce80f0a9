import { sliceCharts } from "../charts.js";
import { el, legend, show } from "../dom.js";

/** @import { Slices } from "../api" */
/** @import { Panel } from "./panel.js" */

/** @type {Panel<Slices>} */
export const slices = {
  view: "/slices",
  title: "Slices of the model",
  page: "model",
  note: "through the recommended point; the band is two standard deviations",
  draw({ body }, view) {
    // A chart is as wide as its place, which is narrower the more places there are: so all places come first.
    const places = view.slices.map((slice) => ({ slice, place: el("div") }));
    const columns = places.map(({ slice, place }) => el("div", {}, el("h3", {}, slice.axis.name), place));
    const meaning = legend(
      ["expected", "blue", "line"],
      ["acquisition before penalization", "orange", "line"],
      ["after", "green", "line"],
      view.slices.some((slice) => slice.within_limits) ? ["chance within the limits", "vermillion", "line"] : null,
      view.slices.some((slice) => slice.chance) ? ["chance of a value", "purple", "line"] : null,
    );
    show(body, el("div", { class: "slices" }, columns), meaning);
    places.forEach(({ slice, place }) => sliceCharts(place, slice, view.log_floor));
  },
};
