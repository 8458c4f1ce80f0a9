// Which page is shown: #/ for all studies, #/s/NAME/TAB for one of them, #/s/NAME/trial/7, #/compare.
import { redraw, sweep } from "./charts.js";
import { el, notice, show } from "./dom.js";
import { connection, controls, head, help, PAGES, part, pauseWord, scaleSwitch } from "./frame.js";
import { tabs, theme, turnTheme } from "./frame.js";
import { about } from "./panels/about.js";
import { panels } from "./panels/all.js";
import { health } from "./panels/health.js";
import { history } from "./panels/history.js";
import { map } from "./panels/map.js";
import { mount } from "./panels/panel.js";
import { points } from "./panels/points.js";
import { lasted, since, tiles } from "./panels/tiles.js";
import { turnScale } from "./scale.js";
import { address, inWords, openSource, Refusal } from "./source.js";
import { compare, studies } from "./studies.js";
import { hideTip } from "./tips.js";
import { trial } from "./trial.js";
import { trials } from "./trials.js";

/** @import { Overview } from "./api" */
/** @import { News } from "./source.js" */
/** @import { Context, Draw, Pair, Parameter } from "./state.js" */

/** @typedef {(grid: HTMLElement, context: Context) => Draw[]} Layout */

/**
 * The panels that say that they stand on a page, in the order of the list of views.
 * @param {string} page
 * @returns {Layout}
 */
const placed = (page) => (grid, context) =>
  panels.filter((panel) => panel.page === page).map((panel) => mount(panel, grid, context));

/** @type {Record<string, Layout>} */
const layouts = {
  overview: (grid, context) => {
    grid.append(tiles(context.seen, context.source.report !== null));
    // Cards above each other, in half of the width.
    const stack = el("div", { class: "half stack" });
    const first = [mount(history, grid, context), mount(points, grid, context), mount(map, grid, context)];
    grid.append(stack);
    return [...first, mount(health, stack, context, ""), mount(about, stack, context)];
  },
  trials: (grid, context) => [trials(grid, context)],
  health: (grid, context) => [...placed("health")(grid, context), mount(about, grid, context)],
};

const source = openSource();
const main = part("main");

/**
 * A page while it is shown. The next one takes its place, and what comes late for this one is dropped.
 * @typedef {object} Visit
 * @property {() => boolean} isOver
 * @property {Context["keys"]} keys
 * @property {() => void} close
 */

/** @type {Visit | null} */
let visit = null;

/** @type {Map<string, Pair>} */
const pairsShown = new Map();

/**
 * What a page of a study starts from.
 * @param {string} name
 * @param {Visit} mine
 * @returns {Promise<Context>}
 */
const enter = async (name, mine) => {
  /** @type {Overview} */
  const seen = await source.get(address(name));
  const writes = Boolean(seen.write) && !source.report;
  /** @type {Parameter[]} */
  let space = [];
  if (writes) space = (await source.get(address(name, "/events?events=1"))).events[0].event.config.space.parameters;
  const pair = pairsShown.get(name) ?? { x: 0, y: Math.min(1, seen.axes.length - 1) };
  pairsShown.set(name, pair);
  const nothing = async () => {};
  const { keys } = mine;
  return { source, name, seen, writes, space, pair, overTwo: [], keys, refresh: nothing, stale: nothing };
};

/**
 * Draws again whenever something changed, about once a second at most.
 * @param {Context} context
 * @param {Visit} mine
 */
const follow = (context, mine) => {
  const { seen, name } = context;
  const clocksDiffer = seen.now - Date.now();
  let [busy, again, isFirst, timer] = [false, false, true, 0];
  const update = async () => {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    await context.refresh();
    setTimeout(() => {
      busy = false;
      if (!again || mine.isOver()) return;
      again = false;
      update();
    }, 1000);
  };
  context.stale = () => {
    clearTimeout(timer);
    timer = setTimeout(() => !mine.isOver() && update(), 2000);
  };
  const clock = setInterval(() => {
    seen.now = Date.now() + clocksDiffer;
    document.getElementById("since")?.replaceChildren(since(seen));
    document.getElementById("lasted")?.replaceChildren(lasted(seen));
  }, 1000);
  const hear = (/** @type {News} */ news) => {
    if (news.error) return connection("off", news.error);
    connection("on", "live", `, event ${news.revision}`);
    const changed = !isFirst || news.revision !== seen.revision;
    isFirst = false;
    Object.assign(seen, { ...news, axes: seen.axes, now: Date.now() + clocksDiffer });
    document.getElementById("tiles")?.replaceWith(tiles(seen));
    const pause = document.getElementById("pause");
    if (pause) pause.textContent = pauseWord(seen);
    if (changed) update();
  };
  const stream = source.live(name, hear, () => connection("off", "not connected"));
  mine.close = () => {
    clearInterval(clock);
    stream.close();
  };
};

/**
 * A page of one study.
 * @param {string} name
 * @param {string} page
 * @param {string} rest
 * @param {Visit} mine
 */
const study = async (name, page, rest, mine) => {
  const context = await enter(name, mine);
  if (mine.isOver()) return;
  document.title = `${name} – elbowroom`;
  head(turn, name, [scaleSwitch(route), controls(context)]);
  tabs(name, page, context.seen);
  const grid = el("div", { class: "grid" });
  show(main, grid);
  const isPage = PAGES.some(([id]) => id === page);
  const layout = layouts[page] ?? (isPage ? placed(page) : layouts.overview);
  const draws = page === "trial" ? [trial(rest, grid, context)] : layout(grid, context);
  context.refresh = async () => {
    for (const draw of draws) if (!mine.isOver()) await draw();
  };
  await context.refresh();
  if (!mine.isOver() && !source.report) follow(context, mine);
};

/**
 * A page of all studies.
 * @param {typeof studies | typeof compare} draw
 * @param {string | undefined} crumb
 * @param {Visit} mine
 */
const all = (draw, crumb, mine) => {
  head(turn, crumb, crumb && scaleSwitch(route));
  tabs();
  return draw(source, (...children) => {
    if (mine.isOver()) return false;
    document.title = "elbowroom";
    show(main, el("div", { class: "grid" }, children));
    return true;
  });
};

/** @param {string} part */
const decoded = (part) => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/**
 * Waits for a study that has not begun: looks again until there is one, or somebody goes elsewhere.
 * @param {string} name
 * @param {Visit} mine
 */
const waitFor = (name, mine) => {
  head(turn, name);
  tabs();
  show(
    main,
    notice(`Waiting for the study ${name} to begin`, "Start it with `elbow run`, or hand out points with `elbow ask`."),
  );
  const timer = setInterval(async () => {
    const there = await source.get(address(name)).catch(() => null);
    if (there && !mine.isOver()) route();
  }, 2000);
  mine.close = () => clearInterval(timer);
};

const route = async () => {
  visit?.close();
  hideTip();
  /** @type {Visit} */
  const mine = { isOver: () => visit !== mine, keys: {}, close: () => {} };
  visit = mine;
  const [, kind, name, page, rest] = location.hash.split("/").map(decoded);
  try {
    if (kind === "s") await study(name, page || "overview", rest, mine);
    else if (source.report) await study(source.report.study, "overview", "", mine);
    else if (kind === "compare") await all(compare, "compare", mine);
    else await all(studies, undefined, mine);
  } catch (error) {
    if (mine.isOver()) return;
    if (kind === "s" && error instanceof Refusal && error.kind === "no_study") waitFor(name, mine);
    else {
      const [what, hint] = inWords(error);
      head(turn);
      show(main, notice(what, hint, true));
    }
  }
  if (mine.isOver()) return;
  sweep();
  document.documentElement.dataset.ready = location.hash || "#/";
};

const turn = () => {
  turnTheme();
  route();
};

/** @param {KeyboardEvent} event */
const press = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key, target } = event;
  if (target instanceof HTMLElement && target.matches("input, select, textarea")) {
    if (key === "Escape") target.blur();
    return;
  }
  const [, kind, name] = location.hash.split("/");
  const page = PAGES[Number(key) - 1];
  const act = visit && Object.hasOwn(visit.keys, key) ? visit.keys[key] : null;
  if (act) {
    event.preventDefault();
    act();
  } else if (kind === "s" && page) location.hash = `#/s/${name}/${page[0]}`;
  else if (key === "t") turn();
  else if (key === "l") {
    turnScale();
    route();
  } else if (key === "g") location.hash = "#/";
  else if (key === "?") help();
};

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  theme();
  route();
});
addEventListener("hashchange", route);
addEventListener("resize", redraw);
addEventListener("keydown", press);
theme();
route();
