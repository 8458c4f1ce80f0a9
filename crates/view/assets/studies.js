// All studies of a store: as a list, and side by side.
import { race } from "./charts.js";
import { ago, card, colour, el, legend, notice, number, show } from "./dom.js";
import { address, inWords } from "./source.js";
import { link } from "./state.js";

/** @import { History, Overview, Studies, StudyInfo } from "./api" */
/** @import { Source } from "./source.js" */

/** @typedef {(...children: HTMLElement[]) => boolean} Shown Shows a page, unless somebody went to another. */

/** @param {string} name */
const linked = (name) => el("td", {}, el("a", { href: link(name) }, name));

/**
 * A study as a row, which fills itself.
 * @param {Source} source
 * @param {StudyInfo} study
 */
const line = (source, study) => {
  const cells = Array.from({ length: 5 }, () => el("td", { class: "num" }, "…"));
  const changed = el("td", { class: "num" }, `${ago(study.changed, Date.now())} ago`);
  source.get(address(study.name)).then(
    (/** @type {Overview} */ { best, counts }) => {
      const numbers = [counts.complete, counts.running, counts.failed, counts.infeasible];
      [number(best?.value, 6), ...numbers].forEach((value, i) => (cells[i].textContent = String(value)));
    },
    (error) => (cells[0].textContent = inWords(error)[0]),
  );
  return el("tr", {}, linked(study.name), cells, changed);
};

/**
 * Draws the list anew once there are other studies, for as long as it is shown.
 * @param {Source} source
 * @param {Element} place
 * @param {Studies} answer
 * @param {() => void} redraw
 */
const watch = (source, place, answer, redraw) => {
  const names = (/** @type {Studies} */ one) => one.studies.map(({ name }) => name).join("\n");
  const timer = setInterval(async () => {
    if (!place.isConnected) return clearInterval(timer);
    const now = await source.get("/api/studies").catch(() => answer);
    if (!place.isConnected || names(now) === names(answer)) return;
    clearInterval(timer);
    redraw();
  }, 3000);
};

/**
 * The list of studies.
 * @param {Source} source
 * @param {Shown} shown
 */
export const studies = async (source, shown) => {
  /** @type {Studies} */
  const answer = await source.get("/api/studies");
  const place = card("Studies", "", answer.store);
  if (!shown(place.root)) return;
  watch(source, place.root, answer, () => studies(source, shown));
  if (!answer.studies.length) {
    return show(place.body, notice("No study yet", "Start one with `elbow run study.toml` or `elbow ask`."));
  }
  const heads = ["best", "complete", "running", "failed", "infeasible", "last event"];
  const head = el(
    "tr",
    {},
    el("th", {}, "study"),
    heads.map((words) => el("th", { class: "num" }, words)),
  );
  const lines = answer.studies.map((study) => line(source, study));
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, lines));
  const more = answer.studies.length > 1 && el("p", {}, el("a", { href: "#/compare" }, "Compare them"));
  show(place.body, el("div", { class: "scroll" }, table), more);
};

const MOST = 12;
const HUES = ["blue", "orange", "green", "vermillion", "purple", "sky"];

/** @typedef {{ view: History, seen: Overview } | { error: unknown }} Found */

/**
 * Best so far of several studies.
 * @param {Source} source
 * @param {Shown} shown
 */
export const compare = async (source, shown) => {
  /** @type {Studies} */
  const answer = await source.get("/api/studies");
  const place = card("Compare studies", "", "best so far, by trials");
  if (!shown(place.root)) return;
  /** @type {(name: string) => Promise<Found>} */
  const find = async (name) => {
    try {
      return { view: await source.get(address(name, "/history")), seen: await source.get(address(name)) };
    } catch (error) {
      return { error };
    }
  };
  const look = async (/** @type {StudyInfo} */ { name }, /** @type {number} */ i) => {
    const hue = HUES[i % HUES.length];
    return { name, hue, colour: colour(hue), dash: i < HUES.length ? undefined : [6, 4], found: await find(name) };
  };
  const all = await Promise.all(answer.studies.slice(0, MOST).map(look));
  if (!place.root.isConnected) return;
  const heads = ["study", "best", "trials", "goal", "strategy"];
  const isNumber = (/** @type {number} */ i) => i === 1 || i === 2;
  const kind = (/** @type {number} */ i) => ({ class: isNumber(i) ? "num" : "" });
  const lines = all.map(({ name, found }) => {
    if ("error" in found) {
      return el("tr", {}, linked(name), el("td", { class: "said fault", colspan: 4 }, inWords(found.error)[0]));
    }
    const { goal, strategy, n_trials, best } = found.seen;
    const values = [number(best?.value, 6), n_trials, goal, strategy];
    const cells = values.map((value, i) => el("td", kind(i + 1), value));
    return el("tr", {}, linked(name), cells);
  });
  const there = all.flatMap(({ found, ...one }) => ("error" in found ? [] : [{ ...one, view: found.view }]));
  const chart = el("div");
  const meaning = there.map((one) => /** @type {[string, string, string]} */ ([one.name, one.hue, "line"]));
  const head = heads.map((words, i) => el("th", kind(i), words));
  const table = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, lines));
  show(place.body, chart, legend(...meaning), el("div", { class: "scroll" }, table));
  race(
    chart,
    there.filter((one) => one.view.best_trial.length),
  );
};
