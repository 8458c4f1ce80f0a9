// Linear or logarithmic: one switch for every view. Unless somebody chooses, each view takes the scale that shows more.
import { number } from "./dom.js";

/** @import { Tick } from "./api" */

/** @typedef {"auto" | "log" | "linear"} Scale */

/** @type {[scale: Scale, label: string][]} */
export const SCALES = [
  ["auto", "auto scale"],
  ["log", "log scale"],
  ["linear", "linear scale"],
];

const KEPT = "elbow-scale";

/**
 * The scale that is chosen.
 * @returns {Scale}
 */
export const scale = () => SCALES.find(([one]) => one === localStorage.getItem(KEPT))?.[0] ?? "auto";

/** @param {Scale} wanted */
export const setScale = (wanted) => localStorage.setItem(KEPT, wanted);

/** From one scale to the next, and from the last to the first. */
export const turnScale = () => {
  const at = SCALES.findIndex(([one]) => one === scale());
  setScale(SCALES[(at + 1) % SCALES.length][0]);
};

/** More than this between the largest and the smallest is easier to read on a log scale. */
const WIDE = 30;

/**
 * The smallest and the largest of many numbers, without those that are missing.
 * @param {Iterable<number | null | undefined>} values
 * @returns {[low: number, high: number]}
 */
export const extent = (values) => {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v === null || v === undefined || !Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  return [low, high];
};

/**
 * Whether values are drawn on a log scale, which takes positive ones only.
 * @param {Iterable<number | null | undefined>} values
 * @param {boolean} [suggested] What is taken unless somebody chose; by default, whether the values span decades.
 */
export const isLog = (values, suggested) => {
  const [low, high] = extent(values);
  if (!(low > 0) || !Number.isFinite(high) || scale() === "linear") return false;
  return scale() === "log" || (suggested ?? high / low > WIDE);
};

/**
 * What is said where a log scale was chosen, and there is something that it cannot show.
 * @param {Iterable<number | null | undefined>} values
 */
export const whyLinear = (values) =>
  scale() === "log" && extent(values)[0] <= 0 ? "linear scale: some values are not positive" : "";

/**
 * Where a value is between two others, from 0 to 1.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 * @param {boolean} log
 */
export const along = (value, low, high, log) => {
  if (!(high > low)) return 0.5;
  if (log) return value > 0 ? Math.log(value / low) / Math.log(high / low) : 0;
  // Halved first: the difference of 1e308 and -1e308 is infinite.
  return (value / 2 - low / 2) / (high / 2 - low / 2);
};

/**
 * Round numbers from one value to another.
 * @param {number} low
 * @param {number} high
 * @param {boolean} log
 */
const round = (low, high, log) => {
  if (log && high / low >= 10) {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
    if (last - first < 2) {
      const all = [first - 1, first, first + 1].flatMap((k) => [1, 2, 5].map((m) => Number(`${m}e${k}`)));
      return all.filter((v) => v >= low && v <= high);
    }
    const step = Math.max(1, Math.ceil((last - first) / 5));
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => Number(`1e${first + i * step}`));
  }
  const rough = high / 5 - low / 5;
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  const n = Math.min(Math.floor(high / step + 1e-9) - first, 20);
  return Array.from({ length: n + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
};

/**
 * What is written on an axis or on a colour bar, and where.
 * @param {number} low
 * @param {number} high
 * @param {boolean} log
 * @returns {Tick[]}
 */
export const ticks = (low, high, log) =>
  round(low, high, log).map((v) => ({ at: along(v, low, high, log), label: number(v, 4) }));
