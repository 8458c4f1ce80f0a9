// Elements and texts. Whatever comes from a study is set as text, never as markup.

/** @typedef {string | number | boolean | null | undefined} Plain */
/** @typedef {Record<string, Plain | ((event: Event) => void) | Record<string, string>>} Attributes */
/** @typedef {{ root: HTMLElement, body: HTMLElement, note: HTMLElement }} Card */

/**
 * Puts children into a node; what is false or missing is left out.
 * @param {ParentNode} node
 * @param {Child} child
 */
const append = (node, child) => {
  if (Array.isArray(child)) child.forEach((one) => append(node, one));
  else if (child instanceof Node) node.append(child);
  else if (typeof child === "string" || typeof child === "number") node.append(String(child));
};

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} node
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (typeof value !== "object") node.setAttribute(name, value === true ? "" : String(value));
    else for (const [key, own] of Object.entries(value)) node.style.setProperty(key, own);
  }
  append(node, children);
  return node;
};

/**
 * An element. An attribute that begins with `on` is a listener, `style` an object.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * An element of a drawing.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/**
 * Shows these, and nothing else, in a place.
 * @param {Element} root
 * @param {...Child} children
 */
export const show = (root, ...children) => {
  root.replaceChildren();
  append(root, children);
};

/**
 * A number as a person would write it.
 * @param {number | null | undefined} x
 */
export const number = (x, digits = 5) => {
  if (x === null || x === undefined) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-4 && size < 1e7) return String(Number(x.toPrecision(digits)));
  return x
    .toExponential(digits - 2)
    .replace(/\.?0+e/, "e")
    .replace("e+", "e");
};

/**
 * What is expected, with its standard deviation: no digit beyond the deviation's last one.
 * @param {number} mean
 * @param {number} sd
 */
export const plusMinus = (mean, sd) => {
  const step = 10 ** (Math.floor(Math.log10(sd)) - 1);
  const rounded = Math.round(mean / step) * step;
  return `${number(sd > 0 && Number.isFinite(rounded) ? rounded : mean, 6)} ± ${number(sd, 2)}`;
};

/** @param {unknown} value */
export const text = (value) => (typeof value === "number" ? number(value) : String(value ?? ""));

/**
 * A label that fits.
 * @param {string} label
 * @param {number} most
 */
export const short = (label, most) => (label.length > most ? `${label.slice(0, most - 1)}…` : label);

/**
 * The time between two moments, in milliseconds.
 * @param {number} from
 * @param {number} to
 */
export const ago = (from, to) => {
  const s = Math.max(0, (to - from) / 1000);
  if (s < 10) return `${Number(s.toFixed(1))} s`;
  if (s < 90) return `${Math.round(s)} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${(s / 3600).toFixed(1)} h`;
  return `${Math.round(s / 86400)} d`;
};

/**
 * How long something took.
 * @param {number | null | undefined} seconds
 */
export const lasting = (seconds) => {
  if (seconds === null || seconds === undefined) return "–";
  return seconds > 0 && seconds < 0.1 ? `${Math.ceil(1000 * seconds)} ms` : ago(0, 1000 * seconds);
};

/** @param {string} word */
export const tag = (word) => el("span", { class: `tag ${word}` }, word);

/**
 * A sentence in which words between backticks are code.
 * @param {string | undefined} words
 * @returns {Child}
 */
export const sentence = (words) => words?.split("`").map((part, i) => (i % 2 && part ? el("code", {}, part) : part));

/**
 * With a capital letter at its beginning; a name in backticks keeps its own.
 * @param {string} words
 */
export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/**
 * With a full stop at its end.
 * @param {string} words
 */
export const stopped = (words) => (/[.!?]$/.test(words) ? words : `${words}.`);

/**
 * What is said where there is nothing to draw.
 * @param {string} what
 * @param {string} [hint]
 */
export const notice = (what, hint, isError = false) =>
  el(
    "div",
    { class: isError ? "state fault" : "state", role: isError ? "alert" : "status" },
    el("b", {}, capital(what)),
    sentence(hint && stopped(capital(hint))),
  );

/**
 * @param {string} title
 * @returns {Card}
 */
export const card = (title, size = "", words = "") => {
  const body = el("div", {}, el("p", { class: "state" }, "Loading…"));
  const note = el("small", {}, words);
  return { root: el("section", { class: `card ${size}` }, el("h2", {}, title, note), body), body, note };
};

/**
 * Names with their values.
 * @param {[string, Child][]} all
 */
export const pairs = (all) =>
  el(
    "dl",
    { class: "pairs" },
    all.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );

/**
 * What the colours of a chart mean. A kind is `line`, `dashed`, `dotted`, `cross` or `ring`; without one it is a dot.
 * @param {...([name: string, colour: string, kind?: string] | null)} all
 */
export const legend = (...all) => {
  const one = (/** @type {[string, string, string?]} */ [name, hue, kind]) =>
    el("span", { class: kind ?? "", style: { "--c": `var(--${hue})` } }, name);
  return el(
    "p",
    { class: "key" },
    all.map((entry) => entry && one(entry)),
  );
};

/**
 * A colour of the theme.
 * @param {string} name
 */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
