// Where data comes from: the server, or in a report the page itself.

/** @import { Listing, Overview, State, Table } from "./api" */

/**
 * @typedef {object} Source
 * @property {{ study: string } | null} report What the report is about; null where a server answers.
 * @property {(path: string) => boolean} holds Whether a report has the answer.
 * @property {(path: string) => Promise<any>} get
 * @property {(path: string, body: object) => Promise<any>} post
 * @property {(name: string, seen: (news: News) => void, lost: () => void) => EventSource} live
 *   Calls back with each overview, until it is closed.
 */
/** @typedef {Overview & { error?: string }} News */
/** @typedef {{ about: { study: string }, views: Record<string, any> }} Kept */

/** An answer that says no. */
export class Refusal extends Error {
  /**
   * @param {string} what
   * @param {string} hint
   * @param {string} [kind] The server's word for what went wrong.
   */
  constructor(what, hint, kind = "") {
    super(what);
    this.hint = hint;
    this.kind = kind;
  }
}

/**
 * What went wrong, in words.
 * @param {unknown} error
 * @returns {[what: string, hint: string]}
 */
export const inWords = (error) =>
  error instanceof Refusal ? [error.message, error.hint] : [error instanceof Error ? error.message : String(error), ""];

/**
 * The address of something of a study.
 * @param {string} name
 */
export const address = (name, rest = "") => `/api/studies/${encodeURIComponent(name)}${rest}`;

/** A name for a request, so that it is carried out once however often it is sent. */
export const requestName = () => `dashboard ${Date.now().toString(36)} ${Math.random().toString(36).slice(2, 12)}`;

/**
 * @param {string} path
 * @param {RequestInit} options
 */
const ask = async (path, options) => {
  const response = await fetch(path, options).catch(() => {
    throw new Refusal("the server does not answer", "check that `elbow serve` is still running");
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Refusal(answer.error || `the server answered ${response.status}`, answer.try || "", answer.kind);
  }
  return answer;
};

/** @type {Source} */
const server = {
  report: null,
  holds: () => true,
  get: (path) => ask(path, { headers: { accept: "application/json" } }),
  post: (path, body) =>
    ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  live: (name, seen, lost) => {
    const source = new EventSource(address(name, "/live"));
    source.addEventListener("study", (event) => seen(JSON.parse(event.data)));
    source.onerror = lost;
    return source;
  },
};

/**
 * A page of the trials that are in a report. Orders and filters were made where the server makes its own; here they
 * are looked up.
 * @param {Listing} listing
 * @param {URLSearchParams} words
 * @returns {Table & { n_held: number }}
 */
export const page = (listing, words) => {
  const { parameters, metric, results, n_trials, rows, orders, states, texts } = listing;
  const [sort, state] = [words.get("sort"), /** @type {State | null} */ (words.get("state"))];
  const wanted = (words.get("text") ?? "").trim().toLowerCase();
  const of = (/** @type {"parameter" | "result"} */ kind, /** @type {string[]} */ names) =>
    orders[kind][names.indexOf(words.get(kind) ?? "")] ?? orders.trial;
  const order =
    sort === "parameter"
      ? of(sort, parameters)
      : sort === "result"
        ? of(sort, results ?? [])
        : orders[/** @type {"trial" | "value" | "state" | "duration" | "worker"} */ (sort)];
  const inState = state && new Set(states[state]);
  const found = order.filter(
    (i) => (!inState || inState.has(i)) && (texts[i].includes(wanted) || String(rows[i].trial) === wanted),
  );
  if (words.get("reverse") === "true") found.reverse();
  const [from, n] = ["from", "rows"].map((name) => Number(words.get(name)));
  const shown = found.slice(from, from + n).map((i) => rows[i]);
  const names = { parameters, metric, results };
  return { ...names, n_trials, n_found: found.length, n_held: rows.length, from, rows: shown };
};

/**
 * @param {Kept} kept
 * @returns {Source}
 */
const inPage = ({ about, views }) => {
  const refuse = async () => {
    throw new Refusal("this report does not include this part", "open the study with `elbow serve`");
  };
  const holds = (/** @type {string} */ path) => Object.hasOwn(views, path);
  return {
    report: about,
    holds,
    get: async (path) => {
      const [base, words] = path.split("/trials?");
      if (words) return page(views[`${base}/trials`], new URLSearchParams(words));
      return holds(path) ? views[path] : refuse();
    },
    post: refuse,
    live: () => {
      throw new Error("a report does not change");
    },
  };
};

/**
 * The source of this page.
 * @returns {Source}
 */
export const openSource = () => {
  const kept = document.getElementById("kept");
  return kept ? inPage(JSON.parse(kept.textContent ?? "")) : server;
};
