import { colour, el, number, show } from "../dom.js";
import { heatmap } from "../planes.js";

/** @import { Surface } from "../api" */
/** @import { Dot } from "../planes.js" */
/** @import { Panel } from "./panel.js" */

/** @type {Panel<Surface>} */
export const surface = {
  view: "/surface",
  title: "Model and acquisition over two parameters",
  page: "map",
  overTwo: true,
  note: "the others as in the recommended point",
  draw({ body }, view) {
    const planes = el("div", { class: "planes" });
    show(body, planes);
    const observed = view.observed.map((p) => ({ ...p, r: 2.2, fill: "#fff", title: `trial ${p.trial}` }));
    const pending = view.pending.map((p) => ({
      ...p,
      r: 4.5,
      fill: colour("green"),
      title: `trial ${p.trial}, pending`,
    }));
    /** @type {(title: string, values: number[], dots: Dot[], range?: [number, number]) => void} */
    const plane = (title, values, dots, range) => {
      const [low, high] = range ?? [Math.min(...values), Math.max(...values)];
      const ends = range ? null : el("small", {}, `  ${number(low, 3)} (blue) to ${number(high, 3)} (yellow)`);
      const drawing = heatmap(view.x, view.y, view.n, values, dots, [low, high]);
      planes.append(el("div", {}, el("h3", {}, title, ends), drawing));
    };
    plane("expected value", view.mean, [...observed, ...pending]);
    plane("uncertainty (sd)", view.sd, [...observed, ...pending]);
    plane("acquisition before penalization", view.before, pending, [0, 1]);
    plane("acquisition after penalization", view.after, pending, [0, 1]);
    if (view.chance) plane("chance of a value", view.chance, [...observed, ...pending], [0, 1]);
  },
};
