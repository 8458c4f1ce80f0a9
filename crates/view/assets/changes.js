// What can be changed: buttons that do something, and fields for the values of parameters.
import { card, el, number, show, text } from "./dom.js";
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
 * A field for a parameter: a list of its choices, or a number between its bounds.
 * @param {Parameter} parameter
 * @param {string} value
 * @param {string} empty What is said where nothing is chosen.
 */
const field = (parameter, value, empty) => {
  const look = { "aria-label": parameter.name, "data-parameter": parameter.name };
  const choices = parameter.choices ?? parameter.values;
  if (choices) {
    const options = [["", empty], ...choices.map((one) => [String(one), text(one)])];
    const made = options.map(([value, words]) => el("option", { value }, words));
    const input = el("select", look, made);
    input.value = value;
    return { input, range: `${choices.length} choices` };
  }
  const { low, high } = parameter;
  if (low === undefined || high === undefined)
    return { input: el("input", { type: "text", value, ...look }), range: "" };
  const step = parameter.type === "int" ? 1 : "any";
  const input = el("input", { type: "number", min: low, max: high, step, value, placeholder: empty, ...look });
  return { input, range: `${number(low)} to ${number(high)}${parameter.log ? ", log scale" : ""}` };
};

/**
 * A field for each parameter that is searched, with its range or its choices.
 * @param {Context} context
 * @param {Point} [point]
 * @param {string} [empty] What is said in a field with nothing in it.
 * @returns {{ root: HTMLElement, point: () => Point }}
 */
export const settings = (context, point, empty = "") => {
  const fields = context.space
    .filter((parameter) => parameter.type !== "fixed")
    .map((parameter) => ({ parameter, ...field(parameter, String(point?.[parameter.name] ?? ""), empty) }));
  const labels = fields.map(({ parameter, input, range }) =>
    el("label", { class: "field" }, el("span", {}, parameter.name), input, el("small", {}, range)),
  );
  const given = () => {
    const bad = fields.find(({ input }) => input.validity.badInput);
    if (bad) throw new Error(`enter a number for ${bad.parameter.name}`);
    return fields.filter(({ input }) => input.value.trim() !== "");
  };
  return {
    root: el("div", { class: "fields" }, labels),
    point: () =>
      Object.fromEntries(given().map(({ parameter, input }) => [parameter.name, read(input.value.trim(), parameter)])),
  };
};

/**
 * A field for each result: the optimized one, and those that are watched. What is left empty is not told.
 * @param {Context} context
 * @param {string} [hint] What is said under the optimized one.
 * @returns {{ root: HTMLElement, told: () => { value?: number, results?: Record<string, number> } | null }}
 */
export const measurements = (context, hint = "") => {
  const { metric, watched } = context.seen;
  const fields = [metric, ...watched].map((name) => {
    const look = { "aria-label": name, "data-result": name };
    return { name, input: el("input", { type: "text", size: 8, ...look }) };
  });
  const labels = fields.map(({ name, input }, i) =>
    el("label", { class: "field" }, el("span", {}, name), input, el("small", {}, i ? "" : hint)),
  );
  const told = () => {
    const given = fields.filter(({ input }) => input.value.trim() !== "");
    const numbers = given.map(({ name, input }) => {
      if (!Number.isFinite(Number(input.value))) throw new Error(`enter a number for ${name}`);
      return /** @type {const} */ ([name, Number(input.value)]);
    });
    if (!numbers.length) return null;
    return watched.length ? { results: Object.fromEntries(numbers) } : { value: numbers[0][1] };
  };
  return { root: el("div", { class: "fields" }, labels), told };
};

/**
 * A point that somebody chooses, with its value if that is known.
 * @param {Context} context
 * @param {HTMLElement} said
 */
const adding = (context, said) => {
  const own = settings(context);
  const known = measurements(context, "leave empty if not measured yet");
  const add = button(context, "Add this point", said, async () => {
    const added = await send(context, "/add", { point: own.point(), ...known.told() });
    return `added as trial ${added.trial}`;
  });
  const parts = [el("h3", {}, "Add a point you choose"), own.root, known.root, el("p", {}, add)];
  return el("div", { "data-form": "add" }, parts);
};

/**
 * Points to take, with some parameters held fixed.
 * @param {Context} context
 * @param {HTMLElement} said
 */
const asking = (context, said) => {
  const n = el("input", { type: "number", min: 1, max: 200, value: 1, "aria-label": "number of points" });
  const held = settings(context, undefined, "any");
  const ask = async () => {
    const fixed = held.point();
    const wanted = { n: Number(n.value), worker: "by hand", lease_seconds: 86400 };
    const handed = await send(context, "/ask", Object.keys(fixed).length ? { ...wanted, fixed } : wanted);
    const trials = handed.trials.map((/** @type {{ trial: number }} */ one) => one.trial);
    return `${trials.length} points: trials ${trials.join(", ")}${handed.short ? ` (${handed.short})` : ""}`;
  };
  const row = el("div", { class: "row" }, el("label", {}, "points", n), button(context, "Ask", said, ask, true));
  const hint = el("p", { class: "said" }, "A parameter with a value here keeps it in all of the points.");
  const title = el("h3", {}, "Ask for points to evaluate");
  return el("div", { "data-form": "ask" }, title, hint, held.root, row);
};

/**
 * Points to take, and points that somebody chooses.
 * @param {Context} context
 */
export const proposals = (context) => {
  const said = el("p", { class: "said", role: "status" });
  const place = card("New trials");
  place.root.classList.add("forms");
  show(place.body, asking(context, said), adding(context, said), said);
  return place.root;
};
