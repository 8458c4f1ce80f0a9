// What is said beside the pointer, and where a click on a point leads.
import { el, number, show, text } from "./dom.js";
import { address } from "./source.js";
import { link } from "./state.js";

/** @import { TrialAnswer } from "./api" */
/** @import { Context } from "./state.js" */

/** @typedef {{ clientX: number, clientY: number }} Place */

const box = el("div", { class: "tip", role: "tooltip", hidden: true });

/** Which tip is shown: what comes late for another is dropped. */
let shown = 0;

/** Takes the tip away. */
export const hideTip = () => {
  shown += 1;
  box.hidden = true;
};

/** @param {Place} place */
const moveTip = ({ clientX, clientY }) => {
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = clientX + 14 + width > innerWidth ? clientX - 14 - width : clientX + 14;
  const top = clientY + 14 + height > innerHeight ? clientY - 10 - height : clientY + 14;
  box.style.setProperty("left", `${Math.max(4, left)}px`);
  box.style.setProperty("top", `${Math.max(4, top)}px`);
};

/**
 * Says something beside the pointer.
 * @param {Place} place
 * @param {...Child} words
 */
const showTip = (place, ...words) => {
  if (!box.isConnected) document.body.append(box);
  show(box, ...words);
  box.hidden = false;
  moveTip(place);
};

// Trials that were pointed at, by address: what is told of a trial while somebody points is soon read again.
/** @type {Map<string, Promise<TrialAnswer>>} */
const asked = new Map();

/**
 * The values of a trial's parameters, if they can be had.
 * @param {Context} context
 * @param {number} trial
 * @returns {Promise<TrialAnswer | null>}
 */
const read = ({ source, name, seen }, trial) => {
  const path = address(name, `/trials/${trial}`);
  if (!source.holds(path)) return Promise.resolve(null);
  const key = `${seen.revision} ${path}`;
  const found = asked.get(key) ?? source.get(path);
  if (asked.size > 500) asked.clear();
  asked.set(key, found);
  return found.catch(() => null);
};

/**
 * Says of a trial what the view knows, and then its parameters.
 * @param {Context} context
 * @param {Place} place
 * @param {number} trial
 * @param {string} words
 */
export const tipOf = async (context, place, trial, words) => {
  shown += 1;
  const mine = shown;
  const head = [el("b", {}, `trial ${trial}`), words && el("span", {}, `: ${words}`)];
  showTip(place, head);
  const row = await read(context, trial);
  if (mine !== shown || !row) return;
  const settings = Object.entries(row.point).map(([name, value]) => [el("dt", {}, name), el("dd", {}, text(value))]);
  const others = Object.entries(row.results).filter(([name]) => name !== "value" && name !== context.seen.metric);
  const results = others.map(([name, value]) => [el("dt", {}, name), el("dd", {}, number(value))]);
  showTip(place, head, el("dl", { class: "pairs" }, settings, results), row.reason && el("p", {}, row.reason));
};

/**
 * The listeners of a mark that stands for a trial: pointing at it says what it is, a click or Enter opens it.
 * @param {Context} context
 * @param {number} trial
 * @param {string} words What the view says of it.
 */
export const ofTrial = (context, trial, words) => {
  const open = () => {
    hideTip();
    location.hash = link(context.name, `trial/${trial}`);
  };
  return {
    "data-trial": trial,
    "aria-label": words ? `trial ${trial}: ${words}` : `trial ${trial}`,
    style: { cursor: "pointer" },
    onpointerenter: (/** @type {Event} */ event) =>
      event instanceof PointerEvent && tipOf(context, event, trial, words),
    onpointerleave: hideTip,
    onclick: open,
  };
};

/**
 * A trial as a chart has it: where it is in the chart's place, and what is said of it.
 * @typedef {{ trial: number, x: number, y: number, words: string }} Spot
 */

const NEAR = 18;

/**
 * Lets the points of a chart on a canvas be pointed at and clicked.
 * @param {Context} context
 * @param {HTMLElement} place
 * @param {() => Spot[]} spots Where they are now, in pixels from the place's corner.
 */
export const pointAt = (context, place, spots) => {
  const nearest = (/** @type {MouseEvent} */ event) => {
    const { left, top } = place.getBoundingClientRect();
    const distance = (/** @type {Spot} */ s) => Math.hypot(s.x - (event.clientX - left), s.y - (event.clientY - top));
    let best = null;
    for (const spot of spots()) if (distance(spot) < (best ? distance(best) : NEAR)) best = spot;
    return best;
  };
  let last = -1;
  place.addEventListener("pointermove", (event) => {
    const spot = nearest(event);
    place.style.setProperty("cursor", spot ? "pointer" : "");
    if (!spot) {
      if (last >= 0) hideTip();
      last = -1;
    } else if (spot.trial !== last) {
      last = spot.trial;
      tipOf(context, event, spot.trial, spot.words);
    }
  });
  place.addEventListener("pointerleave", () => {
    last = -1;
    hideTip();
  });
  place.addEventListener("click", (event) => {
    const spot = nearest(event);
    if (!spot) return;
    hideTip();
    location.hash = link(context.name, `trial/${spot.trial}`);
  });
};
