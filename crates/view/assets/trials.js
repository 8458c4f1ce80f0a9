// The table of trials.
import { proposals } from "./changes.js";
import { chooser, columns, seen } from "./columns.js";
import { card, el, notice, number, show } from "./dom.js";
import { load } from "./panels/panel.js";
import { address } from "./source.js";

/** @import { Row, Table } from "./api" */
/** @import { Column } from "./columns.js" */
/** @import { Context, Draw } from "./state.js" */

/**
 * @typedef {object} Query
 * @property {string} state
 * @property {string} text
 * @property {string} where
 * @property {string} sort
 * @property {string} of
 * @property {boolean} reverse
 * @property {number} from
 */

const ROWS = 50;

/**
 * @param {Query} query
 * @returns {string}
 */
const inAddress = (query) => {
  const words = new URLSearchParams({
    sort: query.sort,
    reverse: String(query.reverse),
    from: String(query.from),
    rows: String(ROWS),
    text: query.text,
  });
  if (query.state) words.set("state", query.state);
  if (query.where) words.set("where", query.where);
  // The parameter or the result that it is sorted by.
  if (query.of) words.set(query.sort, query.of);
  return `/trials?${words}`;
};

/**
 * The rows under heads that sort.
 * @param {Table} view
 * @param {Column[]} all
 * @param {Query} query
 * @param {(sort: string, of: string) => void} sortBy
 */
const rowsOf = (view, all, query, sortBy) => {
  const arrow = query.reverse ? " ↓" : " ↑";
  const kind = (/** @type {Column} */ { isNumber }) => (isNumber ? "num" : "");
  const head = (/** @type {Column} */ column) => {
    const { label, sort, of = "" } = column;
    if (!sort) return el("th", { class: kind(column) }, label);
    const isSorted = query.sort === sort && query.of === of;
    const press = el("button", { onclick: () => sortBy(sort, of) }, label, isSorted && arrow);
    return el("th", { class: kind(column) }, press);
  };
  const line = (/** @type {Row} */ row) =>
    el(
      "tr",
      { "data-trial": row.trial },
      all.map((column) => el("td", { class: kind(column) }, column.cell(row))),
    );
  const [heads, lines] = [all.map(head), view.rows.map(line)];
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, lines)));
};

/**
 * How many trials are found, and of how many.
 * @param {Table & { n_held?: number }} view
 */
const counted = (view) => {
  const n = view.n_held ?? view.n_trials;
  const found = view.n_found === n ? `${n}` : `${view.n_found} of ${n}`;
  if (n >= view.n_trials) return found;
  const part = `this report holds ${n} of the ${view.n_trials} trials: the best, and some in each other state`;
  return `${found}; ${part}`;
};

/**
 * A filter of this study as an example.
 * @param {Context} context
 */
const filterFor = ({ seen, space }) => {
  const numbers = space.find(({ low, high }) => low !== undefined && high !== undefined);
  const half = numbers && number((numbers.low ?? 0) / 2 + (numbers.high ?? 0) / 2, 2);
  return [numbers && `${numbers.name} < ${half}`, `${seen.metric} < 3`].filter(Boolean).join(" and ");
};

/**
 * Walks through the rows of a table by keys.
 * @param {HTMLElement} place
 */
const walker = (place) => {
  const step = (/** @type {number} */ by) => {
    const rows = [...place.querySelectorAll("tbody tr")];
    if (!rows.length) return;
    const at = rows.findIndex((row) => row.classList.contains("at"));
    const next = Math.min(Math.max(at + by, 0), rows.length - 1);
    rows.forEach((row, i) => row.classList.toggle("at", i === next));
    rows[next].scrollIntoView({ block: "nearest" });
  };
  const open = () => {
    const row = place.querySelector("tr.at a");
    if (row) location.hash = row.getAttribute("href") ?? "";
  };
  return { j: () => step(1), k: () => step(-1), Enter: open };
};

/**
 * @param {HTMLElement} root
 * @param {Context} context
 * @returns {Draw}
 */
export const trials = (root, context) => {
  const { name, source, keys } = context;
  const sort = source.report ? "value" : "trial";
  /** @type {Query} */
  const query = { state: "", text: "", where: "", sort, of: "", reverse: !source.report, from: 0 };
  const frame = card("Trials");
  root.append(frame.root);
  if (context.writes) root.append(proposals(context));
  const [place, pages] = [el("div"), el("div", { class: "row" })];

  const ask = (/** @type {Partial<Query>} */ change) => {
    Object.assign(query, { from: 0, ...change });
    return draw();
  };
  const sortBy = (/** @type {string} */ sort, /** @type {string} */ of) => {
    const isSame = query.sort === sort && query.of === of;
    ask({ sort, of, reverse: isSame && !query.reverse });
  };
  const turnTo = (/** @type {string} */ label, /** @type {number} */ from, /** @type {boolean} */ isThere) =>
    el("button", { disabled: !isThere, onclick: () => ask({ from: Math.max(0, from) }) }, label);
  const draw = () =>
    load(context, inAddress(query), place, (/** @type {Table & { n_held?: number }} */ view) => {
      frame.note.textContent = counted(view);
      show(pages);
      if (!view.n_trials) return show(place, notice("No trials yet", "They appear here as points are handed out."));
      if (!view.rows.length) return show(place, notice("No trial matches", "Change the filter."));
      const all = columns(view, name);
      picker.offer(all);
      show(place, rowsOf(view, seen(all), query, sortBy));
      const end = view.from + view.rows.length;
      show(
        pages,
        turnTo("‹ previous", view.from - ROWS, view.from > 0),
        el("span", { class: "said" }, `${view.from + 1}–${end} of ${view.n_found}`),
        turnTo("next ›", view.from + ROWS, end < view.n_found),
      );
    });

  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ text: search.value, where: where?.value.trim() ?? "" }), 250);
  };
  const picker = chooser(() => draw());
  const words = { placeholder: "search values and reasons", "aria-label": "filter" };
  const search = el("input", { type: "search", id: "filter", ...words, oninput: later });
  // Only a server can work an expression out.
  const example = { placeholder: `where: ${filterFor(context)}`, "aria-label": "where", oninput: later };
  const where = source.report ? null : el("input", { type: "search", id: "where", ...example });
  const states = el(
    "select",
    { "aria-label": "state", onchange: () => ask({ state: states.value }) },
    ["", ...Object.keys(context.seen.counts)].map((state) => el("option", { value: state }, state || "all states")),
  );
  const csv = source.report ? null : el("a", { href: address(name, "/trials.csv"), download: `${name}.csv` }, "CSV");
  const filters = [search, where, states, picker.root];
  show(frame.body, el("div", { class: "row filters" }, filters, el("span", { class: "grow" }), csv), place, pages);
  const click = (/** @type {Element | null} */ node) => node instanceof HTMLElement && node.click();
  Object.assign(keys, {
    "/": () => search.focus(),
    n: () => click(pages.lastElementChild),
    p: () => click(pages.firstElementChild),
    ...walker(place),
  });
  return draw;
};
