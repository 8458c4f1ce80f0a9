import { sliceCharts } from "../charts.js";
import { el, legend, show } from "../dom.js";

/** @import { Slices } from "../api" */
/** @import { Panel } from "./panel.js" */

const DECADES = 30;

/**
 * Of the results whose expected values span decades, what a band is drawn down to.
 * @param {Slices} view
 */
const floors = (view) => {
  /** @type {Map<string, number[]>} */
  const all = new Map();
  for (const one of view.slices.flatMap((slice) => slice.others ?? [])) {
    all.set(one.name, [...(all.get(one.name) ?? []), Math.min(...one.mean), Math.max(...one.mean)]);
  }
  const spans = [...all].map(([name, ends]) => ({ name, least: Math.min(...ends), most: Math.max(...ends) }));
  const wide = spans.filter(({ least, most }) => least > 0 && most / least > DECADES);
  return new Map(wide.map(({ name, least }) => [name, least / 10]));
};

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
    const others = floors(view);
    places.forEach(({ slice, place }) => sliceCharts(place, slice, view.log_floor, others));
  },
};
