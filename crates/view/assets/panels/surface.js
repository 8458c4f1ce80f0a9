import { colour, el, number, show } from "../dom.js";
import { heatmap, sizeIn } from "../planes.js";
import { extent, isLog, scale } from "../scale.js";

/** @import { Surface } from "../api" */
/** @import { Colours, Dot } from "../planes.js" */
/** @import { Panel } from "./panel.js" */

/** The least share of the largest acquisition that a log scale tells from nothing. */
const LEAST = 1e-6;

/**
 * The colours of what is expected, or of its deviation.
 * @param {number[]} values
 */
const free = (values) => {
  const [low, high] = extent(values);
  return { low, high, log: isLog(values) };
};

/**
 * The colours of shares of the largest. Where hardly any of the plane is worth a tenth of it, a log scale shows more.
 * @param {number[]} shares
 */
const share = (shares) => {
  const isPeak = shares.filter((s) => s > 0.1).length < 0.02 * shares.length;
  const log = scale() === "log" || (scale() === "auto" && isPeak);
  return { low: log ? LEAST : 0, high: 1, log };
};

/** @type {Panel<Surface>} */
export const surface = {
  view: "/surface",
  title: "Model and acquisition over two parameters",
  page: "map",
  overTwo: true,
  note: "the other parameters as in the recommended point",
  draw({ body }, view, context) {
    const planes = el("div", { class: "planes wide" });
    show(body, planes);
    const observed = view.observed.map((p) => ({ ...p, r: 2.6, fill: "#fff", words: number(p.value) }));
    const pending = view.pending.map((p) => ({ ...p, r: 4.5, fill: colour("green"), words: "pending" }));
    /** @type {(title: string, values: number[], dots: Dot[], colours: Colours) => void} */
    const plane = (title, values, dots, colours) => {
      const place = el("div", {}, el("h3", {}, title));
      planes.append(place);
      place.append(heatmap(view.x, view.y, view.n, values, dots, colours, context, sizeIn(place)));
    };
    // As in the map of trials, brighter is better.
    const turned = context.seen.goal === "minimize";
    plane("expected value, brighter is better", view.mean, [...observed, ...pending], { ...free(view.mean), turned });
    plane("uncertainty (standard deviation)", view.sd, [...observed, ...pending], free(view.sd));
    plane("acquisition before penalization", view.before, pending, share(view.before));
    plane("acquisition after penalization", view.after, pending, share(view.after));
    const chance = { low: 0, high: 1, log: false };
    if (view.chance) plane("chance of a value", view.chance, [...observed, ...pending], chance);
  },
};
