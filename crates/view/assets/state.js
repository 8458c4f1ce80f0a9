// What the pages of a study share: it is handed to each panel, and no panel knows of another.

/** @import { Overview, Setting } from "./api" */
/** @import { Source } from "./source.js" */

/** @typedef {{ x: number, y: number }} Pair Which two searched parameters are shown. */
/** @typedef {() => Promise<void>} Draw Draws a panel anew. */

/**
 * A parameter as the log's first event has it.
 * @typedef {object} Parameter
 * @property {string} name
 * @property {string} type
 * @property {Setting[]} [choices]
 * @property {Setting[]} [values]
 * @property {number} [low]
 * @property {number} [high]
 * @property {boolean} [log]
 */

/**
 * What a page shows and may do.
 * @typedef {object} Context
 * @property {Source} source
 * @property {string} name The study.
 * @property {Overview} seen The study at a glance, kept up to date while the page is shown.
 * @property {boolean} writes Whether it may be changed.
 * @property {Parameter[]} space Its parameters, where it may be changed.
 * @property {Pair} pair The same for all pages of a study.
 * @property {Draw[]} overTwo Draws the panels over that pair.
 * @property {Record<string, () => void>} keys What keys of the keyboard do on this page.
 * @property {() => Promise<void>} refresh Draws every panel of the page anew.
 * @property {() => void} stale Says that a panel was drawn from an older state than the newest.
 */

/**
 * The address of a page of a study.
 * @param {string} name
 */
export const link = (name, rest = "overview") => `#/s/${encodeURIComponent(name)}/${rest}`;
