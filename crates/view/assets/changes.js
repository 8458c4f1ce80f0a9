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
      const value = point ? String(point[parameter.name]) : "";
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
 * The number in a field.
 * @param {HTMLInputElement} input
 */
export const measured = (input) => {
  if (!Number.isFinite(Number(input.value)) || input.value.trim() === "") throw new Error("give a number");
  return Number(input.value);
};

/**
 * A point of your own, with its value if that is known.
 * @param {Context} context
 * @param {HTMLElement} said
 */
const adding = (context, said) => {
  const own = settings(context);
  const value = el("input", { type: "text", size: 8, "aria-label": "value of the point" });
  const add = button(context, "Add this point", said, async () => {
    const known = value.value.trim() === "" ? {} : { value: measured(value) };
    const added = await send(context, "/add", { point: own.point(), ...known });
    return `trial ${added.trial} is added`;
  });
  return el("div", { class: "row" }, own.root, el("label", {}, "value, if it is known", value), add);
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
