import { chart, limits, valueAxis, values } from "../charts.js";
import { colour, el, legend, short, show } from "../dom.js";
import { extent, isLog } from "../scale.js";

/** @import { Slice, Slices } from "../api" */
/** @import { Panel } from "./panel.js" */

/**
 * Upright bars from one series to another, at each place.
 * @param {number} low
 * @param {number} high
 * @param {string} hue
 */
const whiskers = (low, high, hue) => (/** @type {Chart} */ u) => {
  const { ctx } = u;
  const r = 4 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colour(hue);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  u.data[0].forEach((at, i) => {
    const x = u.valToPos(at, "x", true);
    const [a, b] = [low, high].map((k) => u.valToPos(u.data[k][i], "y", true));
    ctx.beginPath();
    ctx.moveTo(x, a);
    ctx.lineTo(x, b);
    ctx.moveTo(x - r, a);
    ctx.lineTo(x + r, a);
    ctx.moveTo(x - r, b);
    ctx.lineTo(x + r, b);
    ctx.stroke();
  });
  ctx.restore();
};

/**
 * A series of a slice. Categories have nothing between them, so no line joins them: they are marks.
 * @param {boolean} category
 * @param {string} hue
 * @param {SeriesOptions} line
 * @param {number} size
 * @returns {SeriesOptions}
 */
const sliceSeries = (category, hue, line, size) => {
  const marks = { paths: () => null, points: { show: true, size, fill: colour(hue) } };
  return { stroke: colour(hue), ...(category ? marks : { points: { show: false }, ...line }) };
};

/**
 * What is expected along a parameter, and below it the acquisition.
 * @param {HTMLElement} root
 * @param {Slice} slice
 * @param {number | null} floor On a log scale the least value that the band is drawn down to.
 * @param {Map<string, number | null>} floors The same of other results, by name.
 */
const sliceCharts = (root, slice, floor, floors = new Map()) => {
  const { ticks, category } = slice.axis;
  const [above, below] = [el("div"), el("div")];
  const others = (slice.others ?? []).map((one) => ({ one, place: el("div", { "data-result": one.name }) }));
  show(
    root,
    above,
    el("h4", {}, "acquisition"),
    below,
    others.map(({ one, place }) => [el("h4", {}, one.name), place]),
  );
  // As many letters as have room beside their neighbours.
  const fits = Math.max(4, Math.floor((above.clientWidth - 80) / Math.max(ticks.length, 1) / 6.5));
  const across = { time: false, range: category ? [-0.12, 1.12] : [0, 1] };
  const x = { splits: () => ticks.map((t) => t.at), values: () => ticks.map((t) => short(t.label, fits)) };
  const y = valueAxis(floor !== null);
  const low = slice.mean.map((m, i) => Math.max(m - 2 * slice.sd[i], floor ?? -Infinity));
  const rim = { stroke: "transparent", paths: category ? () => null : undefined, points: { show: false } };
  /** @type {Pick<ChartOptions, "bands">} */
  const band = { bands: category ? [] : [{ series: [2, 3], fill: colour("blue") + "33" }] };
  const series = [{}, sliceSeries(category, "blue", { width: 2 }, 9), rim, rim];
  const marks = category ? [whiskers(3, 2, "blue")] : [];
  const log = floor !== null;
  chart(above, 170, { scales: { x: across, y: values(log) }, axes: [x, y], series, ...band, hooks: { draw: marks } }, [
    slice.u,
    slice.mean,
    slice.mean.map((m, i) => m + 2 * slice.sd[i]),
    low,
  ]);
  chart(
    below,
    96,
    {
      scales: { x: across, y: { range: [0, 1.05] } },
      axes: [x, { ...valueAxis(false), values: () => [] }],
      series: [
        {},
        sliceSeries(category, "orange", { width: 1.5, dash: [5, 4] }, 11),
        sliceSeries(category, "green", { width: 2, fill: colour("green") + "22" }, 7),
        ...(slice.chance ? [sliceSeries(category, "purple", { width: 1.5, dash: [2, 3] }, 9)] : []),
        ...(slice.within_limits ? [sliceSeries(category, "vermillion", { width: 1.5, dash: [7, 3] }, 9)] : []),
      ],
    },
    [slice.u, slice.before, slice.after, ...[slice.chance, slice.within_limits].filter((line) => !!line)],
  );
  for (const { one, place } of others) {
    const least = floors.get(one.name) ?? null;
    const rims = [1, -1].map((side) => one.mean.map((m, i) => Math.max(m + side * 2 * one.sd[i], least ?? -Infinity)));
    chart(
      place,
      120,
      {
        scales: { x: across, y: values(least !== null) },
        axes: [x, valueAxis(least !== null, 16)],
        series,
        ...band,
        hooks: { draw: [...marks, limits(one)] },
      },
      [slice.u, one.mean, ...rims],
    );
  }
};

/**
 * What a band is drawn down to on a log scale: a decade below all that is expected; none on a linear one.
 * @param {number[]} means
 * @param {boolean} [suggested]
 */
const floorOf = (means, suggested) => (isLog(means, suggested) ? extent(means)[0] / 10 : null);

/**
 * The same of the other results, by name.
 * @param {Slices} view
 */
const floors = (view) => {
  /** @type {Map<string, number[]>} */
  const all = new Map();
  for (const one of view.slices.flatMap((slice) => slice.others ?? [])) {
    all.set(one.name, [...(all.get(one.name) ?? []), ...one.mean]);
  }
  return new Map([...all].map(([name, means]) => [name, floorOf(means)]));
};

/** @param {{ at_least?: number | null, at_most?: number | null }} result */
const isLimited = ({ at_least, at_most }) => typeof at_least === "number" || typeof at_most === "number";

/** @type {Panel<Slices>} */
export const slices = {
  view: "/slices",
  title: "Slices of the model",
  page: "model",
  note: "through the recommended point; the band is ± two standard deviations",
  draw({ body }, view, { seen }) {
    const drawn = view.slices.map((slice) => slice.axis.name);
    const absent = seen.axes.filter(({ name }) => !drawn.includes(name)).map(({ name }) => name);
    const missing =
      absent.length > 0 && `Not shown, because the recommended point does not have it: ${absent.join(", ")}`;
    // A chart is as wide as its place, which is narrower the more places there are: so all places come first.
    const places = view.slices.map((slice) => ({ slice, place: el("div") }));
    const columns = places.map(({ slice, place }) => el("div", {}, el("h3", {}, slice.axis.name), place));
    const meaning = legend(
      ["expected", "blue", "line"],
      ["acquisition before penalization", "orange", "dashed"],
      ["after penalization", "green", "line"],
      view.slices.some((slice) => slice.within_limits) ? ["chance within the limits", "vermillion", "dashed"] : null,
      view.slices.some((slice) => slice.chance) ? ["chance of a value", "purple", "dotted"] : null,
      view.slices.some((slice) => slice.others?.some(isLimited)) ? ["limit", "green", "dashed"] : null,
    );
    show(body, el("div", { class: "slices" }, columns), meaning, missing && el("p", { class: "said" }, missing));
    const others = floors(view);
    const means = view.slices.flatMap((slice) => slice.mean);
    const floor = floorOf(means, view.log_floor !== null);
    places.forEach(({ slice, place }) => sliceCharts(place, slice, floor, others));
  },
};
