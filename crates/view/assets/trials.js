// The table of trials.
import { proposals } from "./changes.js";
import { card, el, notice, number, show, tag, text } from "./dom.js";
import { load } from "./panels/panel.js";
import { address } from "./source.js";
import { link } from "./state.js";

/** @import { Row, Table } from "./api" */
/** @import { Context, Draw } from "./state.js" */

/** @typedef {{ state: string, text: string, sort: string, of: string, reverse: boolean, from: number }} Query */

const ROWS = 50;

/** @param {unknown} value */
const alignment = (value) => (typeof value === "number" ? "num" : "");

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
  // The parameter or the result that it is sorted by.
  if (query.of) words.set(query.sort, query.of);
  return `/trials?${words}`;
};

/** @param {Row} row */
const waiting = (row) => (row.waiting_for?.length ? ` waiting for ${row.waiting_for.join(", ")}` : "");

/**
 * @param {Row} row
 * @param {string} name
 */
const line = (row, name) =>
  el(
    "tr",
    { "data-trial": row.trial },
    el("td", {}, el("a", { href: link(name, `trial/${row.trial}`) }, row.trial)),
    el("td", {}, tag(row.state), row.feasible === false && " breaks a limit", waiting(row)),
    el("td", { class: "num" }, number(row.value, 6)),
    row.point.map((value) => el("td", { class: alignment(value) }, text(value))),
    (row.results ?? []).map((value) => el("td", { class: "num" }, number(value, 6))),
    el("td", { class: "hide" }, row.source),
    el("td", { class: "hide" }, row.worker || row.reason || ""),
  );

/**
 * The rows under heads that sort.
 * @param {Table} view
 * @param {Query} query
 * @param {string} name
 * @param {(sort: string, of: string) => void} sortBy
 */
const rowsOf = (view, query, name, sortBy) => {
  const arrow = query.reverse ? " ↓" : " ↑";
  const head = (/** @type {string} */ label, /** @type {string} */ sort, of = "", kind = "") => {
    const isSorted = query.sort === sort && query.of === of;
    return el("th", { class: kind }, el("button", { onclick: () => sortBy(sort, of) }, label, isSorted && arrow));
  };
  const heads = [
    head("trial", "trial"),
    head("state", "state"),
    head(view.metric, "value", "", "num"),
    view.parameters.map((p, i) => head(p, "parameter", p, alignment(view.rows[0].point[i]))),
    (view.results ?? []).map((name) => head(name, "result", name, "num")),
    el("th", { class: "hide" }, "from"),
    el("th", { class: "hide" }, "worker or reason"),
  ];
  const lines = view.rows.map((row) => line(row, name));
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
  const part = `this report holds ${n} of the ${view.n_trials} trials: the best, and some of each other state`;
  return `${found}; ${part}`;
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
  const query = { state: "", text: "", sort, of: "", reverse: !source.report, from: 0 };
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
      if (!view.rows.length) return show(place, notice("No trial is like that", "Change the filter."));
      show(place, rowsOf(view, query, name, sortBy));
      const end = view.from + view.rows.length;
      show(
        pages,
        turnTo("‹ before", view.from - ROWS, view.from > 0),
        el("span", { class: "said" }, `${view.from + 1}–${end} of ${view.n_found}`),
        turnTo("next ›", view.from + ROWS, end < view.n_found),
      );
    });

  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ text: search.value }), 150);
  };
  const words = { placeholder: "filter: a value, a reason, a number", "aria-label": "filter" };
  const search = el("input", { type: "search", id: "filter", ...words, oninput: later });
  const states = el(
    "select",
    { "aria-label": "state", onchange: () => ask({ state: states.value }) },
    ["", ...Object.keys(context.seen.counts)].map((state) => el("option", { value: state }, state || "all states")),
  );
  const csv = source.report ? null : el("a", { href: address(name, "/trials.csv"), download: `${name}.csv` }, "CSV");
  show(frame.body, el("div", { class: "row" }, search, states, el("span", { class: "grow" }), csv), place, pages);
  const click = (/** @type {Element | null} */ node) => node instanceof HTMLElement && node.click();
  Object.assign(keys, {
    "/": () => search.focus(),
    n: () => click(pages.lastElementChild),
    p: () => click(pages.firstElementChild),
    ...walker(place),
  });
  return draw;
};
