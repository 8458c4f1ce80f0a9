import { colour, number, short, show, svg } from "../dom.js";

/** @import { Importance, Weight } from "../api" */
/** @import { Panel } from "./panel.js" */

const [LINE, LETTER] = [30, 6.5];

/**
 * A bar with its whiskers.
 * @param {Weight} row
 * @param {number} i
 * @param {number} left Where bars begin.
 * @param {(share: number) => number} across
 */
const bar = (row, i, left, across) => {
  const y = i * LINE + LINE / 2;
  const [low, high] = [across(row.low), across(row.high)];
  const box = { x: left, y: y - 8, width: Math.max(across(row.share) - left, 1), height: 16, rx: 3 };
  const title = svg("title", {}, `${number(row.share, 3)} (${number(row.low, 3)} to ${number(row.high, 3)})`);
  const whiskers = `M${low} ${y}H${high}M${low} ${y - 5}v10M${high} ${y - 5}v10`;
  return [
    svg("text", { class: "ink", x: left - 8, y: y + 4, "text-anchor": "end" }, short(row.name, (left - 12) / LETTER)),
    svg("rect", { class: "bar", ...box, fill: colour("blue") }, title),
    svg("path", { d: whiskers, stroke: colour("ink"), "stroke-width": 1.4 }),
  ];
};

/** @type {Panel<Importance>} */
export const importance = {
  view: "/importance",
  title: "Importance of parameters",
  page: "map",
  size: "half",
  note: "share of the variation that each parameter contributes to; whiskers span the middle 80 %",
  draw({ body }, { rows }) {
    const height = rows.length * LINE;
    const width = Math.max(body.clientWidth, 280);
    // Names have the room that they need, up to two fifths of the width.
    const longest = Math.max(...rows.map((row) => row.name.length), 0);
    const left = Math.max(130, Math.min(12 + LETTER * longest, 0.4 * width));
    const across = (/** @type {number} */ share) => left + Math.min(share, 1) * (width - left - 20);
    const scale = [0, 0.25, 0.5, 0.75, 1].map((share) =>
      svg("text", { x: across(share), y: height + 18, "text-anchor": "middle" }, `${100 * share} %`),
    );
    const look = { class: "chart", viewBox: `0 0 ${width} ${height + 26}`, role: "img" };
    show(
      body,
      svg(
        "svg",
        look,
        rows.map((row, i) => bar(row, i, left, across)),
        scale,
      ),
    );
  },
};
