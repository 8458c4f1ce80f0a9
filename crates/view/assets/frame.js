// What stands around every page: the bar with its buttons, the tabs, the theme, the keys.
import { button } from "./changes.js";
import { el, show, svg } from "./dom.js";
import { scale, SCALES, setScale } from "./scale.js";
import { address } from "./source.js";
import { link } from "./state.js";

/** @import { Overview } from "./api" */
/** @import { Context } from "./state.js" */

/** @type {[id: string, label: string][]} */
export const PAGES = [
  ["overview", "Overview"],
  ["front", "Trade-offs"],
  ["map", "Map"],
  ["model", "Model"],
  ["trials", "Trials"],
  ["parallel", "Parameters"],
  ["workers", "Workers"],
  ["health", "Health"],
];

/**
 * An element of the page itself.
 * @param {string} id
 */
export const part = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
};

/**
 * Takes a theme and keeps it; without one takes the kept one, or the system's.
 * @param {"dark" | "light"} [wanted]
 */
export const theme = (wanted) => {
  const kept = wanted ?? localStorage.getItem("elbow-theme");
  const dark = kept ? kept === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  if (wanted) localStorage.setItem("elbow-theme", wanted);
};

/** From dark to light, and back. */
export const turnTheme = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");

const logo = () => {
  const dashed = { fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "3 2.2" };
  return svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": true },
    svg("circle", { cx: 8, cy: 9, r: 6.2, ...dashed }),
    svg("circle", { cx: 8, cy: 9, r: 2.2, fill: "currentColor" }),
    svg("circle", { cx: 18, cy: 17, r: 2.2, fill: "currentColor" }),
  );
};

/** Which keys do what. */
export const help = () => {
  const keys = [
    ["1–8", "the pages of a study"],
    ["j k", "move down and up in the trials"],
    ["Enter", "open the trial"],
    ["n p", "next and previous page"],
    ["/", "search the trials"],
    ["l", "auto, log or linear scale"],
    ["t", "dark or light"],
    ["g", "all studies"],
    ["?", "this list"],
  ];
  const list = keys.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]);
  const close = el("button", { onclick: () => box.close() }, "Close");
  const box = el("dialog", { onclose: () => box.remove() });
  show(box, el("h2", {}, "Keys"), el("dl", { class: "pairs" }, list), el("p", {}, close));
  document.body.append(box);
  box.showModal();
};

/**
 * The switch between scales, for every view at once.
 * @param {() => void} redraw
 */
export const scaleSwitch = (redraw) => {
  const change = () => {
    setScale(SCALES.find(([one]) => one === select.value)?.[0] ?? "auto");
    redraw();
  };
  const options = SCALES.map(([value, words]) => el("option", { value }, words));
  const select = el("select", { id: "scale", "aria-label": "scale", title: "scale (l)", onchange: change }, options);
  select.value = scale();
  return select;
};

/**
 * The bar. `turn` goes from dark to light and back, and draws anew.
 * @param {() => void} turn
 * @param {string} [crumb]
 * @param {Child} [controls]
 */
export const head = (turn, crumb, controls) =>
  show(
    part("bar"),
    el("a", { class: "brand", href: "#/" }, logo(), el("span", {}, "elbowroom")),
    crumb && el("span", { class: "crumb" }, "› ", el("b", {}, crumb)),
    el("span", { class: "grow" }),
    controls,
    el("button", { "aria-label": "dark or light", title: "dark or light (t)", onclick: turn }, "◐"),
    el("button", { "aria-label": "keys", title: "keys (?)", onclick: help }, "?"),
  );

/**
 * The tabs of a study, or none. Trade-offs are between several results.
 * @param {string} [name]
 * @param {string} [page]
 * @param {Overview} [seen]
 */
export const tabs = (name, page, seen) => {
  const one = (/** @type {[string, string]} */ [id, label], /** @type {number} */ i) => {
    if (id === "front" && id !== page && !seen?.watched.length) return null;
    const current = id === (page === "trial" ? "trials" : page) ? "page" : null;
    return el("a", { href: link(name ?? "", id), "aria-current": current, title: String(i + 1) }, label);
  };
  const nav = part("tabs");
  show(nav, name !== undefined && PAGES.map(one));
  // On a narrow screen the tabs scroll: a page that is opened has its tab in view.
  const tab = /** @type {HTMLElement | null} */ (nav.querySelector("[aria-current]"));
  if (tab && nav.dataset.page !== page) nav.scrollLeft = tab.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2;
  nav.dataset.page = page ?? "";
};

/** @param {Overview} seen */
export const pauseWord = (seen) => (seen.paused ? "Resume" : "Pause");

/**
 * The button that pauses, for whoever may write, and how the connection is.
 * @param {Context} context
 */
export const controls = (context) => {
  const { seen, name, source } = context;
  const said = el("span", { class: "said", role: "status" });
  const pause = button(context, pauseWord(seen), said, async () => {
    seen.paused = (await source.post(address(name, "/pause"), { paused: !seen.paused })).paused;
    pause.textContent = pauseWord(seen);
    if (!seen.paused) return "";
    return "Paused: no points are handed out, not even to workers on the store itself. Running trials continue.";
  });
  pause.id = "pause";
  // On a narrow screen the word would push the buttons into a line of their own until the connection is there.
  const state = source.report ? "report" : el("span", { class: "hide" }, "connecting");
  const dot = el("span", { class: "dot", id: "live" }, state);
  return [context.writes && [said, pause], dot];
};

/**
 * How the connection is.
 * @param {"on" | "off"} kind
 * @param {string} words
 * @param {string} [more] What a narrow screen has no room for.
 */
export const connection = (kind, words, more) => {
  const dot = part("live");
  dot.className = `dot ${kind}`;
  show(dot, el("span", {}, words, more && el("span", { class: "hide" }, more)));
};
