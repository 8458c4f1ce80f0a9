// A panel is a card with a view: it fetches the view, draws it, and says what is missing where something is.
import { card, el, notice, show } from "../dom.js";
import { address, inWords } from "../source.js";

/** @import { Card } from "../dom.js" */
/** @import { Context, Draw } from "../state.js" */

/**
 * @template V
 * @typedef {object} Panel
 * @property {string} view What the server calls its data: the end of an address.
 * @property {string} title
 * @property {string} [page] On which page it stands, besides where a page places it itself.
 * @property {boolean} [overTwo] Whether it is over two parameters, which are chosen for all such panels at once.
 * @property {string} [size]
 * @property {string} [note]
 * @property {(card: Card, view: V, context: Context) => void} draw Fills the card's body, which is in the page.
 */

// The last request of each place.
/** @type {WeakMap<Element, object>} */
const latest = new WeakMap();

/**
 * Draws an answer, or what went wrong. What was drawn stays until the next is there; an answer that is late is dropped.
 * @param {Context} context
 * @param {string} rest
 * @param {HTMLElement} body
 * @param {(view: any) => void} draw
 */
export const load = async (context, rest, body, draw) => {
  const request = {};
  latest.set(body, request);
  const isLate = () => latest.get(body) !== request || !body.isConnected;
  try {
    const view = await context.source.get(address(context.name, rest));
    if (isLate()) return;
    draw(view);
    // Pictures of the model may be a little old, so that many who look cost one fit: look again soon.
    if (view.revision !== undefined && view.revision < context.seen.revision) context.stale();
  } catch (error) {
    if (isLate()) return;
    const [what, hint] = inWords(error);
    show(body, notice(what, hint, !hint));
  }
};

/**
 * Puts a panel into the page.
 * @template V
 * @param {Panel<V>} panel
 * @param {HTMLElement} root
 * @param {Context} context
 * @returns {Draw}
 */
export const mount = (panel, root, context, size = panel.size) => {
  if (panel.overTwo) return mountOverTwo(panel, root, context);
  const place = card(panel.title, size, panel.note);
  root.append(place.root);
  return () => load(context, panel.view, place.body, (view) => panel.draw(place, view, context));
};

/**
 * A list of which one is chosen.
 * @param {string} label
 * @param {[value: string, words: string][]} options
 * @param {() => string} chosen
 * @param {(value: string) => void} choose
 */
export const list = (label, options, chosen, choose) => {
  const select = el(
    "select",
    { "aria-label": label, onchange: () => choose(select.value) },
    options.map(([value, words]) => el("option", { value }, words)),
  );
  return { root: el("label", {}, label, select), agree: () => void (select.value = chosen()) };
};

/**
 * Puts a panel over two parameters into the page. They are chosen for all such panels at once.
 * @template V
 * @param {Panel<V>} panel
 * @param {HTMLElement} root
 * @param {Context} context
 * @returns {Draw}
 */
const mountOverTwo = (panel, root, context) => {
  const { pair, source, name } = context;
  const { axes } = context.seen;
  const of = (/** @type {string} */ view, /** @type {number} */ x, /** @type {number} */ y) => `${view}?x=${x}&y=${y}`;
  const choose = (/** @type {Partial<typeof pair>} */ change) => {
    Object.assign(pair, change);
    context.overTwo.forEach((draw) => draw());
  };
  const one = (/** @type {string} */ label, /** @type {"x" | "y"} */ which) =>
    list(
      label,
      axes.map((axis) => [String(axis.dim), axis.name]),
      () => String(pair[which]),
      (dim) => choose({ [which]: Number(dim) }),
    );
  // A report has some of the pairs, and in one order each.
  const both = () => {
    const held = axes.flatMap((x) => axes.map((y) => ({ x, y })));
    const offered = held.filter(({ x, y }) => source.holds(address(name, of("/map", x.dim, y.dim))));
    return list(
      "across, up",
      offered.map(({ x, y }) => [`${x.dim} ${y.dim}`, `${x.name}, ${y.name}`]),
      () => `${pair.x} ${pair.y}`,
      (chosen) => {
        const [x, y] = chosen.split(" ").map(Number);
        choose({ x, y });
      },
    );
  };
  const lists = source.report ? [both()] : [one("across", "x"), one("up", "y")];
  const place = card(panel.title, panel.size, panel.note);
  const body = el("div", {}, el("p", { class: "state" }, "Loading…"));
  root.append(place.root);
  const row = el(
    "div",
    { class: "row" },
    lists.map((one) => one.root),
  );
  show(place.body, row, body);
  const draw = () => {
    lists.forEach((one) => one.agree());
    const inner = { ...place, body };
    return load(context, of(panel.view, pair.x, pair.y), body, (view) => panel.draw(inner, view, context));
  };
  context.overTwo.push(draw);
  return draw;
};
