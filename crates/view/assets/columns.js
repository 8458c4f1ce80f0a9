// The columns of the table of trials: what each shows, how it sorts, and which of them somebody wants to see.
import { el, lasting, number, show, tag, text } from "./dom.js";
import { link } from "./state.js";

/** @import { Row, Table } from "./api" */

/**
 * @typedef {object} Column
 * @property {string} label
 * @property {string} [sort] What the server sorts by; without one it does not sort.
 * @property {string} [of] The parameter or the result that is sorted by.
 * @property {boolean} isNumber
 * @property {(row: Row) => Child} cell
 */

const KEPT = "elbow-hidden-columns";

/**
 * The labels of the columns that are not to be seen.
 * @returns {Set<string>}
 */
const hidden = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return new Set(Array.isArray(kept) ? kept : []);
  } catch {
    return new Set();
  }
};

/**
 * How a trial stands, and what is still to come or wrong with it.
 * @param {Row} row
 */
const state = (row) => [
  tag(row.state),
  row.feasible === false && " breaks a limit",
  row.waiting_for?.length ? ` waiting for ${row.waiting_for.join(", ")}` : "",
];

/**
 * All columns of a table, in order.
 * @param {Table} view
 * @param {string} study
 * @returns {Column[]}
 */
export const columns = (view, study) => [
  {
    label: "trial",
    sort: "trial",
    isNumber: false,
    cell: (row) => el("a", { href: link(study, `trial/${row.trial}`) }, row.trial),
  },
  { label: "state", sort: "state", isNumber: false, cell: state },
  { label: view.metric, sort: "value", isNumber: true, cell: (row) => number(row.value, 6) },
  ...view.parameters.map((label, i) => ({
    label,
    sort: "parameter",
    of: label,
    isNumber: typeof view.rows[0]?.point[i] === "number",
    cell: (/** @type {Row} */ row) => text(row.point[i]),
  })),
  ...(view.results ?? []).map((label, i) => ({
    label,
    sort: "result",
    of: label,
    isNumber: true,
    cell: (/** @type {Row} */ row) => number(row.results?.[i], 6),
  })),
  { label: "duration", sort: "duration", isNumber: true, cell: (row) => lasting(row.seconds) },
  { label: "worker", sort: "worker", isNumber: false, cell: (row) => row.worker ?? "" },
  { label: "source", isNumber: false, cell: (row) => row.source },
  { label: "reason", isNumber: false, cell: (row) => row.reason ?? "" },
];

/**
 * The columns that are to be seen. The first says which trial it is, and always is.
 * @param {Column[]} all
 */
export const seen = (all) => {
  const not = hidden();
  return all.filter(({ label }, i) => i === 0 || !not.has(label));
};

/**
 * A list of the columns, to choose those that are shown.
 * @param {() => void} redraw
 */
export const chooser = (redraw) => {
  const list = el("div", { class: "choices" });
  const root = el("details", { class: "columns" }, el("summary", {}, "Columns"), list);
  const one = (/** @type {Column} */ { label }) => {
    const toggle = () => {
      const not = hidden();
      if (box.checked) not.delete(label);
      else not.add(label);
      localStorage.setItem(KEPT, JSON.stringify([...not]));
      redraw();
    };
    const box = el("input", { type: "checkbox", onchange: toggle, "aria-label": `show ${label}` });
    box.checked = !hidden().has(label);
    return el("label", {}, box, label);
  };
  let last = "";
  const offer = (/** @type {Column[]} */ all) => {
    // Drawn anew only if there are other columns: somebody may be at one of the boxes.
    const labels = all.map(({ label }) => label).join("\n");
    if (labels !== last) show(list, all.slice(1).map(one));
    last = labels;
  };
  return { root, offer };
};
