// What can be changed: buttons that do something, and fields for the values of parameters.
import { card, el, show } from "./dom.js";
import { address, inWords, requestName } from "./source.js";

/** @import { Point, Setting } from "./api" */
/** @import { Context, Parameter } from "./state.js" */

/**
 * A button that does something and says what came of it.
 * @param {Context} context
 * @param {string} label
 * @param {HTMLElement} said
 * @param {() => Promise<string>} act
 */
export const button = (context, label, said, act, isMain = false) => {
  const click = async () => {
    root.disabled = true;
    try {
      said.textContent = await act();
      said.className = "said good";
      context.refresh();
    } catch (error) {
      const [what, hint] = inWords(error);
      said.textContent = hint ? `${what}; try: ${hint}` : what;
      said.className = "said fault";
    }
    root.disabled = false;
  };
  const root = el("button", { class: isMain ? "main" : "", type: "button", onclick: click }, label);
  return root;
};

/**
 * Sends a change under a name of its own.
 * @param {Context} context
 * @param {string} rest
 * @param {object} body
 */
export const send = (context, rest, body) =>
  context.source.post(address(context.name, rest), { ...body, request: requestName() });

/**
 * What somebody typed as a value. What is not a value of the parameter stays a text, which the server refuses with a
 * reason.
 * @param {string} word
 * @param {Parameter} parameter
 * @returns {Setting}
 */
const read = (word, parameter) => {
  const list = parameter.choices ?? parameter.values;
  const asNumber = Number(word);
  if (list) return list.find((v) => String(v) === word) ?? list.find((v) => v === asNumber) ?? word;
  return Number.isFinite(asNumber) ? asNumber : word;
};

/**
 * A field for each parameter that is searched.
 * @param {Context} context
 * @param {Point} [point]
 * @returns {{ root: HTMLElement, point: () => Point }}
 */
export const settings = (context, point) => {
  const fields = context.space
    .map((parameter) => {
      const value = String(point?.[parameter.name] ?? "");
      const look = { "aria-label": parameter.name, "data-parameter": parameter.name };
      return { parameter, input: el("input", { type: "text", size: 10, value, ...look }) };
    })
    .filter(({ parameter }) => parameter.type !== "fixed");
  const labels = fields.map(({ parameter, input }) => el("label", {}, parameter.name, input));
  const given = () => fields.filter(({ input }) => input.value.trim() !== "");
  return {
    root: el("div", { class: "row" }, labels),
    point: () =>
      Object.fromEntries(given().map(({ parameter, input }) => [parameter.name, read(input.value.trim(), parameter)])),
  };
};

/**
 * A field for each result: the optimized one, and those that are watched. What is left empty is not told.
 * @param {Context} context
 * @param {string} [hint] What stands behind the name of the optimized one.
 * @returns {{ root: HTMLElement, told: () => { value?: number, results?: Record<string, number> } | null }}
 */
export const measurements = (context, hint = "") => {
  const { metric, watched } = context.seen;
  const fields = [metric, ...watched].map((name) => {
    const look = { "aria-label": name, "data-result": name };
    return { name, input: el("input", { type: "text", size: 8, ...look }) };
  });
  const labels = fields.map(({ name, input }, i) => el("label", {}, i ? name : name + hint, input));
  const told = () => {
    const given = fields.filter(({ input }) => input.value.trim() !== "");
    const numbers = given.map(({ name, input }) => {
      if (!Number.isFinite(Number(input.value))) throw new Error(`give a number as ${name}`);
      return /** @type {const} */ ([name, Number(input.value)]);
    });
    if (!numbers.length) return null;
    return watched.length ? { results: Object.fromEntries(numbers) } : { value: numbers[0][1] };
  };
  return { root: el("div", { class: "row" }, labels), told };
};

/**
 * A point of your own, with its value if that is known.
 * @param {Context} context
 * @param {HTMLElement} said
 */
const adding = (context, said) => {
  const own = settings(context);
  const known = measurements(context, ", if it is known");
  const add = button(context, "Add this point", said, async () => {
    const added = await send(context, "/add", { point: own.point(), ...known.told() });
    return `trial ${added.trial} is added`;
  });
  return el("div", { class: "row" }, own.root, known.root, add);
};

/**
 * Points to take, with some parameters held fixed.
 * @param {Context} context
 * @param {HTMLElement} said
 */
const asking = (context, said) => {
  const n = el("input", { type: "number", min: 1, max: 200, value: 1, "aria-label": "number of points" });
  const held = settings(context);
  const ask = async () => {
    const fixed = held.point();
    const wanted = { n: Number(n.value), worker: "by hand", lease_seconds: 86400 };
    const handed = await send(context, "/ask", Object.keys(fixed).length ? { ...wanted, fixed } : wanted);
    const trials = handed.trials.map((/** @type {{ trial: number }} */ one) => one.trial);
    return `${trials.length} points: trials ${trials.join(", ")}${handed.short ? ` (${handed.short})` : ""}`;
  };
  const hint = el("span", { class: "said" }, "with these held fixed:");
  return el(
    "div",
    { class: "row" },
    el("label", {}, "points", n),
    hint,
    held.root,
    button(context, "Ask", said, ask, true),
  );
};

/**
 * Points of your own, and points to take.
 * @param {Context} context
 */
export const proposals = (context) => {
  const said = el("p", { class: "said", role: "status" });
  const place = card("Propose");
  show(place.body, adding(context, said), el("p"), asking(context, said), said);
  return place.root;
};
